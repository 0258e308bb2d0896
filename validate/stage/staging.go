// Package stage judges kernels with arrays in shared memory that hold what threads read again of global memory.
package stage

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/linear"
	"github.com/smux-cuda/smux/validate/units"
)

// staging has arrays in shared memory hold what threads of a block read again of global memory. Its erasure:
//
//	__shared__ float a_tile[16][16];                                          is nothing
//	a statement that stores to such arrays and nothing else                   is nothing
//	__syncthreads();                                                          is nothing, where the original has none
//	a_tile[threadIdx.y][k - k0]                                               is what the original has there: a[row * n + k]
//	for (int k0 = 0, k_len; k0 < n; k0 += k_len) {
//	    k_len = min(16, n - k0);
//	    for (int k = k0; k < k0 + k_len; k++) S                               is for (int k = 0; k < n; k++) S
//	}
//	const bool inside = i < n;  …  if (inside) S  …                           is if (i >= n) return;  …  S  …
//	                                                                          or if (i < n) { …  S  … }
//
// (align.go). What is left to show is one thing: a read of a tile finds what the original reads there. The
// kernel is run for each thread of a block with what is not known as atoms (symbolic.go): what copies store to each
// element is a sum like "in[32·blockIdx.x + y·w - 2]" under a condition, and so is what the original reads, at an
// element whose subscripts are numbers then. So it is asked (fits.go)
//
//	of a read    that the condition under which it is made implies that of a copy to the element, with the same sum;
//	of a copy    that some thread of the original reads what it loads, so that it lies in the array;
//	of barriers  that all threads of a block come by, and one lies between a copy and reads, and reads and a copy;
//	of an array  that nothing writes to it while the kernel runs.
type staging struct {
	c     *kit.Comparison
	k     *kit.Kernel
	a, b  *ir.Func
	al    *kit.Alignment
	g     *linear.Algebra
	count int

	tiles    map[*ir.Var]*tile
	copies   map[*ir.Stmt]*ir.Stmt // statements that store to tiles, with the barrier after them
	added    []*ir.Stmt            // barriers
	reads    map[*ir.Expr]*ir.Expr // of a tile, with what the original has there
	skips    map[*ir.Stmt]bool     // statements that do nothing
	puts     map[*ir.Var]bool      // tiles that stores go through
	putbacks map[*ir.Stmt]bool     // statements that store what is in them
	pairs    map[*ir.Var]*ir.Var   // variables of the original, with those of the new text
	gone     map[*ir.Var]*ir.Expr  // variables of the original that the new text has not
	guards   map[*ir.Stmt][]*ir.Expr
	strips   map[*ir.Stmt]*strip
	rings    map[*ir.Stmt]int
	meets    map[*ir.Stmt]bool
	levels   *kit.Uniformity

	extents []int // how often loops over tiles may go round
	looking bool  // reads are checked: the copies are known
	away    bool  // of a block beside
	readers map[string][][]linear.Formula
	loads   map[string]*copyLoad
	holds   map[string]bool // arrays that nothing writes to, by name
}

// tile is an array in shared memory that the original does not have.
type tile struct {
	v     *ir.Var
	dims  []int
	holds map[int][]copied // by element
	aside map[int][]placed // what the original stores elsewhere, by element
	back  map[int][]placed // and what is stored there
}

// copied is the content of an element under a condition.
type copied struct {
	s     linear.Sum
	when  []linear.Formula
	phase int // how many copies were made before
	met   int // and how many barriers were met
}

// copyLoad is a load that copies make.
type copyLoad struct {
	at   int
	name string
	when [][]linear.Formula
}

