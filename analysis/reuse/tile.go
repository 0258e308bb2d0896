package reuse

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/timing"
	"github.com/smux-cuda/smux/model/workload"
)

const (
	mostTile      = 1 << 12
	tileStep      = 8    // larger tiles are multiples of this
	assumedBlocks = 128  // per SM, where the grid is not known
	resolution    = 0.01 // of the time: smaller differences decide nothing
)

// Point is the kernel with one tile size on one GPU.
type Point struct {
	Tile      int              `json:"tile"`   // iterations, 0 without a loop to cut or where nothing is staged
	Shared    int              `json:"shared"` // bytes that staging adds per thread block
	Blocks    int              `json:"blocks"` // thread blocks per SM
	Occupancy float64          `json:"occupancy"`
	Limiters  occupancy.Limits `json:"limiters"`
	Time      timing.Time      `json:"time"`
}

// Tiling holds the effect of tile sizes on one GPU.
type Tiling struct {
	GPU    string  `json:"gpu"`
	Before Point   `json:"before"` // nothing staged
	Curve  []Point `json:"curve"`  // from the smallest shared memory to the largest: one for each number of thread blocks per SM
	// Best is the index in Curve of the least time (of the smallest tile that comes
	// within 1 % of it), -1 where staging is not expected to pay at any size.
	// Largest is that of the largest tile that fits, -1 if none does.
	Best    int `json:"best"`
	Largest int `json:"largest"`
}

// Gain is the predicted ratio of the time before to that of the best tile, 1
// where there is none.
func (t Tiling) Gain() float64 {
	if t.Best < 0 || t.Curve[t.Best].Time.Total <= 0 {
		return 1
	}
	return t.Before.Time.Total / t.Curve[t.Best].Time.Total
}

// String describes the tiling: one line for the kernel as it is, one for each
// tile, the best marked.
func (t Tiling) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", t.GPU, t.Before)
	for i, p := range t.Curve {
		mark := ""
		if i == t.Best {
			mark = fmt.Sprintf(", the best: %.2fx", t.Gain())
		}
		fmt.Fprintf(&b, "  %s%s\n", p, mark)
	}
	return b.String()
}

// String describes the point on one line.
func (p Point) String() string {
	what := "nothing staged"
	switch {
	case p.Tile > 0:
		what = fmt.Sprintf("tile of %d, %d bytes", p.Tile, p.Shared)
	case p.Shared > 0:
		what = fmt.Sprintf("%d bytes", p.Shared)
	}
	return fmt.Sprintf("%s: %d thread blocks per SM, occupancy %.0f %%, %.4g cycles", what, p.Blocks, 100*p.Occupancy, p.Time.Total)
}

// Tile explores tile sizes on a GPU in steps of one thread block of occupancy:
// for each number of blocks per SM the largest tile that leaves room for so
// many, and its time T = max(T_comp, T_mem). The best is the one of least time,
// not the largest that fits (Xie et al., ICCAD). w is the kernel's workload; where
// the number of iterations is not known, it follows from the bytes that w
// loads. The error is that of package occupancy for a kernel that can't run.
func (c Candidate) Tile(g *gpu.GPU, w *workload.Kernel) (Tiling, error) {
	return Set{c}.Tile(g, w)
}

// Set is candidates that are staged together, all in tiles of one loop or none
// in a loop: the rows and the columns of a matrix product.
type Set []Candidate

// Sets returns the sets of two or more candidates that tile the same loop and
// that nothing forbids.
func Sets(all []Candidate) []Set {
	var out []Set
	for _, c := range all {
		if c.Loop == nil || !c.Stageable() {
			continue
		}
		i := slices.IndexFunc(out, func(s Set) bool { return s[0].geometry.tiled == c.geometry.tiled })
		if i < 0 {
			i = len(out)
			out = append(out, nil)
		}
		out[i] = append(out[i], c)
	}
	return slices.DeleteFunc(out, func(s Set) bool { return len(s) < 2 })
}

// Arrays names what the set stages: "a, b".
func (s Set) Arrays() string {
	var names []string
	for _, c := range s {
		names = append(names, c.Array)
	}
	return strings.Join(names, ", ")
}

// Tile does for a set what it does for one candidate, the tiles of all being as
// large.
func (s Set) Tile(g *gpu.GPU, w *workload.Kernel) (Tiling, error) {
	t := Tiling{GPU: g.Name, Best: -1, Largest: -1}
	var err error
	if w.Blocks == 0 {
		// The same work for every point, whatever their waves.
		known := *w
		known.Blocks = g.SMs * assumedBlocks
		w = &known
	}
	if t.Before, err = point(g, w, 0, 0); err != nil {
		return t, err
	}
	for blocks := t.Before.Blocks; blocks >= 1; blocks-- {
		tile, ok := s.largestTile(occupancy.MaxShared(g, blocks)-w.Shared, w)
		if !ok || len(t.Curve) > 0 && t.Curve[len(t.Curve)-1].Tile == tile {
			continue
		}
		p, err := point(g, s.staged(w, tile), tile, s.shared(tile))
		if err != nil {
			continue
		}
		t.Curve = append(t.Curve, p)
	}
	t.Largest = len(t.Curve) - 1
	t.Best = t.best()
	return t, nil
}

// best is the index of the point of least time: among those that are within the
// model's resolution of it, the one that takes the least shared memory.
func (t Tiling) best() int {
	least := t.Before.Time.Total
	for _, p := range t.Curve {
		least = min(least, p.Time.Total)
	}
	return slices.IndexFunc(t.Curve, func(p Point) bool {
		return p.Time.Total <= least*(1+resolution) && p.Time.Total < t.Before.Time.Total
	})
}

// point predicts a workload.
func point(g *gpu.GPU, w *workload.Kernel, tile, shared int) (Point, error) {
	r, err := occupancy.Compute(g, occupancy.Demand{Threads: w.Threads, Registers: w.Registers, Shared: w.Shared})
	if err != nil {
		return Point{}, err
	}
	return Point{Tile: tile, Shared: shared, Blocks: r.Blocks, Occupancy: r.Occupancy, Limiters: r.Limiters, Time: timing.Estimate(g, w, r.Blocks)}, nil
}

// shared is the bytes that tiles of a size take.
func (s Set) shared(tile int) int {
	n := 0
	for _, c := range s {
		n += c.geometry.size(tile).Shared
	}
	return n
}

// largestTile is the largest tile that takes at most so many bytes.
func (s Set) largestTile(bytes int, w *workload.Kernel) (tile int, ok bool) {
	loop := s[0].Loop
	if loop == nil {
		return 0, s.shared(0) <= bytes
	}
	most := mostTile
	if n := loop.Iterations; n > 0 {
		most = min(most, n)
	} else {
		work, _ := workload.Total(w.Body)
		most = min(most, max(1, int(s[0].geometry.traffic.iterationsOf(work.Loads))))
	}
	// The first tile that is too large, less one.
	tile = sort.Search(most, func(i int) bool { return s.shared(i+1) > bytes })
	if tile > tileStep && tile < most {
		tile -= tile % tileStep
	}
	return tile, tile > 0
}
