package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Guided measures first what a model expects most of, learns from each measurement how far the model is off, and ends when
// nothing is left that is likely to win.
//
// The original comes first, against itself, then the simplest other original form, unless there are very few
// measurements: a gain is reported over such forms, too. Then always what is expected to improve most on the best so
// far, by the predictions as corrected so far: what is promising or little known comes before what is surely slower.
//
// A model says next to nothing of the many forms that differ in how v-TBs take turns. There a short look at many of them
// finds more than full measurements of a few: see Looks.
//
// Items that differ in constants of the program alone are a space. There the first few give something to compare; then
// near constants are taken to have similar times. Which constants matter, over what distance, and how far the model is
// right is learnt. Every second item is chosen as if there were no model, since being right about most of a space says
// little of the fastest: so a wrong model at most doubles the search. Of very many items neighbours of the best and a
// sample are thought of at a time. Of an item that failed, the search puts back what is like it.
type Guided struct {
	// Share is the part of an exhaustive search's measurements that is made at most; 0 is a third. An item counts by its Cost,
	// a failure half or as a look. Three items are measured in any case.
	Share float64
	// Within is the part by which an item has to be faster than the best to count. The search ends if the probability that
	// there is one falls under Doubt. 0 is 0.02 and 0.001.
	Within, Doubt float64
	// Looks has every item but the original measured in a single pair at first, and the best of these then in full.
	Looks bool
	// Seed draws the items of a space that are measured first, and those that are thought of where there are very many.
	Seed uint64
}

const (
	fewest         = 3       // items that are measured in any case
	enoughForForms = 5       // measurements of which one is spent on an original form
	look           = 1.0 / 6 // part of a full measurement that a look takes, at most
	finalists      = 3       // looked at that are measured in full, if they are near the best
)

func (g Guided) Pairs(seen []Seen, item int) int {
	if !g.Looks || item == 0 || slices.ContainsFunc(seen, func(s Seen) bool { return s.Item == item }) {
		return 0
	}
	return 1
}

