package nvcc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The outputs below have the forms of several versions of the toolkit.
const (
	ptxas11 = `ptxas info    : 24 bytes gmem
ptxas info    : Compiling entry function '_Z1kILi100EdEvPKT0_PS0_i' for 'sm_80'
ptxas info    : Function properties for _Z1kILi100EdEvPKT0_PS0_i
    32 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 29 registers, 512 bytes smem, 372 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Function properties for _Z4slowf
    80 bytes stack frame, 40 bytes spill stores, 44 bytes spill loads
ptxas info    : Compiling entry function '_Z4statPi' for 'sm_80'
ptxas info    : Function properties for _Z4statPi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, 360 bytes cmem[0]
`
	ptxas12 = `ptxas info    : 0 bytes gmem
ptxas info    : (C7510) Potential Performance Loss: something is serialized in the function '_Z4otherv'
ptxas info    : Compiling entry function '_Z3mulPf' for 'sm_90a'
ptxas info    : Function properties for _Z3mulPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 9 barriers, 48 bytes cumulative stack size, 8736 bytes smem, 656 bytes cmem[0]
ptxas info    : Compile time = 12.345 ms
`
	ptxas3 = `ptxas info    : Compiling entry function '_Z3addPi' for 'sm_13'
ptxas info    : Used 10 registers, 60+56 bytes lmem, 2084+16 bytes smem, 8 bytes cmem[1], 12 bytes cmem[14]
ptxas info    : Compiling entry function '_Z3subPi' for 'sm_20'
ptxas info    : Function properties for _Z3subPi
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 63 registers, 8+0 bytes lmem, 44 bytes smem, 48 bytes cmem[0]
`
)

func TestParsePTXAS(t *testing.T) {
	for name, c := range map[string]struct {
		output string
		want   []Kernel
	}{
		"11.8, figures of a called function aside": {ptxas11, []Kernel{
			{Name: "_Z1kILi100EdEvPKT0_PS0_i", Arch: "sm_80", Registers: 29, StaticShared: 512, Stack: 32, SpillStores: 12, SpillLoads: 16, Constant: 380, Barriers: -1},
			{Name: "_Z4statPi", Arch: "sm_80", Registers: 8, Constant: 360, Barriers: -1},
		}},
		"12, with barriers and cumulative stack": {ptxas12, []Kernel{
			{Name: "_Z3mulPf", Arch: "sm_90a", Registers: 168, StaticShared: 8736, Stack: 48, Constant: 656, Barriers: 9},
		}},
		"3, the system's bytes aside": {ptxas3, []Kernel{
			{Name: "_Z3addPi", Arch: "sm_13", Registers: 10, StaticShared: 2084, Local: 60, Constant: 20, Barriers: -1},
			{Name: "_Z3subPi", Arch: "sm_20", Registers: 63, StaticShared: 44, Stack: 8, SpillStores: 4, SpillLoads: 4, Local: 8, Constant: 48, Barriers: -1},
		}},
		"no parameters in constant memory, as on sm_90 by 11.8": {
			"ptxas info    : Compiling entry function 'k' for 'sm_90'\nptxas info    : Used 27 registers\n",
			[]Kernel{{Name: "k", Arch: "sm_90", Registers: 27, Barriers: -1}},
		},
		"an error in place of the figures": {
			"ptxas info    : Compiling entry function 'k' for 'sm_80'\nptxas error   : Entry function 'k' uses too much shared data\n", nil,
		},
		"nothing": {"", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range c.want {
				c.want[i].Mangled = c.want[i].Name
			}
			require.Equal(t, c.want, parsePTXAS(c.output))
			require.Equal(t, c.want, parsePTXAS(strings.ReplaceAll(c.output, "\n", "\r\n")), "with line ends of Windows")
		})
	}
}

func FuzzParsePTXAS(f *testing.F) {
	for _, s := range []string{ptxas11, ptxas12, ptxas3} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, output string) {
		for _, k := range parsePTXAS(output) {
			require.NotEmpty(t, k.Mangled)
			require.Contains(t, output, k.Mangled)
			for _, n := range []int{k.Registers, k.StaticShared, k.Stack, k.SpillStores, k.SpillLoads, k.Local, k.Constant, k.Barriers + 1} {
				require.GreaterOrEqual(t, n, 0)
			}
		}
	})
}
