package tune_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/machine/model"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/search"
)

// memory is a store that keeps nothing. It fails when it is full.
type memory struct {
	mu    sync.Mutex
	lines []record.Line
	room  int // 0: for any number
}

var errFull = errors.New("full")

func (m *memory) Lines() []record.Line {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]record.Line(nil), m.lines...)
}

func (m *memory) Append(l ...record.Line) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.room > 0 && len(m.lines)+len(l) > m.room {
		return errFull
	}
	m.lines = append(m.lines, l...)
	return nil
}

func vtb(n int, sync string) record.TunedVariant {
	return record.TunedVariant{Variant: rewrite.Variant{Rewriter: "vtb", Sync: sync, Factor: n}}
}

// forms are the original, an original form, and some that merge.
func forms() []tune.Variant {
	out := []tune.Variant{
		{},
		{MeasuredVariant: record.MeasuredVariant{Candidate: record.TunedVariant{Variant: rewrite.Variant{Rewriter: "stage-loads"}}}, Traits: []string{"stage-loads"}},
	}
	for i, n := range []int{2, 3, 4, 6} {
		for j, s := range []string{"named", "lock"} {
			out = append(out, tune.Variant{
				MeasuredVariant: record.MeasuredVariant{Candidate: vtb(n, s), Predicted: 1.4 - 0.08*float64(i) - 0.04*float64(j)},
				Traits:          []string{"vtb", s, fmt.Sprintf("N=%d", n)},
			})
		}
	}
	return out
}

func request(st tune.Store, m machine.Machine) tune.Request {
	return tune.Request{
		Subject: record.Subject{Source: "s", Kernel: "k", Machine: m.About()},
		Forms:   forms(),
		Source: func(_ context.Context, c record.TunedVariant) (machine.Source, error) {
			return machine.Source{Candidate: c, Texts: map[string][]byte{"k.cu": []byte(c.String())}}, nil
		},
		Machine: m, Strategy: search.Exhaustive{}, Rules: judge.DefaultRules(), Store: st,
		Now: func() time.Time { return time.Unix(0, 0) }, Progress: func(tune.Progress) {},
	}
}

func quiet() *model.Machine {
	return model.New(model.Options{GPU: "a100", Seed: 3, Noise: 0.005, Jitter: 0.005})
}

func TestTheFastestFormIsChosen(t *testing.T) {
	st := &memory{}
	v, err := tune.Run(t.Context(), request(st, quiet()))
	require.NoError(t, err)
	require.GreaterOrEqual(t, v.Chosen, 0, v.Why)
	assert.Equal(t, "vtb named N=2", v.Rows[v.Chosen].Name, v.Why)
	assert.InDelta(t, 1.4, v.Rows[v.Chosen].Confirm.Median, 0.02)
	assert.Len(t, v.Rows, len(forms()))
}

func TestAFullStoreEndsTheRunAndKeepsWhatWasMeasured(t *testing.T) {
	st := &memory{room: 17}
	_, err := tune.Run(t.Context(), request(st, quiet()))
	assert.ErrorIs(t, err, errFull)
	st.room = 0
	v, err := tune.Run(t.Context(), request(st, quiet()))
	require.NoError(t, err)
	assert.Equal(t, "vtb named N=2", v.Rows[v.Chosen].Name)
}

func TestARunThatWasStoppedAnywhereEndsInTheSameDecision(t *testing.T) {
	for _, c := range []struct {
		strategy search.Strategy
		every    int
	}{{search.Exhaustive{}, 7}, {search.Guided{Looks: true}, 1}} {
		by := func(st tune.Store) tune.Request {
			req := request(st, quiet())
			req.Strategy = c.strategy
			return req
		}
		whole := &memory{}
		want, err := tune.Run(t.Context(), by(whole))
		require.NoError(t, err)
		for cut := 0; cut <= len(whole.lines); cut += c.every {
			st := &memory{lines: append([]record.Line(nil), whole.lines[:cut]...)}
			got, err := tune.Run(t.Context(), by(st))
			require.NoError(t, err, "cut at %d", cut)
			assert.Equal(t, want, got, "cut at %d", cut)
			assert.Equal(t, whole.lines, st.lines, "cut at %d", cut)
		}
	}
}

