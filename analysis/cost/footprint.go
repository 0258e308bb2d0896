package cost

import (
	"math"
	"math/bits"
	"slices"

	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/workload"
)

// footprint records what a thread block has loaded of an object.
type footprint struct {
	seen  map[int64]loaded // sectors
	bytes float64          // of sectors loaded for the first time, each for all turns that it stands for
	// next is the number of bytes by which the next thread block loads further on, by x, y and z; apart
	// is set where that is not the same for all loads.
	next   [3]int64
	loaded bool
	apart  bool
	picked float64 // bytes of a table that were loaded for the first time
}

// loaded records the last load of a sector: what the block had loaded by then, and whether that was
// for the first time.
type loaded struct {
	at    float64
	first bool
}

// pattern decides which sectors or banks a warp's access hits, up to a distance: its lanes, where it starts in a
// sector or in the banks, its width, and the threads.
type pattern struct {
	lanes  *lanes
	start  int64
	bytes  int
	modulo bool
	mask   *bool
}

func (m mask) key() *bool {
	if len(m) == 0 {
		return nil
	}
	return &m[0]
}

// sectorsOf returns the bytes that a warp's access to global memory moves, in whole sectors of 32 bytes, the average
// over the warps that make it, how many of them the thread block has loaded before, how many of these by another warp
// in the same access and for the first time, and the lines of the L1 that they are in.
func (x *walk) sectorsOf(l lvalue, isLoad bool) (moved, again, late, lines float64) {
	a := l.to
	warps := float64(x.mask.warps(x.n))
	if warps == 0 {
		return 0, 0, 0, 0
	}
	if !a.known && a.below > 0 && x.large {
		return x.picks(a, isLoad)
	}
	if !a.known {
		moved = hardware.SectorBytes * gatherSectors
		if isLoad {
			x.gathers(a.obj, moved)
		}
		return moved, 0, 0, gatherSectors
	}
	fp := x.footprint(a.obj)
	hit := x.sectorsHit(a, int64(max(1, l.typ.size())))
	total, old, fresh, together := 0, 0, 0, 0
	begin := x.clock
	base := a.s >> lineShift << (lineShift - sectorShift)
	for _, sectors := range hit.sectors {
		total += len(sectors)
		if !isLoad || x.mute > 0 {
			continue
		}
		for _, s := range sectors {
			last, seen := fp.seen[base+s]
			switch {
			case !seen:
				fresh++
				if x.sectors == maxSectors {
					continue
				}
				x.sectors++
			default:
				old++
				x.reuse.note(x.clock-last.at, hardware.SectorBytes*x.weight)
				if last.first = last.first && last.at >= begin; last.first {
					together++
				}
			}
			fp.seen[base+s] = loaded{x.clock, !seen || last.first}
		}
		if isLoad && x.mute == 0 {
			x.clock += lineBytes * float64(linesOf(sectors))
		}
	}
	if isLoad && x.mute == 0 {
		fp.bytes += hardware.SectorBytes * float64(fresh) * x.weight
		fp.apart = fp.apart || a.apart || fp.loaded && fp.next != a.next
		fp.next, fp.loaded = a.next, true
	}
	return hardware.SectorBytes * float64(total) / warps, hardware.SectorBytes * float64(old) / warps, hardware.SectorBytes * float64(together) / warps, float64(hit.lines) / warps
}

// picks is sectorsOf for a table, of which each lane reads an element that data decides: as many sectors as
// are different on average, all of which the thread block has loaded before once it has loaded as many.
func (x *walk) picks(a value, isLoad bool) (moved, again, late, lines float64) {
	different := func(size float64) float64 {
		of := max(1, float64(a.below)/size)
		return of * (1 - math.Pow(1-1/of, hardware.WarpSize))
	}
	moved, lines = hardware.SectorBytes*different(hardware.SectorBytes), different(lineBytes)
	if !isLoad || x.mute > 0 {
		return moved, 0, 0, lines
	}
	warps := float64(x.mask.warps(x.n))
	all := moved * warps * x.weight
	fp := x.footprint(a.obj)
	fresh := min(all, max(0, float64(a.below)-fp.picked))
	fp.picked += fresh
	fp.bytes += fresh
	x.clock += lineBytes * lines * warps
	x.reuse.note(float64(a.below), all-fresh)
	return moved, moved * (1 - fresh/all), 0, lines
}

// footprint is that of an object.
func (x *walk) footprint(o *object) *footprint {
	fp := x.footprints[o]
	if fp == nil {
		fp = &footprint{seen: map[int64]loaded{}}
		x.footprints[o] = fp
	}
	return fp
}

