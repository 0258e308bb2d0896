package search_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/search"
)

// problem is items with the ratios that a measurement gives; 0 for a failure.
type problem struct {
	items []search.Variant
	truth []float64
}

// random makes up a problem: predictions that are off by much or little, forms, items
// without predictions, failures, traits that matter.
func random(seed uint64) problem {
	r := rand.New(rand.NewPCG(seed, 1))
	p := problem{[]search.Variant{{Predicted: 1, Form: true}}, []float64{1}}
	effect := map[string]float64{}
	off := 0.3 * r.Float64()
	for n := r.IntN(40); len(p.items) <= n; {
		i := search.Variant{Predicted: math.Exp(0.3 * r.NormFloat64()), Form: r.IntN(6) == 0}
		if r.IntN(5) == 0 || i.Form {
			i.Predicted = 0
		}
		sum := 0.0
		for _, knob := range []string{"v", "s", "N"} {
			trait := fmt.Sprint(knob, r.IntN(4))
			if _, ok := effect[trait]; !ok {
				effect[trait] = r.NormFloat64()
			}
			sum += effect[trait]
			i.Traits = append(i.Traits, trait)
		}
		ratio := math.Exp(off * (sum + r.NormFloat64()) / 2)
		if i.Predicted > 0 {
			ratio *= i.Predicted
		}
		if r.IntN(8) == 0 {
			ratio = 0
		}
		p.items, p.truth = append(p.items, i), append(p.truth, ratio)
	}
	return p
}

// run searches, and returns what was asked for in turn.
func (p problem) run(t *testing.T, s search.Strategy, n int) (path []int, seen []search.Seen, why string) {
	t.Helper()
	for range 3*len(p.items) + 2 {
		next, why := s.Next(p.items, seen, n)
		if len(next) == 0 {
			require.NotEmpty(t, why)
			return path, seen, why
		}
		require.LessOrEqual(t, len(next), n)
		before := slices.Clone(seen)
		for _, i := range next {
			require.Less(t, i, len(p.items))
			now := search.Seen{Item: i, Ratio: p.truth[i], Low: 0.99 * p.truth[i], High: 1.01 * p.truth[i]}
			if s.Pairs(before, i) > 0 {
				now.Cost, now.Low, now.High = 1.0/6, 0, math.Inf(1)
			}
			at := slices.IndexFunc(seen, func(s search.Seen) bool { return s.Item == i })
			if at >= 0 {
				require.Less(t, seen[at].Cost, 1.0, "%d was seen in full", i)
				require.Positive(t, seen[at].Cost, "%d was seen in full", i)
				require.Positive(t, seen[at].Ratio, "%d has failed", i)
				seen[at] = now
			} else {
				seen = append(seen, now)
			}
			path = append(path, i)
		}
	}
	require.Fail(t, "the search does not end")
	return nil, nil, ""
}

var strategies = map[string]search.Strategy{
	"exhaustive":   search.Exhaustive{},
	"random":       search.Random{Seed: 3},
	"guided":       search.Guided{},
	"guided, half": search.Guided{Share: 0.5},
	"looks":        search.Guided{Looks: true},
	"looks at all": search.Guided{Looks: true, Share: 1},
}

func TestEverySearchEndsBeginsWithTheOriginalAndMeasuresNothingTwice(t *testing.T) {
	for name, s := range strategies {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(12) {
				p := random(seed)
				for _, n := range []int{1, 3} {
					path, _, _ := p.run(t, s, n)
					assert.Zero(t, path[0])
					again, _, _ := p.run(t, s, n)
					assert.Equal(t, path, again)
				}
			}
		})
	}
}

