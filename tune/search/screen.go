package search

import (
	"cmp"
	"slices"
)

// Of spaces that are too large to think of every item.
const (
	drawn      = 2000 // items that are thought of at a time, besides neighbours of the best
	stepsAway  = 2    // constants in which a neighbour differs
	neighbours = 2    // how many of the best have theirs thought of
	mostKnown  = 300  // measurements that count
	mostLearnt = 100  // … that effects' reach is learnt from
	scouts     = 8    // items that are measured before those of a space are compared
)

// candidates are the open items to think of: all, or those near the best that were measured
// and some of the others, drawn anew each time by their hash. share is the part of the
// others that were drawn.
func (s *state) candidates() (items []int, share float64) {
	others := 0
	for i, open := range s.open {
		if open {
			items = append(items, i)
			others++
		}
	}
	if !s.prior.space || others <= drawn {
		return items, 1
	}
	best := slices.Clone(s.known)
	slices.SortFunc(best, func(a, b measured) int {
		return cmp.Or(cmp.Compare(b.log, a.log), cmp.Compare(s.hash[a.item], s.hash[b.item]))
	})
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

// fewer returns at most so many measurements: the best, and of the others those
// that the hash draws.
func (s *state) fewer(most int) []measured {
	if len(s.known) <= most {
		return s.known
	}
	out := slices.Clone(s.known)
	slices.SortFunc(out, func(a, b measured) int {
		return cmp.Or(cmp.Compare(b.log, a.log), cmp.Compare(s.hash[a.item], s.hash[b.item]))
	})
	slices.SortFunc(out[most/2:], func(a, b measured) int { return cmp.Compare(s.hash[a.item], s.hash[b.item]) })
	return out[:most]
}

// scout returns the next of the first items of a space, half of which are those that the
// model expects most of and half any; -1 for none.
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
