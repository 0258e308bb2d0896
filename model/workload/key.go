package workload

import (
	"encoding/binary"
)

// Key holds all that a kernel's work is, as bytes: kernels that differ in their names alone,
// those of their steps, and what had to be guessed of them, have the same.
func (k *Kernel) Key() string {
	b := appendKey(nil, k.Source, int64(k.Threads), int64(k.Registers), int64(k.Shared), int64(k.Blocks), int64(k.Grid[0]), int64(k.Grid[1]), int64(k.Grid[2]))
	b = stepsKey(b, k.Body)
	b = appendKey(b, k.Footprint)
	for _, of := range [][]Array{k.Arrays, k.Stored} {
		b = appendKey(b, int64(len(of)), of)
	}
	for _, of := range [][]Reuse{k.Again, k.Joins} {
		b = appendKey(b, int64(len(of)), of)
	}
	return string(b)
}

func stepsKey(b []byte, of []Step) []byte {
	b = appendKey(b, int64(len(of)))
	for i := range of {
		s := &of[i]
		b = stepsKey(appendKey(b, s.Kind, s.Early, s.Times, &s.Work), s.Body)
	}
	return b
}

func appendKey(b []byte, of ...any) []byte {
	for _, x := range of {
		b, _ = binary.Append(b, binary.LittleEndian, x) // numbers of fixed sizes, which can't fail
	}
	return b
}
