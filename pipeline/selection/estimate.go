package selection

import (
	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Estimates is the Source of a machine without a compiler: what it says follows from the
// text alone, so that it is the same everywhere.
type Estimates struct{}

// Costly is false: nothing is compiled.
func (Estimates) Costly() bool { return false }

// Original returns an estimate.
func (Estimates) Original(p Place) (Resources, error) {
	shared, _ := p.Kernel.SharedBytes(p.Instance)
	a := &p.GPU.Arch
	registers := min(cost.Registers(p.Kernel, p.Instance, a.RegistersPerSM/a.ThreadsPerSM), a.RegistersPerThread)
	return Resources{Registers: registers, Shared: shared, Source: "estimate"}, nil
}

// Variant returns an estimate.
func (Estimates) Variant(p Place, w Variant) (Resources, error) { return Estimate(p, w), nil }

// ownWords is the number of registers that a v-TB takes beside the kernel's own values: its
// number and block, and the width of the grid. The rewrites of the ten benchmarks
// take from -6 to 5 registers more than the original (nvcc 11.8, sm_80), the
// words that are loaded ahead left out; where the compiler takes fewer, that is
// luck.
const ownWords = 2

// loopWords is the number of registers that a loop over the grid takes beside: blocks that are
// left, whether the v-TB is active, its thread's number and block, which are no longer built-ins,
// and what the compiler keeps of them. The ten benchmarks take by median 6 more with the loop than without in
// named mode, 24 at most, and as many as without in lock mode (docs/evidence/variants.md).
const loopWords = 6

// Looping is the registers of a thread whose launched block loops over the grid, of which it has
// so many without the loop, by an estimate.
func (p Place) Looping(registers int) int { return p.capped(registers + loopWords) }

// Estimate returns what a block of a kernel rewritten takes, guessed from the
// original in its place: a word more for each word that is loaded ahead of a
// region, and for each that waits for the turn in which it is written to a public
// row, as far as there are registers.
func Estimate(p Place, w Variant) Resources {
	registers := p.Work.Registers + p.ahead(w) + p.waiting(w)
	if w.Factor > 0 && w.Merges() {
		registers += ownWords
	}
	if w.Persistent {
		registers += loopWords
	}
	return Resources{Registers: p.capped(registers), Source: "estimate"}
}

// capped returns a number of registers that a thread can have.
func (p Place) capped(registers int) int {
	return min(registers, max(p.Work.Registers, p.GPU.Arch.RegistersPerThread))
}

// ahead returns how many words per thread a variant loads ahead of a region. Where there
// are no turns it is 0: merge leaves the loads where they are.
func (p Place) ahead(w Variant) int {
	switch {
	case w.Rewriter == variant.Merge, w.Rewriter == variant.AssumeShape, w.Stage == variant.NoStage, w.Resizes():
		return 0
	case w.Stage > 0:
		return min(p.Ahead, w.Stage)
	}
	return p.Ahead
}

// waiting returns how many words per thread wait for a turn: those of the rows that
// co-vtb leaves public.
func (p Place) waiting(w Variant) int {
	if w.Rewriter != variant.CoVTB || p.Rows == nil || p.Work.Threads == 0 || !p.Rows.definesApart(w.PrivateRows) {
		return 0
	}
	return p.waits(w)
}

// waits counts the words per thread that wait where definitions stand apart.
func (p Place) waits(w Variant) int {
	const word = 4
	return max(0, p.Rows.Rows-w.PrivateRows) * p.Rows.RowBytes / (word * p.Work.Threads)
}
