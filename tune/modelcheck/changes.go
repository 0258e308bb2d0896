package modelcheck

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Change counts the pairs of configurations, one step apart in one constant, in which the model has the right sign.
type Change struct {
	Of string `json:"of"` // the constant, or BlocksPerSM
	// Pairs have measured times more than Same apart: the model has Right right, Wrong wrong, and sees no difference in the rest.
	Pairs int `json:"pairs"`
	Right int `json:"right"`
	Wrong int `json:"wrong"`
	// Faster are the pairs in which the larger value is the faster one, as measured.
	Faster int `json:"largerIsFaster"`
}

// BlocksPerSM is the change of all pairs in which more thread blocks run at once.
const BlocksPerSM = "thread blocks per SM"

// Same is the part by which times differ at most that count as equal when measured; predictions do up to a tenth of it.
const Same = 0.02

// changes compares each configuration with that of the next value of each constant.
func changes(of []*point) []Change {
	out := []Change{}
	if len(of) == 0 {
		return out
	}
	resident := Change{Of: BlocksPerSM}
	for at, c := range of[0].constants {
		values := valuesOf(of, at)
		if len(values) < 2 {
			continue
		}
		change := Change{Of: c.Name}
		groups := map[string][]*point{}
		for _, p := range of {
			if len(p.constants) <= at {
				continue
			}
			others := slices.Delete(slices.Clone(p.constants), at, at+1)
			key := fmt.Sprintf("%q", others)
			groups[key] = append(groups[key], p)
		}
		for _, group := range groups {
			place := func(p *point) int { return slices.Index(values, p.constants[at].Value) }
			slices.SortStableFunc(group, func(a, b *point) int { return place(a) - place(b) })
			for i := 1; i < len(group); i++ {
				a, b := group[i-1], group[i]
				if place(b) != place(a)+1 {
					continue
				}
				change.add(a, b)
				switch x, y := a.predicted.Static.Blocks, b.predicted.Static.Blocks; {
				case x < y:
					resident.add(a, b)
				case x > y:
					resident.add(b, a)
				}
			}
		}
		out = append(out, change)
	}
	return append(out, resident)
}

func (c *Change) add(a, b *point) {
	measured := math.Log(b.measured / a.measured)
	if math.Abs(measured) <= math.Log(1+Same) {
		return
	}
	c.Pairs++
	if measured < 0 {
		c.Faster++
	}
	predicted := math.Log(b.predicted.Milliseconds / a.predicted.Milliseconds)
	switch {
	case math.Abs(predicted) <= math.Log(1+Same/10):
	case (predicted < 0) == (measured < 0):
		c.Right++
	default:
		c.Wrong++
	}
}

// valuesOf returns the values of a constant in their order: numbers by size.
func valuesOf(of []*point, at int) (out []string) {
	for _, p := range of {
		if len(p.constants) > at && !slices.Contains(out, p.constants[at].Value) {
			out = append(out, p.constants[at].Value)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int {
		x, err := strconv.ParseFloat(a, 64)
		y, wrong := strconv.ParseFloat(b, 64)
		if err != nil || wrong != nil {
			return strings.Compare(a, b)
		}
		return cmp.Compare(x, y)
	})
	return out
}