// A run that was stopped has measured some items, and goes on from these.
func TestASearchThatIsResumedTakesTheSamePath(t *testing.T) {
	for name, s := range strategies {
		for seed := range uint64(10) {
			p := random(seed)
			path, seen, _ := p.run(t, s, 1)
			if len(path) != len(seen) {
				continue // looks change what was seen before
			}
			for n := range seen {
				next, _ := s.Next(p.items, slices.Clone(seen[:n]), 1)
				require.Equal(t, path[n:n+1], next, "%s, seed %d, step %d", name, seed, n)
			}
			turned := slices.Clone(seen)
			slices.Reverse(turned)
			a, why := s.Next(p.items, seen, 1)
			b, same := s.Next(p.items, turned, 1)
			assert.Equal(t, a, b)
			assert.Equal(t, why, same, "the order of measurements does not matter")
		}
	}
}

// The items after the original may come in any order.
func TestGuidedFindsTheSameWhateverTheOrderOfTheItems(t *testing.T) {
	for seed := range uint64(10) {
		p := random(seed)
		order := append([]int{0}, rand.New(rand.NewPCG(seed, 2)).Perm(len(p.items)-1)...)
		var q problem
		for n, i := range order {
			if n > 0 {
				i++
				order[n] = i
			}
			q.items, q.truth = append(q.items, p.items[i]), append(q.truth, p.truth[i])
		}
		for _, s := range []search.Strategy{search.Guided{}, search.Guided{Looks: true}} {
			path, _, _ := p.run(t, s, 1)
			other, _, _ := q.run(t, s, 1)
			for n := range other {
				other[n] = order[other[n]]
			}
			require.Equal(t, path, other, "seed %d", seed)
		}
	}
}

func TestGuidedMeasuresAThirdAtMost(t *testing.T) {
	for seed := range uint64(20) {
		p := random(seed)
		for name, s := range map[string]search.Strategy{"full": search.Guided{}, "looks": search.Guided{Looks: true}} {
			for _, n := range []int{1, 2, 4} {
				_, seen, _ := p.run(t, s, n)
				used := 0.0
				for _, m := range seen {
					switch {
					case m.Ratio == 0 && name == "full":
						used += 0.5
					case m.Ratio == 0:
						used += 1.0 / 6
					case m.Cost > 0:
						used += m.Cost
					default:
						used++
					}
				}
				assert.LessOrEqual(t, used, max(3, float64(len(p.items))/3)+1e-6, "%s, seed %d, %d devices", name, seed, n)
			}
		}
	}
}

func TestExhaustiveAndRandomMeasureEverything(t *testing.T) {
	p := random(5)
	for _, s := range []search.Strategy{search.Exhaustive{}, search.Random{Seed: 9}} {
		path, _, why := p.run(t, s, 2)
		assert.Len(t, path, len(p.items))
		assert.Equal(t, "everything has been looked at", why)
	}
	one, _, _ := p.run(t, search.Random{Seed: 9}, 1)
	other, _, _ := p.run(t, search.Random{Seed: 10}, 1)
	assert.NotEqual(t, one, other)
	assert.IsNonDecreasing(t, first(p.run(t, search.Exhaustive{}, 1)))
}

func first(path []int, _ []search.Seen, _ string) []int { return path }

func TestNothingToSearchEndsAtOnce(t *testing.T) {
	for name, s := range strategies {
		next, why := s.Next(nil, nil, 3)
		assert.Empty(t, next, name)
		assert.NotEmpty(t, why, name)
	}
}

// hundred are items of which the model puts the last first.
func hundred(traits func(i int) []string) problem {
	p := problem{[]search.Variant{{Predicted: 1, Form: true}}, []float64{1}}
	for i := 1; i < 100; i++ {
		p.items = append(p.items, search.Variant{Predicted: 1 + float64(i)/100, Traits: traits(i)})
		p.truth = append(p.truth, 1+float64(i)/100)
	}
	return p
}

func TestWhereTheModelIsRightGuidedEndsSoon(t *testing.T) {
	p := hundred(func(int) []string { return []string{"vtb"} })
	path, _, why := p.run(t, search.Guided{}, 1)
	assert.Equal(t, []int{0, 99}, path[:2])
	assert.Less(t, len(path), 12)
	assert.Contains(t, why, "the most promising of what is left (vtb) is expected at")
	assert.NotContains(t, why, "NaN")
}

