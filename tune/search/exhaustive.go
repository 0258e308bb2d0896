package search

import "math/rand/v2"

// Exhaustive measures everything, in the order given.
type Exhaustive struct{}

// Next returns the first items that were not seen.
func (Exhaustive) Next(items []Variant, seen []Seen, n int) (next []int, why string) {
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	return firstUnseen(order, seen, n), all
}

// Random measures everything in an order that the seed decides, the first item, which is
// the original, before all others.
type Random struct{ Seed uint64 }

// Next returns the next items in the order of the seed.
func (r Random) Next(items []Variant, seen []Seen, n int) (next []int, why string) {
	if len(items) == 0 {
		return nil, all
	}
	order := rand.New(rand.NewPCG(r.Seed, 0)).Perm(len(items) - 1)
	for i := range order {
		order[i]++
	}
	return firstUnseen(append([]int{0}, order...), seen, n), all
}

// all is why a search ends that leaves nothing.
const all = "everything has been looked at"

func firstUnseen(order []int, seen []Seen, n int) (next []int) {
	was := unseen(len(order), seen)
	for _, i := range order {
		if len(next) < n && was[i] {
			next = append(next, i)
		}
	}
	return next
}

// unseen returns of each of n items whether it has not been seen.
func unseen(n int, seen []Seen) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = true
	}
	for _, s := range seen {
		if s.Item >= 0 && s.Item < n {
			out[s.Item] = false
		}
	}
	return out
}
