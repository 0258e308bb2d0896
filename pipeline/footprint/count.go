package footprint

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// count is what one rewrite comes to for the kernels of one folder.
type count struct {
	folder string
	way    rewrite.Variant
	gpus   []*gpu.GPU

	kernels int // that were looked at
	shared  int // of them with shared variables enough for the rewrite
	unread  int // programs
	offers  []offer
	refused map[string]int // of those, by code; each counts once for a code
}

// offer is a kernel that a rewrite can be applied to.
type offer struct {
	name          string
	before, after int   // shared bytes of a thread block; 0 where a launch decides
	blocks        []gap // by GPU, nil where the size of a block is not known
}

// gap is how many thread blocks an SM keeps, before and after.
type gap struct{ before, after int }

// program looks at the kernels of a program.
func (n *count) program(parsed *parser.Program) {
	prog := analysis.NewProgram(parsed, [3]int{})
	for _, g := range rewrite.Groups(prog, prog.Kernels(), rewrite.Options{Variant: n.way}) {
		o := g.Variants[0]
		for _, k := range g.Kernels {
			n.kernels++
			if n.concerns(k) {
				n.shared++
			}
			if o.Can {
				n.offers = append(n.offers, n.offered(g, k))
			}
		}
		if o.Can || !n.concerns(g.Kernels[0]) {
			continue
		}
		codes := map[string]bool{}
		for _, m := range o.Refused {
			codes[string(m.Code)] = true
		}
		for code := range codes {
			n.refused[code] += len(g.Kernels)
		}
	}
}

// concerns reports whether a kernel has shared variables enough for the rewrite: what else
// is against others says nothing of it.
func (n *count) concerns(k *analysis.Kernel) bool {
	if n.way.Rewriter == variant.Overlay {
		return len(k.Shared) > 1
	}
	return len(k.Shared) > 0
}

// offered rewrites a kernel and compares what a thread block takes.
func (n *count) offered(g rewrite.Group, k *analysis.Kernel) offer {
	at := k.Position()
	out := offer{name: fmt.Sprintf("%s %s", strings.TrimSuffix(filepath.Base(at.File), filepath.Ext(at.File)), k.Name)}
	c := rewrite.NewChain(k.Prog)
	decisions := map[diag.Position]rewrite.Decision{}
	for _, o := range g.Kernels {
		decisions[o.Position()] = rewrite.Decision{Variant: n.way}
	}
	if _, err := c.Rewrite(rewrite.Options{Decisions: decisions}); err != nil {
		return out
	}
	now, err := c.Kernel(k)
	if err != nil || len(now.Instances) != len(k.Instances) {
		return out
	}
	for i, in := range k.Instances {
		before, exact := k.SharedBytes(in)
		after, also := now.SharedBytes(now.Instances[i])
		if !exact || !also {
			continue
		}
		out.before, out.after = before, after
		shape, known := in.BlockShape()
		if !known {
			continue
		}
		for _, board := range n.gpus {
			a := &board.Arch
			free := a.RegistersPerSM / a.ThreadsPerSM
			stand := func(k *analysis.Kernel, in *analysis.Instance, shared int) int {
				r, err := occupancy.Compute(board, occupancy.Demand{
					Threads: shape[0] * shape[1] * shape[2], Registers: min(cost.Registers(k, in, free), a.RegistersPerThread), Shared: shared,
				})
				if err != nil {
					return 0
				}
				return r.Blocks
			}
			out.blocks = append(out.blocks, gap{stand(k, in, before), stand(now, now.Instances[i], after)})
		}
		break // the first launch that is known
	}
	return out
}

// sortedCodes returns the codes of refusals, the most frequent first.
func sortedCodes(counts []*count) []string {
	all := map[string]int{}
	for _, n := range counts {
		for code, of := range n.refused {
			all[code] += of
		}
	}
	var out []string
	for code := range all {
		out = append(out, code)
	}
	slices.SortFunc(out, func(a, b string) int {
		if all[a] != all[b] {
			return all[b] - all[a]
		}
		return strings.Compare(a, b)
	})
	return out
}
