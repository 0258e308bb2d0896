package acc_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/acc"
)

// TestSizesOfDirectivesAreFollowed has nests of two loops in f(i, j) with sizes at either, or at
// the construct.
func TestSizesOfDirectivesAreFollowed(t *testing.T) {
	for _, c := range []struct{ construct, outer, inner, want, said string }{
		{"", "", "", "32x8", ""},
		{"vector_length(128)", "gang", "vector", "128x1", ""},
		{"num_workers(4) vector_length(64)", "gang worker", "vector", "64x4", ""},
		{"", "gang", "vector(96)", "96x1", ""},
		{"", "worker(8)", "vector", "1x8", ""},
		{"vector_length(128)", "gang vector collapse(2)", "", "32x4", ""},
		{"num_workers(8) vector_length(64)", "gang worker vector collapse(2)", "", "32x16", ""},
		{"num_gangs(10)", "gang", "vector", "32x8", "num_gangs is not followed: the nest of loops has a thread for each iteration, in blocks of several dimensions"},
		{"num_workers(16) vector_length(128)", "gang worker", "vector", "32x8", "how many threads the directives ask for is not followed: 2048 threads are more than a thread block has"},
		{"vector_length(n)", "gang", "vector", "32x8", "vector_length is not followed: its size is no constant"},
		{"", "tile(4, 16)", "", "16x4", ""},
	} {
		t.Run(c.construct+" "+c.outer+" "+c.inner, func(t *testing.T) {
			inner := ""
			if c.inner != "" {
				inner = "#pragma acc loop " + c.inner + "\n"
			}
			res, err := translate(t, "in.c", fmt.Sprintf("void f(int n, double a[400][400])\n{\n#pragma acc parallel copy(a[0:400]) %s\n#pragma acc loop %s\nfor (int i = 0; i < n; i++)\n%sfor (int j = 0; j < n; j++)\na[i][j] += 1;\n}\n",
				c.construct, c.outer, inner))
			require.NoError(t, err)
			require.Len(t, res.Nests, 1)
			m := res.Nests[0].Mappings[0]
			assert.Equal(t, c.want, m.Shape())
			assert.Equal(t, []int{1, 0}, m.Loops, "the rows of the array lie along x")
			said := ""
			for _, m := range res.Messages {
				said += m.Text
			}
			assert.Equal(t, c.said, said)
		})
	}
}

// TestLargeBlocksCanBeLaunched has a compiler told of blocks that could need more registers than
// there are.
func TestLargeBlocksCanBeLaunched(t *testing.T) {
	for threads, want := range map[int]string{64: "__global__ void f_4_kernel(", 256: "__global__ void f_4_kernel(", 512: "__global__ void __launch_bounds__(512) f_4_kernel("} {
		res, err := translate(t, "in.c", fmt.Sprintf("void f(int n, double *a)\n{\n#pragma acc parallel loop copy(a[0:n]) vector_length(%d)\nfor (int i = 0; i < n; i++)\na[i] += 1;\n}\n", threads))
		require.NoError(t, err)
		assert.Contains(t, string(res.Text), want)
	}
}

// TestMappingsAreThoseOfTheDirectives says what may be chosen where directives leave it open.
func TestMappingsAreThoseOfTheDirectives(t *testing.T) {
	for _, c := range []struct {
		directive string
		loops     []string // with threads
	}{
		{"", []string{"[1 0]", "[0]", "[0 1]", "[1]"}},
		{"collapse(2)", []string{"[1 0]", "[0 1]"}},
		{"gang", []string{"[1 0]", "[0]", "[0 1]"}},
		{"tile(8, 8)", []string{"[1 0]"}},
	} {
		res, err := translate(t, "in.c", fmt.Sprintf("void f(double a[400][400])\n{\n#pragma acc parallel loop copy(a[0:400]) %s\nfor (int i = 0; i < 400; i++)\nfor (int j = 0; j < 6; j++)\na[i][j] += 1;\n}\n", c.directive))
		require.NoError(t, err)
		n := res.Nests[0]
		assert.Equal(t, []int64{400, 6}, n.Trips)
		assert.True(t, n.Known)
		var loops []string
		for _, m := range n.Mappings {
			if s := fmt.Sprint(m.Loops); !slices.Contains(loops, s) {
				loops = append(loops, s)
			}
			assert.LessOrEqual(t, m.Threads(), 1024)
			if c.directive == "tile(8, 8)" {
				continue
			}
			assert.GreaterOrEqual(t, m.Threads(), 32)
			if len(m.Loops) == 2 && m.Loops[0] == 0 {
				assert.Less(t, m.Block[1], 12, "more would only wait: %v", m)
			}
		}
		slices.Sort(loops[1:])
		want := slices.Clone(c.loops)
		slices.Sort(want[1:])
		assert.Equal(t, want, loops, c.directive)
	}
}

// TestTheGridOfAReductionIsThatOfItsMapping has thread blocks that are combined: as many as are asked for,
// unless a directive says how many there are.
func TestTheGridOfAReductionIsThatOfItsMapping(t *testing.T) {
	for _, c := range []struct{ clauses, loops, grid string }{
		{"", "for (int i = 0; i < n; i++)\n", "dim3 grid(acc_blocks_up_to(864, n, 256));"},
		{"", "for (int i = 0; i < n; i++)\nfor (int j = 0; j < 100; j++)\n", "dim3 grid(acc_blocks_up_to(54, n, 32), acc_blocks_up_to(16, 100, 8));"},
		{"num_gangs(10)", "for (int i = 0; i < n; i++)\n", "dim3 grid(acc_blocks(10, 1));"},
	} {
		text := fmt.Sprintf("double f(int n, double a[1000]) {\ndouble s = 0;\n#pragma acc parallel loop %s reduction(+:s) copyin(a[0:1000])\n%s s += a[i];\nreturn s; }\n", c.clauses, c.loops)
		first, err := translate(t, "in.c", text)
		require.NoError(t, err)
		assert.Equal(t, c.clauses == "", first.Nests[0].Combined)
		m := first.Nests[0].Mappings[0]
		m.Blocks = 864
		res, err := translateWith(t, "in.c", text, acc.Options{Mappings: map[string]acc.Mapping{first.Kernels[0]: m}})
		require.NoError(t, err)
		assert.Contains(t, string(res.Text), c.grid)
	}
}
