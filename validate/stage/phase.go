package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
)

// isMeeting reports whether a statement is a barrier of the block.
func (s *staging) isMeeting(t *ir.Stmt) bool {
	meets, known := s.meets[t]
	if !known {
		meets = s.al.IsBarrier(s.c.New, t)
		s.meets[t] = meets
	}
	return meets
}

// phaseFits checks that in one list of statements stand the copies to a tile, a barrier, all that reads it, and, where
// the list is run again, another barrier. Planes in front of the first one may be copied before the loop around it.
func (s *staging) phaseFits(t *tile) {
	copies := map[*ir.Stmt][]int{} // by the list, their places in it
	at := t.v.Range.Start
	for c := range s.copies {
		if c.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var == t.v }) {
			copies[c.Parent] = append(copies[c.Parent], slices.Index(c.Parent.List, c))
			at = max(at, c.Range.Start) // the same one each time
		}
	}
	var in, before *ir.Stmt
	for p := range copies {
		if in == nil || p.Inside(in) {
			in, before = p, in
		} else {
			before = p
		}
	}
	if in == nil || len(copies) > 2 || in.Op != ir.StmtCompound || slices.Contains(copies[in], -1) {
		s.doubt(kit.Turns, at, "where %s is copied to is not known", t.v.Name)
		return
	}
	again := false
	for p := in; p != nil; p = p.Parent {
		again = again || p.IsLoop()
	}
	if before != nil {
		n := slices.IndexFunc(before.List, func(p *ir.Stmt) bool { return in.Inside(p) })
		if before.Op != ir.StmtCompound || n < 0 || slices.Max(copies[before]) > n || slices.Contains(copies[before], -1) || in.Parent == nil || in.Parent.Parent != before || s.ring(in.Parent) != t.dims[0] {
			s.doubt(kit.Turns, at, "%s is copied to in several places", t.v.Name)
			return
		}
	}
	first, met := slices.Min(copies[in]), slices.Max(copies[in])+1
	for met < len(in.List) && !s.isMeeting(in.List[met]) {
		met++
	}
	end, reads := met, 0
	kit.Walk(s.b.Body, func(e *ir.Expr) bool {
		if e.Op != ir.OpIdent || e.Var != t.v {
			return true
		}
		reads++
		n := slices.IndexFunc(in.List, func(p *ir.Stmt) bool { return p.Range.Contains(e.Range) })
		switch {
		case n >= 0 && s.copies[in.List[n]] != nil, n < 0 && before != nil && slices.ContainsFunc(copies[before], func(c int) bool { return before.List[c].Range.Contains(e.Range) }):
			reads--
		case n < met || met == len(in.List):
			s.doubt(kit.Turns, e.Range.Start, "no barrier lies between the copy to %s and this", t.v.Name)
		}
		end = max(end, n)
		return true
	})
	behind := slices.ContainsFunc(in.List[min(end+1, len(in.List)):], s.isMeeting)
	if again && !behind && (before != nil || !slices.ContainsFunc(in.List[:first], s.isMeeting)) {
		s.doubt(kit.Turns, at, "no barrier lies between what reads %s and the next copy", t.v.Name)
	}
	for e := range s.reads {
		for x := range e.All() {
			if x.Op == ir.OpIdent && x.Var == t.v {
				reads--
			}
		}
	}
	if reads != 0 {
		s.doubt(kit.Copies, at, "%s is used in a way that is not known", t.v.Name)
	}
}

// ring returns the number of planes of a tile that is copied to before a loop and in it, 0 for any other loop.
func (s *staging) ring(loop *ir.Stmt) int {
	if n, known := s.rings[loop]; known {
		return n
	}
	n := 0
	for _, t := range s.tiles {
		inside, outside := false, false
		for c := range s.copies {
			if c.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var == t.v }) {
				inside, outside = inside || c.Parent.Parent == loop, outside || !c.Inside(loop)
			}
		}
		if inside && outside && loop.IsLoop() {
			if n > 0 && n != t.dims[0] {
				return 0
			}
			n = t.dims[0]
		}
	}
	s.rings[loop] = n
	return n
}
