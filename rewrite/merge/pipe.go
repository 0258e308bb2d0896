package merge

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

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
