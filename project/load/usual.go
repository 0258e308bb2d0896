package load

import (
	"sync"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/verify/harness"
)

// usualLaunches returns what people say of how kernels are usually launched: --smem, the
// smux:bench comment of a kernel, then its settings. --block, which proofs go by, too, is no
// part of it.
func (how Reading) usualLaunches(prog *parser.Program) func(kernel string) parser.UsualLaunch {
	benched := sync.OnceValue(func() map[string]*harness.Run { return benchedKernels(prog) })
	return func(kernel string) (out parser.UsualLaunch) {
		block := func(x, y, z int, by string) {
			if out.Block[0] == 0 && x > 0 {
				out.Block, out.BlockBy = [3]int{x, y, z}, by
			}
		}
		shared := func(bytes int, by string) {
			if out.Shared == 0 && bytes > 0 {
				out.Shared, out.SharedBy = bytes, by
			}
		}
		shared(how.shared, "--smem")
		if run := benched()[kernel]; run != nil {
			const by = "a smux:bench comment"
			block(int(run.Block[0]), int(run.Block[1]), int(run.Block[2]), by)
			shared(int(run.Shared), by)
			out.Grid, out.GridBy = run.Grid, by
		}
		if k := how.settings.Kernel(kernel); k != nil {
			if b, err := hardware.ParseBlock(k.Block); err == nil { // "" is none
				block(b[0], b[1], b[2], config.Name)
			}
			if n, err := prose.ParseBytes(k.Shared); err == nil {
				shared(n, config.Name)
			}
		}
		return out
	}
}

// benchedKernels returns the launches in the smux:bench comments of a program, by kernel, the first
// of each. What is wrong with a comment is reported where it is run.
func benchedKernels(prog *parser.Program) map[string]*harness.Run {
	out := map[string]*harness.Run{}
	specs, _ := harness.Comments(prog)
	for _, s := range specs {
		if run, err := harness.Resolve(prog, s); err == nil && out[s.Kernel] == nil {
			out[s.Kernel] = run
		}
	}
	return out
}
