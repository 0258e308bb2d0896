package allocation

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/timing"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/stage"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// form is one point of the design space of a kernel on a GPU. The original is one, without a rewriter.
type form struct {
	way       rewrite.Variant
	blocks    int     // for which a thread block is given so much shared memory that no more are on an SM; 0 for what it needs
	bytes     int     // of shared memory that a thread block takes
	simulated float64 // time of the original over its own, by the simulation
	closed    float64 // the same by the closed form; 0 where a clock has no time for it
	moved     float64 // bytes that a thread block's accesses to global memory ask for
}

// sweep is the design space of a kernel on a GPU.
type sweep struct {
	forms  []form // the original first
	choice form   // what smux takes of them, by the simulation and the rule of package selection
}

// tiles are iterations of a loop that are staged at a time.
var tiles = []int{1, 2, 3, 4, 6, 8, 16, 24, 32, 48, 64, 96, 128}

// space is every form of stage for a kernel on a GPU: what is copied, how much at a time, and whether ahead. fixed are those
// whose tile has one size.
func space(k *analysis.Kernel, board *gpu.GPU) (out, fixed []rewrite.Variant) {
	bases := append([]rewrite.Variant{{Rewriter: variant.Stage}}, stage.Forms(k)...)
	if board.Arch.Major >= hardware.FirstAsync {
		for _, w := range slices.Clone(bases) {
			w.Async = true
			if _, ok := stage.TileBytes(k, w); ok {
				bases = append(bases, w)
			}
		}
	}
	for _, base := range bases {
		var seen []int
		for _, tile := range tiles {
			w := base
			w.Tile = tile
			if bytes, ok := stage.TileBytes(k, w); ok && !slices.Contains(seen, bytes) {
				seen, out = append(seen, bytes), append(out, w)
			}
		}
		if n := len(seen); n < 2 { // its tile is none of a loop
			out, fixed = append(out[:len(out)-n], base), append(fixed, base)
		}
	}
	return out, fixed
}

// withRoomFor is a clock by which a form has as much shared memory as leaves room for so many thread blocks on an SM, and the
// originals what they have.
func withRoomFor(blocks int, originals map[string]bool, clock selection.Clock) selection.Clock {
	return func(p selection.Place, policy sim.Policy) (float64, error) {
		if !originals[p.Work.Key()] {
			work, room := *p.Work, occupancy.MaxShared(p.GPU, blocks)
			work.Shared = max(work.Shared, room)
			if p.Work = &work; policy.Shared > 0 {
				policy.Shared = max(policy.Shared, room)
			}
		}
		return clock(p, policy)
	}
}

// originalsOf are the works of a group's kernels as they are.
func originalsOf(g rewrite.Group, req selection.Request) map[string]bool {
	var mu sync.Mutex
	out := map[string]bool{}
	req.Clock = func(p selection.Place, policy sim.Policy) (float64, error) {
		mu.Lock()
		defer mu.Unlock()
		out[p.Work.Key()] = true
		return 1, nil
	}
	g.Variants = nil
	selection.Group(g, req)
	return out
}

// closed is the clock of the closed form.
func closed(p selection.Place, policy sim.Policy) (float64, error) {
	pl, err := sim.Place(p.GPU, p.Work, policy)
	if err != nil {
		return 0, err
	}
	t := timing.Estimate(p.GPU, p.Work, pl.Resident*pl.VTBs)
	return t.Total / float64(t.Blocks), nil
}

