package choose

// ownWords is what a v-TB keeps in registers beside the kernel's own values: its
// number and block, and the width of the grid. The rewrites of the ten benchmarks
// take from -6 to 5 registers more than the original (nvcc 11.8, sm_80), the
// words that are loaded ahead left out; where the compiler takes fewer, that is
// luck.
const ownWords = 2

// Estimate is what a block of a kernel rewritten takes, guessed from the
// original in its place: a word more for each word that is loaded ahead of a
// region, as far as there are registers.
func Estimate(p Place, _ Way) Resources {
	registers := p.Work.Registers + ownWords + p.Ahead
	most := max(p.Work.Registers, p.GPU.Arch.RegistersPerThread)
	return Resources{Registers: min(registers, most), Source: "estimate"}
}
