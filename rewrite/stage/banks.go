package stage

import (
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// banks are those of shared memory, each of words of four bytes.
const banks = 32

// padding is the elements that a tile's rows are longer by: what a person says, or else as few as the
// reads of a warp have the fewest conflicts with.
func (p *copyProof) padding(a *stagedArray) int {
	switch {
	case len(a.axes) < 2 || p.Pad == variant.NoStage:
		return 0
	case p.Pad != 0:
		return p.Pad
	}
	best := 0
	for _, pad := range []int{1, 2, 4} {
		if a.vector > 0 && pad%a.vector != 0 {
			continue // each row begins at a vector
		}
		if p.wavefronts(a, pad) < p.wavefronts(a, best) {
			best = pad
		}
	}
	return best
}

// wavefronts counts those of a read of the tile by the first warp of a block if its rows are so many
// elements longer: words of 128 bytes at a time, as many as the bank has that most of them lie in.
func (p *copyProof) wavefronts(a *stagedArray, pad int) (sum int) {
	shape := p.forms.shape
	step, stride := [3]int{}, 1 // elements from thread to thread of each dimension
	for i := len(a.axes) - 1; i >= 0; i-- {
		x := a.axes[i]
		if x.dim >= 0 {
			step[x.dim] += stride
		}
		n := p.extent(x)
		if i == len(a.axes)-1 {
			n += pad
		}
		stride *= n
	}
	together := hardware.WarpSize * 4 / max(4, a.elem) // lanes
	for first := 0; first < hardware.WarpSize; first += together {
		words := [banks]map[int]bool{}
		most := 0
		for lane := first; lane < first+together; lane++ {
			x, y, z := lane%shape[0], lane/shape[0]%shape[1], lane/shape[0]/shape[1]
			if z >= shape[2] {
				break
			}
			at := (x*step[0] + y*step[1] + z*step[2]) * a.elem
			for word := at / 4; word*4 < at+a.elem; word++ {
				in := &words[word%banks]
				if *in == nil {
					*in = map[int]bool{}
				}
				(*in)[word] = true
				most = max(most, len(*in))
			}
		}
		sum += most
	}
	return sum
}
