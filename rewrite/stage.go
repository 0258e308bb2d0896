package rewrite

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
)

// checkStage proves that the loads which fill shared arrays can be made together
// before the first store, in the kernel as it stands. That is what the other
// rewriters do ahead of a turn (splitLoads); alone it shows how much of their
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
func checkStage(k *analysis.Kernel, opt Options) (*Plan, []diag.Message) {
	p := newPlan(k, "stage-loads", opt)
	if len(k.Hazards) > 0 {
		return nil, k.Hazards
	}
	if p.says(stageMark) {
		p.refuse(k.File, k.View.Start, CodeAlready, "the kernel's loads are already made first")
		return nil, p.reasons
	}
	if p.Stage == NoStage {
		p.refuse(k.File, k.View.Start, CodeNoStage, "no load is to be made ahead")
		return nil, p.reasons
	}
	p.chooseNames()
	b := p.buffer(k.File)
	rolled, staged := false, false
	for _, r := range k.Regions {
		lines := p.splitLoads(b, r)
		if len(lines) == 0 || !p.editable(r) {
			continue
		}
		for _, s := range k.SplitsUpTo(r, p.Stage) {
			rolled = rolled || s.Loop != nil
		}
		staged = true
		p.enclose(r, append([]string{stageMark}, lines...), "")
	}
	if rolled {
		// The number of registers is that of a loop's iterations.
		if asserts := p.assumptions(); len(asserts) > 0 {
			p.atTop(asserts)
		}
	}
	if !staged && len(p.reasons) == 0 {
		p.refuse(k.File, k.View.Start, CodeNoStage, "no global load fills a shared array at the begin of a region, in a form that can be taken apart")
	}
	return p, p.reasons
}

// stageMark is the comment above loads that were moved in place.
const stageMark = "// smux stage-loads: the loads first, so that they overlap."

// says reports whether a kernel's text holds a mark of an earlier run.
func (p *Plan) says(mark string) bool {
	mark, _, _ = strings.Cut(mark, ":")
	k := p.Kernel
	return strings.Contains(string(k.File.Src[k.View.Start:k.View.Body.End]), mark)
}
