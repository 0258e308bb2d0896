package selection

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/workload"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/slice"
)

// fake is a Source that knows the registers by heart.
type fake struct {
	registers int
	grown     map[Variant]int // registers of variants that need others
	spills    map[Variant]int
	costly    bool
	fails     map[Variant]error
	asked     chan Variant // what was asked for, if not nil
}

func (f fake) Costly() bool { return f.costly }

func (f fake) Original(p Place) (Resources, error) {
	return Resources{Registers: f.registers, Shared: p.Work.Shared, Source: "by heart"}, nil
}

func (f fake) Variant(_ Place, w Variant) (Resources, error) {
	if f.asked != nil {
		f.asked <- w
	}
	r := Resources{Registers: f.registers, Spills: f.spills[w], Source: "by heart"}
	if n, ok := f.grown[w]; ok {
		r.Registers = n
	}
	return r, f.fails[w]
}

func board(t *testing.T, name string) *gpu.GPU {
	t.Helper()
	g, err := gpu.Lookup(name)
	require.NoError(t, err)
	return g
}

// waiting is a kernel that mostly waits for loads and then has its data in
// shared memory for a short while: what the rewrites were invented for.
func waiting(threads, shared int) *workload.Kernel {
	return &workload.Kernel{
		Name: "k", Threads: threads, Shared: shared, Footprint: 64 * 1024,
		Body: []workload.Step{
			{Kind: workload.KindLoop, Times: 8, Body: []workload.Step{
				{Kind: workload.KindWork, Work: workload.Work{Issue: 20, Loads: 128, Waits: 1}},
			}},
			{Kind: workload.KindRegion, Body: []workload.Step{
				{Kind: workload.KindWork, Work: workload.Work{Issue: 20, Shared: 4}},
				{Kind: workload.KindBarrier},
				{Kind: workload.KindWork, Work: workload.Work{Issue: 20, Shared: 4}},
			}},
			{Kind: workload.KindWork, Work: workload.Work{Issue: 4, Stores: 128}},
		},
	}
}

func places(t *testing.T, k *workload.Kernel, gpus ...string) (out []Place) {
	t.Helper()
	for _, g := range gpus {
		out = append(out, Place{GPU: board(t, g), Work: k})
	}
	return out
}

func request(source Source, p []Place) Request {
	r := Request{MinGain: 5, Source: source}
	for _, x := range p {
		r.GPUs = append(r.GPUs, x.GPU)
	}
	return r
}

var (
	named2, named4, named6 = Variant{Rewriter: "vtb", Sync: "named", Factor: 2}, Variant{Rewriter: "vtb", Sync: "named", Factor: 4}, Variant{Rewriter: "vtb", Sync: "named", Factor: 6}
	block2, block4         = Variant{Rewriter: "vtb", Sync: "block", Factor: 2}, Variant{Rewriter: "vtb", Sync: "block", Factor: 4}
	allWays                = []Variant{named2, block2, named4, block4, named6}
)

func TestSharedLimitedKernelGains(t *testing.T) {
	p := places(t, waiting(64, 8000), "gtx480@16")
	r := study(p, allWays, request(fake{registers: 20}, p), nil)
	require.NotNil(t, r.Choice, r.Summary())
	assert.Greater(t, r.find(*r.Choice).Gain, 1.2)
	assert.Equal(t, 2, r.Originals[0].Blocks)
	assert.Greater(t, r.find(*r.Choice).Places[0].After.Blocks, 2)
	assert.Regexp(t, ` for gtx480@16, predicted \S+: \d+ virtual thread blocks per SM hide more latency than 2 \(limited by shared memory\)$`, r.Summary())
}

func TestFullOccupancyIsLeftAlone(t *testing.T) {
	p := places(t, waiting(256, 2048), "gtx480", "a100")
	r := study(p, []Variant{named2, block2}, request(fake{registers: 16}, p), nil)
	assert.Nil(t, r.Choice)
	assert.Equal(t, 1.0, r.Originals[0].Occupancy)
	assert.Equal(t, "occupancy is full on gtx480 and a100; no rewrite is expected to gain 5 %", r.Summary())
	assert.NotEmpty(t, r.Decision(diag.Position{}).Why)
	assert.Empty(t, r.Decision(diag.Position{}).Rewriter)
}

// A rewrite whose registers cost it the blocks that it gains is not chosen,
// although with the original's registers it would be.
func TestRegisterGrowthIsHeldAgainstARewrite(t *testing.T) {
	p := places(t, waiting(128, 12000), "gtx480@16")
	require.NotNil(t, study(p, []Variant{named4}, request(fake{registers: 20}, p), nil).Choice)
	for _, costly := range []bool{false, true} {
		source := fake{registers: 20, grown: map[Variant]int{named4: 64}, costly: costly}
		r := study(p, []Variant{named4}, request(source, p), nil)
		assert.Nil(t, r.Choice, "costly: %v", costly)
		assert.Contains(t, r.Ranking[0].Excluded, "it can't run: ", "63 registers are the most there")
	}
	// Fewer blocks than before, but it runs.
	p = places(t, waiting(256, 20000), "gtx480")
	require.NotNil(t, study(p, []Variant{named2}, request(fake{registers: 20}, p), nil).Choice)
	r := study(p, []Variant{named2}, request(fake{registers: 20, grown: map[Variant]int{named2: 60}}, p), nil)
	assert.Nil(t, r.Choice)
	assert.Equal(t, []int{2, 2}, []int{r.Ranking[0].Places[0].Before.Blocks, r.Ranking[0].Places[0].After.Blocks})
	assert.Equal(t, 60, r.Ranking[0].Places[0].After.Registers)
}

