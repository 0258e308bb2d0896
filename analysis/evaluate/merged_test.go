package evaluate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/usual"
	"github.com/smux-cuda/smux/lab/kerneltest"
)

func TestBlocksOfMergedLaunches(t *testing.T) {
	for launch, want := range map[string][3]int{
		"smux::block<2, 64>(b)":                                  {64, 1, 2},
		"smux::block<3, 16, 8>(b)":                               {16, 8, 3},
		"smux::block<4, 8, 4, 2>(b)":                             {8, 4, 8},
		"smux::block<2>(96)":                                     {96, 1, 2},
		"smux::block<2>(b)":                                      {},
		"smux::grid<2>(64)":                                      {},
		"smux::try_merge<2>(k, 9, 64).block":                     {},
		"smux::merge<2, 64>(9, b).block":                         {64, 1, 2},
		"smux::merge<3, 16, 8, 1, 'y'>(9, b).block":              {16, 8, 3},
		"smux::merge<2, 64>(9, b).grid":                          {},
		"smux::sets<2>(smux::merge<2, 64>(9, b), 512).block":     {64, 1, 2},
		"smux::resident<128>(k, smux::merge<2, 64>(9, b)).block": {64, 1, 2},
		"smux::grid<2>(smux::merge<2, 64>(9, b), 512).block":     {},
		"named.block":                                            {64, 2, 3},
		"smux::block<2, 64>(b, b)":                               {},
		"other::block<2, 64>(b)":                                 {},
		"smux::block<2, UNKNOWN_X>(b)":                           {},
	} {
		k := kerneltest.First(t, "#include \"smux.cuh\"\n__global__ void k(float *a) { *a = 0; }\nvoid run(float *a, dim3 b) { const auto named = smux::merge<3, 64, 2>(9, b); k<<<9, "+launch+">>>(a); }\n")
		if n, is := map[string]int{"smux::block<4, 8, 4, 2>(b)": 4, "smux::merge<2, 64>(9, b).block": 2, "named.block": 3, "smux::grid<2>(64)": 1}[launch]; is {
			assert.Equal(t, n, evaluate.Stacked(k, k.Instances[0]), launch)
		}
		shape, known := k.Instances[0].BlockShape()
		assert.Equal(t, want != [3]int{}, known, launch)
		if known {
			assert.Equal(t, want, shape, launch)
		}
	}
}

func TestANamespaceOfTheSameNameIsNotTheRuntime(t *testing.T) {
	k := kerneltest.First(t, "namespace smux { template <int N, int X> int block(int b) { return 5; } }\n__global__ void k(float *a) { *a = 0; }\nvoid run(float *a) { k<<<9, smux::block<2, 64>(64)>>>(a); }\n")
	_, known := k.Instances[0].BlockShape()
	assert.False(t, known)
}

// Which shape smux::reshape takes is seen when the program runs: it is counted with that which is asked for, where a block can have as many threads.
func TestReshapedBlocksAreCountedAsAskedFor(t *testing.T) {
	for launch, want := range map[string][3]int{
		"smux::reshape<64>(k, n / 256, 256).block":       {64, 1, 1},
		"smux::reshape<32, 8>(k, n, dim3(16, 16)).block": {32, 8, 1},
		"smux::reshape<128>(k, n, dim3(16, 16)).block":   {16, 16, 1},
		"smux::reshape<8>(k, n, dim3(16, 16)).block":     {8, 16, 1},
		"named.block": {96, 2, 1},
	} {
		k := kerneltest.First(t, "#include \"smux.cuh\"\n__global__ void k(float *a) { *a = 0; }\nvoid run(float *a, int n) { const auto named = smux::reshape<96>(256, n, dim3(8, 2)); k<<<9, "+launch+">>>(a); }\n")
		_, known := k.Instances[0].BlockShape()
		assert.False(t, known, launch)
		shape, _ := usual.Counted(k)[0].BlockShape()
		assert.Equal(t, want, shape, launch)
		assert.Equal(t, 1, evaluate.Stacked(k, k.Instances[0]), launch)
	}
}
