package motion

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/uniformity"
)

// Split is a definition of a shared element from global memory that can be
// taken apart: the load moves before the region, the store stays inside. It may also
// be a local variable's declaration between such definitions, which moves as it is.
type Split struct {
	Stmt  *ir.Stmt
	Store *ir.Expr // the assignment; nil for a declaration
	Load  *ir.Expr // its right-hand side, or the variable's initialiser
	Type  string   // type of the element, for the register in between
	// ReadOnly is set if nothing changes what is loaded while the kernel runs: the load may pass barriers.
	ReadOnly bool

	// Decl is the variable that Stmt declares, nil for a store.
	Decl *ir.Var

	// Cond is the condition under which the store stands, nil for none; Negated
	// is set if it stands in the else branch. It has the same value at both places.
	Cond    *ir.Expr
	Negated bool

	// Loop is set for a counted loop whose body is the assignment: its loads go to an array of Count registers, the
	// one of each iteration found by the counter divided by Step. Count is less than Trips where not all loads move.
	Loop    *ir.Stmt
	Counter *ir.Var
	Count   int
	Trips   int
	Step    int
	Rolled  bool // the loop stands under no #pragma unroll, and needs one

	// First is set for a load that a loop makes if it runs at all: under its condition for
	// the first iteration. Known are the shared elements in Load whose value is known.
	First *ir.Stmt
	Known []Known
}

// Values counts the loaded values that a split keeps in registers.
func Values(k *analysis.Kernel, s Split) int {
	if s.Decl != nil && !loadsGlobal(s.Load) {
		return 0
	}
	return max(1, s.Count)
}

// Splits returns the definitions at the start of a region whose loads can move before it. Only a leading run
// qualifies: nothing but stores to shared memory then stands between the load's new place and its old one, no barrier
// and no write that the load could see.
func Splits(k *analysis.Kernel, r *analysis.Region) []Split { return SplitsUpTo(k, r, 0) }

// SplitsUpTo returns the splits of a region that keep at most that many values per thread, from the first on: 0 for
// as many as there are, none below that. A value that is computed from several loads counts once, as it takes one
// register; so does each iteration of a loop.
func SplitsUpTo(k *analysis.Kernel, r *analysis.Region, most int) []Split {
	if most < 0 || r.Func != k.Func {
		return nil
	}
	var all []Split
	for _, s := range r.Stmts {
		splits, on := splits(k, s)
		all = append(all, splits...)
		if !on {
			break
		}
	}
	all = needed(k, all)
	if most == 0 {
		return all
	}
	for i := range all {
		n := Values(k, all[i])
		switch {
		case n <= most:
			most -= n
			continue
		case most > 0 && all[i].Loop != nil:
			all[i].Count = most
			return all[:i+1]
		}
		return needed(k, all[:i])
	}
	return all
}

// splits looks at one statement of a region's head. on says whether what follows
// may still move before it; a statement may hold no load and let others pass.
func splits(k *analysis.Kernel, s *ir.Stmt) (out []Split, on bool) {
	switch s.Op {
	case ir.StmtFor:
		sp, ok := splitLoop(k, s)
		return one(sp), ok
	case ir.StmtIf:
		return splitBranches(k, s)
	case ir.StmtDecl:
		sp, ok := splitDeclaration(k, s)
		return one(sp), ok
	}
	sp, ok := split(k, s)
	return one(sp), ok
}

// one is a list of a split, empty where it has no load.
func one(s Split) []Split {
	if s.Load == nil {
		return nil
	}
	return []Split{s}
}

// split looks at a single assignment; ok reports that what follows may still move
// before it, Load is nil where the statement itself has nothing to move.
func split(k *analysis.Kernel, s *ir.Stmt) (Split, bool) {
	if s.Op != ir.StmtExpr || s.Macro || s.Expr.Op != ir.OpAssign || s.Expr.Tok != "=" || s.Expr.Macro {
		return Split{}, false
	}
	target, load := s.Expr.Kids[0], s.Expr.Kids[1]
	typ := elementType(k, target)
	if typ == "" || k.Prog.Effects(k.File).Place(k.Func, target).Changes() || k.CallsView(k.Func, target) || !movable(k, load) {
		return Split{}, false
	}
	sp := Split{Stmt: s, Store: s.Expr, Load: load, Type: typ, ReadOnly: readOnly(k, load)}
	if !loadsGlobal(load) || load.Macro {
		sp.Load = nil
	}
	return sp, true
}

// movable reports whether an expression may be evaluated before stores to shared
// memory instead of after them: it changes nothing and does not read any.
func movable(k *analysis.Kernel, e *ir.Expr) bool {
	return k.IsPure(k.Func, e) && !pointers.Touches(k, k.Func, e)
}

// needed drops declarations that nothing which moves uses and that hold no load themselves.
func needed(k *analysis.Kernel, splits []Split) []Split {
	used := map[*ir.Var]bool{}
	note := func(e *ir.Expr) {
		for t := range e.All() {
			if t.Op == ir.OpIdent {
				used[t.Var] = true
			}
		}
	}
	var kept []Split
	for i := len(splits) - 1; i >= 0; i-- {
		s := splits[i]
		if s.Decl != nil && !used[s.Decl] && !loadsGlobal(s.Load) {
			continue
		}
		note(s.Load)
		note(s.Cond)
		if s.Loop != nil {
			s.Loop.Exprs(note)
			s.Loop.Init.Exprs(note)
		}
		kept = append(kept, s)
	}
	slices.Reverse(kept)
	return kept
}

// elementType is the type of the shared element that e names directly, "" if that is not certain.
func elementType(k *analysis.Kernel, e *ir.Expr) string {
	n := pointers.Depth(e)
	root := e
	for root.Op == ir.OpIndex {
		root = root.Kids[0]
	}
	if root.Op != ir.OpIdent || n == 0 {
		return ""
	}
	v := k.Variable(k.Func, root)
	if v == nil || v.Type.IsAuto() || pointers.Lvalue(k, k.Func, e) == 0 {
		return ""
	}
	if len(v.Dims)+v.Type.Ptr != n || v.Type.Ref || !plain(k, v.Type.Base) {
		return ""
	}
	return v.Type.Base
}

// plain reports whether a type is a number, a vector of them, or a parameter of the kernel's template. A class may
// convert on assignment and not on initialisation.
func plain(k *analysis.Kernel, base string) bool {
	return analysis.BytesOf(base) > 0 || analysis.IsTypeParam(k.Func, base) && k.Prog.Cache.Hidden[ir.CopiesOf(k.Name, base)] == nil
}

// loadsGlobal reports whether e reads memory other than local arrays.
func loadsGlobal(e *ir.Expr) bool {
	return e.Any(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpIndex, ir.OpDeref:
			r := t.Root()
			return r == nil || r.Var == nil || len(r.Var.Dims) == 0 || r.Var.Kind != ir.VarLocal
		case ir.OpCall:
			return intrinsic.Of(t.Name).Kind == intrinsic.Load
		}
		return false
	})
}

// readOnly reports whether all that evaluating e loads is the thread's own or never changes while the kernel runs.
func readOnly(k *analysis.Kernel, e *ir.Expr) bool {
	return !e.Any(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpIndex, ir.OpDeref:
			return !uniformity.LoadsUnchanging(k, k.Func, t)
		case ir.OpMember:
			return t.Arrow
		case ir.OpIdent:
			v := k.Variable(k.Func, t)
			return v != nil && (v.Type.Ref || v.Kind == ir.VarGlobal) && !uniformity.Unchanging(k, k.Func, v)
		}
		return false
	})
}
