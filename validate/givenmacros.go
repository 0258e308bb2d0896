package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/kit"
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
				if !strings.HasPrefix(u.Text, "# error") && !strings.HasPrefix(u.Text, `"`) {
					checked = append(checked, parser.Names(u.Text)...)
				}
			}
		}
	}
	named := c.NewNamed(checked...)
	named.Opens = func(m *parser.Macro) bool {
		if m.Overridable {
			out = append(out, m.Name)
		}
		return !m.Overridable
	}
	named.Function(c.New.File, b)
	if a.Body != nil {
		named.Function(c.Old.File, a)
	}
	if len(out) > 0 {
		slices.Sort(out)
		k.Show(Content, "macros are as the files define them").Assumes = "the compiler is given no other " + strings.Join(out, ", ")
	}
}
