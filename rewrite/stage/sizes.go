package stage

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/model/hardware"
)

// How large tiles are, how much shared memory they take, and how often their elements are used.

// room says why so many bytes of shared memory can't be added, "" where they can: a launch
// that asks for more than there is fails.
func (p *copyProof) room(bytes int) (why string) {
	for _, in := range p.Kernel.Instances {
		has, exact := launches.SharedBytes(p.Kernel, in)
		switch {
		case !exact:
			return "the shared memory that the kernel already takes is unknown"
		case has+bytes > hardware.SharedPerBlock:
			return fmt.Sprintf("with the others more than the %d that a thread block can declare", hardware.SharedPerBlock)
		}
	}
	return ""
}

// firstTile returns the number of iterations of a loop that are staged at a time, as far as nobody says: as many as a
// row of the block has threads, where that is a usual number, so that each copies as much.
func (p *copyProof) firstTile() int {
	if p.Tile != 0 {
		return p.Tile
	}
	if p.forms.planes {
		return 1
	}
	if x := p.forms.shape[0]; x == 8 || x == 16 || x == 32 || x == 64 {
		return x
	}
	return hardware.WarpSize
}

// elementOf returns the bytes of an object of a type that can be copied into shared memory, of several
// instances the most; 0 if unknown, or where a constructor makes it.
func elementOf(k *analysis.Kernel, base string) (bytes int) {
	t := ir.Type{Base: base}
	for _, in := range k.Instances {
		f := evaluate.FactsOf(k, in)
		n := f.SizeOf(k.Func, t)
		if n <= 0 || !f.Trivial(k.Func, t) {
			return 0
		}
		bytes = max(bytes, n)
	}
	return bytes
}

// isWord reports whether an object of a type is 4, 8 or 16 bytes in each instance, and lies at a multiple of that.
func isWord(k *analysis.Kernel, base string) bool {
	t := ir.Type{Base: base}
	return !slices.ContainsFunc(k.Instances, func(in *analysis.Instance) bool {
		f := evaluate.FactsOf(k, in)
		n := f.SizeOf(k.Func, t)
		return n != 4 && n != 8 && n != 16 || f.Alignment(k.Func, t) != n
	})
}

// extent is the elements of a tile along an axis.
func (p *copyProof) extent(x stagedAxis) int {
	n := x.high - x.low + 1
	switch {
	case x.dim >= 0:
		n += p.forms.shape[x.dim] - 1
	case x.cut && x.step == 1:
		n += p.tile - 1
	case x.cut:
		n *= p.tile // a dense one has as many as its steps are wide
	}
	return n
}

// elements are those of a tile.
func (p *copyProof) elements(a *stagedArray) int {
	n := 1
	for _, x := range a.axes {
		n *= p.extent(x)
	}
	return n
}

// reuse returns the number of times that an element of a tile is asked for, on average.
func (p *copyProof) reuse(a *stagedArray) float64 {
	asked := 0
	for i, l := range a.loads {
		if slices.ContainsFunc(a.loads[:i], func(o *stagedLoad) bool {
			return o.whole == l.whole || len(l.choices)+len(o.choices) == 0 && slices.Equal(l.offsets, o.offsets) && slices.EqualFunc(l.along, o.along, slices.Equal)
		}) {
			continue // a thread loads it once
		}
		n := 1
		for _, loop := range p.forms.moving(l) {
			if loop != a.cut {
				n *= int(loop.trips())
			}
		}
		asked += n
	}
	if a.cut != nil {
		asked *= p.tile
	}
	threads, copied := p.forms.shape[0]*p.forms.shape[1]*p.forms.shape[2], p.elements(a)
	if a.moves() { // the others are there
		copied = copied / p.extent(a.axes[a.cutAxis()]) * p.tile
	}
	return float64(asked*threads) / float64(copied)
}

func (p *copyProof) bytesOf(a *stagedArray) int {
	last := p.extent(a.axes[len(a.axes)-1])
	n := p.elements(a) / last * (last + p.padding(a)) * a.elem
	if p.Async && a.cut != nil {
		n *= 2
	}
	return n
}

// bytes are those of all tiles.
func (p *copyProof) bytes() (sum int) {
	for _, place := range p.places {
		for _, a := range place.arrays {
			sum += p.bytesOf(a)
		}
	}
	return sum
}
