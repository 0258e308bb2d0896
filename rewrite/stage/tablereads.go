package stage

import (
	"math"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// readsIn finds the reads of arrays that differ from thread to thread, in the kernel's own
// body: of parameters that are pointers, and of arrays at namespace scope.
func (p *tableProof) readsIn(found func(*ir.Var, *tableRead)) {
	k := p.Kernel
	forms := newIndexForms(k, p.shape)
	forms.countedLoops()
	for s := range k.Func.Body.All() {
		s.Exprs(func(top *ir.Expr) {
			visitUnder(top, nil, func(e *ir.Expr, under []condition) bool {
				v, r := p.readAt(e)
				if v == nil || isTarget(top, e) || forms.isReferredTo(top, e) {
					return true
				}
				varies := func(i *ir.Expr) bool { return uniformity.Of(k, k.Func, i) == analysis.ThreadVarying }
				if v.Kind == ir.VarParam && !forms.of(r.index.Kids[1]).IsLost() {
					return r.index == r.whole // it is no table that is read by thread numbers
				}
				if v.Kind == ir.VarParam && p.Array == "" && p.Scheme == "" && forms.isReckoned(r.index.Kids[1], mostPointers) {
					return r.index == r.whole
				}
				if slices.ContainsFunc(kit.Subscripts(r.index), varies) {
					r.stmt, r.times = s, p.times(s, r.index)
					r.conds = append(slices.Clone(under), conditionsAround(s)...)
					found(v, r)
				}
				return r.index == r.whole
			})
		})
	}
}

// isReckoned reports whether no data decides the value of an expression: it is a sum of products, quotients and
// selections of thread numbers, parameters, and counters that the heads of loops alone set. Elements that such
// subscripts name are mostly read once, though the subscript has no form.
func (f *indexForms) isReckoned(e *ir.Expr, depth int) bool {
	return depth > 0 && !e.Any(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpInt, ir.OpUnary, ir.OpCond, ir.OpCast:
			return false
		case ir.OpMember:
			name, _ := builtinOf(t)
			return name == ""
		case ir.OpBinary:
			return t.Tok == "%" || t.Tok == "&"
		case ir.OpCall:
			return !t.Calls("min") && !t.Calls("max")
		case ir.OpIdent:
			v := t.Var
			if v == nil || v.Kind == ir.VarParam || v.Kind == ir.VarTemplateValue {
				return false // of a built-in, or a constant
			}
			if settled(v) {
				return !f.isReckoned(v.Init, depth-1)
			}
			return v.Decl == nil || v.Decl.Parent == nil || v.Decl.Parent.Op != ir.StmtFor || v.AddrTaken || v.Init == nil || !f.isReckoned(v.Init, depth-1) ||
				slices.ContainsFunc(v.Writes, func(w *ir.Expr) bool { return w != v.Decl.Parent.Post })
		}
		return true
	})
}

// readAt is the read of an array that an expression is, with all its subscripts; the
// variable is nil for any other expression.
func (p *tableProof) readAt(e *ir.Expr) (*ir.Var, *tableRead) {
	index := e
	if e.Op == ir.OpCall {
		args := e.Args()
		if !e.Calls("__ldg") || len(args) != 1 || args[0].Op != ir.OpAddr {
			return nil, nil
		}
		index = args[0].Kids[0]
	}
	base := index
	for base.Op == ir.OpIndex && !base.Macro {
		base = base.Kids[0]
	}
	if base == index || base.Op != ir.OpIdent || base.Qual != "" || base.Macro || e.Macro {
		return nil, nil
	}
	v := p.Kernel.Variable(p.Kernel.Func, base)
	if v == nil {
		return nil, nil
	}
	n := len(kit.Subscripts(index))
	switch {
	case v.Kind == ir.VarParam && v.Type.Ptr == 1 && len(v.Dims) == 0 && n == 1 && len(v.Writes) == 0:
	case (v.Kind == ir.VarConstant || v.Kind == ir.VarGlobal) && base.Var == nil && v.Type.Ptr == 0 && !v.Type.Ref && n == len(v.Dims):
	default:
		return nil, nil
	}
	return v, &tableRead{whole: e, index: index}
}

// outermostFirst are the subscripts of an element, the first dimension's first.
func outermostFirst(element *ir.Expr) []*ir.Expr {
	out := kit.Subscripts(element)
	slices.Reverse(out)
	return out
}

// conditionsAround are the conditions under which a statement runs, as far as ifs around it say.
func conditionsAround(s *ir.Stmt) (out []condition) {
	for ; s.Parent != nil; s = s.Parent {
		if q := s.Parent; q.Op == ir.StmtIf && !q.Preproc && q.Init == nil && (s == q.Body || s == q.Else) {
			out = append(out, condition{q.Cond, s == q.Body})
		}
	}
	return out
}

// times is about how often a thread reads an element in a statement: in each iteration of the
// loops around it in which the element is another.
func (p *tableProof) times(s *ir.Stmt, element *ir.Expr) int {
	n := 1
	for q := s.Parent; q != nil; q = q.Parent {
		if !q.IsLoop() || !p.changesIn(element, q) {
			continue
		}
		trips := manyReads
		if l := countedLoopOf(p.Kernel, q); l != nil && l.trips() > 0 {
			trips = int(min(l.trips(), 1<<20))
		}
		n = min(n*trips, 1<<30)
	}
	return n
}