func TestALookIsOnePairAndTheBestIsMeasuredInFull(t *testing.T) {
	st := &memory{}
	req := request(st, quiet())
	req.Strategy = search.Guided{Looks: true}
	v, err := tune.Run(t.Context(), req)
	require.NoError(t, err)
	require.GreaterOrEqual(t, v.Chosen, 0, v.Why)
	assert.Equal(t, "vtb named N=2", v.Rows[v.Chosen].Name, v.Why)
	looked, pairs := 0, 0
	for _, row := range v.Rows {
		pairs += row.Search.Pairs
		if row.Search.Pairs == 1 {
			looked++
		}
	}
	assert.Positive(t, looked)
	assert.LessOrEqual(t, pairs, 6*len(forms())/3)
	assert.Equal(t, 6, v.Rows[0].Search.Pairs, "the original")
	assert.GreaterOrEqual(t, v.Rows[v.Chosen].Search.Pairs, 6)
}

func TestWhatFailsIsARowAndTheRestGoesOn(t *testing.T) {
	kinds := []record.FailureKind{
		record.FailedCompile, record.FailedResources, record.FailedCrash, record.FailedTimeout, record.FailedOutput, record.FailedUntimed,
	}
	for _, kind := range kinds {
		fails := map[string]fault{"vtb named N=2": {record.Failure{Kind: kind, Text: "so it is"}, 0}}
		m := &faulty{model.New(model.Options{GPU: "a100", Seed: 3, Noise: 0.005}), 0, fails}
		v, err := tune.Run(t.Context(), request(&memory{}, m))
		require.NoError(t, err, kind)
		require.GreaterOrEqual(t, v.Chosen, 0, v.Why)
		assert.NotEqual(t, "vtb named N=2", v.Rows[v.Chosen].Name)
		for _, r := range v.Rows {
			if r.Name == "vtb named N=2" {
				require.NotNil(t, r.Failure, kind)
				assert.Equal(t, kind, r.Failure.Kind)
			}
		}
	}
}

func TestWithoutTheOriginalThereIsNothing(t *testing.T) {
	fails := map[string]fault{"original": {record.Failure{Kind: record.FailedUntimed, Text: "no launch"}, -2}}
	m := &faulty{model.New(model.Options{GPU: "a100"}), 0, fails}
	_, err := tune.Run(t.Context(), request(&memory{}, m))
	var base *tune.BaseError
	require.ErrorAs(t, err, &base)
	assert.Equal(t, record.FailedUntimed, base.Failure.Kind)
}

func TestABudgetEndsTheSearch(t *testing.T) {
	st := &memory{}
	req := request(st, quiet())
	req.Budget.Forms, req.Now = 3, ticking()
	v, err := tune.Run(t.Context(), req)
	require.NoError(t, err)
	assert.Len(t, v.Rows, 4, "the original and three more")
	req.Budget = tune.Budget{Seconds: 1e-9}
	v, err = tune.Run(t.Context(), req)
	require.NoError(t, err)
	assert.Len(t, v.Rows, 4, "what was spent before counts")
}

func TestABudgetIsOneForAllDevices(t *testing.T) {
	st := &memory{}
	req := request(st, model.New(model.Options{GPU: "a100", Seed: 3, Noise: 0.005, Devices: 3}))
	req.Budget.Forms = 3
	var mu sync.Mutex
	var done []int
	req.Progress = func(p tune.Progress) {
		mu.Lock()
		defer mu.Unlock()
		if p.Finished != "" {
			done = append(done, p.Done)
		}
		assert.Equal(t, 4, p.Total)
	}
	v, err := tune.Run(t.Context(), req)
	require.NoError(t, err)
	assert.Len(t, v.Rows, 4)
	assert.ElementsMatch(t, []int{1, 2, 3, 4}, done, "each step tells of one more")
}

func TestAFormThatWasBegunStaysOnItsDevice(t *testing.T) {
	m := model.New(model.Options{GPU: "a100", Seed: 3, Noise: 0.005, Devices: 2})
	whole := &memory{}
	_, err := tune.Run(t.Context(), request(whole, m))
	require.NoError(t, err)
	at := slices.IndexFunc(whole.lines, func(l record.Line) bool { return l.Pair != nil && l.Pair.Device == 1 })
	key := whole.lines[at].Key
	// As if the first device had been faster: its form is done, that of the second isn't.
	st := &memory{lines: slices.DeleteFunc(slices.Clone(whole.lines[:at+1]), func(l record.Line) bool { return l.Pair != nil && l.Key != key })}
	_, err = tune.Run(t.Context(), request(st, m))
	require.NoError(t, err)
	for _, l := range st.lines {
		if l.Key == key && l.Pair != nil {
			assert.Equal(t, 1, l.Pair.Device)
		}
	}
}

