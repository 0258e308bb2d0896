package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// overlapMark is the text of a comment that says where a C begins, as the paper's annotations did (PACT'12 §4.2).
const overlapMark = "smux:overlap"

// isMark reports whether a comment is such a mark.
func isMark(comment string) bool {
	body, line := strings.CutPrefix(strings.TrimSpace(comment), "//")
	before, after, ok := strings.Cut(strings.TrimSpace(body), ":")
	return line && ok && before+":"+strings.TrimSpace(after) == overlapMark
}

// takeMarks obeys the marks of the kernel: what stands between a region and a mark after it joins the region, and C
// of the next region begins at the mark. A region may always be longer. Marks that can't be obeyed are refused.
func (p *mergeProof) takeMarks(segments []*segment) {
	k := p.Kernel
	for i, fn := range k.Functions {
		for n := range fn.View.Node.All() {
			if n.Kind != parser.KindComment || !isMark(fn.File.Text(n)) {
				continue
			}
			if i > 0 {
				p.Refuse(fn.File, int(n.Start), CodeOverlapMark, "a mark in a device function")
			} else {
				p.takeMark(segments, n)
			}
		}
	}
}

// takeMark obeys one mark.
func (p *mergeProof) takeMark(segments []*segment, n *parser.Node) {
	f := p.Kernel.File
	at := int(n.Start)
	refuse := func(why string) { p.Refuse(f, at, CodeOverlapMark, "%s", why) }
	list, m := behind(p.Kernel.Func.Body, at)
	if !kit.FirstOnLine(f, at) || m >= len(list) {
		refuse("a mark that stands on no line of its own in front of a statement")
		return
	}
	var before, next *segment
	for _, s := range segments {
		switch {
		case s.list == nil || s.list[0] != list[0]:
		case s.i < m && m < s.end:
			refuse("a mark inside a region")
			return
		case s.end <= m:
			before = s
		case next == nil:
			next = s
		}
	}
	switch {
	case p.inRegion(list[m]) && (next == nil || next.i != m):
		refuse("a mark inside a region")
		return
	case before == nil && next == nil:
		refuse("no region stands beside this mark, in the same braces")
		return
	case next != nil && next.marked, before != nil && before.bounded:
		refuse("a second mark between the same regions")
		return
	}
	if before != nil {
		before.bounded = true
		p.extend(before, m, refuse)
	}
	if next != nil {
		// Until C is known, lead says where it begins. A constant may as well stay in front of it.
		c := &cutter{mergeProof: p, cut: &cut{fn: p.Kernel.Func}}
		for m < next.i && (c.constant(list[m]) || c.movable(list[m])) {
			m++
		}
		next.marked, next.lead = true, list[m:next.i]
	}
}

// extend lets a region reach to the mark in front of list[m].
func (p *mergeProof) extend(s *segment, m int, refuse func(string)) {
	for m > s.end && p.isBarrier(s.list[m-1]) {
		m--
	}
	if m == s.end {
		return
	}
	if slices.ContainsFunc(s.list[s.end:m], p.jumps) {
		refuse("a statement between the region and this mark jumps, and can't be in the region's turn")
		return
	}
	longer := *s.region
	longer.Stmts = s.list[s.i:m]
	s.region, s.end = &longer, m
}

// checkMarkedLead proves that C can reach from a mark to list[j], what stands
// right in front of the region, or refuses the mark.
func (p *mergeProof) checkMarkedLead(s *segment, j int) bool {
	f := p.Kernel.File
	from := s.begins()
	if from >= j {
		p.Refuse(f, s.region.Start(), CodeOverlapMark, "nothing stands between the mark and the region")
		return false
	}
	for i := from; i < j; i++ {
		if why := p.leadable(s.list[i:j]); why != "" {
			p.Refuse(f, s.list[i].Range.Start, CodeOverlapMark, "after the mark, this can't run beside a region: it %s", why)
			return false
		}
	}
	return true
}

// behind returns the innermost list of statements around an offset, and the
// index of the first of them that begins after it.
func behind(body *ir.Stmt, at int) ([]*ir.Stmt, int) {
	for list := body.List; ; {
		m := 0
		for m < len(list) && list[m].Outer.Start < at {
			m++
		}
		if m == 0 || list[m-1].Range.End <= at {
			return list, m
		}
		var inner []*ir.Stmt
		list[m-1].Walk(func(s *ir.Stmt) bool {
			inside := s.Range.Start <= at && at < s.Range.End
			if inside && s.Op == ir.StmtCompound && !s.Macro {
				inner = s.List
				return false
			}
			return inside
		})
		if inner == nil {
			return nil, 0
		}
		list = inner
	}
}

// CheckPipe proves that a kernel can be merged twofold with v-TB 0 one stage ahead: while one v-TB takes its turn in
// a region, the other does the work that comes next for it outside (PACT'12 §4.2, Figure 5). With C for what stands
// between the regions R,
//
//	v-TB 0:  C0 | R0 | C1 | R1 | C2
//	v-TB 1:     | C0 | R0 | C1 | R1 | C2
//
// Every C stays where it is. It joins the loop over the turns of the region after it, which gets a third step for
// that; v-TB k does C in step k and R in step k + 1:
//
//	                                    for (int step = 0; step < 3; ++step) {
//	                                    if (step > 0) __syncthreads();
//	x = f(a[i]);                        if (vtb.id == step) x = f(a[i]);
//	__syncthreads();           -->      if (step == 0) continue;
//	s[t] = x;                           if (vtb.id + 1 == step) s[t] = x;
//	__syncthreads();                    __syncthreads();
//	x = s[63 - t];                      if (vtb.id + 1 == step) x = s[63 - t];
//	                                    }
//
// No barrier ends the last step: v-TB 0, whose turn is over, runs on to the next such loop and does C of step 0 there
// while v-TB 1 is still in its region. So it does in a loop of the kernel, where the next C is that of the next
// iteration: the skew needs no peeling, and no more of the loop than block mode does. A C is thus twice in the
// machine code and once in the text; a lambda that both v-TBs call would have to stand before the region that its
// text follows.
//
// v-TB 1 does C beside the first piece of the other's region, v-TB 0 beside the
// last one, for that is where their texts meet.
//
// What is proved: see segments (barriers that the steps come in place of) and
// leadable (what may be in a C); the rest is what block mode proves.
func CheckPipe(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	at := k.File.Position(k.View.Start)
	switch {
	case opt.Factor != 2:
		return nil, []diag.Message{{Pos: at, Code: CodePipe, Text: fmt.Sprintf("vtb-pipe lets one virtual thread block work while the other takes its turn; %d are asked for", opt.Factor)}}
	case opt.Sync != variant.SyncBlock:
		return nil, []diag.Message{{Pos: at, Code: CodePipe, Text: fmt.Sprintf("sync mode %s needs no pipe form: with barriers of their own, virtual thread blocks overlap by themselves", opt.Sync)}}
	}
	return check(k, variant.VTBPipe, opt)
}

// checkOverlap refuses kernels in which no v-TB would have anything to do while the other is in a region.
func (p *mergeProof) checkOverlap(segments []*segment) {
	for _, s := range segments {
		if s.ahead() || s.tail {
			return
		}
	}
	p.Refuse(p.Kernel.File, segments[0].region.Start(), CodeNoOverlap, "no work stands outside of the regions that one virtual thread block could do during the other's turn")
}
