package reuse_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/smux-cuda/smux/analysis/reuse"
)

// found are the candidates of the first kernel of a source text, for blocks of
// 256 threads.
func found(t *testing.T, src string) []reuse.Candidate {
	t.Helper()
	k := kernels(t, &txtar.Archive{Comment: []byte("block: 256"), Files: []txtar.File{{Name: "k.cu", Data: []byte(src)}}})[0]
	return reuse.Candidates(k, k.Instances[0])
}

// A parameter that is written with an extent is a pointer all the same, and may
// be another's memory.
func TestParametersWithExtentsMayBeTheSameMemory(t *testing.T) {
	const body = "{ int i = blockIdx.x * 256 + threadIdx.x; o[i] = a[i - 1] + a[i] + a[i + 1]; }"
	for parameters, may := range map[string]bool{
		"float a[4096], float o[4096]":               true,
		"const float *a, float *o":                   true,
		"const float *__restrict__ a, float *o":      false,
		"const float *a, float *__restrict__ o":      false,
		"const float a[4096], float *__restrict__ o": false,
	} {
		list := found(t, "__global__ void k("+parameters+") "+body)
		require.Len(t, list, 1, parameters)
		alias := false
		for _, n := range list[0].Needs {
			alias = alias || strings.HasPrefix(n.Text, "no alias")
		}
		assert.Equal(t, may, alias, parameters)
	}
}

// A loop that is shorter than the tiles that are listed ends with one tile.
func TestTheLastTileIsTheWholeLoop(t *testing.T) {
	for n, want := range map[string][]int{"65": {8, 32, 65}, "128": {8, 32, 128}, "4096": {8, 32, 128}, "n": {8, 32, 128}} {
		list := found(t, "__global__ void k(const float *m, const float *v, float *o, int n) { int r = blockIdx.x * 256 + threadIdx.x; float s = 0; for (int j = 0; j < "+n+"; j++) s += m[j * 65536 + r] * v[j]; o[r] = s; }")
		require.Len(t, list, 1, n)
		var tiles []int
		for _, s := range list[0].Sizes {
			tiles = append(tiles, s.Tile)
		}
		assert.Equal(t, want, tiles, n)
	}
}
