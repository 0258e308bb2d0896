package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// storedTo returns the parameters of the kernel through which something may be stored, false where that is not known:
// where a pointer comes from memory, or goes where it is not followed.
func (s *staging) storedTo() (out []*ir.Var, known bool) {
	known = true
	for _, p := range s.b.Params {
		known = known && (p.Type.Ptr == 0 || p.Type.Ptr == 1 && !p.Type.Ref) && plainValue(p.Type.Base)
	}
	for _, g := range s.k.state.reach {
		roots := map[*ir.Var]bool{}
		known = known && s.storesIn(g, roots)
		if g == s.b {
			for p := range roots {
				out = append(out, p)
			}
		}
	}
	return out, known
}

// storesIn finds the parameters of a function through which it may store.
func (s *staging) storesIn(g *ir.Func, roots map[*ir.Var]bool) bool {
	ok := true
	var through func(e *ir.Expr, depth int) bool
	through = func(e *ir.Expr, depth int) bool {
		root := e.Root()
		if root == nil || root.Var == nil || depth > 4 {
			return false
		}
		v := root.Var
		switch {
		case v.Type.Ref && v.Kind == ir.VarParam:
			roots[v] = true
		case v.Type.Ptr == 0 && !v.Type.Ref && (v.Kind == ir.VarLocal || v.Kind == ir.VarShared || v.Kind == ir.VarParam), v.Kind == ir.VarGlobal && v.Type.Ptr == 0:
		case v.Kind == ir.VarParam && v.Type.Ptr == 1 && !v.AddrTaken:
			roots[v] = true
			for _, w := range v.Writes {
				if w.Op == ir.OpAssign && !through(w.Kids[1], depth+1) {
					return false
				}
			}
		case v.Kind == ir.VarLocal && v.Type.Ptr == 1 && !v.AddrTaken && (v.Init != nil || len(v.Writes) > 0):
			if v.Init != nil && !through(v.Init, depth+1) {
				return false
			}
			for _, w := range v.Writes {
				if w.Op == ir.OpAssign && w.Kids[1].Root() != root && !through(w.Kids[1], depth+1) {
					return false
				}
			}
		default:
			return false
		}
		return true
	}
	walk(g.Body, func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpAssign, ir.OpIncDec:
			if e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var != nil && !e.Kids[0].Var.Type.Ref {
				return true
			}
			ok = ok && through(e.Kids[0], 0)
		case ir.OpAsm, ir.OpLambda, ir.OpNew, ir.OpUnknown, ir.OpMixed:
			ok = false
		case ir.OpIdent:
			ok = ok && (e.Var == nil || e.Var.Kind != ir.VarGlobal || e.Var.Type.Ptr == 0)
		case ir.OpCall:
			if isBarrierCall(e) && len(e.Args()) == 0 {
				return true
			}
			if _, pure := s.pure(e); pure || e.Name == "__ldg" {
				return true
			}
			if len(s.k.state.calls[e]) == 0 && !leavesArguments(e.Name) {
				ok = false
			}
			for _, arg := range e.Args() {
				if root := arg.Root(); root != nil && root.Var != nil && (root.Var.Type.Ptr > 0 || len(root.Var.Dims) > 0 || arg.Op == ir.OpAddr) && arg.Op != ir.OpIndex && arg.Op != ir.OpDeref {
					ok = ok && through(arg, 0)
				}
			}
		}
		return ok
	})
	return ok
}

// scoped is an expression of the host with the function that it stands in.
type scoped struct {
	e  *ir.Expr
	fn *ir.Func
}

// apart reports whether a parameter is in each launch memory of its own, which none of some others points to.
func (s *staging) apart(a *ir.Var, others []*ir.Var) bool {
	nth := func(p *ir.Var) int { return slices.Index(s.b.Params, p) }
	found, ok := 0, true
	s.hosts(func(fn *ir.Func) {
		walk(fn.Body, func(e *ir.Expr) bool {
			if e.Op != ir.OpLaunch || e.Name != s.k.Name || e.Launch == nil {
				return true
			}
			found++
			args := e.Kids[len(e.Launch.Config):]
			if len(args) != len(s.b.Params) {
				ok = false
				return true
			}
			of := []scoped{{args[nth(a)], fn}}
			for _, p := range others {
				of = append(of, scoped{args[nth(p)], fn})
			}
			ok = ok && s.allocations(of, 0)
			return true
		})
	})
	s.inLaunches = s.inLaunches || ok && found > 0
	return ok && found > 0
}

// hosts calls f for each function of the program that is none of the device's.
func (s *staging) hosts(f func(fn *ir.Func)) {
	for _, file := range s.c.namesB.prog.All() {
		for _, fn := range file.Functions {
			if fn.Body != nil && !fn.IsKernel() {
				f(s.hostFunc(file, fn))
			}
		}
	}
}

func (s *staging) hostFunc(file *parser.File, fn *parser.Function) *ir.Func {
	if s.host[fn] == nil {
		low := ir.LowerFor(&s.c.namesB.cache, file, fn, []*parser.Node{fn.Body})
		walk(low.Body, func(e *ir.Expr) bool { bind(e, s.c.namesB.globals(file)); return true })
		s.host[fn] = low
	}
	return s.host[fn]
}

