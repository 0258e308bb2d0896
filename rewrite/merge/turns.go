package merge

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// turn says how v-TBs take their turns in a region. In block mode it is cut. Where v-TBs have barriers of their own
// the text inside stays as it is, but for loads that are made before it and reads that let it end early:
//
//	s[t] = a[i];                      const float smux_v1 = a[i];
//	__syncthreads();                  vtb.acquire();  // guards s
//	out[i] = 2 * s[63 - t];           s[t] = smux_v1;
//	                           -->    vtb.sync();
//	                                  const float smux_v2 = s[63 - t];
//	                                  vtb.release();  // s
//	                                  out[i] = 2 * smux_v2;
//
// A barrier right before the region or, in lock mode, right after it becomes the acquire or the release (folds).
type turn struct {
	*analysis.Region
	moves  []kit.LoadMove
	first  kit.ComputedRun // what is computed before it, where it begins after that
	inputs []*ir.Var       // values that are pinned in front of it
	late   []motion.Late   // what runs after the turn, nil for nothing
	cut    *cut            // how the region is cut in block mode, nil in the others
}

// proveTurns proves the sync modes in which each v-TB has a barrier of its own. In named mode regions are handed over
// in a ring, in lock mode a v-TB takes a slot of shared arrays for each, in no order.
func (p *mergeProof) proveTurns() {
	if p.Sync == variant.SyncNamed {
		p.checkExits()
	} else {
		p.checkOwnExits()
	}
	p.proveOwnBarriers()
	p.checkPersistent()
	p.findTurns()
	p.noteLocks()
}

// findTurns finds what changes around each region. What changes there must keep clear of
// all other changes of the kernel's text.
func (p *mergeProof) findTurns() {
	f := p.Kernel.File
	touched := p.touched()
	if p.Sync == variant.SyncNamed {
		first, last := p.ring()
		if first == nil || last == nil {
			return
		}
		p.first, p.last = first, last
		if !p.startsAtOnce() {
			touched = append(touched, kit.PointBefore(f, p.first.Outer.Start))
		}
	}
	for _, r := range p.regions {
		if !p.Editable(r) {
			continue
		}
		t := turn{Region: r, first: p.ComputedFirst(r, touched), inputs: p.pinnedInputs(r)}
		touched = append(touched, t.first.Places(&p.Findings)...)
		if t.first.Last == nil {
			t.moves = p.MovableLoads(r, true, touched)
		}
		for _, m := range t.moves {
			touched = append(touched, m.Places()...)
		}
		for _, m := range p.earlyLoads(r, t.moves, touched) {
			t.moves = append(t.moves, m)
			touched = append(touched, m.Places()...)
		}
		if b := p.before[r]; b != nil {
			touched = append(touched, barrierPlaces(f, b)...)
			if len(t.inputs) > 0 {
				touched = append(touched, kit.PointBefore(f, b.Outer.Start))
			}
		}
		if b := p.behind[r]; b != nil && p.Sync == variant.SyncLock {
			touched = append(touched, barrierPlaces(f, b)...)
		} else if t.late = p.runsLate(r, touched); len(t.late) > 0 {
			for _, l := range t.late {
				for _, e := range l.Reads {
					touched = append(touched, e.Expr.Range)
				}
			}
			touched = append(touched, kit.PointBefore(f, t.late[0].Stmt.Outer.Start))
		}
		if p.forms[kit.Form{Fn: r.Func, Kind: kit.FormOwn}] == nil {
			touched = append(touched, kit.PointBefore(f, r.Start()), kit.PointBehind(f, p.lastOf(r)))
		}
		p.turns = append(p.turns, t)
	}
}

// touched are the places in the kernel's body that change wherever its regions are.
func (p *mergeProof) touched() (out kit.Ranges) {
	f := p.Kernel.File
	at, _ := kit.TopOf(p.Kernel.Func)
	out = append(out, ir.Range{Start: at, End: at})
	for _, e := range p.pointers {
		out = append(out, e.Range)
	}
	for _, c := range p.copies {
		out = append(out, ir.Range{Start: c.v.Range.Start, End: c.v.Range.Start + len(c.v.Name)}, kit.PointBehind(f, c.v.Decl))
	}
	return append(out, placesOf(p.changes)...)
}

