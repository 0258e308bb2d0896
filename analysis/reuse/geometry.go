package reuse

import (
	"math"
	"slices"

	"github.com/smux-cuda/smux/model/hardware"
)

// geometry enumerates the addresses that a thread block reads, in numbers that
// stand for symbols, so that it can count for any tile size.
type geometry struct {
	active  int     // threads of the block that come there
	pattern []int64 // addresses of the block at the first iteration of the tiled loop
	own     []int64 // of one thread
	step    int64   // by which an iteration moves them all; 0 without a tiled loop
	bytes   int64   // of an element
	before  float64 // sectors that an iteration moves as it is
	period  int     // iterations after which sectors repeat
	counts  []count // by iterations, from 1; as far as they were enumerated
	fixed   *Size   // for a table: no addresses to enumerate
}

// count is the distinct elements and sectors of the first iterations.
type count struct{ elements, own, sectors int }

// assumedElement is the size, in bytes, that affine takes for unknown elements.
const assumedElement = 4

// maxPattern bounds what is enumerated at a time.
const maxPattern = 1 << 16

// geometryOf enumerates a class; nil where it is too large.
func geometryOf(c *class, n nest, shape [3]int) *geometry {
	x := c.first()
	threads := shape[0] * shape[1] * shape[2]
	g := &geometry{bytes: int64(x.Bytes), period: 1}
	if g.bytes == 0 {
		g.bytes = assumedElement
	}
	start := x.Address.Fixed()
	base, active := c.starts(shape)
	g.active = active
	g.own = distinct(slices.Clone(c.offsets))
	if g.pattern = sums(base, c.offsets); g.pattern == nil {
		return nil
	}
	repeats := 1.0
	for _, l := range n.taps {
		trip := tripOf(l)
		repeats *= float64(trip)
		moves := make([]int64, trip)
		for i := range moves {
			moves[i] = int64(i) * x.Address.Step(l)
		}
		if g.own, g.pattern = sums(g.own, moves), sums(g.pattern, moves); g.own == nil || g.pattern == nil {
			return nil
		}
	}
	for i := range g.pattern {
		g.pattern[i] += start
	}
	if n.tiled != nil {
		g.step = x.Address.Step(n.tiled)
		if s := g.step; s < hardware.SectorBytes && s > -hardware.SectorBytes && s != 0 {
			g.period = hardware.SectorBytes / int(gcd(s, hardware.SectorBytes))
		}
	}
	for _, d := range c.distinct {
		per, _ := d.Sectors(shape)
		g.before += per * warps(threads) * repeats
	}
	g.enumerate()
	return g
}

// starts returns the distinct addresses of the threads at the first place, and
// how many threads there are.
func (c *class) starts(shape [3]int) (addresses []int64, threads int) {
	x := c.first()
	all := x.Address.Offsets(shape)
	kept := all[:0]
	for i, a := range all {
		if x.Active == nil || i < len(x.Active) && x.Active[i] {
			kept = append(kept, a)
		}
	}
	threads = len(kept)
	return distinct(kept), threads
}

// sums returns the distinct sums of an address and a move, in order; nil where
// there are too many.
func sums(addresses, moves []int64) []int64 {
	if len(addresses)*len(moves) > maxPattern {
		return nil
	}
	out := make([]int64, 0, len(addresses)*len(moves))
	for _, a := range addresses {
		for _, m := range moves {
			out = append(out, a+m)
		}
	}
	return distinct(out)
}

// warps is the number of warps of that many threads, at least one.
func warps(threads int) float64 {
	return math.Ceil(float64(max(1, threads)) / hardware.WarpSize)
}

func distinct(v []int64) []int64 {
	slices.Sort(v)
	return slices.Compact(v)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// enumerate counts iteration by iteration until the counts grow evenly.
func (g *geometry) enumerate() {
	turns := 1
	if g.step != 0 {
		turns = max(16, 2*g.period+1)
		if len(g.pattern)*turns > 2*maxPattern {
			turns = 2*g.period + 1
		}
	}
	all, own, sectors := newSet(len(g.pattern)*2), newSet(len(g.own)*turns), newSet(len(g.pattern)*2)
	for t := range turns {
		by := int64(t) * g.step
		for _, a := range g.pattern {
			all.add(a + by)
			first, last := (a+by)>>5, (a+by+g.bytes-1)>>5
			sectors.add(first)
			for first < last {
				first++
				sectors.add(first)
			}
		}
		for _, a := range g.own {
			own.add(a + by)
		}
		g.counts = append(g.counts, count{all.n, own.n, sectors.n})
		if t == 3 && all.n == 4*len(g.pattern) && float64(own.n*g.active) < minReuse*float64(all.n) {
			return // iterations share nothing, and neither do threads: no candidate
		}
	}
}

// at counts for a tile of so many iterations. Past what was enumerated, every
// period adds what the last one did.
func (g *geometry) at(tile int) count {
	if tile <= len(g.counts) {
		return g.counts[max(0, tile-1)]
	}
	n := len(g.counts)
	last := g.counts[n-1]
	if n <= g.period {
		return last
	}
	over := tile - n
	periods := (over + g.period - 1) / g.period
	// Step back so that whole periods lead to the tile.
	from := n - 1 - (periods*g.period - over)
	if from < g.period {
		from = n - 1
	}
	a, b := g.counts[from-g.period], g.counts[from]
	return count{
		b.elements + periods*(b.elements-a.elements),
		b.own + periods*(b.own-a.own),
		b.sectors + periods*(b.sectors-a.sectors),
	}
}

// size returns the costs and savings of a tile.
func (g *geometry) size(tile int) Size {
	if g.fixed != nil {
		return *g.fixed
	}
	c := g.at(max(1, tile))
	s := Size{
		Tile: tile, Elements: c.elements, Footprint: c.elements * int(g.bytes), Requests: c.own * g.active,
		Before: int(math.Round(g.before * float64(max(1, tile)))), After: c.sectors,
	}
	s.Shared = s.Footprint
	if box := g.box(); g.step == 0 && box > c.elements && box <= 2*c.elements {
		s.Shared = box * int(g.bytes)
	}
	return s
}

// box is the number of elements of the rectangle around the pattern: as many
// rows as it touches, each as wide as the widest reach of all. Rows are runs
// without a gap of more than a few elements; 0 where the rows are not told apart.
func (g *geometry) box() int {
	if len(g.pattern) == 0 {
		return 0
	}
	const gap = 8
	rows, first := 1, g.pattern[0]
	widest := int64(0)
	for i := 1; i < len(g.pattern); i++ {
		if g.pattern[i]-g.pattern[i-1] > gap*g.bytes {
			widest = max(widest, g.pattern[i-1]-first)
			rows, first = rows+1, g.pattern[i]
		}
	}
	widest = max(widest, g.pattern[len(g.pattern)-1]-first)
	return rows * int(widest/g.bytes+1)
}
