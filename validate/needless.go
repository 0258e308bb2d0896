package validate

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// meets reports whether all threads of a v-TB wait for each other at a statement.
func (al moves) meets(s *ir.Stmt) bool {
	switch al.roles[s] {
	case roleBarrier, roleAdded, roleTurnBegin, roleTurnEnd, roleAcquire:
		return true
	case roleRelease:
		return !al.obj.ring()
	}
	return false
}

// droppedBetween reports whether one of some barriers of the original that are gone stood between two offsets: what passes
// it has to be looked at as if it were there.
func (al moves) droppedBetween(gone []droppedBarrier, from, to int) bool {
	return slices.ContainsFunc(gone, func(d droppedBarrier) bool {
		at := d.in.Range.End
		if d.at < len(d.list) {
			at = d.list[d.at].Range.Start
		}
		return from <= at && at <= to
	})
}

// inside reports whether a statement is in one of some others.
func (al moves) inside(s *ir.Stmt, of []*ir.Stmt) bool {
	return slices.ContainsFunc(of, func(p *ir.Stmt) bool { return s.Inside(p) })
}

// ahead reports whether a statement is what a v-TB does ahead of its turn. Behind its last turn in steps there is a
// barrier before that: each v-TB but the last one has that of the next step, and the last one is ahead of its next turn
// in a step that is not the first one.
func (al moves) ahead(s *ir.Stmt) bool {
	for ; s != nil; s = s.Parent {
		if al.roles[s] == roleLead {
			return true
		}
	}
	return false
}

// backward reports whether a barrier stands before a place in a list and nothing that other threads could see between.
func (al moves) backward(list []*ir.Stmt, at int) bool {
	for n := at - 1; n >= 0; n-- {
		if al.meets(list[n]) {
			return true
		}
		if al.visible(list[n]) != nil {
			return false
		}
	}
	return false
}

// forward returns the first thing that other threads could see on a way from a place to the next barrier or the end,
// nil if there is none.
func (al moves) forward(at spot, in *ir.Stmt, seen map[*ir.Stmt]bool) *ir.Expr {
	for n := at.nth; n < len(at.list); n++ {
		s := at.list[n]
		switch {
		case al.meets(s), s.Op == ir.StmtReturn && s.Expr == nil, al.afterStep && al.ahead(s):
			return nil
		case s.Op == ir.StmtBreak, s.Op == ir.StmtContinue, s.Op == ir.StmtGoto, s.Op == ir.StmtSwitch && s.Any(al.meets):
			return &ir.Expr{Range: s.Range} // not followed
		case s.Op == ir.StmtCompound && s.Any(al.meets):
			return al.forward(spot{al.flat(statements(s)), 0}, s, seen)
		case !s.Any(al.meets):
			if s.Any(func(t *ir.Stmt) bool { return leaves(t, s) }) {
				return &ir.Expr{Range: s.Range}
			}
			if e := al.visible(s); e != nil {
				return e
			}
			continue
		}
		var found *ir.Expr
		s.Exprs(func(e *ir.Expr) {
			if v := al.visible(&ir.Stmt{Op: ir.StmtExpr, Expr: e}); v != nil {
				found = v
			}
		})
		for _, body := range []*ir.Stmt{s.Body, s.Else} {
			if found == nil && body != nil && !seen[body] {
				seen[body] = true
				found = al.forward(spot{al.flat(statements(body)), 0}, body, seen)
			}
		}
		if found != nil || s.Op == ir.StmtIf && s.Else != nil || s.Op == ir.StmtDo {
			return found
		}
	}
	// Behind the list: again from the beginning of a loop, and behind what it stands in.
	for s := in; s != nil; s = s.Parent {
		if s.IsLoop() && al.roles[s] == rolePlain && !seen[s.Body] {
			seen[s.Body] = true
			for _, e := range []*ir.Expr{s.Cond, s.Post} {
				if e != nil {
					if v := al.visible(&ir.Stmt{Op: ir.StmtExpr, Expr: e}); v != nil {
						return v
					}
				}
			}
			if e := al.forward(spot{al.flat(statements(s.Body)), 0}, s.Body, seen); e != nil {
				return e
			}
		}
		if w, ok := al.where[s]; ok {
			return al.forward(spot{w.list, w.nth + 1}, s.Parent, seen)
		}
	}
	return nil
}
