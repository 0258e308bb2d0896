package datasets

import (
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/search"
)

// Set holds what was measured of one subject, as Replay takes it.
type Set struct {
	Subject    record.Subject
	Candidates []record.TunedVariant
	Items      []search.Variant
	Measured   [][]float64 // ratios of the pairs of the search; none where it failed
}

// Sets returns the subjects of a record, in the order in which they begin. traits says
// what a candidate shares with others. Variants that have neither pairs nor a
// failure are left out, and subjects that don't begin with the original.
func Sets(lines []record.Line, traits func(record.TunedVariant) []string) []Set {
	type at struct{ set, item int }
	var sets []Set
	where, bySubject, failed := map[string]at{}, map[string]int{}, map[string]bool{}
	for _, l := range lines {
		switch _, known := where[l.Key]; {
		case l.Variant != nil && !known:
			key := l.Variant.Subject.Key()
			n, ok := bySubject[key]
			if !ok {
				n = len(sets)
				bySubject[key] = n
				sets = append(sets, Set{Subject: l.Variant.Subject})
			}
			where[l.Key] = at{n, len(sets[n].Items)}
			c := l.Variant.Candidate
			sets[n].Candidates = append(sets[n].Candidates, c)
			sets[n].Items = append(sets[n].Items, search.Of(l.Variant, traits(c)))
			sets[n].Measured = append(sets[n].Measured, nil)
		case l.Failure != nil && known:
			failed[l.Key] = true
		case l.Pair != nil && known && l.Pair.Phase == record.Search && l.Pair.Against == "":
			if r := (judge.Sample{Base: l.Pair.Base, Variant: l.Pair.Variant}).Ratio(); r > 0 {
				w := where[l.Key]
				sets[w.set].Measured[w.item] = append(sets[w.set].Measured[w.item], r)
			}
		}
	}
	gone := map[at]bool{}
	for key, w := range where {
		if failed[key] {
			sets[w.set].Measured[w.item] = nil
		} else if len(sets[w.set].Measured[w.item]) == 0 {
			gone[w] = true
		}
	}
	var out []Set
	for n, s := range sets {
		if s = s.without(func(i int) bool { return gone[at{n, i}] }); len(s.Items) > 0 && s.Candidates[0].IsOriginal() {
			out = append(out, s)
		}
	}
	return out
}

// without returns a set without some of its items.
func (s Set) without(gone func(int) bool) Set {
	out := Set{Subject: s.Subject}
	for i := range s.Items {
		if !gone(i) {
			out.Candidates = append(out.Candidates, s.Candidates[i])
			out.Items = append(out.Items, s.Items[i])
			out.Measured = append(out.Measured, s.Measured[i])
		}
	}
	return out
}

// Replay has a strategy search the set.
func (s Set) Replay(strategy search.Strategy) Outcome { return Replay(strategy, s.Items, s.Measured) }
