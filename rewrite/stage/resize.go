package stage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/footprint"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/regions"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// checkResize proves that a loop which stages by hand, a strip of its arrays in each iteration, can stage several
// strips at a time: the allocated size in steps of one strip (Xie et al., ICCAD, §4), and as many barriers fewer.
//
//	__shared__ float s[64];                     __shared__ float s[2][64];
//	for (int t = 0; t < n; t++) {               for (int t0 = 0, t_len; t0 < n; t0 += t_len) {
//	                                                t_len = min(2, n - t0);
//	                                                for (int t = t0; t < t0 + t_len; t++) {
//	    s[x] = a[t * 64 + x];           -->             s[t - t0][x] = a[t * 64 + x];
//	                                                }
//	    __syncthreads();                            __syncthreads();
//	                                                for (int t = t0; t < t0 + t_len; t++) {
//	    sum += s[63 - x];                               sum += s[t - t0][63 - x];
//	                                                }
//	    __syncthreads();                            __syncthreads();
//	}                                           }
//
// The proof has four parts:
//
//   - an iteration reads of the arrays only what it has written itself: the loop's body is a
//     region, at whose end nothing in them is live , and nothing outside
//     uses them;
//   - up to the first barrier an iteration fills, and does nothing else: it stores to the arrays,
//     from memory that nobody writes while the kernel runs and from values that no iteration
//     changes. So the next strips can be filled before the first is used;
//   - between the barriers it uses, and changes nothing but variables of the thread;
//   - the loop counts by one, for all threads alike, to a bound that stays, and nothing leaves it.
//
// Other sizes, such as that of the block, are constants of the program, which smux tune --sizes
// changes and tests: they take other launches with them.
func checkResize(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p := &resizeProof{Findings: kit.NewFindings(k, variant.Stage, opt)}
	p.Tile = cmp.Or(p.Tile, 2)
	for _, r := range regions.Under(k, analysis.BlockUniform) {
		loop := r.List.Parent
		if r.Func != k.Func || loop == nil || loop.Op != ir.StmtFor {
			continue
		}
		s, why := p.stripOf(loop, r)
		if why != "" {
			p.Refuse(k.File, loop.Range.Start, CodeStagePlace, "the strips of this loop can't be staged several at a time: %s", why)
			continue
		}
		p.strip = s
		break
	}
	switch {
	case p.strip == nil && len(p.Reasons) == 0:
		p.Refuse(k.File, k.View.Start, CodeNoReuse, "no loop of the kernel stages a strip of an array in each iteration")
	case p.strip == nil:
	case p.Tile < 2:
		p.Refuse(k.File, k.View.Start, CodeNoReuse, "one strip at a time is what the kernel stages already")
	default:
		for _, in := range k.Instances {
			p.more = max(p.more, p.bytesOf(in)*(p.Tile-1))
		}
		room := &copyProof{Findings: p.Findings}
		if why := room.room(p.more); why != "" {
			p.Refuse(k.File, p.strip.loop.stmt.Range.Start, kit.CodeSharedSize, "%d strips take %d bytes more: %s", p.Tile, p.more, why)
		}
	}
	if len(p.Reasons) > 0 {
		return nil, p.Reasons
	}
	p.Note(k.File, k.View.Start, CodeStaged, "staged %s; %d bytes of shared memory more in each thread block", p.summary(), p.more)
	return p, nil
}

// resizeProof says of which loop several strips are staged at a time.
type resizeProof struct {
	kit.Findings
	strip *strip
	more  int // bytes of shared memory that are added
}

// strip is a loop that fills shared arrays up to the one barrier, and uses them up to the other.
type strip struct {
	loop     *countedLoop
	arrays   []*analysis.Shared
	elements []*ir.Expr // the names of the arrays, in their uses
	fill     []*ir.Stmt
	use      []*ir.Stmt
}

func (p *resizeProof) bytesOf(in *analysis.Instance) (sum int) {
	for _, s := range p.strip.arrays {
		n, _ := launches.SharedBytesOf(p.Kernel, in, s)
		sum += n
	}
	return sum
}

