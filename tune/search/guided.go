package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Guided measures first what a model expects most of, learns from each measurement
// how far the model is off, and ends when nothing is left that is likely to win.
//
// The original comes first, against itself. Then come the simplest other original
// forms, as far as the number of measurements allows, since a gain is reported over these, too. Then
// always what is expected to improve most on the best so far, by the predictions
// as the measurements have corrected them: what is promising or little known
// comes before what is sure to be a little slower.
//
// An item that failed says nothing on the model's error, but what shares a trait with
// failures alone is put back.
type Guided struct {
	// Share is the part of the items that is measured at most; 0 is a third. A failure
	// counts half. Three items are measured in any case.
	Share float64
	// Within is by what part a remaining item has to be faster than the best to count,
	// and Doubt the probability under which each is given up; 0 is 0.02 for both.
	Within, Doubt float64
}

const fewest = 3 // items that are measured in any case

// Next says what to measure next, and why nothing.
func (g Guided) Next(items []Item, seen []Seen, n int) (next []int, why string) {
	s := g.start(items, seen)
	for len(next) < n {
		i, reason := s.pick()
		if i < 0 {
			return next, reason
		}
		next = append(next, i)
		s.suppose(i)
	}
	return next, ""
}

// state is how far a search has come.
type state struct {
	Guided
	items []Item
	open  []bool // not seen
	prior *prior
	known []measured // without the original
	best  float64    // logarithm of the best ratio
	used  float64    // measurements
	most  int
	forms int // seen ones besides the original
	fails map[string][2]int
}

func (g Guided) start(items []Item, seen []Seen) *state {
	if g.Share <= 0 {
		g.Share = 1.0 / 3
	}
	if g.Within <= 0 {
		g.Within = 0.02
	}
	if g.Doubt <= 0 {
		g.Doubt = 0.02
	}
	s := &state{Guided: g, items: items, open: unseen(len(items), seen), fails: map[string][2]int{}}
	s.most = min(len(items), max(fewest, int(g.Share*float64(len(items))+1e-9)))
	seen = slices.Clone(seen)
	slices.SortFunc(seen, func(a, b Seen) int { return cmp.Compare(a.Item, b.Item) })
	for _, m := range seen {
		if m.Item < 0 || m.Item >= len(items) {
			continue
		}
		s.count(m)
	}
	return s
}

// count takes a measurement into account.
func (s *state) count(m Seen) {
	item, failed := s.items[m.Item], !(m.Ratio > 0)
	if m.Item > 0 && item.Form {
		s.forms++
	}
	for _, t := range item.Traits {
		n := s.fails[t]
		if failed {
			n[0]++
		} else {
			n[1]++
		}
		s.fails[t] = n
	}
	if failed {
		s.used += 0.5
		return
	}
	s.used++
	if m.Item == 0 {
		return
	}
	s.best = max(s.best, math.Log(m.Ratio))
	s.known = append(s.known, measured{m.Item, math.Log(m.Ratio), errorOf(m)})
}

// errorOf is the standard deviation of a measured ratio's logarithm, by its
// interval of 95 %.
func errorOf(m Seen) float64 {
	if !(m.Low > 0) || !(m.High >= m.Low) {
		return unknown
	}
	return max(least, math.Log(m.High/m.Low)/(2*1.96))
}

// pick is the item to measure next, -1 for none, with the reason.
func (s *state) pick() (item int, why string) {
	if len(s.items) == 0 {
		return -1, all
	}
	if s.open[0] {
		return 0, ""
	}
	if s.used >= float64(s.most) {
		return -1, s.full()
	}
	if i := s.form(); i >= 0 {
		return i, ""
	}
	if s.prior == nil {
		s.prior = newPrior(s.items)
	}
	b := believe(s.prior, s.known)
	best, score, hope := -1, 0.0, -1
	for i := range s.items {
		if !s.open[i] {
			continue
		}
		if hope < 0 || b.chance(i, s.best+s.Within) > b.chance(hope, s.best+s.Within) {
			hope = i
		}
		v := s.worth(b, i)
		if best < 0 || v > score || v == score && s.before(i, best) {
			best, score = i, v
		}
	}
	if best < 0 {
		return -1, all
	}
	if b.chance(hope, s.best+s.Within) < s.Doubt {
		return -1, s.hopeless(b, hope)
	}
	return best, ""
}

// worth is how much an item is expected to gain over the best so far, rounded, so that
// machines that round differently agree on it.
func (s *state) worth(b belief, i int) float64 {
	v := b.improvement(i, s.best) * s.works(i)
	return math.Round(v*1e9) / 1e9
}

// works is the probability that an item doesn't fail, by the trait that failed
// most.
func (s *state) works(i int) float64 {
	least := 1.0
	for _, t := range s.items[i].Traits {
		n := s.fails[t]
		least = min(least, float64(n[1]+1)/float64(n[0]+n[1]+1))
	}
	return least
}

// before breaks ties: what the model expects more of comes first, then what has
// fewer traits, so that the order of the items does not matter.
func (s *state) before(i, j int) bool {
	a, b := s.items[i], s.items[j]
	return cmp.Or(cmp.Compare(b.Predicted, a.Predicted), cmp.Compare(len(a.Traits), len(b.Traits)), slices.Compare(a.Traits, b.Traits)) < 0
}

// form is the original form to measure before anything is decided, -1 for none.
func (s *state) form() int {
	if s.forms >= s.most/5 {
		return -1
	}
	best := -1
	for i, item := range s.items {
		if item.Form && s.open[i] && (best < 0 || s.simpler(i, best)) {
			best = i
		}
	}
	return best
}

func (s *state) simpler(i, j int) bool {
	a, b := len(s.items[i].Traits), len(s.items[j].Traits)
	return a < b || a == b && s.before(i, j)
}

// suppose takes an item for measured, with the ratio that is expected.
func (s *state) suppose(i int) {
	s.open[i] = false
	ratio := 1.0
	if i > 0 && s.prior != nil {
		mean, _ := believe(s.prior, s.known).expected(i)
		ratio = math.Exp(mean)
	}
	best := s.best
	s.count(Seen{Item: i, Ratio: ratio})
	s.best = best
}

func (s *state) full() string {
	left := 0
	for _, open := range s.open {
		if open {
			left++
		}
	}
	if left == 0 {
		return all
	}
	return fmt.Sprintf("%d of the %d forms are measured, as many as the search may; %d are left", len(s.items)-left, len(s.items), left)
}

// hopeless says why nothing is left that can win.
func (s *state) hopeless(b belief, hope int) string {
	mean, sd := b.expected(hope)
	return fmt.Sprintf("the best so far gains a factor of %.3f, and the most promising of what is left (%s) is expected at %.3f, give or take %.1f %% by what the model was off so far",
		math.Exp(s.best), strings.Join(s.items[hope].Traits, " "), math.Exp(mean), 100*sd)
}
