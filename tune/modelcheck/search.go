package modelcheck

import "slices"

// Effort is how many configurations are measured until one is found that is nearly as fast
// as the fastest of all that ran, those that fail not counted.
type Effort struct {
	By string `json:"by"` // who says which comes next
	// Five and One are the measurements until one within 5 % and within 1 % of the fastest
	// was measured.
	Five int `json:"withinFive"`
	One  int `json:"withinOne"`
}

// The orders.
const (
	ByChance = "chance" // the median over all random orders
	ByModel  = "model"  // the best predicted first
)

// efforts returns those of all orders.
func efforts(of []*point) []Effort {
	if len(of) == 0 {
		return []Effort{}
	}
	best := slices.MinFunc(of, func(a, b *point) int { return compare(a.measured, b.measured) }).measured
	byModel := slices.Clone(of)
	slices.SortStableFunc(byModel, func(a, b *point) int {
		return compare(a.predicted.Milliseconds, b.predicted.Milliseconds)
	})
	until := func(order []*point, within float64) int {
		return 1 + slices.IndexFunc(order, func(p *point) bool { return p.measured <= best*(1+within) })
	}
	return []Effort{
		{ByChance, chance(of, best*1.05), chance(of, best*1.01)},
		{ByModel, until(byModel, 0.05), until(byModel, 0.01)},
	}
}

// chance returns after how many draws without return it is as likely as not that one was
// at most so long.
func chance(of []*point, long float64) int {
	good := 0
	for _, p := range of {
		if p.measured <= long {
			good++
		}
	}
	none := 1.0 // the probability that none was drawn yet
	for n := 0; n < len(of); n++ {
		if none <= 0.5 {
			return n
		}
		none *= float64(len(of)-n-good) / float64(len(of)-n)
	}
	return len(of)
}
