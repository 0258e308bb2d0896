package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// local reports whether a name is that of a variable of the function it stands in, or of a member.
func (c launches) local(i int) bool {
	u := c.b.units[i]
	if i > 0 && (c.b.units[i-1].text == "." || i > 1 && is(c.b.units[i-2:i], "- >")) || i > 2 && is(c.b.units[i-3:i], "smux : :") {
		return true
	}
	return slices.ContainsFunc(c.b.file.Functions, func(fn *parser.Function) bool {
		if fn.Body == nil || u.start < fn.Start || u.start >= int(fn.Body.End) {
			return false
		}
		low := ir.LowerFor(&c.namesB.cache, c.b.file, fn, []*parser.Node{fn.Body}) // all of it
		found := slices.ContainsFunc(append(slices.Clone(low.Vars), low.Params...), func(v *ir.Var) bool {
			return v.Name == u.text && !v.Macro && (fn.Quals != 0 || v.Range.Start <= u.start && u.start < v.Range.End && (v.Init == nil || u.start < v.Init.Range.Start))
		})
		walk(low.Body, func(e *ir.Expr) bool {
			found = found || e.Op == ir.OpIdent && !e.Macro && e.Range.Start == u.start && e.Var != nil && (e.Var.Kind == ir.VarLocal || e.Var.Kind == ir.VarParam)
			return true
		})
		return found
	})
}

// namedElsewhere looks for other uses of rewritten kernels than their launches: what is launched by its address is not
// followed. What is asked of one is another kernel's answer, which a program must bear.
func namedElsewhere(of *comparison, r *Result) {
	c := launches{of}
	for name, k := range c.changed {
		if k.Merged == 1 {
			continue // it is launched as it was
		}
		for i, u := range c.b.units {
			switch {
			case strings.HasPrefix(u.text, "# define") && slices.Contains(words(u.text), name):
				k.doubt(Launches, c.b.file, u.start, "a macro names the kernel, and may launch it")
			case u.text != name || c.local(i) || declaresAt(c.b.file, name, u.start):
			case slices.ContainsFunc(c.b.file.Launches, func(l *parser.Launch) bool {
				return l.Kernel == name && (l.Call == "" && int(l.Node.Start) <= u.start && u.start < l.Open || l.Call != "" && l.Open <= u.start && u.start < l.Close)
			}):
			default:
				switch call := c.callAround(i); {
				case c.asked(i), call == "cudaFuncSetCacheConfig":
				case strings.HasPrefix(call, "cudaOccupancy"), call == "cudaFuncGetAttributes":
					k.shown(Launches, "the runtime is asked about the kernel", c.b.file.Position(u.start))
					k.Shown[len(k.Shown)-1].Assumes = "the program bears any answer of the runtime about the registers, threads and blocks of the kernel"
				default:
					k.doubt(Launches, c.b.file, u.start, "the kernel is named here, and may be launched as it was")
				}
			}
		}
	}
}

// asked reports whether a kernel's name is the first argument of smux::try_merge<…> or smux::resident<…>, which ask how
// many threads and blocks it may have.
func (c launches) asked(i int) bool {
	us := c.b.units
	for i > 1 && us[i-1].text == ":" { // ::k, inner::k
		if i -= 2; i > 0 && isWord(us[i-1].text) {
			i--
		}
	}
	if i < 3 || us[i-1].text != "(" || us[i-2].text != ">" {
		return false
	}
	for i -= 2; i > 0 && us[i].text != "<"; {
		i--
	}
	return i > 3 && (is(us[i-4:i], "smux : : try_merge") || is(us[i-4:i], "smux : : resident"))
}

// callAround is the name of the call of which a unit is an argument, "" where it is none's.
func (c launches) callAround(i int) string {
	us, depth := c.b.units, 0
	for i--; i > 0; i-- {
		switch us[i].text {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth--; depth < 0 && us[i].text == "(" && isWord(us[i-1].text) && us[i-1].text != ")" {
				return us[i-1].text
			} else if depth < 0 && us[i].text != "(" {
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
