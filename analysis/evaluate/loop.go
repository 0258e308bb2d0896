package evaluate

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/values"
)

// MaxIterations bounds the iterations of one loop that are enumerated.
const MaxIterations = 4096

// Counter is a loop variable that only the loop's head changes.
type Counter struct {
	V    *ir.Var
	init *ir.Expr
	Step *ir.Expr // the assignment or increment in the loop's head
}

// Counters returns the variables of a for loop that only its head changes, or nil where the head can't be enumerated.
func (f *Frame) Counters(s *ir.Stmt) []Counter {
	if s.Init == nil || s.Post == nil || s.Cond == nil {
		return nil
	}
	var out []Counter
	switch s.Init.Op {
	case ir.StmtDecl:
		for _, v := range s.Init.Vars {
			if v.Init != nil {
				out = append(out, Counter{V: v, init: v.Init})
			}
		}
	case ir.StmtExpr:
		for _, a := range CommaList(s.Init.Expr) {
			if a.Op == ir.OpAssign && a.Tok == "=" && a.Kids[0].Op == ir.OpIdent && a.Kids[0].Var != nil {
				out = append(out, Counter{V: a.Kids[0].Var, init: a.Kids[1]})
			}
		}
	}
	steps := CommaList(s.Post)
	kept := out[:0]
	for _, c := range out {
		if c.V.AddrTaken || c.V.Kind != ir.VarLocal || c.V.Type.Ptr > 0 || len(c.V.Dims) > 0 {
			continue
		}
		stepped, writesHere := 0, 0
		for _, w := range c.V.Writes {
			switch {
			case slices.Contains(steps, w):
				c.Step = w
				stepped++
			case w.Op == ir.OpAssign && w.Kids[1] == c.init:
			case s.Range.Contains(w.Range):
				writesHere++ // in the body, the condition, or deep in the head
			}
		}
		if stepped == 1 && writesHere == 0 {
			kept = append(kept, c)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// CommaList returns the operands of comma operators, from the left.
func CommaList(e *ir.Expr) []*ir.Expr {
	if e != nil && e.Op == ir.OpComma {
		return append(CommaList(e.Kids[0]), CommaList(e.Kids[1])...)
	}
	if e == nil {
		return nil
	}
	return []*ir.Expr{e}
}

// Begin binds the counters to their initial values; restore undoes it.
func (f *Frame) Begin(s *ir.Stmt, cs []Counter) (restore func()) {
	old := make([]values.Value, len(cs))
	had := make([]bool, len(cs))
	init := make([]values.Value, len(cs))
	loops := make([]*ir.Stmt, len(cs))
	for i, c := range cs {
		init[i] = values.Convert(f.Eval(c.init), c.V.Type.Base)
	}
	for i, c := range cs {
		old[i], had[i] = f.Vals[c.V]
		loops[i] = f.loops[c.V]
		f.Bind(c.V, init[i], s)
	}
	return func() {
		for i, c := range cs {
			if had[i] {
				f.Bind(c.V, old[i], loops[i])
			} else {
				f.Unbind(c.V)
			}
		}
	}
}

// AdvanceCounters moves the counters to the next iteration, in the order in which the head does.
func (f *Frame) AdvanceCounters(s *ir.Stmt, cs []Counter) {
	for _, step := range CommaList(s.Post) {
		for _, c := range cs {
			if c.Step == step {
				f.Bind(c.V, values.Convert(f.step(f.Vals[c.V], step), c.V.Type.Base), s)
			}
		}
	}
}

// step computes the new value of a counter.
func (f *Frame) step(cur values.Value, step *ir.Expr) values.Value {
	switch {
	case step.Op == ir.OpIncDec:
		return values.Binary(step.Tok[:1], cur, values.Value{Known: true, Unsigned: cur.Unsigned, S: 1})
	case step.Tok == "=":
		return f.Eval(step.Kids[1])
	}
	return values.Binary(step.Tok[:len(step.Tok)-1], cur, f.Eval(step.Kids[1]))
}
