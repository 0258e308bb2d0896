package regreduce

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/stall"
	"github.com/smux-cuda/smux/nvcc"
)

// toolkit is the installed one, with a cache of its own.
func stallToolkit(t *testing.T) *nvcc.Toolkit {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles with nvcc")
	}
	toolkit, err := nvcc.Find()
	if err != nil {
		t.Skip("needs nvcc: ", err)
	}
	if _, exact := toolkit.NearestArch("8.0"); !exact {
		t.Skip("needs an nvcc that knows sm_80")
	}
	toolkit.CacheDir = t.TempDir()
	return toolkit
}

// compiled are the kernels of some texts for sm_80, by file.
func compiled(t *testing.T, toolkit *nvcc.Toolkit, texts map[string]string, flags ...string) map[string]*nvcc.Code {
	t.Helper()
	r := nvcc.Request{Texts: map[string][]byte{}, Arch: "sm_80", Flags: flags}
	for name, text := range texts {
		r.Texts[name] = []byte(text)
	}
	codes, err := toolkit.Codes(t.Context(), r)
	require.NoError(t, err)
	out := map[string]*nvcc.Code{}
	for _, c := range codes {
		out[c.Unit] = c
	}
	require.Len(t, out, len(texts), "one kernel each")
	return out
}

// wide keeps many values alive over a loop: %s are its attributes.
const wide = `__global__ void %s k(const float *a, float *b, int n)
{
	float v[48];
	for (int j = 0; j < 48; j++)
		v[j] = a[threadIdx.x + 64 * j];
	for (int i = 0; i < n; i++) {
		float x = a[i];
		for (int j = 0; j < 48; j++)
			v[j] = v[j] * x + v[(j + 7) %% 48];
	}
	for (int j = 0; j < 48; j++)
		b[threadIdx.x + 64 * j] = v[j];
}
`

func TestSpillingCodeTakesMoreCycles(t *testing.T) {
	toolkit := stallToolkit(t)
	codes := compiled(t, toolkit, map[string]string{
		"free.cu":   fmt.Sprintf(wide, ""),
		"capped.cu": fmt.Sprintf(wide, "__launch_bounds__(1024, 2)"),
	})
	free, capped := codes["free.cu"], codes["capped.cu"]
	require.Zero(t, free.SpillLoads)
	require.Positive(t, capped.SpillLoads)
	before, after := stallCycles(free), stallCycles(capped)
	require.Positive(t, before)
	require.Greater(t, after, 1.2*before)
	cost := func(c *nvcc.Code) float64 {
		return stall.Variant{Cycles: stallCycles(c), Warps: 32, Busy: mixOf(c).Busy(&a100(t).Arch)}.Cost()
	}
	require.Greater(t, cost(capped), cost(free))

	// Were all of it in the L1, it would still be more, but less so.
	cached := stall.Usual
	cached.Local = 30
	require.Greater(t, stall.Cycles(stallsOf(capped), cached), before)
	require.Less(t, stall.Cycles(stallsOf(capped), cached), after)
}

func a100(t *testing.T) *gpu.GPU {
	t.Helper()
	g, err := gpu.Lookup("a100")
	require.NoError(t, err)
	return g
}

const summed = `__global__ void k(const float *a, float *b, int n)
{
	float sum = 0;
#pragma unroll %d
	for (int i = 0; i < n; i++)
		sum += a[i * 64 + threadIdx.x];
	b[threadIdx.x] = sum;
}
`

func TestUnrolledLoopIsNotTakenForMoreWork(t *testing.T) {
	toolkit := stallToolkit(t)
	texts := map[string]string{}
	for _, times := range []int{1, 4, 8} {
		texts[fmt.Sprint(times, ".cu")] = fmt.Sprintf(summed, times)
	}
	codes := compiled(t, toolkit, texts)
	for name, c := range codes {
		var loads float64
		turns := turnsOf(c.Listing.Loops)
		for _, in := range c.Instructions {
			if in.Counts().GlobalLoads > 0 {
				times := 1.0
				for l := in.Loop; l >= 0; l = c.Listing.Loops[l].Parent {
					times *= turns[l]
				}
				loads += times
			}
		}
		require.InDelta(t, stall.Turns, loads, 2, "%s: as many loads as the source's loop has in ten turns %+v", name, c.Listing.Loops)
	}
	once, four, eight := stallCycles(codes["1.cu"]), stallCycles(codes["4.cu"]), stallCycles(codes["8.cu"])
	require.Less(t, four, once, "loads of several turns wait together")
	require.Less(t, eight, once)

	lines := stallsByLine(codes["1.cu"])
	sum := 0.0
	for _, cycles := range lines {
		sum += cycles
	}
	require.InEpsilon(t, once, sum, 1e-9)
	require.Greater(t, lines[nvcc.Place{File: "1.cu", Line: 6}], 0.8*once, "where the loaded value is added")
}

