package workload

import (
	"encoding/binary"
	"math"
)

// Key holds all that a kernel's work is, as bytes: kernels that differ in their names alone,
// those of their steps, and what had to be guessed of them, have the same.
func (k *Kernel) Key() string {
	b := key{}
	b.ints(k.Threads, k.Registers, k.Shared, k.Blocks, k.Grid[0], k.Grid[1], k.Grid[2])
	b.flag(k.Source)
	b.steps(k.Body)
	b.floats(k.Footprint)
	for _, of := range [][]Array{k.Arrays, k.Stored} {
		b.ints(len(of))
		for _, a := range of {
			b.floats(a.Bytes, a.New[0], a.New[1], a.New[2])
		}
	}
	for _, of := range [][]Reuse{k.Again, k.Joins} {
		b.ints(len(of))
		for _, r := range of {
			b.floats(r.Between, r.Part)
		}
	}
	return string(b)
}

type key []byte

func (b *key) ints(of ...int) {
	for _, n := range of {
		*b = binary.AppendVarint(*b, int64(n))
	}
}

func (b *key) floats(of ...float64) {
	for _, x := range of {
		*b = binary.LittleEndian.AppendUint64(*b, math.Float64bits(x))
	}
}

func (b *key) flag(is bool) {
	if is {
		*b = append(*b, 1)
	} else {
		*b = append(*b, 0)
	}
}

func (b *key) steps(of []Step) {
	b.ints(len(of))
	for i := range of {
		s := &of[i]
		*b = append(*b, byte(s.Kind))
		b.flag(s.Early)
		b.floats(s.Times)
		for _, n := range s.Work.fields() {
			b.floats(*n)
		}
		b.steps(s.Body)
	}
}
