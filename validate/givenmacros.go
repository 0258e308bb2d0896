package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// macrosAsDefined notes which macros the proof takes as the files define them, though the compiler's command line may give them
// other values: those that stand under "#ifndef NAME" and that the kernel, or a device function, type or variable that it names,
// uses, and that the new text doesn't check.
func (c judge) macrosAsDefined(k *Kernel, a, b *parser.Function) {
	if !k.Proved() {
		return
	}
	var checked, out []string
	for _, s := range c.NewNames.Lower(c.New.File, b).Body.List {
		if us := c.UnitsOf(s); kit.IsCheck(us) {
			for _, u := range us {
				if !strings.HasPrefix(u.Text, "# error") {
					checked = append(checked, namesOf(u)...)
				}
			}
		}
	}
	seen := map[string]bool{}
	var use func(f *parser.File, name string, at int)
	function := func(f *parser.File, src *units.Source, fn *parser.Function) {
		for _, u := range src.Between(fn.Start, int(fn.Body.End)) {
			for _, name := range namesOf(u) {
				use(f, name, u.Start)
			}
		}
	}
	use = func(f *parser.File, name string, at int) {
		if seen[name] || slices.Contains(checked, name) {
			return
		}
		seen[name] = true
		for _, fn := range c.Devices[name] {
			function(c.FileOf[fn], units.NewSource(c.FileOf[fn]), fn)
		}
		for _, d := range c.Declarations[name] {
			for _, n := range parser.Names(d.File.Text(d.Node)) {
				use(d.File, n, int(d.Node.Start))
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
	function(c.New.File, c.New, b)
	if a.Body != nil {
		function(c.Old.File, c.Old, a)
	}
	if len(out) > 0 {
		slices.Sort(out)
		k.Show(Content, "macros are as the files define them").Assumes = "the compiler is given no other " + strings.Join(out, ", ")
	}
}

// namesOf are the identifiers in a unit that is no string.
func namesOf(u units.Unit) []string {
	if strings.HasPrefix(u.Text, `"`) {
		return nil
	}
	return parser.Names(u.Text)
}
