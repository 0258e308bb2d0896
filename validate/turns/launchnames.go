package turns

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// local reports whether a name is that of a variable of the function it stands in, or of a member.
func (c launches) local(i int) bool {
	u := c.New.Units[i]
	if i > 0 && (c.New.Units[i-1].Text == "." || i > 1 && units.Is(c.New.Units[i-2:i], "- >")) || i > 2 && units.Is(c.New.Units[i-3:i], "smux : :") {
		return true
	}
	return slices.ContainsFunc(c.New.File.Functions, func(fn *parser.Function) bool {
		if fn.Body == nil || u.Start < fn.Start || u.Start >= int(fn.Body.End) {
			return false
		}
		low := ir.LowerFor(&c.NewNames.Cache, c.New.File, fn, []*parser.Node{fn.Body}) // all of it
		found := slices.ContainsFunc(append(slices.Clone(low.Vars), low.Params...), func(v *ir.Var) bool {
			return v.Name == u.Text && !v.Macro && (fn.Quals != 0 || v.Range.Start <= u.Start && u.Start < v.Range.End && (v.Init == nil || u.Start < v.Init.Range.Start))
		})
		kit.Walk(low.Body, func(e *ir.Expr) bool {
			found = found || e.Op == ir.OpIdent && !e.Macro && e.Range.Start == u.Start && e.Var != nil && (e.Var.Kind == ir.VarLocal || e.Var.Kind == ir.VarParam)
			return true
		})
		return found
	})
}

// NamedElsewhere looks for other uses of rewritten kernels than their launches: what is launched by its address is not
// followed. What is asked of one is another kernel's answer, which a program must bear.
func NamedElsewhere(of *kit.Comparison, r *kit.Result) {
	c := launches{of}
	for name, k := range c.Changed {
		if k.Merged == 1 {
			continue // it is launched as it was
		}
		for i, u := range c.New.Units {
			switch {
			case strings.HasPrefix(u.Text, "# define") && slices.Contains(units.Words(u.Text), name):
				k.Doubt(kit.Launches, c.New.File, u.Start, "a macro names the kernel, and may launch it")
			case u.Text != name || c.local(i) || content.DeclaresAt(c.New.File, name, u.Start):
			case slices.ContainsFunc(c.New.File.Launches, func(l *parser.Launch) bool {
				return l.Kernel == name && (l.Call == "" && int(l.Node.Start) <= u.Start && u.Start < l.Open || l.Call != "" && l.Open <= u.Start && u.Start < l.Close)
			}):
			default:
				switch call := c.callAround(i); {
				case c.asked(i), call == "cudaFuncSetCacheConfig":
				case strings.HasPrefix(call, "cudaOccupancy"), call == "cudaFuncGetAttributes":
					k.Show(kit.Launches, "the runtime is asked about the kernel", c.New.File.Position(u.Start)).Assumes = "the program bears any answer of the runtime about the registers, threads and blocks of the kernel"
				default:
					k.Doubt(kit.Launches, c.New.File, u.Start, "the kernel is named here, and may be launched as it was")
				}
			}
		}
	}
}

// asked reports whether a kernel's name is the first argument of smux::try_merge<…> or smux::resident<…>, which ask how
// many threads and blocks it may have.
func (c launches) asked(i int) bool {
	us := c.New.Units
	for i > 1 && us[i-1].Text == ":" { // ::k, inner::k
		if i -= 2; i > 0 && units.IsWord(us[i-1].Text) {
			i--
		}
	}
	if i < 3 || us[i-1].Text != "(" || us[i-2].Text != ">" {
		return false
	}
	for i -= 2; i > 0 && us[i].Text != "<"; {
		i--
	}
	return i > 3 && (units.Is(us[i-4:i], "smux : : try_merge") || units.Is(us[i-4:i], "smux : : resident"))
}

// callAround is the name of the call of which a unit is an argument, "" where it is none's.
func (c launches) callAround(i int) string {
	us, depth := c.New.Units, 0
	for i--; i > 0; i-- {
		switch us[i].Text {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth--; depth < 0 && us[i].Text == "(" && units.IsWord(us[i-1].Text) && us[i-1].Text != ")" {
				return us[i-1].Text
			} else if depth < 0 && us[i].Text != "(" {
				return ""
			} else if depth < 0 {
				depth = 0
			}
		case ";":
			return ""
		}
	}
	return ""
}
