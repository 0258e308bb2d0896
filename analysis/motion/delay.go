package motion

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/values"
	"github.com/smux-cuda/smux/internal/lists"
)

// Delay is a leading definition of a split array (PACT'12 §4.3): a store whose rows from some number on, the public
// ones, can be made later, all of them in one place, while their values wait in registers.
type Delay struct {
	Stmt  *ir.Stmt // the assignment
	Store *ir.Expr
	Type  string   // of the element
	Top   *ir.Stmt // the statement of the run that it is or that holds it

	// Loop is set for a counted loop whose body holds the assignment. It must be
	// unrolled, as it is already if Unrolled is set, or registers would be memory.
	Loop     *ir.Stmt
	Unrolled bool
	Counter  *ir.Var // counts 0, Step, 2 Step, … for Count iterations
	Count    int
	Step     int

	// In the iterations From ... To-1 some thread stores a public row (without a loop there is one iteration), and in
	// no others. Mixed is set if in some of them another thread, or the same one, stores a private row.
	From, To int
	Mixed    bool
}

// maxDelayBytes bounds the registers per thread that wait.
const maxDelayBytes = 256

// Delays returns the leading definitions among consecutive statements that can
// wait until after the last of them. private is the number of private rows.
//
// A thread that reads such a row needs a barrier between the store and its read, and there is none up to the new
// place, nor anything else by which threads could communicate, nor an exit. What is stored is computed where it was;
// the subscripts have the same values at both places; no thread stores one element twice; and nothing but the delayed
// stores concerns public rows.
func Delays(k *analysis.Kernel, stmts []*ir.Stmt, s *analysis.Shared, private int) []Delay {
	if s.Var.Type.Volatile || footprint.Extents(k, s) == nil {
		return nil
	}
	d := &delaying{k: k, s: s, private: private, dims: footprint.Extents(k, s), subs: footprint.SubscriptsIn(k, s)}
	var out []Delay
	for _, st := range stmts {
		if !quiet(k, st) {
			break
		}
		if d.public(st) == 0 {
			continue
		}
		found := d.statement(st)
		run := ir.Range{Start: stmts[0].Outer.Start, End: st.Range.End}
		if found == nil || !d.lasting(append(slices.Clone(out), found...), run) {
			break
		}
		out = append(out, found...)
	}
	return out
}

type delaying struct {
	k       *analysis.Kernel
	s       *analysis.Shared
	private int
	dims    []int
	subs    map[*ir.Expr]footprint.Subscripts
}

// public counts the mentions of the array in a statement that may concern public rows.
func (d *delaying) public(st *ir.Stmt) int {
	n := 0
	for t := range st.All() {
		t.Exprs(func(e *ir.Expr) { n += d.publicIn(e) })
	}
	return n
}

func (d *delaying) publicIn(e *ir.Expr) int {
	n := 0
	e.Walk(func(t *ir.Expr) bool {
		if footprint.IsElement(d.k, d.s, t) && d.isPrivate(t) {
			for _, sub := range footprint.SubscriptsOf(t) {
				n += d.publicIn(sub)
			}
			return false
		}
		if pointers.TouchedHere(d.k, d.k.Func, t)&(1<<d.s.Index) != 0 {
			n++
		}
		return true
	})
	return n
}

func (d *delaying) isPrivate(e *ir.Expr) bool {
	subs, reached := d.subs[e]
	return reached && subs[0].Within(d.private)
}

// statement returns the delays that a statement is or holds, nil if any of its accesses to public rows is none.
func (d *delaying) statement(st *ir.Stmt) []Delay {
	if st.Op == ir.StmtExpr {
		if one, ok := d.store(st); ok {
			one.Top, one.To = st, 1
			if d.spread(&one) {
				return []Delay{one}
			}
		}
		return nil
	}
	if st.Op != ir.StmtFor || st.Macro || st.Body.Macro || !analysis.EndsByItself(st) {
		return nil
	}
	unrolled, ok := unrolled(d.k, st)
	if !ok {
		return nil // under another pragma
	}
	var out []Delay
	for _, t := range analysis.Statements(st.Body) {
		if d.public(t) == 0 {
			continue
		}
		one, ok := d.store(t)
		one.Top, one.Loop, one.Unrolled = st, st, unrolled
		if !ok || !d.spread(&one) {
			return nil
		}
		out = append(out, one)
	}
	return out
}

// store looks at one assignment. A constant need not wait.
func (d *delaying) store(st *ir.Stmt) (Delay, bool) {
	if st.Op != ir.StmtExpr || st.Macro || st.Expr.Macro || st.Expr.Op != ir.OpAssign || st.Expr.Tok != "=" {
		return Delay{}, false
	}
	target, value := st.Expr.Kids[0], st.Expr.Kids[1]
	one := Delay{Stmt: st, Store: st.Expr, Type: elementType(d.k, target)}
	ok := footprint.IsElement(d.k, d.s, target) && !target.Macro && !target.Root().Macro && one.Type != "" &&
		value.Op != ir.OpInitList && !isConstant(value) && d.publicIn(value) == 0
	return one, ok
}

