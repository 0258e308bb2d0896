package merge

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// segment is a region R with the work C in front of it that v-TBs do one step before their turn.
type segment struct {
	region *analysis.Region
	list   []*ir.Stmt // the statements that the region is among, nil if alone
	i, end int        // the region is list[i:end]

	lead     []*ir.Stmt // C
	marked   bool       // by hand: C begins where it is marked
	bounded  bool       // by hand: the region ends at the mark after it
	loads    bool       // global loads of the region are made ahead, too
	barriers []*ir.Stmt // right in front of the region, after C
	keep     bool       // the barriers stay, in front of the loads made ahead
	tail     bool       // work follows that v-TB 0 does beside v-TB 1's turn
}

// ahead reports whether anything is done one step before the turn.
func (s *segment) ahead() bool { return len(s.lead) > 0 || s.loads }

// begins returns the index in list of the first statement that the segment takes part in.
func (s *segment) begins() int { return s.i - len(s.barriers) - len(s.lead) }

// segments finds C in front of every region, and which barriers of the original can go. Each turn begins with a
// barrier of the launched block: the first one that v-TB 1 meets after C of a segment, and both meet before their
// turns. So of a v-TB's own statements,
//
//   - C is separated from R: a barrier between them can go;
//   - R is separated from C, or from R if it has none, of the next segment: by
//     the barrier at the head of the other's turn for v-TB 0, at the head of v-TB
//     0's next turn for v-TB 1. A barrier between them can go if nothing that
//     touches memory stands there, whether the next segment follows or is that of
//     the next iteration. In the latter case the barrier comes back after the
//     loop if no segment follows there.
//
// Every other barrier stays, and all threads meet it. Turns of different v-TBs are separated by the same barriers.
// The order of a thread's statements does not change.
func (p *mergeProof) segments() []*segment {
	var out []*segment
	for _, r := range p.regions {
		s := &segment{region: r}
		if l := r.List; l.Op == ir.StmtCompound && !l.Macro && !l.NoScope && (l.Parent == nil || l.Parent.Op != ir.StmtSwitch) {
			s.list = l.List
			s.i = slices.Index(l.List, r.Stmts[0])
			s.end = s.i + len(r.Stmts)
		}
		out = append(out, s)
	}
	p.takeMarks(out)
	p.regions = nil
	for _, s := range out {
		p.regions = append(p.regions, s.region)
	}
	for _, s := range out {
		p.findLead(s)
	}
	for _, s := range out {
		p.findDrops(s, out)
	}
	return out
}

// findLead finds C: as much of what stands in front of the region as can be under a condition, but no short
// computations in registers at its start, such as those of indices.
func (p *mergeProof) findLead(s *segment) {
	j := s.i
	for j > 0 && p.isBarrier(s.list[j-1]) {
		j--
	}
	from := j
	if s.marked {
		from = s.begins()
		if !p.checkMarkedLead(s, j) {
			from = j
		}
	} else {
		for from > 0 && p.leadable(s.list[from-1:j]) == "" {
			from--
		}
		from = p.pastLight(s.list[:j], from)
	}
	s.lead, s.barriers = nil, nil
	if s.list != nil {
		s.lead, s.barriers = s.list[from:j], s.list[j:s.i]
	}
	// A load that is made ahead must not pass a barrier, unless nobody can change
	// what it loads: it is made after the barriers, or not at all.
	var passes bool
	s.loads, passes = p.canLoad(s.region)
	switch {
	case !s.loads || passes || len(s.barriers) == 0:
	case len(s.lead) > 0:
		s.loads = false
	default:
		s.keep = true
	}
	if s.list != nil {
		next := p.pastRegisters(s.list, s.end)
		s.tail = next < len(s.list) && !barriers.BarrierIn(p.Kernel, p.Kernel.Func, s.list[next]) && !p.inRegion(s.list[next])
	}
}

// canLoad reports whether there are loads in a region that can be made ahead, and whether they can pass barriers.
func (p *mergeProof) canLoad(r *analysis.Region) (loads, passes bool) {
	passes = true
	for _, s := range motion.Splits(p.Kernel, r) {
		if s.Load != nil {
			loads, passes = true, passes && s.ReadOnly
		}
	}
	return loads, passes
}

// findDrops finds the barriers that can go.
func (p *mergeProof) findDrops(s *segment, all []*segment) {
	if s.list == nil {
		return
	}
	if !s.keep {
		p.drop(s.barriers)
	}
	first := p.pastRegisters(s.list, s.end)
	behind := first
	for behind < len(s.list) && p.isBarrier(s.list[behind]) {
		behind++
	}
	run := s.list[first:behind]
	if len(run) == 0 {
		return
	}
	begins := func(list []*ir.Stmt, at int) bool {
		at = p.pastRegisters(list, at)
		return slices.ContainsFunc(all, func(o *segment) bool {
			return o.list != nil && at < len(list) && o.list[o.begins()] == list[at]
		})
	}
	switch loop := s.region.List.Parent; {
	case begins(s.list, behind):
		p.drop(run)
	case p.pastRegisters(s.list, behind) < len(s.list), loop == nil, !loop.IsLoop(), loop.Macro:
	case loop.Parent == nil, loop.Parent.Op != ir.StmtCompound, loop.Parent.Macro, loop.Parent.NoScope:
	case p.inRegisters(loop.Cond) && p.inRegisters(loop.Post) && begins(s.list, 0):
		p.drop(run)
		list := loop.Parent.List
		if !begins(list, slices.Index(list, loop)+1) && !slices.Contains(p.returning, loop) {
			p.returning = append(p.returning, loop)
		}
	}
}

// drop adds barriers to those that go.
func (p *mergeProof) drop(barriers []*ir.Stmt) {
	p.dropped = lists.Add(p.dropped, barriers...)
}

// dropBarriers makes the edits for the barriers that go.
func (p *merger) dropBarriers() {
	for _, b := range p.dropped {
		p.remove(b)
	}
	f := p.Kernel.File
	for _, l := range p.returning {
		p.InsertAfter(f, kit.StmtEnd(f, l), l.Outer.Start, "__syncthreads();  // the last iteration's")
	}
}

// remove deletes a statement, with its line and a comment after it if nothing else stands there.
func (p *merger) remove(s *ir.Stmt) {
	f := p.Kernel.File
	start, end := s.Range.Start, s.Range.End
	if e := kit.EndOfLine(f, end); kit.FirstOnLine(f, start) && (e == len(f.Src) || f.Src[e] == '\n' || f.Src[e] == '\r') {
		start, end = kit.LineStart(f, start), kit.NextLine(f, e)
	}
	p.Buffer(f).Replace(start, end, "")
}

// isBarrier reports whether a statement is a barrier of the thread block and nothing else.
func (p *mergeProof) isBarrier(s *ir.Stmt) bool {
	return s.Op == ir.StmtExpr && !s.Macro && !s.Expr.Macro && barriers.IsBarrier(p.Kernel, p.Kernel.Func, s.Expr) && !barriers.IsVote(p.Kernel, p.Kernel.Func, s.Expr)
}