func TestSpillsAreHeldAgainstARewrite(t *testing.T) {
	p := places(t, waiting(64, 8000), "gtx480@16")
	r := study(p, []Variant{named2, block2}, request(fake{registers: 20, spills: map[Variant]int{named2: 16}}, p), nil)
	assert.Equal(t, &block2, r.Choice)
	assert.Equal(t, "on gtx480@16 the compiler spills 16 bytes per thread more", r.find(named2).Excluded)
}

// One GPU that gains much doesn't outweigh one that loses.
func TestNoGPUMayLose(t *testing.T) {
	p := places(t, waiting(64, 8000), "gtx480@16", "gtx480")
	req := request(fake{registers: 20}, p)
	req.Clock = func(p Place, policy sim.Policy) (float64, error) {
		switch {
		case policy.Kind == sim.Baseline:
			return 100, nil
		case p.GPU.Carveout == 16<<10 && policy.N == 4:
			return 40, nil // 2.5x
		case policy.N == 4:
			return 110, nil // 0.91x
		}
		return 90, nil
	}
	r := study(p, []Variant{named2, named4}, req, nil)
	assert.Equal(t, &named2, r.Choice)
	assert.Greater(t, r.find(named4).Gain, r.find(named2).Gain)
	r = study(p, []Variant{named4}, req, nil)
	assert.Nil(t, r.Choice)
	assert.Contains(t, r.Summary(), "vtb named N=4 would gain 1.51x on average, but lose on gtx480, 0.91x")
}

// With a costly source nothing is asked for that can't win anyway.
func TestACompilerIsAskedOnlyForWhatMayWin(t *testing.T) {
	asked := make(chan Variant, 100)
	p := places(t, waiting(256, 2048), "gtx480")
	r := study(p, allWays, request(fake{registers: 16, costly: true, asked: asked}, p), nil)
	assert.Nil(t, r.Choice)
	assert.Empty(t, asked)
	p = places(t, waiting(64, 8000), "gtx480@16")
	r = study(p, allWays, request(fake{registers: 20, costly: true, asked: asked}, p), nil)
	assert.NotNil(t, r.Choice)
	assert.Len(t, asked, together, "those that are expected to do much worse are not compiled")
	assert.Equal(t, "by heart", r.find(*r.Choice).Places[0].After.Source)
}

// More v-TBs in a block than resources hold only wait for each other.
func TestFactorsThatBringNoMoreBlocksAreExcluded(t *testing.T) {
	p := places(t, waiting(256, 20000), "gtx480") // 2 TBs; 6 by its threads
	r := study(p, []Variant{named2, {Rewriter: "vtb", Sync: "named", Factor: 3}, named4}, request(fake{registers: 20}, p), nil)
	assert.Equal(t, "no more thread blocks per SM than with N=2", r.find(named4).Excluded)
}

// An H100 starts a thread block every 1.2 cycles: short ones of a warp keep it busy starting them, and each doubling of the factor helps.
func TestFactorsThatStartFewerBlocksAreRanked(t *testing.T) {
	short := &workload.Kernel{Name: "k", Threads: 32, Footprint: 64 * 1024, Body: []workload.Step{
		{Kind: workload.KindWork, Work: workload.Work{Issue: 20, Loads: 128, Waits: 1, Stores: 128}},
	}}
	merge2, merge4 := Variant{Rewriter: "merge", Sync: "block", Factor: 2}, Variant{Rewriter: "merge", Sync: "block", Factor: 4}
	p := places(t, short, "h100")
	r := study(p, []Variant{merge2, merge4}, request(fake{registers: 20}, p), nil)
	require.Equal(t, &merge4, r.Choice, r.Summary())
	assert.Greater(t, r.find(merge4).Gain, 1.5*r.find(merge2).Gain)
	assert.Contains(t, r.Summary(), "short thread blocks start one after the other, and 1/4 as many do")
	p = places(t, short, "a100") // where that was not measured
	r = study(p, []Variant{merge2, merge4}, request(fake{registers: 20}, p), nil)
	assert.Equal(t, "no more thread blocks per SM than with N=2", r.find(merge4).Excluded)
}

