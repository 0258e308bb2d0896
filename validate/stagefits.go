package validate

import (
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// fits checks what must be so besides the text.
func (s *staging) fits() {
	if !s.shapesOfTiles() {
		return
	}
	s.levels = newUniformity(s.al)
	s.barriersFit()
	for _, t := range s.tiles {
		if s.puts[t.v] {
			s.putFits(t)
		} else {
			s.phaseFits(t)
		}
	}
	shapes, known := s.c.shapes(s.k.Name)
	if !known {
		s.doubt(Launches, s.b.View.Start, "which threads copy what can't be told without the shape of a block")
	}
	if len(s.k.Doubts) > 0 {
		return
	}
	s.k.Block = shapes[0]
	for i, shape := range shapes {
		if slices.Contains(shapes[:i], shape) {
			continue
		}
		if shape != shapes[0] {
			s.k.Block = [3]int{}
		}
		s.shapeFits(shape)
	}
	if len(s.k.Doubts) > 0 {
		return
	}
	s.k.shown(Uniform, "all threads of a block come by the barriers that were added")
	s.k.shown(Turns, "a barrier lies between a copy and what reads it, and between that and the next copy")
	s.k.shown(Moves, "nothing writes to what is copied while the kernel runs")
	if s.inLaunches {
		s.k.Shown[len(s.k.Shown)-1].Assumes = "launches that are not in view pass arrays that do not overlap, too"
	}
	s.k.shown(Content, "run for each thread of a block with sums for what is not known: each read finds what the original reads")
	s.k.Shown[len(s.k.Shown)-1].Assumes = "the number of a thread in the grid fits an int"
	s.k.shown(Copies, "what is copied is what the original reads")
	s.k.shown(Launches, "tiles are for blocks as they are launched")
	s.k.Shown[len(s.k.Shown)-1].Assumes = "launches that are not in view have blocks of such a shape, too"
}

// barriersFit checks that all threads of a block come by the barriers that were added.
func (s *staging) barriersFit() {
	for _, b := range s.added {
		if s.levels.control(b) == perThread {
			s.doubt(Uniform, b.Range.Start, "some threads of a block may not come by this barrier")
		}
		s.b.Body.Walk(func(t *ir.Stmt) bool {
			passes := false
			switch t.Op {
			case ir.StmtReturn, ir.StmtGoto:
				passes = t.Range.Start < b.Range.Start || t.Op == ir.StmtGoto
				for p := t.Parent; p != nil; p = p.Parent {
					passes = passes || p.IsLoop() && b.Inside(p)
				}
			case ir.StmtBreak, ir.StmtContinue:
				to := t.JumpTarget()
				passes = to != nil && b.Inside(to)
			}
			if passes && s.levels.control(t) == perThread {
				s.doubt(Uniform, t.Range.Start, "a thread that goes here does not come by the barrier in line %d", s.c.b.file.Position(b.Range.Start).Line)
			}
			return true
		})
	}
}

// isMeeting reports whether a statement is a barrier of the block.
func (s *staging) isMeeting(t *ir.Stmt) bool {
	meets, known := s.meets[t]
	if !known {
		meets = s.al.isBarrier(s.c.b, t)
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
			at = c.Range.Start
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
		s.doubt(Turns, at, "where %s is copied to is not known", t.v.Name)
		return
	}
	again := false
	for p := in; p != nil; p = p.Parent {
		again = again || p.IsLoop()
	}
	if before != nil {
		n := slices.IndexFunc(before.List, func(p *ir.Stmt) bool { return in.Inside(p) })
		if before.Op != ir.StmtCompound || n < 0 || slices.Max(copies[before]) > n || slices.Contains(copies[before], -1) || in.Parent == nil || in.Parent.Parent != before || s.ring(in.Parent) != t.dims[0] {
			s.doubt(Turns, at, "%s is copied to in several places", t.v.Name)
			return
		}
	}
	first, met := slices.Min(copies[in]), slices.Max(copies[in])+1
	for met < len(in.List) && !s.isMeeting(in.List[met]) {
		met++
	}
	end, reads := met, 0
	walk(s.b.Body, func(e *ir.Expr) bool {
		if e.Op != ir.OpIdent || e.Var != t.v {
			return true
		}
		reads++
		n := slices.IndexFunc(in.List, func(p *ir.Stmt) bool { return p.Range.Contains(e.Range) })
		switch {
		case n >= 0 && s.copies[in.List[n]] != nil, n < 0 && before != nil && slices.ContainsFunc(copies[before], func(c int) bool { return before.List[c].Range.Contains(e.Range) }):
			reads--
		case n < met || met == len(in.List):
			s.doubt(Turns, e.Range.Start, "no barrier lies between the copy to %s and this", t.v.Name)
		}
		end = max(end, n)
		return true
	})
	behind := slices.ContainsFunc(in.List[min(end+1, len(in.List)):], s.isMeeting)
	if again && !behind && (before != nil || !slices.ContainsFunc(in.List[:first], s.isMeeting)) {
		s.doubt(Turns, at, "no barrier lies between what reads %s and the next copy", t.v.Name)
	}
	for e := range s.reads {
		e.Walk(func(x *ir.Expr) bool {
			if x.Op == ir.OpIdent && x.Var == t.v {
				reads--
			}
			return true
		})
	}
	if reads != 0 {
		s.doubt(Copies, at, "%s is used in a way that is not known", t.v.Name)
	}
}

// ring is how many planes a tile has that is copied to before a loop and in it, 0 for any other loop.
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

// shapeFits checks what tiles hold in blocks of one shape.
func (s *staging) shapeFits(block [3]int) {
	for _, t := range s.tiles {
		t.holds, t.aside, t.back = map[int][]copied{}, map[int][]placed{}, map[int][]placed{}
	}
	s.readers, s.loads = map[string][][]formula{}, map[string]*copyLoad{}
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
				s.doubt(Copies, l.at, "an element of %s is copied here that the original may not read", l.name)
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
		return known && !slices.Contains(stored, v) && (v.Type.Restrict || s.apart(v, stored))
	}
	return false
}

