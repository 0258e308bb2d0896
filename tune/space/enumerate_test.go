package space_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/space"
)

// names returns the names of candidates.
func names(entries []space.ListedVariant) (out []string) {
	for _, e := range entries {
		out = append(out, e.TunedVariant.String())
	}
	return out
}

// why is the reason for which a form is left out, "" where it is not.
func why(left []space.OmittedVariant, name string) string {
	for _, l := range left {
		if l.TunedVariant.String() == name {
			return l.Why
		}
	}
	return ""
}

// TestEveryExampleHasASearchableList: the original first, then its forms, then what
// merges, then what is offered by name; nothing twice, and no more than can be measured.
func TestEveryExampleHasASearchableList(t *testing.T) {
	for _, path := range examples(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			suite.Sample(t, filepath.Base(path), 6)
			t.Parallel()
			entries, left := listed(t, path)
			assert.GreaterOrEqual(t, len(entries), 20)
			assert.LessOrEqual(t, len(entries), 80)
			require.NotEmpty(t, left)
			assert.True(t, entries[0].IsOriginal())
			assert.Equal(t, 1.0, entries[0].Predicted)
			assert.Positive(t, entries[0].VTBs)
			all := names(entries)
			slices.Sort(all)
			assert.Len(t, slices.Compact(all), len(entries), "each once")
			merging := slices.IndexFunc(entries, func(e space.ListedVariant) bool { return !e.IsForm() })
			require.Positive(t, merging)
			byName := slices.IndexFunc(entries, func(e space.ListedVariant) bool { return e.Rewriter != "" && variant.Named(e.Rewriter).Searched })
			if byName < 0 {
				byName = len(entries)
			}
			for i, e := range entries {
				assert.Equal(t, i < merging || i >= byName || e.Rewriter == variant.Coarsen, e.IsForm(), "%s stands among its like", e.TunedVariant)
				assert.Equal(t, i == 0, len(e.Traits) == 0, "%s", e.TunedVariant)
				assert.Equal(t, e.Carveout > 0, slices.Contains(e.Traits, "carveout"))
				if !e.IsForm() {
					assert.Contains(t, e.Traits, e.Rewriter)
					assert.Contains(t, e.Traits, e.Sync)
					assert.True(t, e.Predicted > 0 || e.Blocks > 0, "%s: of caps alone the model may say nothing", e.TunedVariant)
				}
			}
			for _, l := range left {
				assert.NotEmpty(t, l.Why, "%s", l.TunedVariant)
				assert.NotContains(t, names(entries), l.TunedVariant.String())
			}
		})
	}
}

func TestTheListIsTheSameEachTime(t *testing.T) {
	path := "../../examples/tp/tp.cu"
	first, left := space.Enumerate(example(t, path, "h200", rewrite.Options{}))
	in := example(t, path, "h200", rewrite.Options{})
	for range 2 {
		again, leftAgain := space.Enumerate(in)
		assert.Equal(t, first, again)
		assert.Equal(t, left, leftAgain)
	}
}

// registerLimited is a kernel whose estimate has more registers than leave room for
// all its warps.
const registerLimited = `
__global__ void k(const float *in, float *out)
{
    __shared__ float s[256];
    double a0 = in[0], a1 = in[1], a2 = in[2], a3 = in[3], a4 = in[4], a5 = in[5], a6 = in[6], a7 = in[7];
    double b0 = in[8], b1 = in[9], b2 = in[10], b3 = in[11], b4 = in[12], b5 = in[13], b6 = in[14], b7 = in[15];
    double c0 = in[16], c1 = in[17], c2 = in[18], c3 = in[19], c4 = in[20], c5 = in[21], c6 = in[22], c7 = in[23];
    for (int i = 0; i < 1000; ++i) {
        a0 += b0 * c1; a1 += b1 * c2; a2 += b2 * c3; a3 += b3 * c4; a4 += b4 * c5; a5 += b5 * c6; a6 += b6 * c7; a7 += b7 * c0;
        b0 += c0 * a1; b1 += c1 * a2; b2 += c2 * a3; b3 += c3 * a4; b4 += c4 * a5; b5 += c5 * a6; b6 += c6 * a7; b7 += c7 * a0;
        c0 += a0 * b1; c1 += a1 * b2; c2 += a2 * b3; c3 += a3 * b4; c4 += a4 * b5; c5 += a5 * b6; c6 += a6 * b7; c7 += a7 * b0;
    }
    s[threadIdx.x] = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7 + c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7;
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}
`

