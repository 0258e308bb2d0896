package judge

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/internal/prose"
)

func (d *decision) take(i int, more string) {
	row := d.verdict.Rows[i]
	d.verdict.Chosen = i
	d.verdict.Why = fmt.Sprintf("%s is %s times as fast as the original, in %d fresh pairs%s.", row.Name, spoken(row.Confirm), row.Confirm.Pairs, more)
}

func (d *decision) keep() {
	best := d.fastest(func(r Row) bool { return r.Failure == nil && r.Compared() })
	unchecked := d.fastest(func(r Row) bool { return r.Failure == nil && !r.Compared() && r.Search.Median >= d.least })
	var why []string
	switch {
	case best < 0 && unchecked < 0:
		why = append(why, "no variant was measured")
		if i := d.fastest(func(r Row) bool { return r.Failure == nil && r.Search.Pairs > 0 }); i >= 0 {
			why[0] = d.tooLittle(i)
		}
	case best >= 0 && d.states[best].state == refused:
		why = append(why, fmt.Sprintf("the best in the search, %s with %s, is not confirmed: %s", d.verdict.Rows[best].Name, spoken(d.verdict.Rows[best].Search), d.states[best].why))
		var also []string
		for _, i := range d.ranking() {
			if i != best && d.states[i].state == refused {
				also = append(also, d.verdict.Rows[i].Name)
			}
		}
		if len(also) > 0 {
			why = append(why, "neither is "+strings.Join(also, " or "))
		}
	case best >= 0:
		why = append(why, d.tooLittle(best))
	}
	if unchecked >= 0 {
		row := d.verdict.Rows[unchecked]
		why = append(why, fmt.Sprintf("%s, with %s, can't be chosen: %s", row.Name, spoken(row.Search), row.Refused))
	}
	d.verdict.Why = "Keep the original: " + strings.Join(why, "; ") + "."
}

// tooLittle says that the best row gains less than is worth a change.
func (d *decision) tooLittle(best int) string {
	row, worth := d.verdict.Rows[best], fmt.Sprintf("%g %%", d.rules.MinGain)
	if d.verdict.Floor > d.rules.MinGain {
		worth = fmt.Sprintf("the %.2g %% that can be told apart on this machine", d.verdict.Floor)
	}
	return fmt.Sprintf("the best form, %s, is %s times as fast, in %s: a change must gain %s", row.Name, spoken(row.Search), prose.Count(row.Search.Pairs, "pair"), worth)
}

// fastest returns the row with the largest ratio in the search of those that are meant, the original aside; -1 for none.
func (d *decision) fastest(meant func(Row) bool) int {
	at := -1
	for i, row := range d.verdict.Rows {
		if d.variants[i].original() || row.Search.Pairs == 0 || !meant(row) {
			continue
		}
		if at < 0 || row.Search.Median > d.verdict.Rows[at].Search.Median {
			at = i
		}
	}
	return at
}