// sweepOf simulates the design space of a group of kernels.
func sweepOf(g rewrite.Group, board *gpu.GPU) (s sweep, ok bool) {
	all := g
	all.Variants = nil
	ways, fixed := space(g.Kernels[0], board)
	for _, w := range ways {
		all.Variants = append(all.Variants, rewrite.CheckedVariant{Variant: w, Can: true})
	}
	req := selection.Request{GPUs: []*gpu.GPU{board}, MinGain: minGain, Source: selection.Estimates{}, Plain: true}
	bySim := selection.Group(all, req)
	own := selection.Group(rewrite.Group{Kernels: g.Kernels, Variants: []rewrite.CheckedVariant{{Variant: rewrite.Variant{Rewriter: variant.Stage}, Can: true}}}, req)
	original := form{simulated: 1, closed: 1}
	most := 0 // thread blocks on an SM
	// judge adds the forms by both clocks; the first time each has what it needs.
	judge := func(bySim, byForm *selection.Report, blocks int) {
		for _, w := range all.Variants {
			found := bySim.Predicted(w.Variant)
			if len(found) == 0 || found[0].Traffic == nil || blocks > 0 && (blocks >= found[0].After.Blocks || !slices.Contains(fixed, w.Variant)) {
				continue
			}
			p := found[0]
			f := form{way: w.Variant, blocks: blocks, bytes: p.After.Shared, simulated: p.Ratio, moved: p.Traffic.After.Loads + p.Traffic.After.Stores}
			if blocks > 0 {
				f.bytes = max(f.bytes, occupancy.MaxShared(board, blocks))
			}
			if c := byForm.Predicted(w.Variant); len(c) > 0 {
				f.closed = c[0].Ratio
			}
			original.bytes, original.moved = p.Before.Shared, p.Traffic.Before.Loads+p.Traffic.Before.Stores
			most = max(most, p.After.Blocks)
			s.forms = append(s.forms, f)
		}
	}
	req.Clock = closed
	judge(bySim, selection.Group(all, req), 0)
	if len(fixed) > 0 {
		originals := originalsOf(g, req)
		for blocks := most - 1; blocks > 0; blocks-- {
			simulated, byForm := req, req
			simulated.Clock, byForm.Clock = withRoomFor(blocks, originals, selection.Simulated), withRoomFor(blocks, originals, closed)
			judge(selection.Group(all, simulated), selection.Group(all, byForm), blocks)
		}
	}
	if len(s.forms) == 0 {
		return s, false
	}
	s.forms = slices.Insert(s.forms, 0, original)
	s.choice = original
	if own.Choice != nil {
		p := own.Predicted(*own.Choice)[0]
		s.choice = form{way: *own.Choice, bytes: p.After.Shared, simulated: p.Ratio}
	}
	return s, true
}

// best is the form of which something is the most, the first of those.
func (s *sweep) best(of func(form) float64) form {
	return slices.MaxFunc(s.forms, func(a, b form) int {
		switch x, y := of(a), of(b); {
		case x > y:
			return 1
		case x < y:
			return -1
		}
		return 0
	})
}

// fewest are the forms whose accesses ask for the fewest bytes, those with the fewest shared ones first.
func (s *sweep) fewest() (out []form) {
	least := slices.MinFunc(s.forms, func(a, b form) int { return cmp.Compare(a.moved, b.moved) }).moved
	for _, f := range s.forms {
		if f.moved == least {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b form) int { return cmp.Compare(a.bytes, b.bytes) })
	return out
}

// groupsIn are the kernels of the programs in a folder of which arrays can be staged, in the order of their names.
func groupsIn(folder string, opt parser.Options) (out []rewrite.Group, names []string, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*", "*.cu"))
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		prog, errs := parser.LoadProgram([]string{path}, opt)
		if err := errors.Join(errs...); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		analysed := passes.NewProgram(prog, [3]int{})
		for _, g := range rewrite.Groups(analysed, analysed.Kernels(), rewrite.Options{Variant: rewrite.Variant{Rewriter: variant.Stage}}) {
			if g.Can() {
				name := filepath.Base(filepath.Dir(path))
				if kernel := g.Kernels[0].Name; len(analysed.Kernels()) > 1 {
					name += ", " + kernel
				}
				out, names = append(out, g), append(names, name)
			}
		}
	}
	return out, names, nil
}
