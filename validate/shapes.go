package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// counting evaluates constants, and thread numbers in blocks of one shape.
func counting(c *comparison, block [3]int) *content {
	al := &alignment{c: c, obj: &object{block: block}, k: &Kernel{state: &kernelState{}}}
	return newContent(al, max(1, al.obj.threads()))
}

// number evaluates what no thread changes.
func intOf(c *comparison, e *ir.Expr) (int, bool) {
	v := counting(c, [3]int{1, 1, 1}).constant(e)
	if v.kind != isInt || v.n < 0 || v.n > 1<<30 {
		return 0, false
	}
	return int(v.n), true
}

// shapes returns the shapes of the blocks in which the new program launches a kernel. It is not known, which is said
// by false, where a launch has one that is no constant, where the kernel is named elsewhere, or not launched at all.
func shapesOf(c *comparison, kernel string) (out [][3]int, known bool) {
	known = true
	for _, f := range c.namesB.prog.All() {
		src := newSource(f)
		known = known && !slices.ContainsFunc(src.units, func(u unit) bool {
			return u.text == kernel && !launchesAt(f, kernel, u.start) && !declaresAt(f, kernel, u.start) && !hiddenAt(c, f, kernel, u.start) ||
				strings.HasPrefix(u.text, "# define") && slices.Contains(words(u.text), kernel)
		})
		for _, fn := range f.Functions {
			if fn.Body == nil || countLaunches(f, fn, kernel) == 0 {
				continue
			}
			low := c.namesB.lower(f, fn)
			found := 0
			low.Body.WalkExprs(func(e *ir.Expr) bool {
				if e.Op == ir.OpLaunch && e.Name == kernel && e.Launch != nil && len(e.Launch.Config) >= 2 {
					found++
					d, ok := extentsOf(c, low, e.Kids[1])
					known = known && ok
					out = append(out, d)
				}
				return true
			})
			known = known && found == countLaunches(f, fn, kernel)
		}
	}
	return out, known && len(out) > 0
}

// launchesAt reports whether a kernel's name stands at a place to launch it.
func launchesAt(f *parser.File, kernel string, at int) bool {
	return slices.ContainsFunc(f.Launches, func(l *parser.Launch) bool { return l.Kernel == kernel && int(l.Node.Start) <= at && at < l.Open })
}

// hiddenAt reports whether a kernel's name stands in a function that has a variable of that name.
func hiddenAt(c *comparison, f *parser.File, kernel string, at int) bool {
	return slices.ContainsFunc(f.Functions, func(fn *parser.Function) bool {
		if fn.Body == nil || at < fn.Start || at >= int(fn.Body.End) {
			return false
		}
		low := c.namesB.lower(f, fn)
		own := func(v *ir.Var) bool { return v.Name == kernel && v.Range.Start <= at && !v.Macro }
		return slices.ContainsFunc(low.Params, own) || slices.ContainsFunc(low.Vars, func(v *ir.Var) bool {
			return own(v) && v.Decl != nil && v.Decl.Parent == low.Body
		})
	})
}

// dynamicBytes reports whether a launch of a kernel asks for dynamic shared memory.
func dynamicBytes(c *comparison, kernel string) bool {
	return slices.ContainsFunc(c.namesB.prog.All(), func(f *parser.File) bool {
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

// extents evaluates the block of a launch: a number, dim3 of some, or a variable that nothing changes.
func extentsOf(c *comparison, host *ir.Func, e *ir.Expr) (out [3]int, ok bool) {
	calc := counting(c, [3]int{1, 1, 1})
	for _, v := range host.Vars {
		if init := settled(host, v, e.Range.Start); init != nil && len(v.Dims) == 0 && v.Type.Ptr == 0 && !v.Type.Ref && !v.Static {
			calc.frame.vars[v] = []value{calc.stored(v, calc.eval(init, 0))}
		}
	}
	one := func(e *ir.Expr) (int, bool) {
		v := calc.eval(e, 0)
		return int(v.n), v.kind == isInt && v.n > 0 && v.n <= 1024
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

// settled is the value that a variable has at a place: what it begins with, where nothing changes it, or what it is set to
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
	walk(fn.Body, func(e *ir.Expr) bool {
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

// declaresAt reports whether a kernel's name stands at a place to declare it.
func declaresAt(f *parser.File, kernel string, at int) bool {
	return slices.ContainsFunc(f.Functions, func(fn *parser.Function) bool {
		return fn.Name == kernel && fn.IsKernel() && fn.Declared != nil && int(fn.Declared.Start) <= at && at < int(fn.Declared.End)
	})
}