func TestWhatIsNotKnownIsExcluded(t *testing.T) {
	p := places(t, waiting(64, 8000), "gtx480@16")
	r := study(p, []Variant{named2, {Rewriter: "vtb", Sync: "turns", Factor: 2}}, request(fake{registers: 20, fails: map[Variant]error{named2: errors.New("nvcc says no")}}, p), nil)
	assert.Nil(t, r.Choice)
	assert.Equal(t, "on gtx480@16 its resources are not known: nvcc says no", r.find(named2).Excluded)
	assert.Equal(t, "the model does not know it", r.find(Variant{Rewriter: "vtb", Sync: "turns", Factor: 2}).Excluded)
}

func TestAKernelThatCannotRunIsNotRanked(t *testing.T) {
	p := places(t, waiting(64, 20000), "gtx285")
	r := study(p, allWays, request(fake{registers: 20}, p), nil)
	assert.Nil(t, r.Choice)
	assert.Contains(t, r.Unranked, "on gtx285: ")
	assert.Equal(t, CodeNotRanked, r.Decision(diag.Position{}).Why[0].Code)
	// Where it can run on another GPU, that one counts.
	p = places(t, waiting(64, 20000), "gtx285", "gtx480")
	r = study(p, allWays, request(fake{registers: 20}, p), nil)
	assert.Empty(t, r.Unranked)
	assert.Len(t, r.Originals, 1)
}

// A grid that leaves SMs without work when its blocks are merged must not be.
func TestSmallGridsAreNotMerged(t *testing.T) {
	k := waiting(64, 8000)
	k.Blocks = 15 // of a GPU with 15 SMs
	p := places(t, k, "gtx480@16")
	r := study(p, []Variant{named2}, request(fake{registers: 20}, p), nil)
	assert.Nil(t, r.Choice)
	assert.Less(t, r.find(named2).Gain, 1.0)
	k.Blocks = 15 * 1000
	assert.NotNil(t, study(p, []Variant{named2}, request(fake{registers: 20}, p), nil).Choice)
}

func TestRankingIsDeterministic(t *testing.T) {
	p := places(t, waiting(64, 8000), "gtx480@16", "gtx480", "a100")
	first := study(p, allWays, request(fake{registers: 20}, p), nil)
	for range 3 {
		assert.Equal(t, first, study(p, allWays, request(fake{registers: 20}, p), nil))
	}
}

func lookup(names ...string) (out []*gpu.GPU, err error) {
	for _, name := range names {
		g, err := gpu.Lookup(name)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// A rewrite that a compiler happens to load more at once for does not wait less than the
// original: that could be had without merging blocks. It may wait more.
func TestARewriteWaitsForMemoryAsOftenAsTheOriginal(t *testing.T) {
	waits := func(k *workload.Kernel) float64 {
		all, _ := workload.Total(k.Body)
		return all.Waits
	}
	original, fewer, more := waiting(64, 8000), waiting(64, 8000), waiting(64, 8000)
	fewer.Body[0].Body[0].Work.Waits, more.Body[0].Body[0].Work.Waits = 0.25, 3
	assert.InDelta(t, waits(original), waits(waitsAsOften(fewer, original)), 1e-9)
	assert.InDelta(t, 0.25*8, waits(fewer), 1e-9, "and is left as it is")
	assert.Equal(t, more, waitsAsOften(more, original))
	assert.Equal(t, original, waitsAsOften(original, original))
}

// What smux has chosen stands: its own output is not another kernel to choose for.
func TestAKernelWhoseFootprintWasChangedIsFinished(t *testing.T) {
	merged := rewrite.CheckedVariant{Variant: Variant{Rewriter: "vtb", Sync: "named", Factor: 2}, Can: true}
	sliced := func(refused ...diag.Code) rewrite.CheckedVariant {
		c := rewrite.CheckedVariant{Variant: Variant{Rewriter: "slice"}}
		for _, code := range refused {
			c.Refused = append(c.Refused, diag.Message{Code: code})
		}
		return c
	}
	assert.Equal(t, []Variant{merged.Variant}, legal([]rewrite.CheckedVariant{merged, sliced(slice.CodeNoExchange)}))
	assert.Empty(t, legal([]rewrite.CheckedVariant{merged, sliced(rewrite.CodeAlready)}))
}

// TestKernelsThatAreDecidedOnTogetherHaveFiguresOfTheirOwn: of two kernels that one macro
// makes, each is told what is its own.
func TestKernelsThatAreDecidedOnTogetherHaveFiguresOfTheirOwn(t *testing.T) {
	r := &Report{
		Originals: []Original{{GPU: "t4", kernel: "a"}, {GPU: "t4", kernel: "b"}},
		Ranking:   []RankedVariant{{Gain: 2, Places: []Prediction{{Ratio: 1, kernel: "a"}, {Ratio: 4, kernel: "b"}}}},
	}
	b := r.For("b")
	assert.Len(t, b.Originals, 1)
	assert.Equal(t, []Prediction{{Ratio: 4, kernel: "b"}}, b.Ranking[0].Places)
	assert.InDelta(t, 2, b.Ranking[0].Gain, 0, "the ranking is that of both")
	assert.Len(t, r.Ranking[0].Places, 2, "the report stays")
	assert.Same(t, b, b.For("b"))
	assert.Nil(t, (*Report)(nil).For("a"))
}
