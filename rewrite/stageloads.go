package rewrite

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// checkStage proves that the loads which fill shared arrays can be made together
// before the first store, in the kernel as it stands. That is what the other
// rewriters do ahead of a turn (movableLoads); alone it shows how much of their
// gain is this.
//
//	s[t] = a[i];                            const float smux_v1 = a[i];
//	r[t] = b[i];                  -->       const float smux_v2 = b[i];
//	__syncthreads();                        s[t] = smux_v1;
//	                                        r[t] = smux_v2;
//	                                        __syncthreads();
//
// Between a load's old place and its new one stand only stores of the same
// thread to shared memory, which it does not read. So neither the launch nor
// other threads matter.
func checkStage(k *analysis.Kernel, opt Options) (Proof, []diag.Message) {
	p := &stageProof{findings: newFindings(k, "stage-loads", opt)}
	if len(k.Hazards) > 0 {
		return nil, k.Hazards
	}
	if p.says(stageMark) {
		p.refuse(k.File, k.View.Start, CodeAlready, "the kernel's loads are already made first")
		return nil, p.reasons
	}
	if p.Stage == variant.NoStage {
		p.refuse(k.File, k.View.Start, CodeNoStage, "no load is to be made ahead")
		return nil, p.reasons
	}
	var touched ranges
	for _, r := range k.Regions {
		if first := p.computedFirst(r, touched); first.last != nil && p.editable(r) {
			touched = append(touched, first.places(&p.findings)...)
			p.regions = append(p.regions, stagedRegion{Region: r, first: first})
			p.closed = true // the trips of loops are those of the launches in view
			continue
		}
		moves := p.movableLoads(r, true, touched)
		for _, m := range moves {
			touched = append(touched, m.places()...)
		}
		if len(moves) == 0 || !p.editable(r) {
			continue
		}
		p.regions = append(p.regions, stagedRegion{Region: r, moves: moves})
	}
	if len(p.regions) == 0 && len(p.reasons) == 0 {
		p.refuse(k.File, k.View.Start, CodeNoStage, "no global load fills a shared array at the start of a region, in a form that can be taken apart")
	}
	return p, p.reasons
}

// stageMark is the comment above loads that were moved in place.
const stageMark = "// smux stage-loads: the loads first, so that they overlap."

// stageProof says which loads can be made before the first store.
type stageProof struct {
	findings
	regions []stagedRegion
}

// stagedRegion is a region with what moves to before it.
type stagedRegion struct {
	*analysis.Region
	moves []loadMove
	first computedRun // what is computed before the first store, nothing where moves is not empty
}

// String names the loads of each region, with the line and column where each stands.
func (p *stageProof) String() string {
	var b strings.Builder
	b.WriteString(p.title())
	for _, r := range p.regions {
		fmt.Fprintf(&b, "\n\tbefore %s:", p.at(r.Start()))
		if r.first.last != nil {
			fmt.Fprintf(&b, " computed to %s", p.at(r.first.last.Range.Start))
		}
		for i, m := range r.moves {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %s", m.describe(p.Kernel.File))
		}
	}
	return b.String()
}

// Apply moves the loads.
func (p *stageProof) Apply() *Edits {
	w := newEmitter(p.Kernel)
	for _, r := range p.regions {
		if last := r.first.last; last != nil {
			f := p.Kernel.File
			w.insertBefore(f, r.Start(), stageMark)
			stores, _ := w.compute(&p.findings, r.first)
			w.insertAfter(f, stmtEnd(f, last), last.Outer.Start, stores...)
			continue
		}
		lines := allLines(w.moveLoads(w.buffer(p.Kernel.File), r.moves))
		w.enclose(r.Region, r.Stmts[len(r.Stmts)-1], append([]string{stageMark}, lines...), "")
	}
	w.atTop(w.checks(&p.findings))
	return w.done()
}
