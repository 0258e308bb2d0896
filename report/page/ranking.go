package page

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/pipeline/selection"
)

// mostPlaces is the largest number of columns of places in a ranking; where there are
// more, only the mean and the worst are shown.
const mostPlaces = 6

// mostTips is the number of rewrites that say more of a place where the pointer rests on it.
const mostTips = 3

// ranking is the rewrites of a kernel with what is expected of them.
type ranking struct {
	Heads []string // of the columns by place
	Ways  []rankedWay
	Out   []selection.Exclusion
}

type rankedWay struct {
	Way    string
	Gain   float64
	Chosen bool
	Cells  []rankedCell
	Worst  string
}

// rankedCell is a rewrite in a place.
type rankedCell struct {
	Ratio         float64
	Before, After int    // thread blocks of the original per SM
	Tip           string // what limits it, of the first ones
}

func newRanking(r *selection.Report) *ranking {
	out := &ranking{Out: r.Exclusions()}
	for _, w := range r.Ranking {
		if w.Excluded != "" {
			continue
		}
		row := rankedWay{Way: w.Variant.String(), Gain: w.Gain, Chosen: r.Choice != nil && *r.Choice == w.Variant}
		for _, p := range w.Places {
			c := rankedCell{Ratio: p.Ratio, Before: p.Before.Blocks, After: p.After.Blocks}
			if len(out.Ways) < mostTips || row.Chosen {
				c.Tip = fmt.Sprintf("limited by %s; %d → %d registers", p.After.Limiters, p.Before.Registers, p.After.Registers)
			}
			row.Cells = append(row.Cells, c)
		}
		if len(out.Heads) == 0 {
			out.Heads = heads(w.Places)
		}
		out.Ways = append(out.Ways, row)
	}
	if len(out.Heads) > mostPlaces {
		out.narrow(r)
	}
	return out
}

// heads returns the GPUs of some places, with the block where there are several.
func heads(places []selection.Prediction) []string {
	several := slices.ContainsFunc(places, func(p selection.Prediction) bool { return p.Block != places[0].Block })
	var out []string
	for _, p := range places {
		head := p.GPU
		if several {
			head += ", block " + p.Block
		}
		out = append(out, head)
	}
	return out
}

// narrow leaves of many places the worst.
func (k *ranking) narrow(r *selection.Report) {
	k.Heads = []string{"worst place"}
	i := 0
	for _, w := range r.Ranking {
		if w.Excluded != "" {
			continue
		}
		at := 0
		for j, p := range w.Places {
			if p.Ratio < w.Places[at].Ratio {
				at = j
			}
		}
		row := &k.Ways[i]
		if len(w.Places) > 0 {
			row.Cells = row.Cells[at : at+1]
			row.Worst = w.Places[at].GPU + ", block " + w.Places[at].Block
		}
		i++
	}
}