// Judge judges a kernel with arrays in shared memory that the original does not have, and reports whether this is one.
func Judge(c *kit.Comparison, k *kit.Kernel, a, b *parser.Function) bool {
	n := len(k.Doubts)
	s := newStaging(c, k, a, b, nil)
	if s == nil {
		return false
	}
	s.judge(a, b)
	// What stores elements of a tile may be the original's, or what was put aside.
	if puts := s.candidates(); k.Doubtful(kit.Erasure) && len(puts) > 0 {
		first := slices.Clone(k.Doubts)
		k.Doubts = k.Doubts[:n]
		if newStaging(c, k, a, b, puts).judge(a, b); k.Doubtful(kit.Erasure) {
			k.Doubts = first
		}
	}
	return true
}

// newStaging looks for tiles in a kernel, and returns nil where there are none.
func newStaging(c *kit.Comparison, k *kit.Kernel, a, b *parser.Function, puts map[*ir.Var]bool) *staging {
	lb := c.NewNames.Lower(c.New.File, b)
	body := c.Old.Between(int(a.Body.Start), int(a.Body.End))
	s := &staging{c: c, k: k, b: lb, g: linear.New(), tiles: map[*ir.Var]*tile{}, copies: map[*ir.Stmt]*ir.Stmt{}, reads: map[*ir.Expr]*ir.Expr{}, skips: map[*ir.Stmt]bool{}, puts: map[*ir.Var]bool{}, putbacks: map[*ir.Stmt]bool{},
		pairs: map[*ir.Var]*ir.Var{}, gone: map[*ir.Var]*ir.Expr{}, guards: map[*ir.Stmt][]*ir.Expr{}, strips: map[*ir.Stmt]*strip{}, rings: map[*ir.Stmt]int{}, meets: map[*ir.Stmt]bool{},
		readers: map[string][][]linear.Formula{}, loads: map[string]*copyLoad{}, holds: map[string]bool{}}
	for _, v := range lb.Vars {
		if v.Kind == ir.VarShared && !v.Extern && !units.Mentions(body, v.Name) && !strings.HasPrefix(v.Name, kit.CopyPrefix) {
			s.tiles[v] = &tile{v: v}
			for w := range puts {
				s.puts[v] = s.puts[v] || w.Range == v.Range
			}
		}
	}
	if len(s.tiles) == 0 {
		return nil
	}
	k.Variant = "stage"
	s.a = c.OldNames.Lower(c.Old.File, a)
	s.al = kit.NewAlignment(c, k, s.a, lb)
	k.State.Main = s.al
	return s
}

// judge judges the kernel.
func (s *staging) judge(a, b *parser.Function) {
	if s.erase(a, b); s.k.Doubtful(kit.Erasure) {
		return
	}
	s.k.Show(kit.Erasure, "unit by unit, with what the original reads where tiles are read", s.k.Pos)
	if !linear.Within(s.fits) {
		s.doubt(kit.Content, s.b.Body.Range.Start, "too much is to be computed to tell what tiles hold")
	}
}

func (s *staging) doubt(c kit.Condition, at int, format string, args ...any) {
	s.k.Doubt(c, s.c.New.File, at, format, args...)
}

// canonical is the new text's variable for one of either text.
func (s *staging) canonical(v *ir.Var) *ir.Var {
	if w := s.pairs[v]; w != nil {
		return w
	}
	return v
}

// nameOf spells an array: two functions know one at namespace scope by its name.
func (s *staging) nameOf(v *ir.Var) string {
	if v.Kind == ir.VarGlobal || v.Kind == ir.VarConstant {
		return "global " + v.Name
	}
	return v.Name + "@" + units.Itoa(v.Range.Start)
}

// readsTiles reports whether a statement reads tiles.
func (s *staging) readsTiles(in *ir.Stmt) bool {
	return in.AnyExpr(func(e *ir.Expr) bool { return s.reads[e] != nil })
}

// copiesIn reports whether a statement has copies to tiles in it.
func (s *staging) copiesIn(in *ir.Stmt) bool {
	return in.Any(func(t *ir.Stmt) bool { return (s.copies[t] != nil || s.putbacks[t]) && t != in })
}

