package analysis

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// Split is a definition of a shared element from global memory that can be
// taken apart: the load moves before the region, the store stays inside
// (design §4, point 6).
type Split struct {
	Stmt  *ir.Stmt
	Store *ir.Expr // the assignment
	Load  *ir.Expr // its right-hand side
	Type  string   // type of the element, for the register in between
	// ReadOnly says that nothing changes what is loaded while the kernel runs: the
	// load may pass barriers.
	ReadOnly bool

	// Loop is set for a counted, unrolled loop whose body is the assignment:
	// its loads go to an array of Count registers, the one of each iteration
	// found by the counter divided by Step.
	Loop    *ir.Stmt
	Counter string
	Count   int
	Step    int
}

// maxSplitBytes bounds the registers per thread that one loop's loads take.
const maxSplitBytes = 128

// Splits returns the definitions at the start of a region whose loads can move
// before it. Only a leading run qualifies: nothing but stores to shared memory
// then stands between the load's new place and its old one, no barrier and no
// write that the load could see.
func (k *Kernel) Splits(r *Region) []Split {
	var out []Split
	for _, s := range r.Stmts {
		sp, ok := k.split(s)
		if !ok {
			break
		}
		if sp.Load != nil {
			out = append(out, sp)
		}
	}
	return out
}

// split looks at one statement; ok says that what follows may still move
// before it, Load is nil where the statement itself has nothing to move.
func (k *Kernel) split(s *ir.Stmt) (Split, bool) {
	if s.Op == ir.StmtFor {
		return k.splitLoop(s)
	}
	if s.Op == ir.StmtDecl {
		// A declaration could feed the loads behind it, and can't move along.
		return Split{}, false
	}
	if s.Op != ir.StmtExpr || s.Macro || s.Expr.Op != ir.OpAssign || s.Expr.Tok != "=" || s.Expr.Macro {
		return Split{}, false
	}
	target, load := s.Expr.Kids[0], s.Expr.Kids[1]
	typ := k.elementType(target)
	if typ == "" || !k.IsPure(k.Func, target) || !k.IsPure(k.Func, load) || k.touchesExpr(k.Func, load) || k.volatileIn(load) {
		return Split{}, false
	}
	sp := Split{Stmt: s, Store: s.Expr, Load: load, Type: typ, ReadOnly: k.readOnly(load)}
	if !k.loadsGlobal(load) || load.Macro {
		sp.Load = nil
	}
	return sp, true
}

// splitLoop looks at a loop that does nothing but define shared elements from
// global memory. It must be unrolled, or the registers would be memory.
func (k *Kernel) splitLoop(s *ir.Stmt) (Split, bool) {
	body := s.Then
	if body.Op == ir.StmtCompound && len(body.List) == 1 {
		body = body.List[0]
	}
	if s.Macro || body.Op != ir.StmtExpr || !unrolled(k, s) {
		return Split{}, false
	}
	sp, ok := k.split(body)
	if !ok || sp.Load == nil {
		return Split{}, false
	}
	for i, in := range k.Instances {
		x := &execution{frame: in.frame(k, k.Func), k: k}
		name, count, step := x.regular(s)
		if count == 0 || i > 0 && (count != sp.Count || step != sp.Step) {
			return Split{}, false
		}
		sp.Counter, sp.Count, sp.Step = name, count, step
	}
	size := k.Prog.sizeOf(k.Func, ir.Type{Base: sp.Type})
	if size == 0 {
		size = 4 // a template parameter, say
	}
	if sp.Count*size > maxSplitBytes {
		return Split{}, false
	}
	sp.Loop = s
	return sp, true
}