func TestGuidedLearnsWhichTraitTheModelIsWrongAbout(t *testing.T) {
	p := hundred(func(i int) []string { return []string{[]string{"named", "lock"}[i%2]} })
	for i := range p.truth {
		if i%2 == 1 {
			p.truth[i] /= 2 // what has locks is twice as slow as it should be
		}
	}
	path, _, _ := p.run(t, search.Guided{}, 1)
	assert.Contains(t, path, 98)
	locks := 0
	for _, i := range path {
		locks += i % 2
	}
	assert.Less(t, locks, 6, "it stops trying locks: %v", path)
}

func TestWhatFailsWithoutExceptionIsPutBack(t *testing.T) {
	p := hundred(func(i int) []string {
		if i > 50 {
			return []string{"dyn", "N=2"}
		}
		return []string{"vtb", "N=2"}
	})
	for i := 51; i < 100; i++ {
		p.truth[i] = 0
	}
	path, _, _ := p.run(t, search.Guided{}, 1)
	assert.Contains(t, path, 50, "the best of what works")
	early := path[:min(len(path), 12)]
	assert.True(t, slices.ContainsFunc(early, func(i int) bool { return i > 0 && i <= 50 }), "%v", early)
}

func TestAnOriginalFormIsMeasuredEarly(t *testing.T) {
	p := hundred(func(int) []string { return []string{"vtb"} })
	p.items[40] = search.Variant{Form: true, Traits: []string{"assume", "cap"}}
	p.items[41] = search.Variant{Form: true, Traits: []string{"assume"}}
	path, _, _ := p.run(t, search.Guided{}, 1)
	assert.Equal(t, []int{0, 41}, path[:2], "the simplest")
}

func TestALookIsOnePairAndTheBestAreMeasuredInFull(t *testing.T) {
	p := hundred(func(i int) []string { return []string{fmt.Sprint("N=", i%5)} })
	for i := range p.items {
		p.items[i].Predicted = 1 // the model knows nothing
	}
	s := search.Guided{Looks: true}
	path, seen, _ := p.run(t, s, 1)
	full := 0
	for _, m := range seen {
		if m.Cost == 0 {
			full++
		}
	}
	assert.Greater(t, len(path), 60, "many are looked at")
	assert.Less(t, full, 15)
	best := seen[slices.IndexFunc(seen, func(m search.Seen) bool { return m.Item == 99 })]
	assert.Zero(t, best.Cost, "the best is measured in full")
	assert.Zero(t, s.Pairs(nil, 0), "the original is, too")
	assert.Equal(t, 1, s.Pairs(nil, 7))
	assert.Zero(t, s.Pairs([]search.Seen{{Item: 7, Cost: 0.2}}, 7))
	assert.Zero(t, search.Guided{}.Pairs(nil, 7))
}

func TestStrangeMeasurementsBreakNothing(t *testing.T) {
	p := random(3)
	for _, s := range strategies {
		for _, odd := range []search.Seen{{Item: -1, Ratio: 1}, {Item: 1000, Ratio: 1}, {Item: 1, Ratio: math.NaN()}, {Item: 1, Ratio: math.Inf(1)}, {Item: 1, Ratio: 1, High: math.Inf(1)}} {
			next, why := s.Next(p.items, []search.Seen{{Item: 0, Ratio: 1}, odd}, 2)
			assert.False(t, strings.Contains(why, "NaN"), why)
			assert.NotContains(t, next, 0)
		}
	}
}