// countedBy reports whether nothing but the head of a loop changes its counter, and nothing in it what its condition asks.
func (s *staging) countedBy(v *ir.Var, loop *ir.Stmt) bool {
	changed := map[*ir.Var]bool{}
	kit.Walk(loop.Body, func(e *ir.Expr) bool {
		if e.Op == ir.OpAssign || e.Op == ir.OpIncDec {
			if root := e.Kids[0].Root(); root != nil {
				changed[root.Var] = true
			}
		}
		return true
	})
	return !changed[v] && !loop.Cond.Any(func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var != nil && changed[e.Var] })
}

// pure reports whether a call computes one value from what it is given and from arrays it is given, and its type.
func (s *staging) pure(e *ir.Expr) (string, bool) {
	gs := s.k.State.Calls[e]
	if len(gs) == 0 {
		r := e.Intrinsic()
		typed := ""
		if r.Pure() {
			typed = s.al.TypeOf(e)
		}
		return typed, (r.Pure() || r.IsReadOnly()) && !slices.ContainsFunc(e.Args(), func(x *ir.Expr) bool { return x.Op == ir.OpAddr })
	}
	if len(gs) != 1 || !s.k.State.Closed(gs) {
		return "", false
	}
	g := gs[0]
	ok := true
	for _, p := range g.Params {
		ok = ok && !p.Type.Ref && (p.Type.Ptr == 0 || p.Type.Ptr == 1 && p.Type.PtrConst)
	}
	for _, v := range g.Vars {
		ok = ok && !v.Static && v.Type.Ptr == 0 && !v.Type.Ref
	}
	head := s.c.FileOf[g.View]
	if head == nil {
		return "", false
	}
	return "", ok && g.View.Class == ""
}

// runs runs the kernel in every thread of a block.
func (s *staging) runs(block, away [3]int, margin int) {
	for z := range block[2] {
		for y := range block[1] {
			for x := range block[0] {
				t := [3]int{x, y, z}
				near := true
				for d, n := range away {
					near = near && (n == 0 || t[d] >= block[d]-margin)
				}
				if near && len(s.k.Doubts) == 0 {
					s.run(block, away, t)
				}
			}
		}
	}
}

func (s *staging) run(block, away, t [3]int) {
	y := &symbolic{st: s, g: s.g, block: block, t: t, away: away, env: map[*ir.Var]known{}}
	y.name = units.Itoa(t[0]) + "," + units.Itoa(t[1]) + "," + units.Itoa(t[2]) + ";" + units.Itoa(away[0]) + "," + units.Itoa(away[1]) + "," + units.Itoa(away[2])
	for d, axis := range []string{"x", "y", "z"} {
		if away[d] != 0 {
			v := y.typed("unsigned", "blockIdx."+axis)
			y.path = append(y.path, linear.Natural(v.s.Shifted(int64(away[d])))) // there is one
		}
	}
	for _, v := range s.b.Params {
		if v.Type.Ptr == 0 && !v.Type.Ref && !v.AddrTaken {
			y.env[v] = y.typed(v.Type.Base, "parameter "+v.Name)
		}
	}
	y.stmt(s.b.Body)
}

// shapesOfTiles finds the extents of the tiles.
func (s *staging) shapesOfTiles() bool {
	for _, t := range s.tiles {
		for _, d := range t.v.Dims {
			n := 0
			if d != nil {
				n, _ = content.IntOf(s.c, d)
			}
			if n <= 0 || n > 1<<16 {
				s.doubt(kit.Copies, t.v.Range.Start, "the extents of %s are not known", t.v.Name)
				return false
			}
			t.dims = append(t.dims, n)
			s.extents = append(s.extents, n, n-1)
		}
		if len(t.dims) == 0 || t.v.Type.Volatile {
			s.doubt(kit.Copies, t.v.Range.Start, "%s is no array", t.v.Name)
			return false
		}
	}
	slices.SortFunc(s.extents, cmp.Compare[int])
	s.extents = slices.Compact(s.extents)
	return true
}
