package moves

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
)

// meets reports whether all threads of a v-TB wait for each other at a statement.
func (al moves) meets(s *ir.Stmt) bool {
	switch al.Roles[s] {
	case kit.RoleBarrier, kit.RoleAdded, kit.RoleTurnBegin, kit.RoleTurnEnd, kit.RoleAcquire:
		return true
	case kit.RoleRelease:
		return !al.Obj.Ring()
	}
	return false
}

// droppedBetween reports whether one of some barriers of the original that are gone stood between two offsets: what passes
// it has to be looked at as if it were there.
func (al moves) droppedBetween(gone []kit.DroppedBarrier, from, to int) bool {
	return slices.ContainsFunc(gone, func(d kit.DroppedBarrier) bool {
		at := d.In.Range.End
		if d.At < len(d.List) {
			at = d.List[d.At].Range.Start
		}
		return from <= at && at <= to
	})
}

// inside reports whether a statement is in one of some others.
func (al moves) inside(s *ir.Stmt, of []*ir.Stmt) bool {
	return slices.ContainsFunc(of, func(p *ir.Stmt) bool { return s.Inside(p) })
}

// ahead reports whether a statement is what a v-TB does ahead of its turn. After its last turn in steps there is a
// barrier before that: each v-TB but the last one has that of the next step, and the last one is ahead of its next turn
// in a step that is not the first one.
func (al moves) ahead(s *ir.Stmt) bool {
	for ; s != nil; s = s.Parent {
		if al.Roles[s] == kit.RoleLead {
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
		if al.Visible(list[n]) != nil {
			return false
		}
	}
	return false
}

// forward returns the first thing that other threads could see on a way from a place to the next barrier or the end,
// nil if there is none.
func (al moves) forward(at kit.Spot, in *ir.Stmt, seen map[*ir.Stmt]bool) *ir.Expr {
	for n := at.Nth; n < len(at.List); n++ {
		s := at.List[n]
		switch {
		case al.meets(s), s.Op == ir.StmtReturn && s.Expr == nil, al.AfterStep && al.ahead(s):
			return nil
		case s.Op == ir.StmtBreak, s.Op == ir.StmtContinue, s.Op == ir.StmtGoto, s.Op == ir.StmtSwitch && s.Any(al.meets):
			return &ir.Expr{Range: s.Range} // not followed
		case s.Op == ir.StmtCompound && s.Any(al.meets):
			return al.forward(kit.Spot{List: al.Flat(kit.Statements(s)), Nth: 0}, s, seen)
		case !s.Any(al.meets):
			if s.Any(func(t *ir.Stmt) bool { return kit.Leaves(t, s) }) {
				return &ir.Expr{Range: s.Range}
			}
			if e := al.Visible(s); e != nil {
				return e
			}
			continue
		}
		var found *ir.Expr
		s.Exprs(func(e *ir.Expr) {
			if v := al.Visible(&ir.Stmt{Op: ir.StmtExpr, Expr: e}); v != nil {
				found = v
			}
		})
		for _, body := range []*ir.Stmt{s.Body, s.Else} {
			if found == nil && body != nil && !seen[body] {
				seen[body] = true
				found = al.forward(kit.Spot{List: al.Flat(kit.Statements(body)), Nth: 0}, body, seen)
			}
		}
		if found != nil || s.Op == ir.StmtIf && s.Else != nil || s.Op == ir.StmtDo {
			return found
		}
	}
	// After the list: again from the beginning of a loop, and after what it stands in.
	for s := in; s != nil; s = s.Parent {
		if s.IsLoop() && al.Roles[s] == kit.RolePlain && !seen[s.Body] {
			seen[s.Body] = true
			for _, e := range []*ir.Expr{s.Cond, s.Post} {
				if e != nil {
					if v := al.Visible(&ir.Stmt{Op: ir.StmtExpr, Expr: e}); v != nil {
						return v
					}
				}
			}
			if e := al.forward(kit.Spot{List: al.Flat(kit.Statements(s.Body)), Nth: 0}, s.Body, seen); e != nil {
				return e
			}
		}
		if w, ok := al.Where[s]; ok {
			return al.forward(kit.Spot{List: w.List, Nth: w.Nth + 1}, s.Parent, seen)
		}
	}
	return nil
}