// spaceOf is a form with three constants, a row of whose values is best somewhere inside;
// what predicts is what a model makes of an item that takes so long.
func spaceOf(predicts func(time float64) float64) problem {
	var p problem
	time := func(x, y, z int) float64 {
		t := math.Exp(0.6*math.Abs(math.Log2(float64(x)/64)) + 0.4*math.Abs(math.Log2(float64(y)/4)))
		if x*y > 512 {
			return 0 // more threads than there can be
		}
		return t * (1 + 0.2*float64(z))
	}
	for _, x := range []int{8, 16, 24, 32, 48, 64, 96, 128, 256} {
		for _, y := range []int{1, 2, 3, 4, 6, 8, 16} {
			for z := range 3 {
				v := search.Variant{Form: true, Constants: []record.Constant{{Name: "X", Value: fmt.Sprint(x)}, {Name: "Y", Value: fmt.Sprint(y)}, {Name: "mode", Value: string(rune('c' - z))}}}
				t := time(x, y, z)
				ratio := 0.0
				if t > 0 {
					ratio, v.Predicted = time(8, 1, 0)/t, predicts(t)
				}
				p.items, p.truth = append(p.items, v), append(p.truth, ratio)
			}
		}
	}
	return p
}

// until returns after how many measurements the best was measured.
func (p problem) until(t *testing.T, s search.Strategy) int {
	t.Helper()
	var seen []search.Seen
	best := slices.Max(p.truth)
	for len(seen) < len(p.items) {
		next, why := s.Next(p.items, seen, 1)
		require.NotEmpty(t, next, why)
		seen = append(seen, search.Seen{Item: next[0], Ratio: p.truth[next[0]]})
		if p.truth[next[0]] == best {
			break
		}
	}
	return len(seen)
}

func TestInASpaceNeighboursTellWhereTheBestIs(t *testing.T) {
	silent := func(float64) float64 { return 0 }
	right := func(t float64) float64 { return 1 / (t + 0.1) }
	wrong := func(t float64) float64 { return t + 0.1 }
	n := len(spaceOf(silent).items)
	for seed := range uint64(3) {
		assert.Less(t, spaceOf(silent).until(t, search.Guided{Share: 1, Seed: seed}), n/4, "seed %d", seed)
		assert.Less(t, spaceOf(right).until(t, search.Guided{Share: 1, Seed: seed}), 4, "seed %d: the model is right", seed)
		assert.Less(t, spaceOf(wrong).until(t, search.Guided{Share: 1, Seed: seed}), n/4, "seed %d: what it says is not believed for long", seed)
	}
}

func TestASpaceIsSearchedTheSameWhateverTheOrderOfItsItemsAndMeasurements(t *testing.T) {
	p := spaceOf(func(t float64) float64 { return 2 / (t + 1) })
	var q problem
	for i := range p.items {
		at := 0
		if i > 0 {
			at = len(p.items) - i
		}
		q.items, q.truth = append(q.items, p.items[at]), append(q.truth, p.truth[at])
	}
	s := search.Guided{Share: 0.15, Seed: 7}
	path, seen, _ := p.run(t, s, 1)
	other, _, _ := q.run(t, s, 1)
	for n, i := range other {
		if i > 0 {
			other[n] = len(p.items) - i
		}
	}
	assert.Equal(t, path, other)
	slices.Reverse(seen)
	next, _ := s.Next(p.items, seen[4:], 1)
	assert.Equal(t, path[len(path)-4:len(path)-3], next)
	different, _, _ := p.run(t, search.Guided{Share: 0.15, Seed: 8}, 1)
	assert.NotEqual(t, path, different)
}

// Of a space of ten thousand items each step takes a moment.
func TestASpaceMayBeLarge(t *testing.T) {
	var items []search.Variant
	for i := range 10000 {
		v := search.Variant{Form: true}
		for n, d := i, 0; d < 4; n, d = n/10, d+1 {
			v.Constants = append(v.Constants, record.Constant{Name: string(rune('a' + d)), Value: fmt.Sprint(n % 10)})
		}
		items = append(items, v)
	}
	var seen []search.Seen
	for i := range 20 {
		seen = append(seen, search.Seen{Item: i * 473, Ratio: 1 + float64(i%7)})
	}
	next, why := search.Guided{}.Next(items, seen, 1)
	require.Len(t, next, 1, why)
	assert.NotEqual(t, 0, next[0])
}
