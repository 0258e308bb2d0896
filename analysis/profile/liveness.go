package profile

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// maxArrayWords is how large a local array may be to stay in registers.
const maxArrayWords = 128

// fragmentWords is what a lane holds of a 16x16 matrix fragment of a warp.
const fragmentWords = 8

// interval is the stretch of a function's statements in which a variable holds
// a value that is still needed.
type interval struct {
	from, to int
	words    int
}

// pressure estimates how many 32-bit words a function keeps in registers at
// once: at each statement, the variables that are live, and what the statement's
// expressions need on the way. A call adds what the callee needs.
type pressure struct {
	x     *walk
	busy  map[*ir.Func]bool
	known map[*ir.Func]int
}

func (p *pressure) of(f *frame) int {
	fn := f.fn
	if n, ok := p.known[fn]; ok {
		return n
	}
	if p.busy[fn] || f.depth > maxInline {
		return 0
	}
	p.busy[fn] = true
	defer delete(p.busy, fn)
	l := &lifetimes{p: p, f: f, of: map[*ir.Var]*interval{}}
	l.stmt(fn.Body)
	n := l.peak()
	p.known[fn] = n
	return n
}

// lifetimes numbers the statements of a function in their order.
type lifetimes struct {
	p     *pressure
	f     *frame
	at    int
	of    map[*ir.Var]*interval
	extra []int      // words that statement i needs on its own
	stmts []*ir.Stmt // by number
}

func (l *lifetimes) stmt(s *ir.Stmt) {
	if s == nil {
		return
	}
	if s.IsLoop() {
		l.loop(s)
		return
	}
	l.point(s)
	for _, c := range s.Children() {
		l.stmt(c)
	}
}

// loop keeps what comes from before the loop and is used in it live to its end.
func (l *lifetimes) loop(s *ir.Stmt) {
	l.stmt(s.Init)
	from := l.at
	l.point(s)
	l.stmt(s.Then)
	for _, v := range l.of {
		if v.from < from && v.to >= from {
			v.to = l.at
		}
	}
}

// point is one statement's own expressions.
func (l *lifetimes) point(s *ir.Stmt) {
	l.at++
	need := 0
	s.Exprs(func(top *ir.Expr) {
		need = max(need, l.need(top))
		top.Walk(func(e *ir.Expr) bool {
			if e.Op == ir.OpIdent && e.Var != nil {
				l.touch(e.Var)
			}
			return true
		})
	})
	for _, v := range s.Vars {
		if v.Init != nil || len(v.Dims) > 0 {
			l.touch(v)
		}
	}
	for len(l.extra) <= l.at {
		l.extra = append(l.extra, 0)
	}
	l.extra[l.at] = need
	for len(l.stmts) <= l.at {
		l.stmts = append(l.stmts, nil)
	}
	l.stmts[l.at] = s
}

func (l *lifetimes) touch(v *ir.Var) {
	i := l.of[v]
	if i == nil {
		i = &interval{from: l.at, words: l.words(v)}
		l.of[v] = i
	}
	i.to = l.at
}

// words is what a variable takes: nothing for the kernel's parameters, which
// are operands in constant memory, for constants, and for arrays that must lie
// in memory.
func (l *lifetimes) words(v *ir.Var) int {
	f := l.f
	switch v.Kind {
	case ir.VarParam:
		if f.fn == f.x.k.Func || v.Type.Ref {
			return 0
		}
	case ir.VarLocal:
		if v.Type.Ref || v.Static || v.Type.Const && v.Init != nil && l.folds(v.Init) {
			return 0
		}
	default:
		return 0
	}
	n := f.typeOf(v.Type).words()
	if strings.Contains(v.Type.Base, "fragment<") {
		n = fragmentWords
	}
	if len(v.Dims) > 0 {
		if !l.constantSubscripts(v) {
			return 0
		}
		for _, d := range f.dims(v) {
			n *= int(d)
		}
		if n > maxArrayWords {
			return 0
		}
	}
	if analysis.IsGroupType(v) {
		return 0
	}
	return n
}

func (l *lifetimes) folds(e *ir.Expr) bool {
	_, ok := l.f.x.k.Constant(l.f.x.in, l.f.fn, e)
	return ok
}

// constantSubscripts reports whether all subscripts of an array are constants
// or counters of loops that are likely flattened.
func (l *lifetimes) constantSubscripts(v *ir.Var) bool {
	counters := map[*ir.Var]bool{}
	l.f.fn.Body.Walk(func(s *ir.Stmt) bool {
		if s.Op == ir.StmtFor && s.Init != nil {
			for _, c := range s.Init.Vars {
				counters[c] = true
			}
		}
		return true
	})
	ok := true
	l.f.fn.Body.WalkExprs(func(e *ir.Expr) bool {
		if e.Op != ir.OpIndex {
			return ok
		}
		if r := e.Root(); r == nil || r.Var != v {
			return ok
		}
		e.Kids[1].Walk(func(k *ir.Expr) bool {
			if k.Op == ir.OpIdent && k.Var != nil && !counters[k.Var] && k.Var.Kind == ir.VarLocal && !(k.Var.Init != nil && len(k.Var.Writes) == 0) {
				ok = false
			}
			if k.Op == ir.OpIndex || k.Op == ir.OpMember {
				ok = false
			}
			return ok
		})
		return ok
	})
	return ok
}

// need is how many words an expression takes on the way to its value, beyond
// variables: the Sethi-Ullman number, addresses two words, callees what they
// need.
func (l *lifetimes) need(e *ir.Expr) int {
	if e == nil {
		return 0
	}
	switch e.Op {
	case ir.OpInt, ir.OpLiteral, ir.OpIdent, ir.OpSizeof, ir.OpLambda:
		return 0
	case ir.OpIndex, ir.OpDeref:
		n := 2
		for _, k := range e.Kids {
			n = max(n, l.need(k))
		}
		return n
	case ir.OpCall:
		n := 1
		for i, a := range e.Args() {
			n = max(n, l.need(a)+i)
		}
		for _, c := range l.f.x.k.Callees(l.f.fn, e) {
			g := &frame{x: l.f.x, fn: c, caller: l.f, depth: l.f.depth + 1, types: l.f.types, cells: map[cell]value{}, alias: map[*ir.Var]lvalue{}}
			n = max(n, l.p.of(g))
			break
		}
		return n
	}
	n, ties := 1, 0
	for _, k := range e.Kids {
		switch m := l.need(k); {
		case m > n:
			n, ties = m, 1
		case m == n:
			ties++
		}
	}
	if ties > 1 {
		n++
	}
	return n
}

// peak is the most words that are live at one statement.
func (l *lifetimes) peak() int { return slices.Max(l.atEach()) }

// atEach are the words that are live at each statement, by its number.
func (l *lifetimes) atEach() []int {
	at := make([]int, l.at+2)
	for _, v := range l.of {
		at[v.from] += v.words
		at[v.to+1] -= v.words
	}
	out, now := make([]int, l.at+1), 0
	for i := range out {
		now += at[i]
		out[i] = now
		if i < len(l.extra) {
			out[i] += l.extra[i]
		}
	}
	return out
}