// stripOf takes a loop apart whose body is a region; why says what is in the way.
func (p *resizeProof) stripOf(s *ir.Stmt, r *analysis.Region) (out *strip, why string) {
	k := p.Kernel
	loop := countedLoopOf(k, s)
	if loop == nil || !loop.plain() || uniformity.Of(k, k.Func, s.Cond) == analysis.ThreadVarying || !p.boundStays(loop) {
		return nil, "it does not count by one to an int that stays, for all threads alike"
	}
	out = &strip{loop: loop, arrays: r.Arrays}
	body := s.Body
	if body.Op != ir.StmtCompound || body.NoScope || s.Macro || s.Any(func(t *ir.Stmt) bool { return t.Op == ir.StmtContinue && t.JumpTarget() == s }) {
		return nil, "its body is no list of statements that each iteration goes through"
	}
	var waits []int
	for i, t := range body.List {
		if t.Op == ir.StmtExpr && !t.Macro && barriers.IsBarrier(k, k.Func, t.Expr) && !barriers.IsVote(k, k.Func, t.Expr) {
			waits = append(waits, i)
		} else if barriers.BarrierIn(k, k.Func, t) {
			return nil, "a barrier stands inside of a statement"
		}
		if t.Macro || !startsLine(k, t) {
			return nil, "a statement in it is part of a line"
		}
	}
	if len(waits) != 2 || waits[0] == 0 || waits[1] != len(body.List)-1 || waits[1] == waits[0]+1 {
		return nil, "it does not fill, meet, use, and meet"
	}
	out.fill, out.use = body.List[:waits[0]], body.List[waits[0]+1:waits[1]]
	for _, why := range []string{p.elementsOf(out), p.fillsOnly(out), p.usesOnly(out)} {
		if why != "" {
			return nil, why
		}
	}
	return out, ""
}

// boundStays reports whether a loop's bound is an int of values that nobody changes.
func (p *resizeProof) boundStays(l *countedLoop) bool {
	return !l.high.Any(func(e *ir.Expr) bool {
		switch e.Op {
		case ir.OpInt:
			return e.Tok == "u" || e.Type.Base == "long"
		case ir.OpIdent:
			v := e.Var
			if _, ok := evaluate.ConstantAlike(p.Kernel, p.Kernel.Func, e); ok && v != nil && v.Type.Base == "int" {
				return false
			}
			return v == nil || v.Type.Base != "int" || v.Type.Ptr > 0 || v.Type.Ref ||
				!(settled(v) || v.Kind == ir.VarParam && len(v.Writes) == 0 && !v.AddrTaken || v.Kind == ir.VarTemplateValue)
		case ir.OpBinary:
			return !slices.Contains([]string{"+", "-", "*", "/", "%"}, e.Tok)
		case ir.OpUnary:
			return e.Tok != "-" && e.Tok != "+"
		}
		return true
	})
}

// elementsOf finds all uses of a strip's arrays: elements by name, in the loop.
func (p *resizeProof) elementsOf(s *strip) (why string) {
	k := p.Kernel
	for _, a := range s.arrays {
		v := a.Var
		if v.Kind != ir.VarShared || v.Extern || v.Macro || v.Decl == nil || v.Decl.Macro || v.Decl.Parent != k.Func.Body || footprint.Extents(k, a) == nil || len(v.Dims) == 0 ||
			!strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(kit.Text(k.File, v.Range), v.Name)), "[") || p.isPointedTo(a) {
			return v.Name + " is not declared in the kernel as an array of known extents, or its address is taken"
		}
	}
	inside, named := map[*ir.Expr]bool{}, 0
	for t := range k.Func.Body.All() {
		t.Exprs(func(top *ir.Expr) {
			for e := range top.All() {
				if e.Op == ir.OpIndex {
					base, n := e, 0
					for ; base.Op == ir.OpIndex && !base.Macro; base = base.Kids[0] {
						n++
					}
					if a := evaluate.SharedVar(k, k.Func, base); a != nil && slices.Contains(s.arrays, a) && n == len(a.Var.Dims) && !base.Macro && t.Inside(s.loop.stmt.Body) {
						inside[base] = true
					}
				}
				if e.Op == ir.OpIdent {
					if a := evaluate.SharedVar(k, k.Func, e); a != nil && slices.Contains(s.arrays, a) {
						if named++; inside[e] {
							s.elements = append(s.elements, e)
						}
					}
				}
			}
		})
	}
	if named != len(s.elements) {
		return "its arrays are used elsewhere, or not element by element"
	}
	return ""
}

