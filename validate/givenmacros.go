package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// macrosAsDefined notes which macros the proof takes as the files define them, though the compiler's command line may give them
// other values: those that stand under "#ifndef NAME" and that the kernel, or a device function, type or variable that it names,
// uses, and that the new text doesn't check.
func (c *comparison) macrosAsDefined(k *Kernel, a, b *parser.Function) {
	if !k.Proved() {
		return
	}
	var checked, out []string
	for _, s := range c.namesB.lower(c.b.file, b).Body.List {
		if us := c.unitsOf(s); isCheck(us) {
			for _, u := range us {
				if !strings.HasPrefix(u.text, "# error") {
					checked = append(checked, namesOf(u)...)
				}
			}
		}
	}
	seen := map[string]bool{}
	var use func(f *parser.File, name string, at int)
	function := func(f *parser.File, src *source, fn *parser.Function) {
		for _, u := range src.between(fn.Start, int(fn.Body.End)) {
			for _, name := range namesOf(u) {
				use(f, name, u.start)
			}
		}
	}
	use = func(f *parser.File, name string, at int) {
		if seen[name] || slices.Contains(checked, name) {
			return
		}
		seen[name] = true
		for _, fn := range c.devices[name] {
			function(c.fileOf[fn], newSource(c.fileOf[fn]), fn)
		}
		for _, d := range c.declarations[name] {
			for _, n := range parser.Names(d.file.Text(d.node)) {
				use(d.file, n, int(d.node.Start))
			}
		}
		m, ok := f.Macros.Lookup(name, at)
		switch {
		case !ok:
		case m.Overridable:
			out = append(out, name)
		default:
			for _, n := range parser.Names(m.Body) {
				use(f, n, at)
			}
		}
	}
	function(c.b.file, c.b, b)
	if a.Body != nil {
		function(c.a.file, c.a, a)
	}
	if len(out) > 0 {
		slices.Sort(out)
		k.shown(Content, "macros are as the files define them")
		k.Shown[len(k.Shown)-1].Assumes = "the compiler is given no other " + strings.Join(out, ", ")
	}
}

// declaration is one of a file.
type declaration struct {
	file *parser.File
	node *parser.Node
}

// namesOf are the identifiers in a unit that is no string.
func namesOf(u unit) []string {
	if strings.HasPrefix(u.text, `"`) {
		return nil
	}
	return parser.Names(u.text)
}
