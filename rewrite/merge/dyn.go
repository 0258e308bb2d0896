package merge

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// CheckDyn proves that a kernel can be merged N-fold with M sets of its shared arrays, of which each region takes one
// and gives it back: the software form of the hardware scheme that allocates shared memory at a region's begin
// (PACT'12 §5). With M = 1 it is what vtb with a lock is. With more, the arrays get a leading dimension, and their
// names become pointers to the set that is held:
//
//	__shared__ float s[64];                 __shared__ float smux_s[2][64];
//	                                        auto s = smux_s[0];
//	                                        vtb.acquire();
//	s[t] = a[i];                  -->       s = smux_s[vtb.slot()];
//	                                        s[t] = a[i];
//	                                        …
//	                                        vtb.release();
func CheckDyn(k *analysis.Kernel, opt kit.Options) (kit.Proof, []diag.Message) {
	opt.Sync = variant.SyncLock
	if opt.SharedSets >= opt.Factor {
		at := k.File.Position(k.View.Start)
		return nil, []diag.Message{{Pos: at, Code: CodeSlots, Text: fmt.Sprintf("%d slots for %d virtual thread blocks: there would be nothing to wait for", opt.SharedSets, opt.Factor)}}
	}
	return check(k, variant.Dyn, opt)
}
