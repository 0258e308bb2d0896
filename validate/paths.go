package validate

import (
	"github.com/smux-cuda/smux/analysis/ir"
)

// possible is a set of what may be so at a place; an empty one where no thread comes by.
type possible[T any] interface {
	size() int
	with(T) T
}

// paths follows what may be so through a function, on every way: each statement is given what may be so before it, and
// says what may be so behind it.
type paths[T possible[T]] struct {
	own   func(s *ir.Stmt, in T) (out T, done bool) // of statements that mean something
	exprs func(s *ir.Stmt, in T) T                  // a statement's own expressions are evaluated
	leave func(s *ir.Stmt, in T)                    // the function is left
	lost  func(s *ir.Stmt)                          // where a jump leads is not known
	scope func() (end func())                       // a list of statements begins, and ends

	breaks, conts []T // by loop or switch, innermost last
}

// stmt returns what may be so behind a statement.
func (p *paths[T]) stmt(s *ir.Stmt, in T) (out T) {
	if in.size() == 0 {
		return out
	}
	if out, done := p.own(s, in); done {
		return out
	}
	switch s.Op {
	case ir.StmtCompound, ir.StmtCase, ir.StmtLabel:
		if p.scope != nil {
			defer p.scope()()
		}
		for _, t := range s.List {
			in = p.stmt(t, in)
		}
		return in
	case ir.StmtIf:
		if s.Init != nil {
			in = p.stmt(s.Init, in)
		}
		in = p.exprs(s, in)
		out = p.stmt(s.Body, in)
		if s.Else != nil {
			return out.with(p.stmt(s.Else, in))
		}
		return out.with(in)
	case ir.StmtFor, ir.StmtWhile, ir.StmtDo:
		return p.loop(s, in)
	case ir.StmtSwitch:
		in = p.exprs(s, in)
		p.breaks = append(p.breaks, *new(T))
		out = in
		for _, t := range s.Body.List { // every label may be jumped to, and each case may fall through
			out = out.with(p.stmt(t, in.with(out)))
		}
		return out.with(pop(&p.breaks))
	case ir.StmtReturn:
		p.leave(s, p.exprs(s, in))
		return out
	case ir.StmtBreak, ir.StmtContinue:
		stack := p.breaks
		if s.Op == ir.StmtContinue {
			stack = p.conts
		}
		if n := len(stack) - 1; n >= 0 {
			stack[n] = stack[n].with(in)
		} else {
			p.lost(s)
		}
		return out
	case ir.StmtGoto, ir.StmtUnknown:
		p.lost(s)
		return out
	}
	return p.exprs(s, in)
}

func (p *paths[T]) loop(s *ir.Stmt, in T) (out T) {
	if s.Init != nil {
		in = p.stmt(s.Init, in)
	}
	for {
		in = p.exprs(s, in)
		p.breaks, p.conts = append(p.breaks, *new(T)), append(p.conts, *new(T))
		end := p.stmt(s.Body, in)
		end, out = end.with(pop(&p.conts)), out.with(pop(&p.breaks))
		if end.size() > 0 {
			end = p.exprs(s, end)
		}
		if next := in.with(end); next.size() != in.size() {
			in = next
			continue
		}
		switch {
		case s.Op == ir.StmtDo:
			return out.with(end)
		case s.Op == ir.StmtFor && s.Cond == nil, s.Cond != nil && s.Cond.Op == ir.OpInt && s.Cond.Int != 0:
			return out
		}
		return out.with(in)
	}
}

func pop[T any](stack *[]T) T {
	n := len(*stack) - 1
	last := (*stack)[n]
	*stack = (*stack)[:n]
	return last
}

// leaves reports whether a statement may jump out of another around it.
func leaves(s, of *ir.Stmt) bool {
	switch s.Op {
	case ir.StmtReturn, ir.StmtGoto:
		return true
	case ir.StmtBreak, ir.StmtContinue:
		target := s.JumpTarget()
		return target == nil || !target.Inside(of)
	}
	return false
}