// named reports whether the host asks where an array is.
func (s *staging) named(array string) bool {
	for _, f := range s.c.namesB.prog.All() {
		us := newSource(f).units
		for i, u := range us {
			if u.text == array && i > 0 && us[i-1].text == "&" || u.text == "cudaGetSymbolAddress" {
				return true
			}
		}
	}
	return false
}

// notStored reports whether the functions of the kernel do nothing to an array at namespace scope but read it.
func (s *staging) notStored(array string) bool {
	ok := true
	for _, g := range s.k.state.reach {
		walk(g.Body, func(e *ir.Expr) bool {
			switch e.Op {
			case ir.OpAssign, ir.OpIncDec, ir.OpAddr:
				if root := e.Kids[0].Root(); root != nil && root.Name == array {
					ok = false
				}
			case ir.OpCall:
				for _, arg := range e.Args() {
					if root := arg.Root(); root != nil && root.Name == array && arg.Op != ir.OpIndex {
						ok = false
					}
				}
			case ir.OpAsm:
				ok = false
			}
			return ok
		})
	}
	return ok
}

// loaded notes that an array is read.
func (s *staging) loaded(y *symbolic, op string, v *ir.Var, args []sum, e *ir.Expr) {
	key := op + "(" + keys(args)
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
		s.doubt(Moves, e.Range.Start, "%s may be written while the kernel runs, and is copied here", v.Name)
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
func withPath(all [][]formula, path []formula, most int) [][]formula {
	if len(all) >= most || slices.ContainsFunc(all, func(p []formula) bool { return slices.EqualFunc(p, path, formula.equal) }) {
		return all
	}
	return append(all, slices.Clone(path))
}

// within reports whether subscripts are numbers in the extents that an array is declared with.
func (s *staging) within(v *ir.Var, at []sum) bool {
	if len(v.Dims) != len(at) || v.Type.Ptr > 0 {
		return false
	}
	for i, d := range v.Dims {
		n, ok := at[i].constant()
		if !ok || n < 0 {
			return false
		}
		if d == nil && i == 0 && v.Init != nil && v.Init.Op == ir.OpInitList && len(v.Dims) == 1 && n < int64(len(v.Init.Kids)) {
			continue
		}
		if extent, known := s.c.number(d); !known || n >= int64(extent) {
			return false
		}
	}
	return true
}

// wrote notes what a tile holds.
func (s *staging) wrote(y *symbolic, target *ir.Expr, v known, e *ir.Expr) {
	at := s.element(target)
	if y.copying == nil || at == nil {
		s.doubt(Copies, e.Range.Start, "a tile is stored to by what is no copy")
		return
	}
	t := s.tiles[target.Root().Var]
	n, ok := 0, true
	for i, x := range at {
		m, fixed := y.subscript(y.eval(x)).constant()
		ok = ok && fixed && m >= 0 && m < int64(t.dims[i])
		n = n*t.dims[i] + int(m)
	}
	if s.looking {
		return
	}
	if !ok {
		s.doubt(Copies, e.Range.Start, "which element of %s is stored here can't be told, or there is none", t.v.Name)
		return
	}
	one := copied{y.number(v).s, slices.Clone(y.path), y.phase, y.met}
	for _, c := range t.holds[n] {
		switch {
		case c.phase != one.phase && c.met == one.met:
			s.doubt(Turns, e.Range.Start, "no barrier lies between this and another copy to the element")
			return
		case c.phase == one.phase && slices.Equal(c.s, one.s) && slices.EqualFunc(c.when, one.when, formula.equal):
			return
		}
	}
	t.holds[n] = append(t.holds[n], one)
}

// declared checks that a guard is the original's condition.
func (s *staging) declared(y *symbolic, b *ir.Stmt) {
	conds := s.guards[b]
	if conds == nil || !s.looking {
		return
	}
	defer y.asking()()
	want := yes
	for _, c := range conds {
		y.where(want, func() { want = both(want, y.truth(y.eval(c)).not()) })
	}
	if is := y.env[b.Vars[0]].cond; !y.alike(is, want) {
		s.doubt(Moves, b.Range.Start, "this is not the condition under which the original goes on")
	}
}

// alike reports whether two conditions are the same here.
func (y *symbolic) alike(a, b formula) bool {
	return a.equal(b) || y.g.follows(append(slices.Clone(y.path), a), b) && y.g.follows(append(slices.Clone(y.path), b), a)
}