// gathers notes that each warp loads bytes of an object from places that are not known; the
// object is nil if it is unknown, too.
func (x *walk) gathers(o *object, bytes float64) {
	if x.mute > 0 {
		return
	}
	if o != nil && o.v == nil {
		o = nil // some place that a pointer from memory leads to
	}
	fp := x.footprint(o)
	fp.bytes += bytes * x.weight * float64(x.mask.warps(x.n))
	fp.apart = true
}

// sectorShift turns bytes into sectors.
var sectorShift = bits.TrailingZeros(hardware.SectorBytes)

// lineShift turns bytes into lines of the L1, of 128 bytes (Jia 2018).
const lineShift = 7

// hits are the sectors that each warp's access hits, the lines of all, and how many of the sectors the accesses cover
// in part.
type hits struct {
	sectors [][]int64
	lines   int
	partly  int
}

// sectorsHit are the sectors that each warp's access hits, from the line of the address's common part on.
func (x *walk) sectorsHit(a value, size int64) hits {
	key := pattern{a.v, a.s & (1<<lineShift - 1), int(size), false, x.mask.key()}
	if out, ok := x.hits[key]; ok {
		return out
	}
	a.s = key.start
	var out hits
	for w := 0; w < x.n; w += hardware.WarpSize {
		var hit, at []int64
		for t := w; t < min(w+hardware.WarpSize, x.n); t++ {
			if !x.mask.has(t) {
				continue
			}
			from := a.at(t)
			at = append(at, from)
			for s := from >> sectorShift; s <= (from+size-1)>>sectorShift; s++ {
				if n := len(hit); n == 0 || hit[n-1] != s {
					hit = append(hit, s)
				}
			}
		}
		slices.Sort(hit)
		if hit = slices.Compact(hit); len(hit) > 0 {
			out.sectors = append(out.sectors, hit)
			out.lines += linesOf(hit)
			out.partly += partly(hit, at, size)
		}
	}
	x.hits[key] = out
	return out
}

// partly counts the sectors of which elements of a size at these places cover a part. It sorts the places.
func partly(sectors, at []int64, size int64) (n int) {
	slices.Sort(at)
	covered := map[int64]int64{}
	end := at[0]
	for _, from := range at {
		for from, to := max(from, end), from+size; from < to; {
			next := min(to, (from>>sectorShift+1)<<sectorShift)
			covered[from>>sectorShift] += next - from
			from, end = next, next
		}
	}
	for _, s := range sectors {
		if covered[s] < hardware.SectorBytes {
			n++
		}
	}
	return n
}

// linesOf is in how many lines sectors are, which are sorted.
func linesOf(sectors []int64) (n int) {
	for i, s := range sectors {
		if line := s >> (lineShift - sectorShift); i == 0 || line != sectors[i-1]>>(lineShift-sectorShift) {
			n++
		}
	}
	return n
}

// maxSectors bounds what is remembered of the addresses that were loaded.
const maxSectors = 1 << 17

// arraysOf are footprints by object, with what the next thread blocks add.
func arraysOf(footprints map[*object]*footprint) (out []workload.Array) {
	for _, fp := range footprints {
		if fp.bytes == 0 {
			continue
		}
		a := workload.Array{Bytes: fp.bytes, New: [3]float64{1, 1, 1}}
		for d := range a.New {
			if fp.picked > 0 && !fp.apart && len(fp.seen) == 0 {
				a.New[d] = 0 // a table is the same for all thread blocks
			}
			if fp.apart || len(fp.seen) == 0 {
				continue
			}
			shared := 0
			for s := range fp.seen {
				if _, also := fp.seen[(s<<sectorShift+fp.next[d])>>sectorShift]; also {
					shared++
				}
			}
			a.New[d] = 1 - float64(shared)/float64(len(fp.seen))
		}
		out = append(out, a)
	}
	slices.SortFunc(out, workload.Array.Compare)
	return out
}

// reuse counts the bytes that a thread block loads again, by how much it loads between: at place i those with less
// than 2^i bytes of lines between. A cache that holds these has the bytes still, however much the block loads in all.
type reuse [48]float64

// lineBytes are those of a line of the L1.
const lineBytes = 1 << lineShift

// note adds bytes that are loaded again after so many others.
func (r *reuse) note(between, bytes float64) {
	r[min(bits.Len64(uint64(between)), len(r)-1)] += bytes
}

// distances are the parts of what is loaded again, nearest first.
func (r *reuse) distances() (out []workload.Reuse) {
	sum := 0.0
	for _, bytes := range r {
		sum += bytes
	}
	for i, bytes := range r {
		if bytes > 0 {
			out = append(out, workload.Reuse{Between: float64(uint64(1) << i), Part: bytes / sum})
		}
	}
	return out
}
