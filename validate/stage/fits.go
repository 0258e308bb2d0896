package stage

import (
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/linear"
)

// fits checks what must be so besides the text.
func (s *staging) fits() {
	if !s.shapesOfTiles() {
		return
	}
	s.levels = kit.NewUniformity(s.al)
	s.levels.AddedFit(s.added)
	metApart(s)
	for _, t := range s.tiles {
		if s.puts[t.v] {
			s.putFits(t)
		} else {
			s.phaseFits(t)
		}
	}
	shapes, known := content.ShapesOf(s.c, s.k.Name)
	if !known {
		s.doubt(kit.Launches, s.b.View.Start, "which threads copy what can't be told without the shape of a block")
	}
	if len(s.k.Doubts) > 0 {
		return
	}
	s.k.RunFor(shapes)
	for _, shape := range shapes {
		s.shapeFits(shape)
	}
	if len(s.k.Doubts) > 0 {
		return
	}
	s.k.Show(kit.Uniform, "all threads of a block come by the barriers that were added")
	s.k.Show(kit.Turns, "a barrier lies between a copy and what reads it, and between that and the next copy")
	s.k.Show(kit.Moves, "nothing writes to what is copied while the kernel runs")
	s.k.Show(kit.Content, "run for the threads of a block, with sums for what is not known: each read finds what the original reads").Assumes = "what is computed of ints and of the numbers of threads and blocks fits an int"
	s.k.Show(kit.Copies, "what is copied is what the original reads")
	s.k.Show(kit.Launches, "tiles are for blocks as they are launched").Assumes = "launches that are not in view have blocks of such a shape, too"
}

// metApart doubts barriers of the original in a guard: threads that have ended there wait at an added one here.
func metApart(s *staging) {
	for t := range s.b.Body.All() {
		guard := t.Op == ir.StmtIf && t.Cond.Op == ir.OpIdent && t.Cond.Var != nil && s.guards[t.Cond.Var.Decl] != nil
		if guard && kit.Some(t.Body, s.k.State.MeetsBarrier) {
			s.doubt(kit.Uniform, t.Range.Start, "threads that the original has ended here do not meet the barrier in this")
		}
	}
}

// shapeFits checks what tiles hold in blocks of one shape.
func (s *staging) shapeFits(block [3]int) {
	for _, t := range s.tiles {
		t.holds, t.aside, t.back = map[int][]copied{}, map[int][]placed{}, map[int][]placed{}
	}
	s.readers, s.loads = map[string][][]linear.Formula{}, map[string]*copyLoad{}
	s.looking, s.away = false, false
	s.runs(block, [3]int{}, 0)
	s.looking = true
	s.runs(block, [3]int{}, 0)
	for _, t := range s.tiles {
		if len(s.k.Doubts) == 0 && s.puts[t.v] {
			s.putsFit(t)
		}
	}
	if len(s.k.Doubts) > 0 {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(s.loads)) {
		l := s.loads[key]
		for _, when := range l.when {
			if s.justified(s.readers[key], when) {
				continue
			}
			if !s.away {
				s.away = true
				for _, away := range [][3]int{{-1, 0, 0}, {0, -1, 0}, {-1, -1, 0}, {0, 0, -1}, {-1, 0, -1}, {0, -1, -1}, {-1, -1, -1}} {
					if inBlocks(block, away) {
						s.runs(block, away, 8)
					}
				}
			}
			if !s.justified(s.readers[key], when) {
				s.doubt(kit.Copies, l.at, "an element of %s is copied here that the original may not read", l.name)
				return
			}
		}
	}
}

// inBlocks reports whether blocks beside may differ along axes that a block has more than one thread of.
func inBlocks(block, away [3]int) bool {
	for d, n := range away {
		if n != 0 && block[d] == 1 {
			return false
		}
	}
	return true
}

// stays reports whether nothing writes to an array while the kernel runs.
func (s *staging) stays(v *ir.Var) bool {
	name := s.nameOf(v)
	if stays, known := s.holds[name]; known {
		return stays
	}
	s.holds[name] = s.unwritten(v)
	return s.holds[name]
}

func (s *staging) unwritten(v *ir.Var) bool {
	switch {
	case v.Type.Volatile:
		return false
	case v.Kind == ir.VarConstant, v.Kind == ir.VarGlobal && v.Type.Const && v.Type.Ptr == 0:
		return true
	case v.Kind == ir.VarGlobal && len(v.Dims) > 0 && v.Type.Ptr == 0:
		return !s.named(v.Name) && s.notStored(v.Name)
	case v.Kind == ir.VarParam && v.Type.Ptr == 1 && len(v.Writes) == 0 && !v.AddrTaken:
		if v.Type.PtrConst && v.Type.Restrict {
			return true
		}
		stored, known := s.storedTo()
		return known && !slices.Contains(stored, v) && (v.Type.Restrict || s.readsFirst(v))
	}
	return false
}

// named reports whether the host asks where an array is.
func (s *staging) named(array string) bool {
	for _, f := range s.c.NewNames.Prog.All() {
		us := s.c.SourceOf(f).Units
		for i, u := range us {
			if u.Text == array && i > 0 && us[i-1].Text == "&" || u.Text == "cudaGetSymbolAddress" {
				return true
			}
		}
	}
	return false
}

