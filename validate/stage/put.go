package stage

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/linear"
)

// Stores that are apart may go through a tile, too: what the original stores is put aside in it, and after a barrier
// other threads store what is there, side by side:
//
//	out_tile[threadIdx.x][threadIdx.y] = V;                      is out[x * h + y] = V;
//	__syncthreads();                                             is nothing
//	if (x2 < w && y2 < h) out[x2 * h + y2] = out_tile[tx][ty];   is nothing
//
// For each element of the tile one thread puts something aside and one stores it, at the same place and under the same
// condition. Nothing comes between the two, and nothing after them but a barrier or the kernel's end.

// placed is a store, to where the original has it or to an element of a tile.
type placed struct {
	of   *ir.Var // the array
	at   []linear.Sum
	when []linear.Formula
	by   string // the thread
	src  int
}

// candidates are the tiles of which elements are stored elsewhere.
func (s *staging) candidates() map[*ir.Var]bool {
	out := map[*ir.Var]bool{}
	kit.Walk(s.b.Body, func(e *ir.Expr) bool {
		if e.Op == ir.OpAssign && e.Tok == "=" && e.Kids[0].Op != ir.OpIdent && s.element(e.Kids[0]) == nil && s.element(e.Kids[1]) != nil {
			out[e.Kids[1].Root().Var] = true
		}
		return true
	})
	return out
}

// isPut reports whether a statement stores elements of such tiles to global memory, and does nothing else.
func (s *staging) isPut(b *ir.Stmt) bool {
	n, ok := s.storesOnly(b, func(e *ir.Expr) bool {
		return s.element(e.Kids[1]) != nil && s.puts[e.Kids[1].Root().Var] && e.Kids[0].Root().Var.Kind == ir.VarParam
	})
	return ok && n == 1
}

// putFits checks where the statements stand that put aside and store.
func (s *staging) putFits(t *tile) {
	var aside, back *ir.Stmt
	n := 0
	for st := range s.b.Body.All() {
		st.Exprs(func(e *ir.Expr) {
			for x := range e.All() {
				if x.Op == ir.OpIdent && x.Var == t.v {
					n++
				}
				if x.Op == ir.OpAssign && s.reads[x.Kids[0]] != nil && x.Kids[0].Root().Var == t.v && x == st.Expr {
					aside = st
				}
			}
		})
	}
	for p := range s.putbacks {
		if p.AnyExpr(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var == t.v }) {
			back = p
		}
	}
	if aside == nil || back == nil || n != 2 || back.Parent.Op != ir.StmtCompound {
		s.doubt(kit.Turns, t.v.Range.Start, "where elements of %s are put aside and stored is not known", t.v.Name)
		return
	}
	in := back.Parent
	// The store is the last thing that the statement before the barrier does.
	top := aside
	for top.Parent != nil && top.Parent != in {
		p := top.Parent
		last := p.Op == ir.StmtCompound && p.List[len(p.List)-1] == top || p.Op == ir.StmtIf && p.Else == nil && !p.Preproc
		if !last {
			s.doubt(kit.Turns, aside.Range.Start, "something follows before the barrier where the original stores here")
			return
		}
		top = p
	}
	i, j := slices.Index(in.List, top), slices.Index(in.List, back)
	if top.Parent != in || i < 0 || j != i+2 || !s.isMeeting(in.List[i+1]) {
		s.doubt(kit.Turns, back.Range.Start, "between what is put aside and this stands more than a barrier")
		return
	}
	if j+1 < len(in.List) && s.isMeeting(in.List[j+1]) {
		return
	}
	for p := back; p.Parent != nil; p = p.Parent {
		if q := p.Parent; q.IsLoop() || q.Op == ir.StmtCompound && q.List[len(q.List)-1] != p {
			s.doubt(kit.Turns, back.Range.Start, "no barrier stands after this")
			return
		}
	}
}

// placedAt notes a store.
func (s *staging) placedAt(y *symbolic, to map[int][]placed, t *tile, element, target *ir.Expr) {
	n, ok := y.elementOf(t, s.element(element))
	a := y.eval(&ir.Expr{Op: ir.OpAddr, Kids: []*ir.Expr{target}, Range: target.Range})
	if !s.looking || y.away != [3]int{} {
		return
	}
	if !ok || a.kind != anAddress || a.base.Type.Volatile || s.al.TypeOf(target) != kit.PlainName(t.v.Type.Base) {
		s.doubt(kit.Content, element.Range.Start, "which element of %s this is can't be told, or where it is stored", t.v.Name)
		return
	}
	to[n] = append(to[n], placed{a.base, append(slices.Clone(a.at), a.s), slices.Clone(y.path), y.name, element.Range.Start})
}

// putsFit checks that what is put aside is stored, each element once, and nothing else.
func (s *staging) putsFit(t *tile) {
	size := 1
	for _, d := range t.dims {
		size *= d
	}
	for n := range size {
		for _, list := range [][]placed{t.aside[n], t.back[n]} {
			for _, p := range list[min(1, len(list)):] {
				s.doubt(kit.Content, p.src, "several threads use one element of %s", t.v.Name)
				return
			}
		}
		switch a, b := t.aside[n], t.back[n]; {
		case len(a) == 0 && len(b) > 0:
			if !s.g.Never(b[0].when) {
				s.doubt(kit.Content, b[0].src, "the value stored here was not put aside")
				return
			}
		case len(a) > 0 && len(b) == 0:
			if !s.g.Never(a[0].when) {
				s.doubt(kit.Content, a[0].src, "the value put aside here is not stored")
				return
			}
		case len(a) > 0:
			p, q := a[0], b[0]
			y := &symbolic{st: s, g: s.g, path: p.when}
			same := p.of == q.of && len(p.at) == len(q.at)
			for i := 0; same && i < len(p.at); i++ {
				same = y.equal(p.at[i], q.at[i])
			}
			if !same || !s.g.Follows(p.when, linear.Both(q.when...)) || !s.g.Follows(q.when, linear.Both(p.when...)) {
				s.doubt(kit.Content, q.src, "the original stores at another place or time")
				return
			}
		}
	}
}