// changesIn reports whether an expression may have another value in each iteration of a loop: it
// needs a variable that the loop declares or sets, or memory that is written.
func (p *tableProof) changesIn(e *ir.Expr, loop *ir.Stmt) bool {
	k := p.Kernel
	return e.Any(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpIdent:
			v := t.Var
			switch {
			case v == nil:
				return false
			case v.Decl != nil && settled(v) && v.Decl.Inside(loop):
				return p.changesIn(v.Init, loop)
			case v.Decl != nil && v.Decl.Inside(loop):
				return true
			}
			return slices.ContainsFunc(v.Writes, func(w *ir.Expr) bool {
				return loop.Range.Contains(w.Range)
			})
		case ir.OpIndex, ir.OpDeref:
			return !uniformity.LoadsUnchanging(k, k.Func, t)
		case ir.OpIncDec, ir.OpAssign:
			return true
		}
		return false
	})
}

// bounded finds which subscripts of a read must be asked whether they lie inside of the
// table; false where they can't be: asking evaluates them once more.
func (p *tableProof) bounded(t *stagedTable, r *tableRead) bool {
	k, known := p.Kernel, p.knownAt(r)
	for i, e := range outermostFirst(r.index) {
		values := evaluate.RangeOf(k, k.Func, e, known)
		if values.Within(int64(t.dims[i])) || p.eachWithin(e, int64(t.dims[i])) {
			continue
		}
		if !p.repeatable(e) {
			return false
		}
		r.asks = append(r.asks, i)
		r.wide = append(r.wide, values.Min < math.MinInt32 || values.Max > math.MaxUint32)
	}
	return true
}

// knownAt are the bounds of variables that conditions and loops around a read prove.
func (p *tableProof) knownAt(r *tableRead) map[*ir.Var]evaluate.ValueRange {
	known := map[*ir.Var]evaluate.ValueRange{}
	for _, c := range r.conds {
		p.learn(known, c)
	}
	for s := r.stmt; s.Parent != nil; s = s.Parent {
		if l := countedLoopOf(p.Kernel, s.Parent); l != nil && l.trips() > 0 && s == s.Parent.Body {
			known[l.v] = evaluate.ValueRange{Min: l.first, Max: l.last}
		}
	}
	return known
}

// eachWithin reports whether an expression of thread numbers alone lies in [0, n) for all threads.
func (p *tableProof) eachWithin(e *ir.Expr, n int64) bool {
	for _, in := range p.Kernel.Instances {
		values, ok := evaluate.PerThread(p.Kernel, in, p.Kernel.Func, e)
		if !ok || slices.Min(values) < 0 || slices.Max(values) >= n {
			return false
		}
	}
	return len(p.Kernel.Instances) > 0
}

// learn adds what a condition says of variables that keep their value.
func (p *tableProof) learn(known map[*ir.Var]evaluate.ValueRange, c condition) {
	e := c.e
	if e.Op == ir.OpUnary && e.Tok == "!" {
		p.learn(known, condition{e.Kids[0], !c.holds})
		return
	}
	if e.Op != ir.OpBinary {
		return
	}
	if e.Tok == "&&" && c.holds || e.Tok == "||" && !c.holds {
		p.learn(known, condition{e.Kids[0], c.holds})
		p.learn(known, condition{e.Kids[1], c.holds})
		return
	}
	tok := e.Tok
	if opposite[tok] == "" {
		return
	}
	if !c.holds {
		tok = opposite[tok]
	}
	a, b := e.Kids[0], e.Kids[1]
	if b.Op == ir.OpIdent && a.Op != ir.OpIdent {
		a, b = b, a
		if turned := mirrored[tok]; turned != "" {
			tok = turned
		}
	}
	v := a.Var
	n, ok := evaluate.ConstantAlike(p.Kernel, p.Kernel.Func, b)
	if a.Op != ir.OpIdent || v == nil || !ok || !settled(v) && (v.Kind != ir.VarParam || len(v.Writes) > 0 || v.AddrTaken) {
		return
	}
	// Of a variable and a number of other types the comparison may be of other values.
	switch mine := evaluate.RangeOf(p.Kernel, p.Kernel.Func, a, nil); {
	case mine.Min < 0 && !(isSignedType(v.Type.Base) && signedLiteral(b)), mine.Min >= 0 && n < 0:
		return
	}
	r, has := known[v]
	if !has {
		r = evaluate.ValueRange{Min: math.MinInt64, Max: math.MaxInt64}
	}
	switch tok {
	case "<":
		r.Max = min(r.Max, n-1)
	case "<=":
		r.Max = min(r.Max, n)
	case ">":
		r.Min = max(r.Min, n+1)
	case ">=":
		r.Min = max(r.Min, n)
	case "==":
		r.Min, r.Max = max(r.Min, n), min(r.Max, n)
	}
	known[v] = r
}

// mirrored is the comparison with its sides exchanged.
var mirrored = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}

// signedLiteral reports whether a number is written without anything of an unsigned type.
func signedLiteral(e *ir.Expr) bool {
	return !e.Any(func(t *ir.Expr) bool {
		return t.Op == ir.OpInt && t.Tok == "u" || t.Op == ir.OpSizeof || t.Op == ir.OpCast || t.Op == ir.OpMember || t.Op == ir.OpIdent
	})
}

// repeatable reports whether an expression can be evaluated twice: it changes nothing,
// and reads from memory only what nobody writes.
func (p *tableProof) repeatable(e *ir.Expr) bool {
	k := p.Kernel
	return k.IsPure(k.Func, e) && !e.Any(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpDeref:
			return true
		case ir.OpMember:
			return t.Arrow
		case ir.OpIndex:
			return !uniformity.LoadsUnchanging(k, k.Func, t)
		case ir.OpIdent:
			return t.Var == nil && t.Macro
		}
		return t.Macro
	})
}
