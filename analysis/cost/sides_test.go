package cost_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/model/workload"
)

const sidesHead = `__global__ void k(float *a, const float *b, int n) { int x = threadIdx.x, y = blockIdx.x; float s = 0; `

func workOf(t *testing.T, body string) workload.Work {
	t.Helper()
	w, _ := workload.Total(ofSource(t, sidesHead+body+" a[x] = s; }\nvoid go(float *a, const float *b) { k<<<8, 32>>>(a, b, 4096); }").Body)
	return w
}

// A value that one side of a branch has loaded is in no register after the branch.
func TestWhatOneSideOfABranchLoadsIsLoadedAgainBehindIt(t *testing.T) {
	const load = 128.0 // bytes of a warp
	for name, c := range map[string]struct {
		body  string
		loads float64
	}{
		"twice without a branch": {"s += b[x]; s += b[x];", 1},
		"in two branches":        {"if (x < n) s += b[x]; if (y + x < n) s += b[x];", 2},
		"in front and in one":    {"s += b[x]; if (y + x < n) s += b[x];", 1},
		"in one and behind it":   {"if (y + x < n) s += b[x]; s += b[x];", 2},
		"on both sides":          {"if (y + x < n) s += b[x]; else s -= b[x];", 1},
		"in a branch within one": {"if (y + x < n) { s += b[x]; if (y < n) s *= b[x]; }", 1},
		"behind one within one":  {"if (y + x < n) { if (y < n) s *= b[x]; s += b[x]; }", 2},
		"what it has stored":     {"if (y + x < n) a[x + 64] = s; s += a[x + 64];", 1},
		"a constant condition":   {"if (true) s += b[x]; s += b[x];", 1},
	} {
		assert.InDelta(t, c.loads*load, workOf(t, c.body).Loads, 1e-9, name)
	}
}

// __ldg is inline assembly: an address of its own for each access where a plain load has a
// constant in the instruction.
func TestAddressesOfInlineAssemblyCostInstructions(t *testing.T) {
	for name, c := range map[string]struct {
		plain, asm string
		more       float64
	}{
		"one index":                 {"s += b[x] + b[x + 1] + b[x + 2];", "s += __ldg(b + x) + __ldg(b + x + 1) + __ldg(&b[x + 2]);", 0},
		"an index without constant": {"if (y < n) s += b[x];", "if (y < n) s += __ldg(b + x);", 0},
		"in a branch":               {"if (y < n) s += b[x + 1];", "if (y < n) s += __ldg(&b[x + 1]);", 3},
		"in two branches":           {"if (y < n) s += b[x + 1]; if (y + x < n) s += b[x + 1];", "if (y < n) s += __ldg(&b[x + 1]); if (y + x < n) s += __ldg(&b[x + 1]);", 6},
		"two indices":               {"s += *(b + y * 4096 + (x + 1)) + *(b + y * 4096 + (x + 2));", "s += __ldg(b + y * 4096 + (x + 1)) + __ldg(b + y * 4096 + (x + 2));", 8},
		"the same again":            {"s += *(b + y * 4096 + (x + 1)) + *(b + y * 4096 + (x + 1));", "s += __ldg(b + y * 4096 + (x + 1)) + __ldg(b + y * 4096 + (x + 1));", 4},
		"two indices in a branch":   {"if (y < n) s += *(b + y * 4096 + (x + 1));", "if (y < n) s += __ldg(b + y * 4096 + (x + 1));", 6},
	} {
		asm, plain := workOf(t, c.asm), workOf(t, c.plain)
		assert.InDelta(t, c.more, asm.Issue-plain.Issue, 1e-9, name)
		assert.Equal(t, plain.Loads, asm.Loads, name)
	}
}
