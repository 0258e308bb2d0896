package cost_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/nvcc"
)

// listing returns the counts of a kernel's machine code per line.
func listing(l *nvcc.Listing) []cost.Line {
	var out []cost.Line
	for _, c := range l.Lines {
		if !c.Called {
			out = append(out, cost.Line{
				File: c.File, Line: c.Line, In: c.In.Line, Issue: float64(c.Issue),
				Memory: float64(c.SharedLoadBytes + c.SharedStoreBytes + c.GlobalLoadBytes + c.GlobalStoreBytes + 4*(c.SharedAtomics+c.GlobalAtomics)),
			})
		}
	}
	return out
}

// What a warp issues by the walk alone and by the compiler's listing, for the
// kernels of the examples: a table, and the promise of a factor of about 1.5.
func TestStaticCountsAreNearTheCompilers(t *testing.T) {
	tools, err := nvcc.Find()
	if err != nil {
		t.Skip("no nvcc: static counts were not compared with the compiler's")
	}
	paths, err := filepath.Glob("../../examples/*/*.cu")
	require.NoError(t, err)
	t.Logf("%-18s %10s %10s %s", "kernel", "static", "SASS", "ratio")
	for _, p := range paths {
		name := filepath.Base(p)
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 3)
			src, err := os.ReadFile(p)
			require.NoError(t, err)
			ls, err := tools.Lines(context.Background(), nvcc.Request{Texts: map[string][]byte{name: src}, Arch: "sm_80"})
			require.NoError(t, err)
			for _, k := range kernelsOf(t, name, string(src)) {
				for _, l := range ls {
					if l.Base() != k.Name {
						continue
					}
					static, err := cost.Of(k, nil, cost.Options{})
					require.NoError(t, err)
					listed, err := cost.Of(k, nil, cost.Options{Lines: listing(l)})
					require.NoError(t, err)
					ratio := total(static).Issue / total(listed).Issue
					t.Logf("%-18s %10.0f %10.0f  %.2f", k.Name, total(static).Issue, total(listed).Issue, ratio)
					assert.InDelta(t, 1.08, ratio, 0.46, "%s: between 1/1.6 and 1.54", k.Name)
				}
			}
		})
	}
}

const looped = `__global__ void k(const float *__restrict__ a, float *__restrict__ b)
{
    float v = 0.0f;
    for (int i = 0; i < 1000; ++i)
        v = v * v + a[i * 64 + threadIdx.x];
    b[threadIdx.x] = v;
}
void run(const float *a, float *b) { k<<<8, 64>>>(a, b); }
`

func TestUnrollingInAListingIsNotCountedTwice(t *testing.T) {
	k := kernelsOf(t, "k.cu", looped)[0]
	of := func(lines ...cost.Line) float64 {
		w, err := cost.Of(k, nil, cost.Options{Lines: lines})
		require.NoError(t, err)
		return total(w).Issue
	}
	straight := []cost.Line{{File: "k.cu", Line: 3, In: 3, Issue: 2}, {File: "k.cu", Line: 6, In: 6, Issue: 4, Memory: 4}}
	rolled := of(append(straight, cost.Line{File: "k.cu", Line: 5, In: 5, Issue: 3, Memory: 4}, cost.Line{File: "k.cu", Line: 4, In: 4, Issue: 3})...)
	unrolled := of(append(straight, cost.Line{File: "k.cu", Line: 5, In: 5, Issue: 12, Memory: 16}, cost.Line{File: "k.cu", Line: 4, In: 4, Issue: 3})...)
	assert.InDelta(t, 6+1000*6, rolled, 1)
	assert.InDelta(t, 6+1000*(3+0.75), unrolled, 1, "four turns in a row: the head is shared, the body is not")
}

func TestAListingOfNothingLeavesNothing(t *testing.T) {
	k := kernelsOf(t, "k.cu", looped)[0]
	w, err := cost.Of(k, nil, cost.Options{Lines: []cost.Line{{File: "k.cu", Line: 6, In: 6, Issue: 4, Memory: 4}}})
	require.NoError(t, err)
	assert.InDelta(t, 4, total(w).Issue, 1e-6, "the loop's instructions are those of the code around it")
	assert.InDelta(t, 1000*128, total(w).Loads, 1, "bytes do not come from the listing")
}

// How many loads are under way together is the compiler's affair: of four that it makes
// in a row, one is waited for where the walk may count more or fewer.
func TestBatchesOfLoadsAreTheListings(t *testing.T) {
	k := kernelsOf(t, "k.cu", looped)[0]
	waits := func(line cost.Line) float64 {
		w, err := cost.Of(k, nil, cost.Options{Lines: []cost.Line{{File: "k.cu", Line: 6, In: 6, Issue: 4, Memory: 4}, line}})
		require.NoError(t, err)
		return total(w).Waits
	}
	assert.InDelta(t, 1000, waits(cost.Line{File: "k.cu", Line: 5, In: 5, Issue: 3, Memory: 4, Waits: 1}), 1)
	assert.InDelta(t, 250, waits(cost.Line{File: "k.cu", Line: 5, In: 5, Issue: 12, Memory: 16, Waits: 1}), 1, "four turns in a row")
	assert.InDelta(t, 500, waits(cost.Line{File: "k.cu", Line: 5, In: 5, Issue: 12, Memory: 16, Waits: 2}), 1)
}

// The same kernel costs the same in each run: sums of floats and the numbers of values
// depend on the order in which lines and variables are met.
func TestTheCostOfAKernelDoesNotVary(t *testing.T) {
	var src strings.Builder
	src.WriteString("__global__ void k(const float *in, float *out) {\n    __shared__ float s[64];\n    s[threadIdx.x] = in[threadIdx.x];\n    __syncthreads();\n    float a = s[0], b = s[1], c = s[2];\n")
	var lines []cost.Line
	for i := range 30 {
		fmt.Fprintf(&src, "    if (in[%d] > %d) { a += b * s[%d]; c = a; } else { b -= c; a = b; }\n", i, i, i)
		lines = append(lines, cost.Line{File: "k.cu", Line: 6 + i, In: 6 + i, Issue: 1 / float64(3+i), Waits: 1 / float64(7+i)})
	}
	src.WriteString("    out[threadIdx.x] = a + b + c;\n}\nvoid f(float *p) { k<<<9, 64>>>(p, p); }\n")
	k := kernelsOf(t, "k.cu", src.String())[0]
	first, err := cost.Of(k, nil, cost.Options{Lines: lines})
	require.NoError(t, err)
	for range 20 {
		again, err := cost.Of(k, nil, cost.Options{Lines: lines})
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
}