func TestRegistersAreCappedForTheNextSteps(t *testing.T) {
	entries, _ := space.Enumerate(text(t, registerLimited+"void run(float *a) { k<<<1000, 256>>>(a, a); }\n", "h200"))
	var blocks []int
	for _, e := range entries {
		if e.Rewriter == "" && e.Blocks > 0 {
			blocks = append(blocks, e.Blocks)
			assert.Contains(t, e.Traits, "cap")
			assert.Equal(t, e.Blocks, e.VTBs)
			assert.Less(t, e.Registers, entries[0].Registers)
		}
	}
	require.NotEmpty(t, blocks)
	assert.LessOrEqual(t, len(blocks), 3)
	assert.Equal(t, entries[0].VTBs+1, blocks[0])
	assert.True(t, slices.IsSorted(blocks))
	assert.True(t, slices.ContainsFunc(entries, func(e space.ListedVariant) bool { return !e.IsForm() && e.Blocks > 0 }), "%v", names(entries))
}

// TestOnTheCPUNothingIsListedThatMeansSomethingOnAGPUAlone: no caps and no carve-outs, and the rest is
// what it is.
func TestOnTheCPUNothingIsListedThatMeansSomethingOnAGPUAlone(t *testing.T) {
	in := text(t, registerLimited+"void run(float *a) { k<<<1000, 256>>>(a, a); }\n", "h200")
	ofGPU := func(e space.ListedVariant) bool {
		return e.Blocks > 0 || e.TunedVariant.Registers > 0 || e.Carveout > 0
	}
	all, _ := space.Enumerate(in)
	in.CPU = true
	here, left := space.Enumerate(in)
	require.True(t, slices.ContainsFunc(all, ofGPU))
	assert.Equal(t, names(slices.DeleteFunc(all, ofGPU)), names(here))
	for _, l := range left {
		assert.Zero(t, l.Blocks+l.Registers+l.Carveout, l.String())
	}
}

// TestTheCompilersFlagCapsWhatLaunchBoundsCant: a launch with a block whose size is
// computed could have more threads than any bounds.
func TestTheCompilersFlagCapsWhatLaunchBoundsCant(t *testing.T) {
	const host = "void run(float *a, int n) { k<<<1000, 256>>>(a, a); k<<<1000, n>>>(a, a); }\n"
	entries, left := space.Enumerate(text(t, registerLimited+host, "h200"))
	i := slices.IndexFunc(entries, func(e space.ListedVariant) bool { return e.TunedVariant.Registers > 0 })
	require.GreaterOrEqual(t, i, 0, "%v", names(entries))
	assert.Contains(t, entries[i].Traits, "cap")
	assert.False(t, slices.ContainsFunc(entries, func(e space.ListedVariant) bool { return e.Blocks > 0 }))
	assert.True(t, slices.ContainsFunc(left, func(l space.OmittedVariant) bool {
		return l.Blocks > 0 && strings.Contains(l.Why, "is not a constant")
	}))
	bounded := strings.Replace(registerLimited, "void k", "void __launch_bounds__(1024) k", 1)
	entries, _ = space.Enumerate(text(t, bounded+host, "h200"))
	assert.False(t, slices.ContainsFunc(entries, func(e space.ListedVariant) bool { return e.TunedVariant.Registers > 0 }), "the flag does not reach it")
}

