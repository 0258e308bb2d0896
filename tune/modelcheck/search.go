package modelcheck

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/tune/search"
)

// Effort counts the configurations that ran until one is found that is nearly as fast as the fastest.
type Effort struct {
	By string `json:"by"` // who says which comes next
	// Five and One are the measurements until one within 5 % and 1 % of the fastest; 0 for more than MostEffort.
	Five int `json:"withinFive"`
	One  int `json:"withinOne"`
}

const (
	ByChance   = "chance"                 // the median over all random orders
	ByModel    = "model"                  // the best predicted first, those without a prediction last
	ByAlone    = "search, without model"  // of smux tune, the median over Seeds
	BySearch   = "search, with the model" // … with the model's predictions as its prior
	MostEffort = 400
	Seeds      = 7
)

// Search adds how soon the search of smux tune finds the fastest, with and without the model; thousands take a minute.
func (r *Report) Search(ctx context.Context) error {
	for i := range r.Kernels {
		k := &r.Kernels[i]
		by := []string{ByAlone, BySearch}
		if k.Predicted == 0 {
			by = by[:1]
		}
		for _, by := range by {
			e, err := searched(ctx, k.points, by)
			if err != nil {
				return err
			}
			k.Efforts = append(k.Efforts, e)
		}
	}
	return nil
}

// ran are the configurations that ran, and the time of the fastest.
func ran(of []point) (out []*point, best float64) {
	best = math.Inf(1)
	for i := range of {
		if p := &of[i]; p.measured > 0 {
			out = append(out, p)
			best = min(best, p.measured)
		}
	}
	return out, best
}

// efforts returns those of the orders that cost nothing to find.
func efforts(of []point) []Effort {
	all, best := ran(of)
	if len(all) == 0 {
		return []Effort{}
	}
	out := []Effort{{ByChance, chance(all, best*1.05), chance(all, best*1.01)}}
	if slices.ContainsFunc(all, (*point).compared) {
		slices.SortStableFunc(all, func(a, b *point) int { return cmp.Compare(b.speed(), a.speed()) })
		until := func(within float64) int {
			return 1 + slices.IndexFunc(all, func(p *point) bool { return p.measured <= best*(1+within) })
		}
		out = append(out, Effort{ByModel, until(0.05), until(0.01)})
	}
	return out
}

// speed is the inverse of the predicted time, 0 where there is none.
func (p *point) speed() float64 {
	if p.predicted == nil || p.predicted.Milliseconds <= 0 {
		return 0
	}
	return 1 / p.predicted.Milliseconds
}

// searched returns the median effort of the search of smux tune.
func searched(ctx context.Context, of []point, by string) (Effort, error) {
	all, best := ran(of)
	if len(all) == 0 {
		return Effort{By: by}, nil
	}
	first := slices.IndexFunc(of, func(p point) bool { return p.measured > 0 })
	order := slices.Concat(of[first:first+1], of[:first], of[first+1:]) // the original is one that runs
	items := make([]search.Variant, len(order))
	for i := range order {
		items[i] = search.Variant{Form: true, Constants: order[i].constants}
		if by == BySearch && order[0].speed() > 0 {
			items[i].Predicted = order[i].speed() / order[0].speed()
		}
	}
	runs := make([]Effort, Seeds)
	err := parallel.Each(ctx, Seeds, runtime.GOMAXPROCS(0), func(seed int) error {
		runs[seed] = replay(ctx, search.Guided{Share: 1, Doubt: 1e-12, Seed: uint64(seed)}, items, order, best)
		return ctx.Err()
	})
	middle := func(of func(Effort) int) int {
		all := lists.Map(runs, func(r Effort) int { return cmp.Or(of(r), MostEffort+1) })
		slices.Sort(all)
		if n := all[len(all)/2]; n <= MostEffort {
			return n
		}
		return 0
	}
	return Effort{by, middle(func(e Effort) int { return e.Five }), middle(func(e Effort) int { return e.One })}, err
}

func replay(ctx context.Context, s search.Strategy, items []search.Variant, of []point, best float64) (e Effort) {
	var seen []search.Seen
	for ran := 0; ran < MostEffort && e.One == 0 && ctx.Err() == nil; {
		next, _ := s.Next(items, seen, 1)
		if len(next) == 0 {
			break
		}
		now := search.Seen{Item: next[0]}
		if p := of[next[0]]; p.measured > 0 {
			ran++
			now.Ratio = of[0].measured / p.measured
			if e.Five == 0 && p.measured <= best*1.05 {
				e.Five = ran
			}
			if p.measured <= best*1.01 {
				e.One = ran
			}
		}
		seen = append(seen, now)
	}
	return e
}

// chance returns after how many draws without return it is as likely as not that one was at most so long.
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
