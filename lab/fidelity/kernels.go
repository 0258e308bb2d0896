// Package fidelity holds the simulation against results that others measured:
// a table of hand-written trials on a cycle-level simulator, and the averages of
// Yang et al., PACT'12. What counts is the order of policies; Kendall's and
// Spearman's rank correlations show how much of it the simulation gets right.
//
// Nothing here is fitted. The kernels are given by counts, the machines come from
// package gpu, and the simulation's constants are the same for all.
package fidelity

import (
	"fmt"

	"github.com/smux-cuda/smux/model/workload"
)

// kernel is a kernel as a line of a table.
type kernel struct {
	name      string
	threads   int
	registers int
	shared    int
	footprint float64
	body      string // as workload.Parse reads it
}

func (k kernel) workload() (*workload.Kernel, error) {
	body, err := workload.Parse(k.body)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.name, err)
	}
	return &workload.Kernel{Name: k.name, Threads: k.threads, Registers: k.registers, Shared: k.shared, Footprint: k.footprint, Body: body}, nil
}

// trials are the four kernels of the trials: instructions and
// shared-memory accesses per warp and segment as ptxas emits them for compute
// capability 3.5 (a 64-bit access of a warp is two wavefronts), bytes from the
// source, registers no more than the 63 that a thread has on compute capability
// 2.0. FFT is the form whose block shape is known to the compiler.
var trials = []kernel{
	{"FFT", 64, 56, 8704, 0, "C30+M4096 C130 x4(R(C60+S32 B C50+S32) C120 B) C20+W4096"},
	{"MV", 32, 56, 4224, 0, "C10 x8(R(^C60+M4096 C40+S32 B C72+S32 B)) C5+W128"},
	{"SP", 64, 48, 4144, 0, "C10 x2(C236+M8192x4 B R(C20+S16 x10(B C28+S5.4) C5+W16))"},
	{"MC", 32, 48, 9216, 8e3, "C10 x3(C40+M1024 R(C450+S72 C20+M384+A256 x15(C30+S6+M576+A576+W614)))"},
}

// table1 are the ten benchmarks of PACT'12 Table 1 with its threads and bytes.
// The segments follow the programs in examples/: counts of ptxas for compute
// capability 3.5, loops and data as large as the paper's kind of input asks for.
// Sums and stages that a rewrite keeps in registers stand in front of the
// regions, as the paper's hand-written versions have them.
var table1 = []kernel{
	{"MV", 32, 32, 4268, 20e3, "C15 x32(R(^C80+M4096x2 C60+S32 B C100+S32+M128 B)) C5+W128"},
	{"FFT", 64, 63, 8736, 8e3, "C20+M4096 C130 R(C80+S32 B C50+S32) C85 B R(C50+S32 B C50+S32) C110 B R(C50+S32 B C50+S32) C120 B R(C50+S32 B C50+S32) C130+W4096"},
	{"MC", 32, 63, 9324, 20e3, "C10 x8(C100+M128 C60+M3000+A2000 R(C450+S73 B C11+S1+M512+A256 x7(C35+S7+M256+A200+W1024)))"},
	{"STO", 128, 48, 16304, 8e3, "C20 x4(R(^C60+M1792+A1600 C60+S17 x4(C160+S50 x64(C18+S6) C20+S4+W512)))"},
	{"SP", 64, 48, 4144, 32e3, "C10 x4(C236+M8192x4 B R(C20+S16 x10(B C28+S5.4) C5+W16))"},
	{"HG", 64, 29, 8224, 8e3, "C10 R(C40+S32 x4(x63(C50+S4+M128+A64) B C400+S32 B C34+S32)) C12+W512"},
	{"CV", 128, 32, 8300, 8e3, "C40 R(^C150+M2064x2 C50+S17 B x16(C53+S17+W128))"},
	{"MM", 256, 32, 2084, 32e3, "C15 x16(R(^C15+M256 C5+S2 B C35+S24 B)) C12+W128"},
	{"TP", 128, 24, 4260, 4e3, "C10 R(^C60+M1024 C10+S8 B C25+S8+W1024)"},
	{"RD", 128, 29, 540, 8e3, "C20 C60+M2048 R(C5+S1 x7(B C6+S2) C2+W8)"},
}