func TestKnobsThatAreGivenRestrictTheList(t *testing.T) {
	const path = "../../examples/mm/mm.cu"
	for name, c := range map[string]struct {
		way  rewrite.Variant
		fits func(record.TunedVariant) bool
	}{
		"variant": {rewrite.Variant{Rewriter: "merge"}, func(c record.TunedVariant) bool { return c.Rewriter == "merge" }},
		"factor":  {rewrite.Variant{Factor: 3}, func(c record.TunedVariant) bool { return c.Factor == 3 }},
		"sync":    {rewrite.Variant{Sync: "lock"}, func(c record.TunedVariant) bool { return c.Sync == "lock" }},
		"private": {rewrite.Variant{Rewriter: "co-vtb", PrivateRows: 5}, func(c record.TunedVariant) bool { return c.PrivateRows == 5 }},
		"slots":   {rewrite.Variant{Rewriter: "dyn", SharedSets: 3}, func(c record.TunedVariant) bool { return c.SharedSets == 3 }},
		"stage":   {rewrite.Variant{Rewriter: "vtb", Stage: variant.NoStage}, func(c record.TunedVariant) bool { return c.Stage == variant.NoStage }},
		"assume":  {rewrite.Variant{Rewriter: "vtb", Assume: true}, func(c record.TunedVariant) bool { return c.Assume }},
		"merge":   {rewrite.Variant{Rewriter: "vtb", GridAxis: "y"}, func(c record.TunedVariant) bool { return c.GridAxis == "y" }},
		"along x": {rewrite.Variant{Rewriter: "vtb", GridAxis: "x"}, func(c record.TunedVariant) bool { return c.GridAxis == "" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entries, left := space.Enumerate(example(t, path, "h200", rewrite.Options{Variant: c.way}))
			merging, forms := 0, 0
			for _, e := range entries {
				if e.IsForm() {
					forms++
					continue
				}
				merging++
				assert.True(t, c.fits(e.TunedVariant), "%s", e.TunedVariant)
			}
			assert.Positive(t, merging, "%v", left)
			assert.Greater(t, forms, 2, "gains are told against the original's forms")
		})
	}
	entries, _ := space.Enumerate(example(t, path, "h200", rewrite.Options{Variant: rewrite.Variant{Rewriter: "stage-loads"}}))
	for _, e := range entries {
		assert.True(t, e.IsForm() && (e.Rewriter == "" || e.Rewriter == "stage-loads"), "%s", e.TunedVariant)
	}
}

func TestWhatCantRunOnTheGPUIsLeftOutWithTheReason(t *testing.T) {
	in := example(t, "../../examples/mv/mv.cu", "gtx480@16", rewrite.Options{})
	entries, left := space.Enumerate(in)
	for name, reason := range map[string]string{
		"vtb named N=8":         "17 barriers",
		"merge named N=4":       "bytes of shared memory",
		"original carveout=100": "no carve-out that a kernel can prefer",
		"original cap=4":        "shared memory limits, registers don't",
	} {
		assert.Contains(t, why(left, name), reason, name)
		assert.NotContains(t, names(entries), name)
	}
	in = example(t, "../../examples/mm/mm.cu", "h200", rewrite.Options{})
	_, left = space.Enumerate(in)
	assert.Contains(t, why(left, "vtb named N=8"), "more than 1024")
}

// TestWithoutAModelTheListIsWhatCanBeWritten: nothing is predicted, and nothing left
// out for it.
func TestWithoutAModelTheListIsWhatCanBeWritten(t *testing.T) {
	in := example(t, "../../examples/mm/mm.cu", "h200", rewrite.Options{})
	in.Report, in.All = nil, true
	entries, left := space.Enumerate(in)
	for _, e := range entries {
		assert.Zero(t, e.Predicted, "%s", e.TunedVariant)
		assert.Zero(t, e.VTBs)
	}
	for _, name := range []string{"original", "vtb named N=2", "vtb named N=4", "co-vtb named N=2 P=8", "original carveout=100", "vtb named N=2 carveout=100", "vtb named N=2 merge=y"} {
		assert.Contains(t, names(entries), name)
	}
	assert.Contains(t, why(left, "original cap=1"), "unknown")
	unranked := text(t, reversal[:strings.Index(reversal, "void run")]+"void run(float *a, int n) { reverse<<<n, n>>>(a, a); }\n", "h200")
	require.NotEmpty(t, unranked.Report.Unranked)
	entries, _ = space.Enumerate(unranked)
	assert.Contains(t, names(entries), "vtb block N=2")
}

