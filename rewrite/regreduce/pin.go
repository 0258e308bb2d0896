package regreduce

import (
	"slices"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// pin is the third rung: index and pointer variables are pinned, which keeps the compiler from transformations that
// make values live longer. All pins are tried at once, upon the cap and upon the best unrolling; then the fewest are
// sought that do as much.
func (c *climber) pin() ([]int, string, error) {
	var names []string
	for _, p := range c.found.Pins {
		names = append(names, p.Name)
	}
	switch {
	case len(names) == 0:
		return nil, "there is no index or pointer variable to pin", nil
	case c.need(c.base).met():
		return nil, "nothing is spilled that pins could save", nil
	}
	grounds := []int{c.base}
	if c.capped >= 0 && c.base != c.capped {
		grounds = []int{c.capped, c.base} // at equal need without the unrolling
	} else if c.base != original && c.capped < 0 {
		grounds = []int{original, c.base}
	}
	recipes := lists.Map(grounds, func(g int) variant.Recipe { return pinned(c.recipes[g], names) })
	at, err := c.attempts(RungPin, recipes...)
	if err != nil {
		return nil, "", err
	}
	best := -1
	for i, a := range at {
		if a >= 0 && c.need(a).less(c.need(grounds[i])) && (best < 0 || c.need(a).less(c.need(at[best]))) {
			best = i
		}
	}
	if best < 0 || !c.need(at[best]).less(c.need(c.base)) {
		return nil, "no pin makes it spill less", nil
	}
	fewest, err := c.fewestPins(c.recipes[grounds[best]], names, at[best])
	if err != nil {
		return nil, "", err
	}
	c.base = fewest
	if fewest == at[best] {
		return []int{fewest}, "", nil
	}
	return []int{fewest, at[best]}, "", nil
}

// fewestPins drops pins as long as the attempt stays as good: by halves, quarters and so on, from the front.
func (c *climber) fewestPins(ground variant.Recipe, names []string, best int) (int, error) {
	goal := c.need(best)
	for size := (len(names) + 1) / 2; size > 0 && len(names) > 1; {
		dropped := false
		for from := 0; from < len(names) && len(names) > 1; from += 2 * size {
			// Two at a time, which are compiled side by side.
			sets := [][]string{without(names, from, size)}
			if from+size < len(names) {
				sets = append(sets, without(names, from+size, size))
			}
			recipes := lists.Map(sets, func(set []string) variant.Recipe { return pinned(ground, set) })
			at, err := c.attempts(RungPin, recipes...)
			if err != nil {
				return best, err
			}
			kept := -1
			for i, a := range at {
				if a >= 0 && !goal.less(c.need(a)) && (kept < 0 || c.cheaper(a, at[kept]) < 0) {
					kept = i
				}
			}
			if kept >= 0 {
				best, names, dropped = at[kept], sets[kept], true
				goal = c.need(best)
			}
			if dropped || slices.Contains(at, -1) {
				break
			}
		}
		switch {
		case c.left == 0:
			return best, nil
		case !dropped && size == 1:
			return best, nil
		case dropped:
			size = min(size, (len(names)+1)/2)
		default:
			size = (size + 1) / 2
		}
	}
	return best, nil
}

// without is a list without n of its elements; at least one stays.
func without(names []string, from, n int) []string {
	out := slices.Delete(slices.Clone(names), from, min(from+n, len(names)))
	if len(out) == 0 {
		return names[:1]
	}
	return out
}

func pinned(r variant.Recipe, names []string) variant.Recipe {
	r.Pins = names
	return r
}
