package content

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// Counting evaluates constants of a function, nil outside of one, and thread numbers in blocks of one shape.
func Counting(c *kit.Comparison, fn *ir.Func, block [3]int) *content {
	al := &kit.Alignment{Texts: c, New: fn, Obj: &kit.Object{Block: block}, Kernel: &kit.Kernel{State: &kit.KernelState{}}}
	return NewContent(al, max(1, al.Obj.Threads()))
}

// IntOf evaluates what no thread changes.
func IntOf(c *kit.Comparison, e *ir.Expr) (int, bool) {
	v := Counting(c, nil, [3]int{1, 1, 1}).Constant(e)
	if v.Kind != IsInt || v.N < 0 || v.N > 1<<30 {
		return 0, false
	}
	return int(v.N), true
}

// ShapesOf returns the shapes of the blocks in which the new program launches a kernel. It is not known, which is said
// by false, where a launch has one that is no constant, where the kernel is named elsewhere, or not launched at all.
func ShapesOf(c *kit.Comparison, kernel string) (distinct [][3]int, known bool) {
	known = true
	for _, f := range c.NewNames.Prog.All() {
		src := c.SourceOf(f)
		known = known && !slices.ContainsFunc(src.Units, func(u units.Unit) bool {
			return u.Text == kernel && !launchesAt(f, kernel, u.Start) && !DeclaresAt(f, kernel, u.Start) && !hiddenAt(c, f, kernel, u.Start) ||
				strings.HasPrefix(u.Text, "# define") && slices.Contains(units.Words(u.Text), kernel)
		})
		for _, fn := range f.Functions {
			if fn.Body == nil || countLaunches(f, fn, kernel) == 0 {
				continue
			}
			low := c.NewNames.Lower(f, fn)
			found := 0
			for e := range low.Body.AllExprs() {
				if e.Op == ir.OpLaunch && e.Name == kernel && e.Launch != nil && len(e.Launch.Config) >= 2 {
					found++
					d, ok := extentsOf(c, low, e.Kids[1])
					if known = known && ok; !slices.Contains(distinct, d) {
						distinct = append(distinct, d)
					}
				}
			}
			known = known && found == countLaunches(f, fn, kernel)
		}
	}
	return distinct, known && len(distinct) > 0
}

// launchesAt reports whether a kernel's name stands at a place to launch it.
func launchesAt(f *parser.File, kernel string, at int) bool {
	return slices.ContainsFunc(f.Launches, func(l *parser.Launch) bool { return l.Kernel == kernel && int(l.Node.Start) <= at && at < l.Open })
}

// hiddenAt reports whether a kernel's name stands in a function that has a variable of that name.
func hiddenAt(c *kit.Comparison, f *parser.File, kernel string, at int) bool {
	return slices.ContainsFunc(f.Functions, func(fn *parser.Function) bool {
		if fn.Body == nil || at < fn.Start || at >= int(fn.Body.End) {
			return false
		}
		low := c.NewNames.Lower(f, fn)
		own := func(v *ir.Var) bool { return v.Name == kernel && v.Range.Start <= at && !v.Macro }
		return slices.ContainsFunc(low.Params, own) || slices.ContainsFunc(low.Vars, func(v *ir.Var) bool {
			return own(v) && v.Decl != nil && v.Decl.Parent == low.Body
		})
	})
}

// DynamicBytes reports whether a launch of a kernel asks for dynamic shared memory.
func DynamicBytes(c *kit.Comparison, kernel string) bool {
	return slices.ContainsFunc(c.NewNames.Prog.All(), func(f *parser.File) bool {
		return slices.ContainsFunc(f.Launches, func(l *parser.Launch) bool {
			return l.Kernel == kernel && len(l.Config) > 2 && strings.TrimSpace(f.Text(l.Config[2])) != "0"
		})
	})
}

func countLaunches(f *parser.File, fn *parser.Function, kernel string) (n int) {
	for _, l := range f.Launches {
		if l.Kernel == kernel && int(fn.Body.Start) <= l.Open && l.Open < int(fn.Body.End) {
			n++
		}
	}
	return n
}