// lastOf is the statement that a region's end is put after: in named mode the barrier that
// follows, whose number all v-TBs share inside.
func (p *mergeProof) lastOf(r *analysis.Region) *ir.Stmt {
	if b := p.behind[r]; b != nil && p.Sync == variant.SyncNamed {
		return b
	}
	return r.Stmts[len(r.Stmts)-1]
}

// Describe shows a turn, as proofs are printed.
func (t turn) Describe(f *parser.File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "turn from %s to %s", kit.LineColumn(t.Func.File, t.Start()), kit.LineColumn(t.Func.File, t.End()))
	for _, m := range t.moves {
		fmt.Fprintf(&b, ", %s before it", m.Describe(f))
	}
	if t.first.Last != nil {
		fmt.Fprintf(&b, ", begun after %s", kit.LineColumn(f, t.first.Last.Range.Start))
	}
	for i, v := range t.inputs {
		fmt.Fprintf(&b, "%s %s", [2]string{", pinned", ""}[min(i, 1)], v.Name)
	}
	for _, l := range t.late {
		fmt.Fprintf(&b, ", over before %s", kit.LineColumn(f, l.Stmt.Range.Start))
	}
	if t.cut != nil {
		b.WriteString(t.cut.Describe())
	}
	return b.String()
}

// emitTurns writes the turns of all regions.
func (p *merger) emitTurns() {
	f := p.Kernel.File
	if p.first != nil && !p.startsAtOnce() {
		p.InsertBefore(f, p.first.Outer.Start, p.vtb+".start();")
	}
	for _, t := range p.turns {
		switch {
		case t.cut == nil:
			p.emitTurn(t)
		case t.cut.segment == nil:
			p.emitCut(t)
		default:
			p.emitSteps(t)
		}
	}
	p.dropBarriers()
	if p.last != nil && !p.persistent() {
		p.InsertAfter(f, kit.StmtEnd(f, p.last), p.last.Outer.Start, p.vtb+".finish();")
	}
}

// emitTurn writes the turn of one region.
func (p *merger) emitTurn(t turn) {
	taken := p.MoveLoads(p.Buffer(p.Kernel.File), t.moves)
	stores, computed := p.Compute(&p.Findings, t.first)
	lines := append(kit.AllLines(taken), p.pinValues(t, taken, computed)...)
	acquire, release := p.vtb+".acquire()", p.vtb+".release()"
	if b := p.before[t.Region]; b != nil {
		p.inPlaceOf(b, acquire, kit.Guards(t.Region))
		if len(lines) > 0 {
			p.InsertBefore(p.Kernel.File, b.Outer.Start, lines...)
			lines = nil
		}
	} else {
		lines = append(lines, acquire+";"+kit.Guards(t.Region))
	}
	end := release + ";" + kit.Released(t.Region)
	if b := p.behind[t.Region]; b != nil && p.Sync == variant.SyncLock {
		p.inPlaceOf(b, release, kit.Released(t.Region))
		end = ""
	} else if len(t.late) > 0 {
		p.releaseEarly(t.late, end)
		end = ""
	}
	if c := p.forms[kit.Form{Fn: t.Func, Kind: kit.FormOwn}]; c != nil {
		defer p.Into(t.Func.File, &p.cloneOf(c).Edits)()
	}
	lines = append(lines, p.bindSlots(t.Region)...)
	if last := t.first.Last; last != nil {
		p.InsertAfter(t.Func.File, kit.StmtEnd(t.Func.File, last), last.Outer.Start, append(lines, stores...)...)
		lines = nil
	}
	p.Enclose(t.Region, p.lastOf(t.Region), lines, end)
}

// barrierPlaces returns the places that inPlaceOf touches.
func barrierPlaces(f *parser.File, barrier *ir.Stmt) kit.Ranges {
	end := kit.StmtEnd(f, barrier)
	return kit.Ranges{barrier.Expr.Range, {Start: end, End: end}}
}

// inPlaceOf puts a call in the place of a barrier, with a comment if nothing else follows on the line.
func (p *merger) inPlaceOf(barrier *ir.Stmt, call, comment string) {
	f := p.Kernel.File
	b, end := p.Buffer(f), kit.StmtEnd(f, barrier)
	b.Replace(barrier.Expr.Range.Start, barrier.Expr.Range.End, call)
	if strings.TrimSpace(string(f.Src[end:kit.LineEnd(f, end)])) == "" {
		b.Insert(end, comment)
	}
}
