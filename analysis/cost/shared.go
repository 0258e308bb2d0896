package cost

import (
	"math"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/workload"
)

// wavefronts counts the passes that a warp's access to shared memory takes, the average over the warps that make it.
// The 32 banks are 4 bytes wide and serve one word each; lanes that ask for the same word share it. An access of 8
// (16) bytes per lane goes in two (four) parts of the warp. The scheme of cc 1.x with 16 banks and half-warps gives
// the same degrees for strides up to 16.
func (x *walk) wavefronts(l lvalue) float64 {
	bytes := max(1, l.typ.size())
	parts := max(1, (bytes+3)/4)
	if parts == 3 {
		parts = 1 // three accesses of a word each, a stride of three words
	}
	a := l.to
	switch {
	case !a.known:
		return randomBanks * float64(parts)
	case a.v == nil && !a.modulo:
		return 1
	}
	const period = hardware.SharedBanks * bankBytes
	key := pattern{a.v, a.s & (period - 1), bytes, a.modulo, x.mask.key()}
	if n, ok := x.passes[key]; ok {
		return n
	}
	a.s = key.start
	n := x.countPasses(a, bytes, parts)
	x.passes[key] = n
	return n
}

const bankBytes = 4

// loadShared counts a load from shared memory.
func (x *walk) loadShared(l lvalue) {
	n, bytes := x.wavefronts(l), float64(l.typ.size())
	line, times := x.count(workload.Work{Issue: 1, Access: 1, Shared: n}, bytes)
	if line == nil {
		return
	}
	line.loads += times
	if l.to.known && l.to.v == nil && !l.to.modulo && bytes < widestLoad {
		line.joined += times * n * (1 - bytes/widestLoad)
	}
}

// widestLoad is the largest number of bytes that a lane loads at once.
const widestLoad = 16

// constantPasses returns the cycles that a warp's read of constant memory takes its cache: one
// address after the other is answered, each to all lanes that ask for it (CUDA C++
// Programming Guide, "Constant Memory"). 0 where they ask for one.
func (f *frame) constantPasses(l lvalue) float64 {
	if l.to.obj.v == nil || l.to.obj.v.Kind != ir.VarConstant {
		return 0 // a table that a compiler may have anywhere
	}
	n := 1.0
	switch a := l.to; {
	case a.known && a.v == nil:
	case a.known && !a.modulo:
		n = f.x.addresses(a)
	default: // at random in the array
		all := 1.0
		for _, d := range f.dims(l.to.obj.v) {
			all *= float64(d)
		}
		n = all * (1 - math.Pow(1-1/all, hardware.WarpSize))
	}
	if n <= 1 {
		return 0
	}
	return n * constantCycles
}

// addresses counts the addresses of a warp's lanes, on average.
func (x *walk) addresses(a value) float64 {
	total, warps := 0, 0
	for w := 0; w < x.n; w += hardware.WarpSize {
		seen := map[int64]bool{}
		for t := w; t < min(w+hardware.WarpSize, x.n); t++ {
			if x.mask.has(t) {
				seen[a.at(t)] = true
			}
		}
		if total += len(seen); len(seen) > 0 {
			warps++
		}
	}
	return float64(total) / float64(max(1, warps))
}

// countPasses counts the passes of an access of so many bytes per lane that goes in parts of the warp.
func (x *walk) countPasses(a value, bytes, parts int) float64 {
	lanes := hardware.WarpSize / min(hardware.WarpSize, parts)
	total, warps := 0, 0
	for w := 0; w < x.n; w += hardware.WarpSize {
		active := false
		for from := w; from < min(w+hardware.WarpSize, x.n); from += lanes {
			n := x.conflict(a, from, min(from+lanes, x.n), (bytes+3)/4)
			active = active || n > 0
			total += n
		}
		if active {
			warps++
		}
	}
	if warps == 0 {
		return 1
	}
	return float64(total) / float64(warps)
}

// conflict is the most distinct words that lanes ask of one bank.
func (x *walk) conflict(a value, from, to, words int) int {
	var banks [hardware.SharedBanks][]int64
	most := 0
	for t := from; t < to; t++ {
		if !x.mask.has(t) {
			continue
		}
		first := a.at(t) >> 2
		for i := range int64(words) {
			word := first + i
			b := ((word % hardware.SharedBanks) + hardware.SharedBanks) % hardware.SharedBanks
			seen := false
			for _, o := range banks[b] {
				seen = seen || o == word && !a.modulo
			}
			if !seen {
				banks[b] = append(banks[b], word)
				most = max(most, len(banks[b]))
			}
		}
	}
	return most
}

// atomic is an atomic operation on what its first argument points to.
func (f *frame) atomic(e *ir.Expr) value {
	x := f.x
	args := e.Args()
	p := f.eval(args[0])
	l := f.pointee(p)
	if l.to.obj == nil { // a static variable of the function, which no register holds
		l.to = value{obj: &object{space: inGlobal}}
	}
	for _, a := range args[1:] {
		x.needs(f.eval(a))
	}
	x.needs(value{id: x.reached(l)})
	delete(x.held, l.to.obj)
	switch l.to.obj.space {
	case inShared:
		// Lanes that meet in a word take turns.
		x.count(workload.Work{Issue: costAtomic, Access: 1, Shared: 2 * x.collisions(l)}, 4)
	default:
		w := x.sectorsStored(l)
		w.Issue, w.Access = costAtomic, 1
		x.count(w, 4)
	}
	v := x.unknown(l.typ)
	return v
}

// collisions is wavefronts with lanes that meet in one word taking turns.
func (x *walk) collisions(l lvalue) float64 {
	a := l.to
	if !a.known {
		return randomBanks
	}
	if a.v == nil {
		// One word for all: the hardware adds up within the warp first where the
		// result is not used; count it as a few turns.
		return 2
	}
	return x.wavefronts(l)
}
