package regreduce

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// arbitrary answers anything, but the same to the same question.
type arbitrary struct {
	seed         int64
	major, minor int
	mutex        sync.Mutex
	runs         []string
}

func (a *arbitrary) Version() (int, int) { return a.major, a.minor }

func (a *arbitrary) Arch(g *gpu.GPU) string { return g.Arch.SM() }

func (a *arbitrary) Compile(ctx context.Context, s Subject, r variant.Recipe, arch string) (Figures, error) {
	a.mutex.Lock()
	a.runs = append(a.runs, arch+" "+r.String())
	a.mutex.Unlock()
	h := fnv.New64()
	fmt.Fprint(h, a.seed, arch, r.String())
	x := rand.New(rand.NewSource(int64(h.Sum64())))
	if r.String() == "" {
		return Figures{Registers: 40 + x.Intn(60), Instructions: 500 + x.Intn(20), SpillStores: 8 * x.Intn(2), SharedWeight: 50, Barriers: 1}, nil
	}
	switch x.Intn(12) {
	case 0:
		return Figures{}, &RefusedError{"no"}
	case 1:
		return Figures{}, errBroken
	}
	return Figures{
		Registers: 20 + x.Intn(40), Instructions: 480 + x.Intn(80), Stack: 8 * x.Intn(2), Barriers: 1,
		SpillStores: 4 * x.Intn(8) * x.Intn(2), SpillLoads: 4 * x.Intn(8) * x.Intn(2), Shared: 1024 * len(r.Words) * x.Intn(3),
		LocalWeight: float64(x.Intn(100)), SharedWeight: float64(40 + x.Intn(100)), Stall: float64(x.Intn(3) * 1000),
	}, nil
}

func (a *arbitrary) Begin(ctx context.Context, s Subject, r variant.Recipe, arch string) (*Begun, error) {
	return begun(a.Compile(ctx, s, r, arch))
}

// Whatever a compiler answers, what is accepted keeps the rules, compilations are
// bounded, and the same answers make the same report.
func TestWhateverTheCompilerSaysTheRulesAreKept(t *testing.T) {
	codes := map[string]int{}
	for seed := range int64(1500) {
		x := rand.New(rand.NewSource(seed))
		s := subject()
		s.Bounded = x.Intn(5) > 0
		s.Dynamic = x.Intn(2) * 2048
		s.Candidates.Loops = s.Candidates.Loops[:x.Intn(4)]
		s.Candidates.Pins = s.Candidates.Pins[:x.Intn(5)]
		s.Candidates.Words = s.Candidates.Words[:x.Intn(9)]
		for i := range s.Candidates.Words {
			s.Candidates.Words[i].Words = 1 + x.Intn(3)
			if x.Intn(4) == 0 {
				s.Candidates.Words[i].NotAsm = "not so"
			}
		}
		opt := Options{GPUs: gpus(t, "a100", "h100", "t4")[:1+x.Intn(3)], Rules: Usual, Compilations: x.Intn(14)}
		a := &arbitrary{seed: seed, major: 11 + x.Intn(3), minor: x.Intn(6)}
		r, err := Reduce(context.Background(), s, a, opt)
		require.NoError(t, err)
		perRung := opt.Compilations
		if perRung == 0 {
			perRung = 10
		}
		archs := len(opt.GPUs)
		assert.LessOrEqual(t, len(a.runs), archs+len(Rungs)*(perRung+1)+len(Rungs)*mostElsewhere*archs, "compilations")
		seen := map[string]bool{}
		for _, run := range a.runs {
			assert.False(t, seen[run], "%s is compiled twice", run)
			seen[run] = true
		}
		keepsTheRules(t, a, s, opt, r)
		again, err := Reduce(context.Background(), s, &arbitrary{seed: seed, major: a.major, minor: a.minor}, opt)
		require.NoError(t, err)
		one, err := json.Marshal(r)
		require.NoError(t, err)
		other, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(one), string(other), "seed %d", seed)
		opt.Listed = true // which is told, and not judged
		listed, err := Reduce(context.Background(), s, &arbitrary{seed: seed, major: a.major, minor: a.minor}, opt)
		require.NoError(t, err)
		for _, r := range []*Report{r, listed} {
			for i := range r.Attempts {
				for j := range r.Attempts[i].Elsewhere {
					f := &r.Attempts[i].Elsewhere[j].Figures
					f.Instructions, f.LocalWeight, f.SharedWeight, f.Stall = 0, 0, 0, 0
				}
			}
		}
		assert.Equal(t, r, listed, "seed %d", seed)
		rung := ""
		if r.Chosen >= 0 {
			rung = r.Attempts[r.Chosen].Rung
		}
		codes[string(r.Code)+" "+rung]++
	}
	t.Log(codes)
	for _, rung := range []string{RungCap, RungUnroll, RungPin, RungDemote} {
		assert.Greater(t, codes["demoted "+rung], 5, "the test reaches this rung")
	}
	assert.Greater(t, codes["not-demoted "], 5)
}

