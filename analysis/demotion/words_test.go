package demotion_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
)

// wordsOf returns the candidates of the first kernel of a program.
func wordsOf(t *testing.T, src string) *demotion.Candidates {
	t.Helper()
	prog, errs := parser.LoadProgram([]string{"in.cu"}, parser.Options{ReadFile: func(string) ([]byte, error) { return []byte(src), nil }})
	require.Empty(t, errs)
	kernels := passes.NewProgram(prog, [3]int{}).Kernels()
	require.NotEmpty(t, kernels)
	return demotion.Of(kernels[0], nil)
}

// TestWordsComeCheapestFirst: an access counts ten times as much for each loop around it, that of a whole vector for
// each component, and is shared out among the words that are gained; what is used in the inner loop comes last.
func TestWordsComeCheapestFirst(t *testing.T) {
	c := wordsOf(t, `
__device__ float helper(float v) { float kept = v; kept += v; return kept; }
__global__ void k(const float3 *body, float *out, int n)
{
    float outer = out[0], inner = out[1], late = out[2];
    double wide = out[3];
    float3 sum = make_float3(0, 0, 0);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) inner = inner * 2;
        outer += inner;
        wide += out[i];
        sum.x += helper(out[i]);
    }
    out[4] = outer + late + wide + sum.x;
    body = &body[n];
}
void run(const float3 *b, float *a) { k<<<1, 64>>>(b, a, 4); }
`)
	var got []string
	for _, w := range c.Words {
		got = append(got, fmt.Sprintf("%s: %d words, %g reads, %g writes", w.Name, w.Words, w.Reads, w.Writes))
	}
	assert.Equal(t, []string{
		"late: 1 words, 1 reads, 1 writes",
		"sum: 3 words, 11 reads, 13 writes",
		"wide: 2 words, 11 reads, 11 writes",
		"outer: 1 words, 11 reads, 11 writes",
		"kept: 1 words, 20 reads, 20 writes",
		"inner: 1 words, 110 reads, 101 writes",
	}, got)
	assert.Equal(t, []string{"x", "y", "z"}, c.Words[1].Fields)
	for i := range c.Words[1:] {
		assert.LessOrEqual(t, c.Words[i].Weight(), c.Words[i+1].Weight())
	}
	var refused []string
	for _, m := range c.Refused {
		refused = append(refused, string(m.Code))
	}
	assert.Equal(t, []string{"word-place", "word-place"}, refused, "the counters")
}

// TestWordsThatAreUsedOnceAreNotSpokenOf: a variable that can't move and has less than two uses is not worth a line.
func TestWordsThatAreUsedOnceAreNotSpokenOf(t *testing.T) {
	c := wordsOf(t, `
__global__ void k(float *out)
{
    short once = out[0], twice = out[1];
    out[2] = once + twice * twice;
}
void run(float *a) { k<<<1, 64>>>(a); }
`)
	require.Len(t, c.Refused, 1)
	assert.Contains(t, c.Refused[0].Text, "twice")
	assert.Empty(t, c.Words)
}

// TestSpanReachesToTheEndOfALoop: a variable that lives on from one time round to
// the next is live until the loop ends.
func TestSpanReachesToTheEndOfALoop(t *testing.T) {
	c := wordsOf(t, `
__global__ void k(float *out, int n)
{
    float all = out[0];
    float head = out[1];
    head *= out[2];
    for (int i = 0; i < n; ++i) {
        all += out[i];
        out[i] = 1; out[i + 1] = 1; out[i + 2] = 1; out[i + 3] = 1; out[i + 4] = 1; out[i + 5] = 1;
    }
}
void run(float *a) { k<<<1, 64>>>(a, 4); }
`)
	span := map[string]float64{}
	for _, w := range c.Words {
		span[w.Name] = w.Span
	}
	assert.Greater(t, span["all"], 0.9)
	assert.Less(t, span["head"], 0.3)
}
