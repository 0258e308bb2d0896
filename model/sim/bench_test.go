package sim

import (
	"testing"

	"github.com/smux-cuda/smux/model/workload"
)

// The goal is 1,000 thread blocks of one kernel in under 50 ms; x-of-goal is how
// many times faster a run is.
func BenchmarkThousandBlocks(b *testing.B) {
	kernels := []*workload.Kernel{
		{Name: "fft", Threads: 64, Registers: 48, Shared: 8704, Body: parse(b, "C60+M4096 C200 x4(R(C40+S32 B C40+S32) C250 B) C40+W4096")},
		{Name: "mm", Threads: 256, Registers: 32, Shared: 2048, Body: parse(b, "C15 x64(R(^C15+M256 C5+S2 B C35+S24 B)) C12+W128")},
	}
	for _, k := range kernels {
		for _, p := range Policies() {
			if _, err := Place(fermi(), k, p); err != nil {
				continue
			}
			b.Run(k.Name+"/"+p.String(), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Run(fermi(), k, p, Options{Blocks: 1000}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(50e6/(float64(b.Elapsed().Nanoseconds())/float64(b.N)), "x-of-goal")
			})
		}
	}
}

// The standard set with the default number of blocks: most of what a ranking costs,
// whose goal is 200 ms.
func BenchmarkAllPolicies(b *testing.B) {
	k := &workload.Kernel{Name: "mm", Threads: 256, Registers: 32, Shared: 2048, Body: parse(b, "C15 x64(R(^C15+M256 C5+S2 B C35+S24 B)) C12+W128")}
	for b.Loop() {
		for _, p := range Policies() {
			if _, err := Place(fermi(), k, p); err != nil {
				continue
			}
			if _, err := Run(fermi(), k, p, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(200e6/(float64(b.Elapsed().Nanoseconds())/float64(b.N)), "x-of-goal")
}