func TestTurnsOfTheCopiesOfALoopAddUpToTheSources(t *testing.T) {
	line := func(n int) nvcc.Place { return nvcc.Place{File: "a.cu", Line: n} }
	loops := []nvcc.Loop{
		{ID: 0, Parent: -1, Branch: line(3), BranchIn: line(3)}, // not known how often unrolled
		{ID: 1, Parent: 0, Branch: line(5), BranchIn: line(5), Unrolled: 32},
		{ID: 2, Parent: 0, Branch: line(5), BranchIn: line(5), Unrolled: 16},
		{ID: 3, Parent: 0, Branch: line(5), BranchIn: line(5), Unrolled: 1},
		{ID: 4, Parent: 0, Branch: line(7), BranchIn: line(7), Unrolled: 2},
		{ID: 5, Parent: 0, Branch: line(7), BranchIn: line(7), Unrolled: 1},
		{ID: 6, Parent: -1, Branch: line(5), BranchIn: line(5), Unrolled: 4},
	}
	turns := turnsOf(loops)
	sums := map[[2]int]float64{}
	for i, l := range loops {
		require.Positive(t, turns[i])
		sums[[2]int{l.Parent, l.Branch.Line}] += turns[i] * float64(max(1, l.Unrolled))
	}
	require.Len(t, sums, 4)
	for _, sum := range sums {
		require.InDelta(t, stall.Turns, sum, 1e-9)
	}
	twice := turnsOf(append(loops, loops[4], loops[5]))
	require.Equal(t, turns, twice[:len(turns)], "another call of the same function on the same line")
	require.Equal(t, turns[4:6], twice[len(turns):])
}

func TestWaitsOfDEPBARAreRead(t *testing.T) {
	for operands, want := range map[string]struct {
		wait uint8
		left int
	}{
		"SB0, 0x0":            {1 << 0, 0},
		"SB0, 0x1":            {1 << 0, 1},
		"SB5, 0x2, {4,3":      {1<<5 | 1<<4 | 1<<3, 2},
		"{2":                  {1 << 2, 0},
		"":                    {0, 0},
		"SB9, 0xffffffffffff": {0, 0},
	} {
		wait, left := dependencies(operands)
		require.Equal(t, want.wait, wait, operands)
		require.Equal(t, want.left, left, operands)
	}
}

func TestCodeWithoutKnownControlCodesHasNoStalls(t *testing.T) {
	code := &nvcc.Code{Listing: &nvcc.Listing{}, Instructions: []nvcc.Instruction{{Opcode: "EXIT", Loop: -1}}}
	require.Empty(t, stallsOf(code))
	require.Zero(t, stallCycles(code))
	require.Empty(t, stallsByLine(code))
	require.Zero(t, stallCycles(&nvcc.Code{Listing: &nvcc.Listing{}}))
}

// stallCycles is the predicted stall count of a kernel.
func stallCycles(code *nvcc.Code) float64 { return stall.Cycles(stallsOf(code), stall.Usual) }

// stallsByLine splits the sum of stallCycles by the lines of the kernel's own body; nil
// where the control codes are not known.
func stallsByLine(code *nvcc.Code) map[nvcc.Place]float64 {
	list := stallsOf(code)
	if len(list) == 0 {
		return nil
	}
	spent, out := stall.Spent(list, stall.Usual), map[nvcc.Place]float64{}
	for _, in := range code.Instructions {
		if !in.Called { // as in stallsOf
			out[in.In] += spent[0]
			spent = spent[1:]
		}
	}
	return out
}
