package reuse

import (
	"math"
	"slices"

	"github.com/smux-cuda/smux/analysis/affine"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/workload"
)

// Costs of staging that are assumed.
const (
	fetchIssue = 4   // instructions to move one element: address, load, store, loop
	fetchBatch = 4   // loads of a thread that are under way at once
	bankRow    = 128 // bytes that a wavefront of shared memory moves
)

// staged is the workload with the arrays of a set staged in tiles: their loads
// come once per tile, and are read from shared memory after that, without bank
// conflicts. A turn has a barrier when the tile is there, and one before the
// next overwrites it.
func (s Set) staged(w *workload.Kernel, tile int) *workload.Kernel {
	work, _ := workload.Total(w.Body)
	total := work
	out := *w
	tiles, elements := 1.0, 0.0
	for _, c := range s {
		tiles = c.stage(&total, work, w.Threads, tile)
		elements += float64(c.geometry.size(tile).Elements)
		out.Shared += c.geometry.size(tile).Shared
	}
	// The tile's waits; without the loop's own where it loads nothing else.
	each := math.Ceil(elements / float64(max(1, w.Threads)))
	total.Waits += tiles * math.Ceil(each/fetchBatch)
	if part := s.waits(work, w.Threads); part > 0 {
		total.Waits -= work.Waits * part
	}
	barrier := workload.Step{Kind: workload.KindBarrier}
	turn := []workload.Step{barrier}
	if tile > 0 {
		turn = append(turn, barrier)
	}
	out.Body = slices.Concat(
		[]workload.Step{{Kind: workload.KindWork, Work: total}, {Kind: workload.KindLoop, Times: tiles, Body: turn}},
		barriersOnly(w.Body))
	return &out
}

// runs is how often the candidate's iteration runs in a thread block whose
// warps do the given work.
func (c *Candidate) runs(work workload.Work) float64 {
	if c.geometry.fixed != nil {
		return 1 // a table's lookups are counted in full
	}
	return c.geometry.traffic.iterationsOf(work.Loads)
}

// part is how much of the workload's loads are the candidate's: by counts of
// one kind, so that those of the workload need not agree with them to the byte.
func (c *Candidate) part(work workload.Work, threads int) (part, before float64) {
	runs := c.runs(work)
	before = c.geometry.before * runs / warps(threads) * hardware.SectorBytes
	return before / max(before, c.geometry.traffic.total(runs), 1), before
}

// stage moves one array's loads to shared memory; it returns the number of tiles.
func (c *Candidate) stage(total *workload.Work, work workload.Work, threads, tile int) float64 {
	g := c.geometry
	size, runs, tiles := g.size(tile), c.runs(work), 1.0
	if tile > 0 {
		tiles = runs / float64(tile)
		if n := float64(c.Loop.Iterations); n > 0 {
			tiles = runs / n * math.Ceil(n/float64(tile))
		}
	}
	part, before := c.part(work, threads)
	after := float64(size.After) * tiles / warps(threads) * hardware.SectorBytes
	saved := work.Loads * part * (1 - after/max(before, 1))
	total.Loads -= saved
	total.Again = min(max(0, total.Again-max(0, saved)), total.Loads)
	total.Issue += tiles * math.Ceil(float64(size.Elements)/float64(max(1, threads))) * fetchIssue
	total.Shared += g.reads*runs*max(1, float64(g.bytes)/4) + tiles*math.Ceil(float64(size.Footprint)/warps(threads)/bankRow)
	return tiles
}

// waits is the part of the workload's waits that are for the set's arrays
// alone: 0 where the loop loads something else as well.
func (s Set) waits(work workload.Work, threads int) float64 {
	var staged []*affine.Access
	for _, c := range s {
		staged = append(staged, c.geometry.traffic.loads...)
	}
	sum := 0.0
	for _, c := range s {
		for _, x := range c.geometry.traffic.nest {
			if !slices.Contains(staged, x) {
				return 0
			}
		}
		part, _ := c.part(work, threads)
		sum += part
	}
	return min(1, sum)
}

// warps is the number of warps of that many threads, at least one.
func warps(threads int) float64 {
	return math.Ceil(float64(max(1, threads)) / hardware.WarpSize)
}

// barriersOnly keeps the barriers of steps, with the loops around them.
func barriersOnly(steps []workload.Step) []workload.Step {
	var out []workload.Step
	for _, s := range steps {
		switch s.Kind {
		case workload.KindBarrier:
			out = append(out, s)
		case workload.KindLoop, workload.KindRegion:
			if body := barriersOnly(s.Body); len(body) > 0 {
				s.Body = body
				out = append(out, s)
			}
		}
	}
	return out
}