// isPointedTo reports whether a variable may hold the address of an array.
func (p *resizeProof) isPointedTo(a *analysis.Shared) bool {
	fn := p.Kernel.Func
	may := func(v *ir.Var) bool { return pointers.MayPoint(p.Kernel, v, a) }
	return slices.ContainsFunc(fn.Vars, may) || slices.ContainsFunc(fn.Params, may)
}

// summary says what is staged.
func (p *resizeProof) summary() string {
	names := lists.Map(p.strip.arrays, func(a *analysis.Shared) string { return a.Var.Name })
	return fmt.Sprintf("%s (%d strips at a time)", strings.Join(names, ", "), p.Tile)
}

// String names the arrays, the loop, and its two halves.
func (p *resizeProof) String() string {
	return fmt.Sprintf("%s\n\t%s in the loop at %s, filled up to %s", p.Title(), p.summary(), p.At(p.strip.loop.stmt.Range.Start), p.At(p.strip.use[0].Range.Start))
}

// Apply gives the arrays a dimension more, and has the loop go through several strips between two barriers.
func (p *resizeProof) Apply() *kit.Edits {
	w := &copyEmitter{Emitter: kit.NewEmitter(p.Kernel)}
	f, s := p.Kernel.File, p.strip
	for _, a := range s.arrays {
		w.Buffer(f).Insert(a.Var.Range.Start+len(a.Var.Name), fmt.Sprintf("[%d]", p.Tile))
	}
	w.AtTop(append([]string{fmt.Sprintf("%s %s.", mark, p.summary())}, w.Checks(&p.Findings)...))
	v := s.loop.v.Name
	start := w.Fresh(v + "0")
	for _, e := range s.elements {
		w.Buffer(f).Insert(e.Range.End, fmt.Sprintf("[%s - %s]", v, start))
	}
	length := p.outer(w, start)
	head := fmt.Sprintf("for (int %s = %s; %s < %s + %s; %s++) {", v, start, v, start, length, v)
	for _, half := range [][]*ir.Stmt{s.fill, s.use} {
		first, last := half[0], half[len(half)-1]
		w.InsertBefore(f, first.Outer.Start, head)
		w.indent(kit.LineStart(f, first.Outer.Start)-1, kit.StmtEnd(f, last), "    ")
		w.InsertAfter(f, kit.StmtEnd(f, last), first.Outer.Start, "}")
	}
	return w.Done()
}

// outer makes the loop's head one over groups of strips, and returns how many a group has.
func (p *resizeProof) outer(w *copyEmitter, start string) (length string) {
	f, l := p.Kernel.File, p.strip.loop
	s := l.stmt
	low, high := kit.Text(f, l.low.Range), kit.Text(f, l.high.Range)
	open := s.Body.Range.Start
	from, to := s.Range.Start, open
	for to > from && strings.ContainsRune(" \t\r\n", rune(f.Src[to-1])) {
		to--
	}
	if n := l.trips(); n > 0 && n%int64(p.Tile) == 0 {
		length = kit.Number(p.Tile)
		w.Buffer(f).Replace(from, to, fmt.Sprintf("for (int %s = %s; %s < %s; %s += %s)", start, low, start, high, start, length))
		return length
	}
	length = w.Fresh(l.v.Name + "_len")
	w.Buffer(f).Replace(from, to, fmt.Sprintf("for (int %s = %s, %s; %s < %s; %s += %s)", start, low, length, start, high, start, length))
	left := kit.Operand(f, l.high, high) + " - " + start
	least := fmt.Sprintf("min(%d, %s)", p.Tile, left)
	if isHidden(p.Kernel, "min") {
		least = fmt.Sprintf("%s < %d ? %s : %d", left, p.Tile, left, p.Tile)
	}
	w.InsertBefore(f, p.strip.fill[0].Outer.Start, length+" = "+least+";")
	return length
}