// extentsOf evaluates the block of a launch: a number, dim3 of some, or a variable that nothing changes.
func extentsOf(c *kit.Comparison, host *ir.Func, e *ir.Expr) (out [3]int, ok bool) {
	calc := Counting(c, host, [3]int{1, 1, 1})
	for _, v := range host.Vars {
		if init := settled(host, v, e.Range.Start); init != nil && len(v.Dims) == 0 && v.Type.Ptr == 0 && !v.Type.Ref && !v.Static {
			calc.Frame.Vars[v] = []Value{calc.stored(v, calc.Eval(init, 0))}
		}
	}
	one := func(e *ir.Expr) (int, bool) {
		v := calc.Eval(e, 0)
		return int(v.N), v.Kind == IsInt && v.N > 0 && v.N <= 1024
	}
	if n, fits := one(e); fits {
		return [3]int{n, 1, 1}, true
	}
	var parts []*ir.Expr
	switch {
	case e.Op == ir.OpIdent && e.Var != nil && e.Var.Type.Base == "dim3" && e.Var.Type.Ptr == 0 && e.Var.Init != nil && unchanged(host, e.Var, nil):
		if n, fits := one(e.Var.Init); fits {
			return [3]int{n, 1, 1}, true
		}
		parts = dim3Parts(e.Var.Init)
	default:
		parts = dim3Parts(e)
	}
	if len(parts) == 0 || len(parts) > 3 {
		return out, false
	}
	out = [3]int{1, 1, 1}
	for i, p := range parts {
		n, fits := one(p)
		if !fits {
			return out, false
		}
		out[i] = n
	}
	return out, out[0]*out[1]*out[2] <= 1024
}

// dim3Parts are the extents of "dim3(x, y, z)" and of the list that initialises one.
func dim3Parts(e *ir.Expr) []*ir.Expr {
	switch {
	case e.Op == ir.OpCall && e.Name == "dim3":
		return e.Args()
	case e.Op == ir.OpInitList, e.Op == ir.OpCast && e.Type.Base == "dim3":
		return e.Kids
	}
	return nil
}

// settled is the value that a variable has at a place: what it begins with, if nothing changes it, or what it is set to
// once, in the statements that it is declared among.
func settled(fn *ir.Func, v *ir.Var, at int) *ir.Expr {
	if v.Init != nil && unchanged(fn, v, nil) {
		return v.Init
	}
	if v.Init != nil || v.Decl == nil || v.Decl.Parent.Op != ir.StmtCompound || len(v.Writes) != 1 || !unchanged(fn, v, v.Writes[0]) {
		return nil
	}
	for _, s := range v.Decl.Parent.List {
		switch set := v.Writes[0]; {
		case s.Op == ir.StmtLabel || s.Op == ir.StmtCase:
			return nil
		case s.Expr == set && s.Op == ir.StmtExpr && set.Op == ir.OpAssign && set.Tok == "=" && s.Range.End <= at:
			return set.Kids[1]
		}
	}
	return nil
}

// unchanged reports whether nothing in a function changes a variable or a member of it, but for one assignment.
func unchanged(fn *ir.Func, v *ir.Var, but *ir.Expr) bool {
	ok := !v.AddrTaken && !slices.ContainsFunc(v.Writes, func(w *ir.Expr) bool { return w != but })
	kit.Walk(fn.Body, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec:
			if root := e.Kids[0].Root(); root != nil && root.Var == v && e != but {
				ok = false
			}
		case ir.OpCall:
			for _, arg := range e.Args() {
				if arg.Op == ir.OpIdent && arg.Var == v {
					ok = false
				}
			}
		}
		return ok
	})
	return ok
}

// DeclaresAt reports whether a kernel's name stands at a place to declare it.
func DeclaresAt(f *parser.File, kernel string, at int) bool {
	return slices.ContainsFunc(f.Functions, func(fn *parser.Function) bool {
		return fn.Name == kernel && fn.IsKernel() && fn.Declared != nil && int(fn.Declared.Start) <= at && at < int(fn.Declared.End)
	})
}