// keepsTheRules checks a report against the rules, from its figures alone.
func keepsTheRules(t *testing.T, compiler Compiler, s Subject, opt Options, r *Report) {
	t.Helper()
	require.NotEmpty(t, r.Why)
	for i, a := range r.Attempts {
		switch {
		case i == 0:
			assert.Empty(t, a.Recipe)
		case i == r.Chosen:
			assert.Empty(t, a.Rejected+a.Failed)
		default:
			assert.NotEmpty(t, a.Rejected+a.Failed, "%s: it says why not", a.Recipe)
		}
		parsed, err := variant.ParseRecipe(a.Recipe)
		require.NoError(t, err)
		assert.Equal(t, a.Recipe, parsed.String())
	}
	if r.Chosen < 0 {
		assert.Equal(t, variant.Recipe{}, r.Recipe())
		assert.NotEqual(t, CodeDemoted, r.Code)
		return
	}
	require.Equal(t, CodeDemoted, r.Code)
	require.Greater(t, r.Chosen, 0)
	now, was := r.Attempts[r.Chosen], r.Attempts[0]
	assert.GreaterOrEqual(t, now.Occupancy.Blocks, r.Step.Blocks, "the step is reached")
	assert.Greater(t, now.Occupancy.Occupancy, was.Occupancy.Occupancy)
	var capped *Attempt
	for i := range r.Attempts {
		if r.Attempts[i].Rung == RungCap && r.Attempts[i].Failed == "" {
			capped = &r.Attempts[i]
		}
	}
	over := func(a Attempt) int { return max(0, a.Figures.Spills()-was.Figures.Spills()) }
	assert.LessOrEqual(t, over(now), opt.Rules.MaxSpill, "spills")
	if more := now.Figures.Stack - was.Figures.Stack; over(now) == 0 && now.Figures.SpillStores <= was.Figures.SpillStores {
		assert.LessOrEqual(t, more, 0, "stack that no spill explains")
	}
	room := float64(was.Figures.Instructions)
	if capped != nil {
		room += float64(over(*capped) / 4)
		if now.Rung != RungCap && over(now) > 0 {
			assert.Less(t, over(now), over(*capped), "fewer spills than by the cap")
		}
	}
	assert.LessOrEqual(t, float64(now.Figures.Instructions), room*(1+opt.Rules.Growth), "instructions")
	recipe := r.Recipe()
	if len(recipe.Words) > 0 {
		recipe.Words, recipe.Form = nil, ""
		for _, a := range r.Attempts {
			if a.Recipe == recipe.String() {
				added, replaced := now.Figures.SharedWeight-a.Figures.SharedWeight, a.Figures.LocalWeight-now.Figures.LocalWeight
				assert.LessOrEqual(t, added, opt.Rules.SharedRatio*max(0, replaced), "shared accesses")
			}
		}
	}
	for _, g := range opt.GPUs {
		arch := compiler.Arch(g)
		ask := func(recipe variant.Recipe) int {
			f, err := compiler.Compile(context.Background(), s, recipe, arch)
			require.NoError(t, err)
			o, err := occupancy.Compute(g, occupancy.Demand{Threads: s.Threads, Registers: f.Registers, Shared: f.Shared + s.Dynamic, Barriers: f.Barriers})
			if err != nil {
				return 0
			}
			return o.Warps
		}
		assert.GreaterOrEqual(t, ask(r.Recipe()), ask(variant.Recipe{}), "occupancy on %s", g)
	}
}
