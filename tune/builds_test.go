package tune_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/machine/model"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/search"
)

// building watches what is built while something else runs.
type building struct {
	*model.Machine
	build func(context.Context, machine.Source) error // called in each Build
	run   func(form string)                           // and in each Run

	mu          sync.Mutex
	now, most   int // builds at once
	built, used map[string]bool
	unused      int // the most that were built and had not run
}

func newBuilding() *building {
	return &building{Machine: quiet(), built: map[string]bool{}, used: map[string]bool{},
		build: func(context.Context, machine.Source) error { return nil }, run: func(string) {}}
}

type builtForm struct {
	machine.Built
	in   *building
	name string
}

func (b *building) Build(ctx context.Context, s machine.Source) (machine.Built, error) {
	b.mu.Lock()
	b.now++
	b.most = max(b.most, b.now)
	b.built[s.Candidate.String()] = true
	b.unused = max(b.unused, len(b.built)-len(b.used))
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		b.now--
		b.mu.Unlock()
	}()
	if err := b.build(ctx, s); err != nil {
		return nil, err
	}
	built, err := b.Machine.Build(ctx, s)
	return builtForm{built, b, s.Candidate.String()}, err
}

func (f builtForm) Run(ctx context.Context, device, turn int) (*machine.Run, error) {
	f.in.mu.Lock()
	f.in.used[f.name] = true
	f.in.mu.Unlock()
	f.in.run(f.name)
	return f.Built.Run(ctx, device, turn)
}

func TestFormsAreBuiltWhileOthersAreMeasured(t *testing.T) {
	m := newBuilding()
	begun := make(chan bool, len(forms()))
	m.build = func(_ context.Context, s machine.Source) error {
		if !s.Candidate.IsOriginal() {
			begun <- true
		}
		return nil
	}
	var once sync.Once
	m.run = func(form string) {
		assert.Equal(t, "original", form, "the first that runs")
		once.Do(func() { // ends only if others are built meanwhile
			for range 4 {
				<-begun
			}
			m.run = func(string) {}
		})
	}
	req := request(&memory{}, m)
	req.Ahead = 2
	_, err := tune.Run(t.Context(), req)
	require.NoError(t, err)
	assert.Len(t, m.built, len(forms()))
	assert.LessOrEqual(t, m.most, 3, "two ahead, and the one that is asked for")
	assert.LessOrEqual(t, m.unused, 5, "two for each, and the one that is measured")
}

func TestWhatIsBuiltAheadChangesNothingThatIsMeasured(t *testing.T) {
	for _, strategy := range []search.Strategy{search.Exhaustive{}, search.Random{Seed: 3}, search.Guided{Looks: true}, search.Guided{}} {
		for _, budget := range []int{0, 3} {
			lines := map[int][]record.Line{}
			for _, ahead := range []int{0, 1, 5} {
				st := &memory{}
				fails := map[string]fault{"vtb named N=2": {record.Failure{Kind: record.FailedCompile, Text: "no"}, 0}}
				req := request(st, &faulty{model.New(model.Options{GPU: "a100", Seed: 3, Noise: 0.005}), 0, fails})
				req.Strategy, req.Budget.Forms, req.Ahead = strategy, budget, ahead
				_, err := tune.Run(t.Context(), req)
				require.NoError(t, err)
				lines[ahead] = st.lines
			}
			assert.Equal(t, lines[0], lines[1], "%T", strategy)
			assert.Equal(t, lines[0], lines[5], "%T", strategy)
		}
	}
}

// fickle expects to measure everything, and measures the original alone, or some forms more.
type fickle struct {
	search.Exhaustive
	more int
}

func (f fickle) Next(items []search.Variant, seen []search.Seen, n int) (next []int, why string) {
	if len(seen) > f.more {
		return nil, "no more"
	}
	return search.Exhaustive{}.Next(items, seen, n)
}

func TestTheEndOfASearchEndsWhatIsBuiltAhead(t *testing.T) {
	m := newBuilding()
	begun := make(chan bool, len(forms()))
	m.build = func(ctx context.Context, s machine.Source) error {
		if s.Candidate.IsOriginal() {
			return nil
		}
		begun <- true
		<-ctx.Done()
		return ctx.Err()
	}
	m.run = func(string) {
		begun <- <-begun
	}
	req := request(&memory{}, m)
	req.Ahead, req.Strategy = 2, fickle{}
	_, err := tune.Run(t.Context(), req)
	require.NoError(t, err)
	assert.Zero(t, m.now, "builds")

	ctx, cancel := context.WithCancel(t.Context())
	req.Store, req.Strategy = &memory{}, fickle{more: 1} // which waits for the build of a form
	m.run = func(string) { cancel() }
	_, err = tune.Run(ctx, req)
	require.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, m.now, "builds")
}

func TestAnErrorOfABuildAheadIsToldWhenItsFormIsAskedFor(t *testing.T) {
	broken := errors.New("the disk is full")
	for more, want := range []error{nil, broken} {
		m := newBuilding()
		failed := make(chan bool, len(forms()))
		m.build = func(_ context.Context, s machine.Source) error {
			if s.Candidate.IsOriginal() {
				return nil
			}
			failed <- true
			return broken
		}
		m.run = func(string) { failed <- <-failed }
		req := request(&memory{}, m)
		req.Ahead, req.Strategy = 2, fickle{more: more}
		_, err := tune.Run(t.Context(), req)
		assert.ErrorIs(t, err, want)
	}
}
