package kit

import (
	"github.com/smux-cuda/smux/analysis/ir"
)

// possible is a set of what may be so at a place; an empty one where no thread comes by.
type possible[T any] interface {
	Size() int
	With(T) T
}

// Paths follows what may be so through a function, on every way: each statement is given what may be so before it, and
// says what may be so after it.
type Paths[T possible[T]] struct {
	Own   func(s *ir.Stmt, in T) (out T, done bool) // of statements that mean something
	Exprs func(s *ir.Stmt, in T) T                  // a statement's own expressions are evaluated
	Leave func(s *ir.Stmt, in T)                    // the function is left
	Lost  func(s *ir.Stmt)                          // where a jump leads is not known
	Scope func() (end func())                       // a list of statements begins, and ends

	Breaks, Conts []T // by loop or switch, innermost last
}

// Stmt returns what may be so after a statement.
func (p *Paths[T]) Stmt(s *ir.Stmt, in T) (out T) {
	if in.Size() == 0 {
		return out
	}
	if out, done := p.Own(s, in); done {
		return out
	}
	switch s.Op {
	case ir.StmtCompound, ir.StmtCase, ir.StmtLabel:
		if p.Scope != nil {
			defer p.Scope()()
		}
		for _, t := range s.List {
			in = p.Stmt(t, in)
		}
		return in
	case ir.StmtIf:
		if s.Init != nil {
			in = p.Stmt(s.Init, in)
		}
		in = p.Exprs(s, in)
		out = p.Stmt(s.Body, in)
		if s.Else != nil {
			return out.With(p.Stmt(s.Else, in))
		}
		return out.With(in)
	case ir.StmtFor, ir.StmtWhile, ir.StmtDo:
		return p.loop(s, in)
	case ir.StmtSwitch:
		in = p.Exprs(s, in)
		p.Breaks = append(p.Breaks, *new(T))
		out = in
		for _, t := range s.Body.List { // every label may be jumped to, and each case may fall through
			out = out.With(p.Stmt(t, in.With(out)))
		}
		return out.With(pop(&p.Breaks))
	case ir.StmtReturn:
		p.Leave(s, p.Exprs(s, in))
		return out
	case ir.StmtBreak, ir.StmtContinue:
		stack := p.Breaks
		if s.Op == ir.StmtContinue {
			stack = p.Conts
		}
		if n := len(stack) - 1; n >= 0 {
			stack[n] = stack[n].With(in)
		} else {
			p.Lost(s)
		}
		return out
	case ir.StmtGoto, ir.StmtUnknown:
		p.Lost(s)
		return out
	}
	return p.Exprs(s, in)
}

func (p *Paths[T]) loop(s *ir.Stmt, in T) (out T) {
	if s.Init != nil {
		in = p.Stmt(s.Init, in)
	}
	for {
		in = p.Exprs(s, in)
		p.Breaks, p.Conts = append(p.Breaks, *new(T)), append(p.Conts, *new(T))
		end := p.Stmt(s.Body, in)
		end, out = end.With(pop(&p.Conts)), out.With(pop(&p.Breaks))
		if end.Size() > 0 {
			end = p.Exprs(s, end)
		}
		if next := in.With(end); next.Size() != in.Size() {
			in = next
			continue
		}
		switch {
		case s.Op == ir.StmtDo:
			return out.With(end)
		case s.Op == ir.StmtFor && s.Cond == nil, s.Cond != nil && s.Cond.Op == ir.OpInt && s.Cond.Int != 0:
			return out
		}
		return out.With(in)
	}
}

func pop[T any](stack *[]T) T {
	n := len(*stack) - 1
	last := (*stack)[n]
	*stack = (*stack)[:n]
	return last
}

// Leaves reports whether a statement may jump out of another around it.
func Leaves(s, of *ir.Stmt) bool {
	switch s.Op {
	case ir.StmtReturn, ir.StmtGoto:
		return true
	case ir.StmtBreak, ir.StmtContinue:
		target := s.JumpTarget()
		return target == nil || !target.Inside(of)
	}
	return false
}