// TestAKernelThatNothingMergesHasForms: the tuner has something to measure there,
// too.
func TestAKernelThatNothingMergesHasForms(t *testing.T) {
	large := strings.NewReplacer("256", "1024", "255", "1023").Replace(registerLimited)
	in := text(t, large+"void run(float *a) { k<<<1000, 1024>>>(a, a); }\n", "h200")
	require.False(t, slices.ContainsFunc(in.Group.Variants, func(o rewrite.CheckedVariant) bool { return o.Can && o.Merges() }))
	entries, left := space.Enumerate(in)
	for _, name := range []string{"original", "assume-shape", "original cap=2", "assume-shape cap=2", "original carveout=100"} {
		assert.Contains(t, names(entries), name)
	}
	assert.Contains(t, why(left, "vtb named N=2"), "more than 1024")
}

// TestSpillsAreMeasured: the model does not consider what spills, and a measurement
// may.
func TestSpillsAreMeasured(t *testing.T) {
	in := text(t, reversal, "gtx480@16")
	w := rewrite.Variant{Rewriter: "vtb", Sync: "lock", Factor: 2}
	in.Report.Ranking = []selection.RankedVariant{
		{Variant: w, Excluded: "on gtx480@16 the compiler spills 8 bytes per thread more", Spills: true},
		{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2}, Excluded: "on gtx480@16 it can't run"},
	}
	entries, left := space.Enumerate(in)
	assert.Contains(t, names(entries), w.String())
	assert.NotContains(t, names(entries), "vtb named N=2")
	assert.Equal(t, "on gtx480@16 it can't run", why(left, "vtb named N=2"))
}

// What is offered by name is listed with each factor, or with that which is asked for, and needs no model.
func TestWhatIsOfferedByNameIsListed(t *testing.T) {
	const path = "../../examples/mm/mm.cu" // its loops have pragmas
	all, left := space.Enumerate(example(t, path, "h200", rewrite.Options{}))
	for _, name := range []string{"swizzle N=8", "swizzle N=4"} {
		assert.Contains(t, names(all), name)
	}
	assert.Contains(t, why(left, "unroll N=4"), "pragma")
	one, _ := space.Enumerate(example(t, path, "h200", rewrite.Options{Variant: rewrite.Variant{Rewriter: "swizzle", Factor: 4}}))
	assert.Contains(t, names(one), "swizzle N=4")
	assert.NotContains(t, names(one), "swizzle N=8")
}

// Shapes of blocks are listed for the axes that the kernel has threads along, but for those that its launches have; how a form stands
// follows from the threads of its blocks.
func TestShapesOfBlocksAreListed(t *testing.T) {
	const one = "__global__ void k(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = i; }\n"
	const two = "__global__ void k(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y; a[j * n + i] = i; }\n"
	entries, left := space.Enumerate(text(t, one+"void run(float *a, int n) { k<<<n / 256 + 1, 256>>>(a, n); }\n", "h200"))
	shapes := map[string]int{}
	for _, e := range entries {
		if e.Rewriter == "reshape" {
			shapes[e.Extents] = e.VTBs
		}
	}
	assert.Equal(t, map[string]int{"64": 32, "128": 16, "512": 4}, shapes, "by their thread blocks per SM")
	assert.Contains(t, why(left, "reshape shape=256"), "this shape")
	entries, _ = space.Enumerate(text(t, two+"void run(float *a, int n) { k<<<dim3(n, n), dim3(16, 16)>>>(a, n); }\n", "h200"))
	for _, name := range []string{"reshape shape=32,8", "reshape shape=64,4", "reshape shape=32,4"} {
		assert.Contains(t, names(entries), name)
	}
	assert.NotContains(t, names(entries), "reshape shape=16,16")
	assert.NotContains(t, names(entries), "reshape shape=128")
	asked := text(t, one+"void run(float *a, int n) { k<<<n / 256 + 1, 256>>>(a, n); }\n", "h200")
	asked.Options.Rewriter, asked.Options.Extents = "reshape", "96"
	entries, _ = space.Enumerate(asked)
	assert.Equal(t, []string{"original", "reshape shape=96"}, slices.DeleteFunc(names(entries), func(n string) bool { return n != "original" && !strings.HasPrefix(n, "reshape") }))
}