func (g Guided) Next(items []Variant, seen []Seen, n int) (next []int, why string) {
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

// state says how far a search has come.
type state struct {
	Guided
	items []Variant
	open  []bool // not seen
	prior *prior
	hash  []uint64   // of the items, in a space
	known []measured // without the original, but in a space
	best  float64    // logarithm of the best ratio
	used  float64    // measurements
	most  float64
	noise float64 // of a look
	forms int     // seen ones besides the original

	failed, worked []int // items

	looked   []measured // not measured in full
	finished int        // looked at, and then measured in full
	sure     float64    // as best, of what was measured in full
}

func (g Guided) start(items []Variant, seen []Seen) *state {
	g.Share, g.Within, g.Doubt = cmp.Or(g.Share, 1.0/3), cmp.Or(g.Within, 0.02), cmp.Or(g.Doubt, 0.001)
	s := &state{Guided: g, items: items, open: unseen(len(items), seen), prior: newPrior(items)}
	if s.prior.space && s.prior.predicts && len(seen)%2 == 0 {
		s.items = slices.Clone(items)
		for i := range s.items {
			s.items[i].Predicted = 0 // the model says nothing of them
		}
		s.prior = newPrior(s.items)
	}
	if s.prior.space {
		s.hash = make([]uint64, len(items))
		for i := range items {
			s.hash[i] = items[i].hash(g.Seed)
		}
	}
	s.most = math.Min(float64(len(items)), math.Max(fewest, g.Share*float64(len(items)))) + 1e-9
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

func (s *state) count(m Seen) {
	item, failed := s.items[m.Item], !(m.Ratio > 0) || math.IsInf(m.Ratio, 1)
	if m.Item > 0 && item.Form {
		s.forms++
	}
	if failed {
		s.failed = append(s.failed, m.Item)
		s.used += 0.5
		if s.Looks {
			s.used += look - 0.5
		}
		return
	}
	s.worked = append(s.worked, m.Item)
	s.used += m.cost()
	if m.Item == 0 && s.prior.space {
		s.known = append(s.known, measured{0, 0, unknown})
	}
	if m.Item == 0 {
		s.noise = math.Max(unknown, s.errorOf(m)/math.Sqrt(look))
		return
	}
	now := measured{m.Item, math.Log(m.Ratio), s.errorOf(m)}
	s.best = max(s.best, now.log)
	s.known = append(s.known, now)
	if s.Looks && m.cost() < 1 {
		s.looked = append(s.looked, now)
		return
	}
	s.finished++
	s.sure = max(s.sure, now.log)
}

// errorOf returns the standard deviation of a ratio's logarithm by its interval of 95 %; that of a look by a pair of the original.
func (s *state) errorOf(m Seen) float64 {
	switch {
	case m.cost() < 1:
		return math.Max(unknown, s.noise)
	case !(m.Low > 0) || !(m.High >= m.Low) || math.IsInf(m.High, 0):
		return unknown
	}
	return math.Max(least, math.Log(m.High/m.Low)/(2*1.96))
}

// pick returns the item to measure next, -1 for none, with the reason.
func (s *state) pick() (item int, why string) {
	if len(s.items) == 0 {
		return -1, all
	}
	if s.open[0] {
		return 0, ""
	}
	if item, why = s.unseen(); item < 0 {
		item = s.finalist()
	}
	return item, why
}

// unseen returns the item that wasn't seen to measure next, -1 for none, with the reason.
func (s *state) unseen() (item int, why string) {
	if s.used+s.price() > s.most {
		return -1, s.full()
	}
	if i := s.form(); i >= 0 {
		return i, ""
	}
	if i := s.scout(); i >= 0 {
		return i, ""
	}
	s.prior.learn(s.fewer(mostLearnt))
	items, share := s.candidates()
	b := believe(s.prior, s.fewer(mostKnown), items)
	best, score, hope, chance, any := -1, 0.0, -1, 0.0, 0.0
	for n, i := range items {
		c := b.chance(n, s.best+s.Within)
		any += c / share
		if hope < 0 || c > chance {
			hope, chance = n, c
		}
		// Rounded, so that machines that round differently agree on it.
		v := math.Round(b.improvement(n, s.best)*s.works(i)*1e9) / 1e9
		if best < 0 || v > score || v == score && s.before(i, best) {
			best, score = i, v
		}
	}
	if best < 0 {
		return -1, all
	}
	if any < s.Doubt {
		mean, sd := b.expected(hope)
		return -1, fmt.Sprintf("the best so far gains a factor of %.3f, and the most promising of what is left (%s) is expected at %.3f, give or take %.1f %% by what the model was off so far",
			math.Exp(s.best), s.items[items[hope]].words(), math.Exp(mean), 100*sd)
	}
	return best, ""
}

// price returns what has to be left for an item that wasn't seen: with looks also for the finalists.
func (s *state) price() float64 {
	if !s.Looks {
		return 1
	}
	return look + (1-look)*math.Max(0, math.Min(finalists, math.Floor(s.most/4))-float64(s.finished))
}

// finalist returns an item that was looked at and is to be measured in full, as it may be the best; -1 for none.
func (s *state) finalist() int {
	if len(s.looked) == 0 || s.used+1-look > s.most {
		return -1
	}
	m, lead := s.looked[0], 0.0
	for _, o := range s.looked[1:] {
		if o.log > m.log || o.log == m.log && s.before(o.item, m.item) {
			m = o
		}
	}
	if s.finished >= finalists {
		lead = s.Within // a close one more would gain nothing
	}
	if m.log > s.sure || m.log+2*m.err > s.sure+lead {
		return m.item
	}
	return -1
}

// works returns the probability that an item doesn't fail, by those like it; one that is half like it counts a sixteenth.
func (s *state) works(i int) float64 {
	if len(s.failed) == 0 {
		return 1
	}
	sum := func(items []int) float64 {
		n := 0.0
		for _, j := range items {
			of := s.prior.near(i, j)
			a := of.alike
			if s.prior.space {
				a = byTraits*a + byManyAlike*a*a + alone*of.same
			}
			n += a * a * a * a
		}
		return n
	}
	worked := sum(s.worked) + 1
	return worked / (worked + sum(s.failed))
}

// before breaks ties: what the model expects more of, then what has fewer traits, whatever the order of the items.
func (s *state) before(i, j int) bool {
	a, b := s.items[i], s.items[j]
	if s.prior.space {
		return cmp.Or(cmp.Compare(b.Predicted, a.Predicted), cmp.Compare(s.hash[i], s.hash[j])) < 0
	}
	return cmp.Or(cmp.Compare(b.Predicted, a.Predicted), cmp.Compare(len(a.Traits), len(b.Traits)), slices.Compare(a.Traits, b.Traits)) < 0
}

// form returns the original form to measure before anything is decided, -1 for none.
func (s *state) form() int {
	if s.prior.space || s.forms > 0 || s.most < enoughForForms {
		return -1
	}
	return s.first(func(i int) bool { return s.items[i].Form }, func(i, j int) bool {
		a, b := len(s.items[i].Traits), len(s.items[j].Traits) // the simplest
		return a < b || a == b && s.before(i, j)
	})
}

// first returns the first of the open items that are meant, in an order; -1 for none.
func (s *state) first(meant func(i int) bool, before func(i, j int) bool) int {
	best := -1
	for i, open := range s.open {
		if open && meant(i) && (best < 0 || before(i, best)) {
			best = i
		}
	}
	return best
}

// suppose takes an item for measured, with the ratio that is expected.
func (s *state) suppose(i int) {
	m := Seen{Item: i, Ratio: 1}
	for n, l := range s.looked {
		if l.item == i { // the rest of it
			s.looked = slices.Delete(s.looked, n, n+1)
			s.used += 1 - look
			s.finished++
			return
		}
	}
	s.open[i] = false
	if i > 0 {
		mean, _ := believe(s.prior, s.fewer(mostKnown), []int{i}).expected(0)
		m.Ratio = math.Exp(mean)
	}
	if s.Looks && i > 0 {
		m.Cost = look
	}
	before := *s
	s.count(m)
	s.best, s.looked, s.sure, s.finished = before.best, before.looked, before.sure, before.finished
}

func (s *state) full() string {
	left := len(slices.DeleteFunc(slices.Clone(s.open), func(open bool) bool { return !open }))
	if left == 0 {
		return all
	}
	return fmt.Sprintf("%d of the %d forms were looked at, which is as much as the search may measure; %d are left", len(s.items)-left, len(s.items), left)
}

// Of spaces that are too large to think of every item.
const (
	drawn      = 2000 // items that are thought of at a time, besides neighbours of the best
	stepsAway  = 2    // constants in which a neighbour differs
	neighbours = 2    // how many of the best have theirs thought of
	mostKnown  = 300  // measurements that count
	mostLearnt = 100  // … that effects' reach is learnt from
	scouts     = 8    // items that are measured before those of a space are compared
)

// candidates returns the open items to think of: all, or those near the best and a share of the others, drawn by their hash.
func (s *state) candidates() (items []int, share float64) {
	for i, open := range s.open {
		if open {
			items = append(items, i)
		}
	}
	others := len(items)
	if !s.prior.space || others <= drawn {
		return items, 1
	}
	best := s.byRatio()
	share = float64(drawn) / float64(others)
	salt := mix(uint64(len(s.known) + len(s.failed)))
	return slices.DeleteFunc(items, func(i int) bool {
		if float64(mix(s.hash[i]^salt)>>11)/(1<<53) < share {
			return false
		}
		return !slices.ContainsFunc(best[:min(neighbours, len(best))], func(m measured) bool {
			steps := slices.DeleteFunc(slices.Clone(s.prior.axes), func(x *axis) bool { return x.at[i] == x.at[m.item] })
			return len(steps) <= stepsAway
		})
	}), share
}

// byRatio returns what was measured, the best first.
func (s *state) byRatio() []measured {
	return slices.SortedFunc(slices.Values(s.known), func(a, b measured) int {
		return cmp.Or(cmp.Compare(b.log, a.log), cmp.Compare(s.hash[a.item], s.hash[b.item]))
	})
}

// fewer returns at most so many measurements: the best, and of the others those that the hash draws.
func (s *state) fewer(most int) []measured {
	if len(s.known) <= most {
		return s.known
	}
	out := s.byRatio()
	slices.SortFunc(out[most/2:], func(a, b measured) int { return cmp.Compare(s.hash[a.item], s.hash[b.item]) })
	return out[:most]
}

// scout returns the next of the first items of a space, in turns the model's favourite and any; -1 for none.
func (s *state) scout() int {
	if !s.prior.space || len(s.worked)+len(s.failed)/2 > scouts {
		return -1
	}
	byModel := (len(s.worked)+len(s.failed))%2 == 1 && s.prior.predicts
	return s.first(func(int) bool { return true }, func(i, j int) bool {
		if byModel && s.items[i].Predicted != s.items[j].Predicted {
			return s.items[i].Predicted > s.items[j].Predicted
		}
		return s.hash[i] < s.hash[j]
	})
}