func TestSeveralDevicesMeasureSideBySide(t *testing.T) {
	st := &memory{}
	m := model.New(model.Options{GPU: "a100", Seed: 3, Noise: 0.005, Devices: 3})
	v, err := tune.Run(t.Context(), request(st, m))
	require.NoError(t, err)
	assert.Equal(t, "vtb named N=2", v.Rows[v.Chosen].Name)
	used := map[string]map[int]bool{}
	all := map[int]bool{}
	for _, l := range st.lines {
		if l.Pair != nil { // those that confirm as well
			if used[l.Key] == nil {
				used[l.Key] = map[int]bool{}
			}
			used[l.Key][l.Pair.Device], all[l.Pair.Device] = true, true
		}
	}
	for _, devices := range used {
		assert.Len(t, devices, 1, "each form stays on one device")
	}
	assert.Len(t, all, 3)
}

func TestWhatAnotherVersionWroteIsNotCounted(t *testing.T) {
	st := &memory{}
	req := request(st, quiet())
	source := req.Source
	req.Source = func(ctx context.Context, c record.TunedVariant) (machine.Source, error) {
		s, err := source(ctx, c)
		if !c.IsOriginal() {
			s.Texts["k.cu"] = append(s.Texts["k.cu"], "// as an older smux wrote it"...)
		}
		return s, err
	}
	_, err := tune.Run(t.Context(), req)
	require.NoError(t, err)
	before := len(st.lines)
	v, err := tune.Run(t.Context(), request(st, quiet()))
	require.NoError(t, err)
	assert.Len(t, v.Rows, len(forms()), "each form once")
	assert.Greater(t, len(st.lines), before, "measured anew")
	assert.Equal(t, "vtb named N=2", v.Rows[v.Chosen].Name)
}

// A form that stands in the original's place and fails there is at fault itself.
func TestAFormThatOthersAreComparedWithFailsForItself(t *testing.T) {
	fails := map[string]fault{"stage-loads": {record.Failure{Kind: record.FailedCrash, Text: "late"}, 1 << 21}}
	m := &faulty{model.New(model.Options{GPU: "a100", Seed: 3, Noise: 0.02}), 0, fails}
	req := request(&memory{}, m)
	req.Forms = req.Forms[:3]
	req.Forms[1].Predicted = 1.37 // nearly as good as vtb named N=2: only direct pairs tell
	v, err := tune.Run(t.Context(), req)
	require.NoError(t, err)
	for _, r := range v.Rows {
		assert.Equal(t, r.Name == "stage-loads", r.Failure != nil, "%s: %v", r.Name, r.Failure)
	}
	require.GreaterOrEqual(t, v.Chosen, 0, v.Why)
	assert.Equal(t, "vtb named N=2", v.Rows[v.Chosen].Name)
}

// ticking is a clock by which a second passes from one look at it to the next.
func ticking() func() time.Time {
	var seconds atomic.Int64
	return func() time.Time { return time.Unix(seconds.Add(1), 0) }
}

func TestTheTimeOfAllThatARunDoesCountsInTheBudget(t *testing.T) {
	st := &memory{}
	req := request(st, quiet())
	clock := ticking()
	first, last := time.Time{}, time.Time{}
	req.Now = func() time.Time {
		last = clock()
		if first.IsZero() {
			first = last
		}
		return last
	}
	req.Budget.Seconds = 90 // of which a third is for the confirmation
	v, err := tune.Run(t.Context(), req)
	require.NoError(t, err)
	assert.Less(t, len(v.Rows), len(forms()))
	sum := 0.0
	for _, l := range st.lines {
		if l.Pair != nil {
			sum += l.Pair.Seconds + l.Pair.Prepare
		}
	}
	assert.InDelta(t, last.Sub(first).Seconds(), sum, 5, "the lines hold all of it, but for what came after the last one")
	before, ended := len(v.Rows), ""
	req.Progress = func(p tune.Progress) { ended += p.Ended }
	req.Budget.Seconds = 134.5
	v, err = tune.Run(t.Context(), req)
	require.NoError(t, err)
	assert.Greater(t, len(v.Rows), before, "goes on where more is allowed")
	assert.Less(t, len(v.Rows), len(forms()))
	assert.Equal(t, "the budget of 2m15s is spent but for what confirming the best takes", ended)
}