func isConstant(e *ir.Expr) bool {
	return !e.Any(func(t *ir.Expr) bool {
		return t.Op == ir.OpIdent && (t.Var == nil || t.Var.Kind == ir.VarLocal || t.Var.Kind == ir.VarParam || t.Var.Kind == ir.VarShared)
	})
}

// spread finds the iterations in which public rows are stored, in all instances.
func (d *delaying) spread(one *Delay) bool {
	for i, in := range d.k.Instances {
		x := footprint.New(d.k, evaluate.FrameUnder(in, d.k, d.k.Func))
		if one.Loop != nil {
			_, count, step := regular(x, one.Loop)
			if count == 0 || i > 0 && (count != one.Count || step != one.Step) {
				return false
			}
			one.Counter, one.Count, one.Step = x.Counters(one.Loop)[0].V, count, step
		}
		at := 0
		ok := d.iterations(x, one, func(rows values.Value, _ []values.Value) bool {
			low, high := false, false
			for t := range max(1, len(rows.V)) {
				if r := rows.At(t); r < 0 || r >= int64(d.dims[0]) {
					return false
				}
				low = low || rows.At(t) < int64(d.private)
				high = high || rows.At(t) >= int64(d.private)
			}
			if high {
				if one.To == 0 || one.Loop != nil && one.From > at {
					one.From = at
				}
				one.To = max(one.To, at+1)
			}
			at++
			return true
		})
		if !ok {
			return false
		}
	}
	if one.From >= one.To {
		return false
	}
	for _, in := range d.k.Instances {
		x := footprint.New(d.k, evaluate.FrameUnder(in, d.k, d.k.Func))
		at := 0
		d.iterations(x, one, func(rows values.Value, _ []values.Value) bool {
			for t := range max(1, len(rows.V)) {
				one.Mixed = one.Mixed || at >= one.From && at < one.To && rows.At(t) < int64(d.private)
			}
			at++
			return true
		})
	}
	return true
}

// iterations evaluates the subscripts of a store for all threads, iteration by
// iteration; it ends early where the row is not known or f returns false.
func (d *delaying) iterations(x *footprint.Execution, one *Delay, f func(rows values.Value, columns []values.Value) bool) bool {
	subs := footprint.SubscriptsOf(one.Store.Kids[0])
	visit := func() bool {
		rows := x.Eval(subs[0])
		columns := lists.Map(subs[1:], x.Eval)
		return rows.Known && f(rows, columns)
	}
	if one.Loop == nil {
		return visit()
	}
	cs := x.Counters(one.Loop)
	defer x.Begin(one.Loop, cs)()
	for range one.Count {
		if !visit() {
			return false
		}
		x.AdvanceCounters(one.Loop, cs)
	}
	return true
}

// lasting reports whether all delays can be made after a run of statements.
func (d *delaying) lasting(all []Delay, run ir.Range) bool {
	bytes := 0
	for i := range all {
		one := &all[i]
		size := cmp.Or(d.k.Prog.SizeOf(d.k.Func, ir.Type{Base: one.Type}), 4) // a template parameter, say
		bytes += size * (one.To - one.From)
		for _, sub := range footprint.SubscriptsOf(one.Store.Kids[0]) {
			if !preserves(d.k, sub, one, run) {
				return false
			}
		}
	}
	return bytes <= maxDelayBytes && d.once(all, true) || bytes <= maxDelayBytes && d.once(all, false)
}

// once reports whether no thread stores a public element twice. Elements are told
// apart by all their subscripts, or by their rows alone.
func (d *delaying) once(all []Delay, whole bool) bool {
	for _, in := range d.k.Instances {
		x := footprint.New(d.k, evaluate.FrameUnder(in, d.k, d.k.Func))
		seen := map[[2]int64]bool{} // thread, element
		for i := range all {
			ok := d.iterations(x, &all[i], func(rows values.Value, columns []values.Value) bool {
				for t := range x.Ev.N {
					if rows.At(t) < int64(d.private) {
						continue
					}
					at := rows.At(t)
					for c, v := range columns {
						if whole && !v.Known {
							return false
						}
						if whole {
							at = at*int64(d.dims[c+1]) + v.At(t)
						}
					}
					if key := [2]int64{int64(t), at}; seen[key] {
						return false
					} else {
						seen[key] = true
					}
				}
				return true
			})
			if !ok {
				return false
			}
		}
	}
	return true
}
