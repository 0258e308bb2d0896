package merge

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// CheckStageLoads proves that the loads which fill shared arrays can be made together before the first store, in the
// kernel as it stands. That is what the other rewriters do ahead of a turn (MovableLoads); alone it shows how much of
// their gain is this.
//
//	s[t] = a[i];                            const float smux_v1 = a[i];
//	r[t] = b[i];                  -->       const float smux_v2 = b[i];
//	__syncthreads();                        s[t] = smux_v1;
//	                                        r[t] = smux_v2;
//	                                        __syncthreads();
//
// Between a load's old place and its new one stand only stores of the same thread to shared memory, which it does not
// read. So neither the launch nor other threads matter.
func CheckStageLoads(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	p := &loadsProof{Findings: kit.NewFindings(k, variant.StageLoads, opt)}
	if len(k.Hazards) > 0 {
		return nil, k.Hazards
	}
	if p.Says(loadsMark) {
		p.Refuse(k.File, k.View.Start, kit.CodeAlready, "the kernel's loads are already made first")
		return nil, p.Reasons
	}
	if p.Stage == variant.NoStage {
		p.Refuse(k.File, k.View.Start, CodeNoStage, "no load is to be made ahead")
		return nil, p.Reasons
	}
	var touched kit.Ranges
	for _, r := range k.Regions {
		if first := p.ComputedFirst(r, touched); first.Last != nil && p.Editable(r) {
			touched = append(touched, first.Places(&p.Findings)...)
			p.regions = append(p.regions, stagedRegion{Region: r, first: first})
			p.Closed = true // the trips of loops are those of the launches in view
			continue
		}
		moves := p.MovableLoads(r, true, touched)
		for _, m := range moves {
			touched = append(touched, m.Places()...)
		}
		if len(moves) == 0 || !p.Editable(r) {
			continue
		}
		p.regions = append(p.regions, stagedRegion{Region: r, moves: moves})
	}
	if len(p.regions) == 0 && len(p.Reasons) == 0 {
		p.Refuse(k.File, k.View.Start, CodeNoStage, "no global load fills a shared array at the start of a region, in a form that can be taken apart")
	}
	return p, p.Reasons
}

// loadsMark is the comment above loads that were moved in place.
const loadsMark = "// smux stage-loads: the loads first, so that they overlap."

// loadsProof says which loads can be made before the first store.
type loadsProof struct {
	kit.Findings
	regions []stagedRegion
}

// stagedRegion is a region with what moves to before it.
type stagedRegion struct {
	*analysis.Region
	moves []kit.LoadMove
	first kit.ComputedRun // what is computed before the first store, nothing where moves is not empty
}

// String names the loads of each region, with the line and column where each stands.
func (p *loadsProof) String() string {
	var b strings.Builder
	b.WriteString(p.Title())
	for _, r := range p.regions {
		fmt.Fprintf(&b, "\n\tbefore %s:", p.At(r.Start()))
		if r.first.Last != nil {
			fmt.Fprintf(&b, " computed to %s", p.At(r.first.Last.Range.Start))
		}
		for i, m := range r.moves {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %s", m.Describe(p.Kernel.File))
		}
	}
	return b.String()
}

// Apply moves the loads.
func (p *loadsProof) Apply() *kit.Edits {
	w := kit.NewEmitter(p.Kernel)
	for _, r := range p.regions {
		if last := r.first.Last; last != nil {
			f := p.Kernel.File
			w.InsertBefore(f, r.Start(), loadsMark)
			stores, _ := w.Compute(&p.Findings, r.first)
			w.InsertAfter(f, kit.StmtEnd(f, last), last.Outer.Start, stores...)
			continue
		}
		lines := kit.AllLines(w.MoveLoads(w.Buffer(p.Kernel.File), r.moves))
		w.Enclose(r.Region, r.Stmts[len(r.Stmts)-1], append([]string{loadsMark}, lines...), "")
	}
	w.AtTop(w.Checks(&p.Findings))
	return w.Done()
}