// allocations reports whether the first of some pointers of the host is to an allocation that the others don't point to.
func (s *staging) allocations(of []scoped, depth int) bool {
	var param *ir.Func
	var vars []*ir.Var
	for _, x := range of {
		if x.e.Op != ir.OpIdent || x.e.Var == nil || x.e.Var.Type.Ptr != 1 {
			return false
		}
		v := x.e.Var
		vars = append(vars, v)
		if v.Kind == ir.VarParam {
			if len(v.Writes) > 0 || v.AddrTaken || v.Type.Ref || param != nil && param != x.fn {
				return false
			}
			param = x.fn
		}
	}
	if slices.Contains(vars[1:], vars[0]) {
		return false
	}
	if param == nil {
		for i, v := range vars {
			if !s.allocated(v, of[i].fn) {
				return false
			}
		}
		return true
	}
	// What the function is given, wherever it is called.
	static := slices.ContainsFunc(s.c.b.between(param.View.Start, int(param.View.Body.Start)), func(u unit) bool { return u.text == "static" })
	if depth > 3 || param.File != s.c.b.file || !static {
		return false
	}
	named, calls, ok := 0, 0, true
	for _, u := range s.c.b.units {
		if u.text == param.View.Name {
			named++
		}
	}
	s.hosts(func(fn *ir.Func) {
		walk(fn.Body, func(e *ir.Expr) bool {
			if e.Op != ir.OpCall || e.Name != param.View.Name || len(e.Args()) != len(param.Params) {
				return true
			}
			calls++
			next := slices.Clone(of)
			for i, x := range of {
				if n := slices.Index(param.Params, x.e.Var); n >= 0 {
					next[i] = scoped{e.Args()[n], fn}
				}
			}
			ok = ok && s.allocations(next, depth+1)
			return true
		})
	})
	return ok && calls > 0 && named == calls+1
}

// allocated reports whether a pointer of the host holds what cudaMalloc gave it, and nothing else: its address is
// passed to cudaMalloc once, and nothing else is done with it but to take its value.
func (s *staging) allocated(v *ir.Var, fn *ir.Func) bool {
	if len(v.Writes) > 0 || v.Type.Ref || v.Type.Volatile || v.Init != nil && !isNull(v.Init) {
		return false
	}
	var in []*ir.Func
	switch {
	case v.Kind == ir.VarLocal && !v.Static:
		in = []*ir.Func{fn}
	case v.Kind == ir.VarGlobal && v.Static && v.File == s.c.b.file:
		s.hosts(func(f *ir.Func) { in = append(in, f) })
	default:
		return false
	}
	given, ok := 0, true
	for _, f := range in {
		var visit func(e *ir.Expr, value bool)
		visit = func(e *ir.Expr, value bool) {
			switch {
			case e.Op == ir.OpCall && (e.Name == "cudaMalloc" || e.Name == "cudaMallocManaged") && len(e.Args()) > 0 && givesTo(e.Args()[0], v):
				given++
				for _, arg := range e.Args()[1:] {
					visit(arg, false)
				}
			case e.Op == ir.OpCall:
				for i, kid := range operands(e) {
					visit(kid, strings.HasPrefix(e.Name, "cuda") || s.byValue(e, i))
				}
			case e.Op == ir.OpIdent && sameVar(e.Var, v):
				ok = ok && value
			case e.Op == ir.OpLambda && e.Lambda != nil:
				e.Lambda.WalkExprs(func(x *ir.Expr) bool {
					ok = ok && !(x.Op == ir.OpIdent && sameVar(x.Var, v))
					return true
				})
			default:
				kept := e.Op != ir.OpAddr && e.Op != ir.OpCast && e.Op != ir.OpInitList && e.Op != ir.OpUnknown && e.Op != ir.OpMixed && e.Op != ir.OpNew
				if e.Op == ir.OpCast && e.Type.Ptr > 0 && !e.Type.Ref {
					kept = true
				}
				for _, kid := range e.Kids {
					visit(kid, kept)
				}
			}
		}
		f.Body.Walk(func(t *ir.Stmt) bool {
			bound := slices.ContainsFunc(t.Vars, func(w *ir.Var) bool { return w.Type.Ref || w.Type.IsAuto() })
			t.Exprs(func(e *ir.Expr) { visit(e, !bound) })
			return true
		})
	}
	return ok && given == 1
}

// sameVar reports whether two are one variable: those at namespace scope are read anew for each function.
func sameVar(v, w *ir.Var) bool {
	return v == w || v != nil && v.Kind == ir.VarGlobal && w.Kind == ir.VarGlobal && v.Name == w.Name
}

func isNull(e *ir.Expr) bool {
	return e.Op == ir.OpInt && e.Int == 0 || e.Op == ir.OpLiteral && e.Name == "nullptr" || e.Op == ir.OpIdent && e.Name == "NULL"
}

// givesTo reports whether an argument is &v, with a cast or without.
func givesTo(e *ir.Expr, v *ir.Var) bool {
	for e.Op == ir.OpCast && len(e.Kids) == 1 {
		e = e.Kids[0]
	}
	return e.Op == ir.OpAddr && e.Kids[0].Op == ir.OpIdent && sameVar(e.Kids[0].Var, v)
}

// byValue reports whether a call is of functions of the program that take an argument by its value.
func (s *staging) byValue(e *ir.Expr, nth int) bool {
	found, ok := false, len(e.Kids) > 0 && e.Kids[0].Op == ir.OpIdent
	s.hosts(func(fn *ir.Func) {
		if fn.View.Name == e.Name {
			found = true
			ok = ok && nth < len(fn.Params) && !fn.Params[nth].Type.Ref
		}
	})
	return found && ok
}