// notStored reports whether the functions of the kernel do nothing to an array at namespace scope but read it.
func (s *staging) notStored(array string) bool {
	of := func(e *ir.Expr) bool { root := e.Root(); return root != nil && root.Name == array }
	return !slices.ContainsFunc(s.k.State.Reach, func(g *ir.Func) bool {
		return kit.Some(g.Body, func(e *ir.Expr) bool {
			switch e.Op {
			case ir.OpAssign, ir.OpIncDec, ir.OpAddr:
				return of(e.Kids[0])
			case ir.OpCall:
				return slices.ContainsFunc(e.Args(), func(arg *ir.Expr) bool { return of(arg) && arg.Op != ir.OpIndex })
			}
			return effect.IsOpaque(e.Op)
		})
	})
}

// loaded notes that an array is read.
func (s *staging) loaded(y *symbolic, op string, v *ir.Var, args []linear.Sum, e *ir.Expr) {
	key := op + "(" + linear.Keys(args)
	if y.quiet {
		return
	}
	if y.copying == nil {
		if s.looking && !y.blind {
			s.readers[key] = withPath(s.readers[key], y.path, 64)
		}
		return
	}
	if s.looking || y.blind || y.ahead {
		return
	}
	if !s.stays(v) {
		s.doubt(kit.Moves, e.Range.Start, "%s may be written while the kernel runs, and is copied here", v.Name)
		return
	}
	if s.within(v, args) {
		return
	}
	l := s.loads[key]
	if l == nil {
		l = &copyLoad{at: e.Range.Start, name: v.Name}
		s.loads[key] = l
	}
	l.when = withPath(l.when, y.path, 1<<20)
}

// withPath adds conditions that are not among some already.
func withPath(all [][]linear.Formula, path []linear.Formula, most int) [][]linear.Formula {
	if len(all) >= most || slices.ContainsFunc(all, func(p []linear.Formula) bool { return slices.EqualFunc(p, path, linear.Formula.Equal) }) {
		return all
	}
	return append(all, slices.Clone(path))
}

// within reports whether subscripts are numbers in the extents that an array is declared with.
func (s *staging) within(v *ir.Var, at []linear.Sum) bool {
	if len(v.Dims) != len(at) || v.Type.Ptr > 0 {
		return false
	}
	for i, d := range v.Dims {
		n, ok := at[i].Constant()
		if !ok || n < 0 {
			return false
		}
		if d == nil && i == 0 && v.Init != nil && v.Init.Op == ir.OpInitList && len(v.Dims) == 1 && n < int64(len(v.Init.Kids)) {
			continue
		}
		if extent, known := content.IntOf(s.c, d); !known || n >= int64(extent) {
			return false
		}
	}
	return true
}

// wrote notes what a tile holds.
func (s *staging) wrote(y *symbolic, target *ir.Expr, v known, e *ir.Expr) {
	at := s.element(target)
	if y.copying == nil || at == nil {
		s.doubt(kit.Copies, e.Range.Start, "a statement other than a copy stores to a tile")
		return
	}
	t := s.tiles[target.Root().Var]
	n, ok := y.elementOf(t, at)
	if s.looking {
		return
	}
	if !ok {
		s.doubt(kit.Copies, e.Range.Start, "which element of %s is stored here can't be told, or there is none", t.v.Name)
		return
	}
	one := copied{y.number(v).s, slices.Clone(y.path), y.phase, y.met}
	for _, c := range t.holds[n] {
		switch {
		case c.phase != one.phase && c.met == one.met:
			s.doubt(kit.Turns, e.Range.Start, "no barrier lies between this and another copy to the element")
			return
		case c.phase == one.phase && slices.Equal(c.s, one.s) && slices.EqualFunc(c.when, one.when, linear.Formula.Equal):
			return
		}
	}
	t.holds[n] = append(t.holds[n], one)
}

// elementOf is the number of an element of a tile, false where it is not known or there is none.
func (y *symbolic) elementOf(t *tile, at []*ir.Expr) (n int, ok bool) {
	ok = true
	for i, x := range at {
		m, fixed := y.subscript(y.eval(x)).Constant()
		ok = ok && fixed && m >= 0 && m < int64(t.dims[i])
		n = n*t.dims[i] + int(m)
	}
	return n, ok
}

// declared checks that a guard is the original's condition.
func (s *staging) declared(y *symbolic, b *ir.Stmt) {
	conds := s.guards[b]
	if conds == nil || !s.looking {
		return
	}
	defer y.asking()()
	want := linear.Yes
	for _, c := range conds {
		y.where(want, func() { want = linear.Both(want, y.truth(y.eval(c)).Not()) })
	}
	if is := y.env[b.Vars[0]].cond; !y.alike(is, want) {
		s.doubt(kit.Moves, b.Range.Start, "this is not the condition under which the original goes on")
	}
}

// alike reports whether two conditions are the same here.
func (y *symbolic) alike(a, b linear.Formula) bool {
	return a.Equal(b) || y.g.Follows(append(slices.Clone(y.path), a), b) && y.g.Follows(append(slices.Clone(y.path), b), a)
}