// regular returns the counter, the trip count and the step of a loop that
// counts 0, step, 2 step, … for all threads alike; count is 0 for any other.
func (x *execution) regular(s *ir.Stmt) (name string, count, step int) {
	cs := x.counters(s)
	if len(cs) != 1 || s.Init.Op != ir.StmtDecl || len(s.Init.Vars) != 1 || s.Init.Vars[0].Macro {
		return "", 0, 0
	}
	v := cs[0].v
	defer x.begin(s, cs)()
	for n := 0; n <= maxSplitBytes; n++ {
		at, cond := x.vals[v], x.eval(s.Cond)
		if !at.uniform() || !cond.uniform() {
			return "", 0, 0
		}
		if n == 1 {
			step = int(at.s)
		}
		if at.s != int64(n*step) || n == 1 && step <= 0 {
			return "", 0, 0
		}
		if cond.s == 0 {
			return v.Name, n, step
		}
		x.advanceCounters(s, cs)
	}
	return "", 0, 0
}

// unrolled reports whether a loop stands under #pragma unroll.
func unrolled(k *Kernel, s *ir.Stmt) bool {
	if s.Outer.Start >= s.Range.Start {
		return false
	}
	words := strings.Fields(string(k.File.Src[s.Outer.Start:s.Range.Start]))
	return len(words) == 2 && words[0] == "#pragma" && words[1] == "unroll"
}

// elementType is the type of the shared element that e names directly, "" if
// that is not certain.
func (k *Kernel) elementType(e *ir.Expr) string {
	n := depth(e)
	root := e
	for root.Op == ir.OpIndex {
		root = root.Kids[0]
	}
	if root.Op != ir.OpIdent || n == 0 {
		return ""
	}
	v := k.variable(k.Func, root)
	if v == nil || v.Type.IsAuto() || k.lvalue(k.Func, e) == 0 {
		return ""
	}
	if len(v.Dims)+v.Type.Ptr != n || v.Type.Ref {
		return ""
	}
	// A class may convert on assignment and not on initialisation.
	if _, number := integerTypes[v.Type.Base]; !number && vectorBytes[v.Type.Base] == 0 && !isTypeParam(k.Func, v.Type.Base) {
		return ""
	}
	return v.Type.Base
}

// loadsGlobal reports whether e reads memory other than local arrays.
func (k *Kernel) loadsGlobal(e *ir.Expr) bool {
	found := false
	e.Walk(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpIndex, ir.OpDeref:
			if r := t.Root(); r == nil || r.Var == nil || len(r.Var.Dims) == 0 || r.Var.Kind != ir.VarLocal {
				found = true
			}
		case ir.OpCall:
			found = found || t.Name == "__ldg"
		}
		return !found
	})
	return found
}

// readOnly reports whether all that evaluating e loads is the thread's own or
// never changes while the kernel runs.
func (k *Kernel) readOnly(e *ir.Expr) bool {
	only := true
	e.Walk(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpIndex, ir.OpDeref:
			r := t.Root()
			only = only && r != nil && k.unchanging(k.Func, k.variable(k.Func, r)) && !throughMember(t)
		case ir.OpMember:
			only = only && !t.Arrow
		case ir.OpIdent:
			if v := k.variable(k.Func, t); v != nil && (v.Type.Ref || v.Kind == ir.VarGlobal) {
				only = only && k.unchanging(k.Func, v)
			}
		}
		return only
	})
	return only
}

// throughMember reports whether a member, which may be a pointer to anything,
// stands between a load and the variable at its bottom, or another load where that
// is a pointer.
func throughMember(load *ir.Expr) bool {
	root := load.Root()
	found := false
	load.Kids[0].Walk(func(t *ir.Expr) bool {
		again := (t.Op == ir.OpIndex || t.Op == ir.OpDeref) && root.Var != nil && root.Var.Type.Ptr > 0
		found = found || (t.Op == ir.OpMember || again) && t.Root() == root
		return !found
	})
	return found
}

func (k *Kernel) volatileIn(e *ir.Expr) bool {
	found := false
	e.Walk(func(t *ir.Expr) bool {
		if t.Op == ir.OpIdent {
			if v := k.variable(k.Func, t); v != nil && v.Type.Volatile {
				found = true
			}
		}
		return !found
	})
	return found
}
