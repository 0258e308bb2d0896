package search

import "fmt"

// Limit ends a search when so many items have been looked at, whether they could be
// measured or not.
func Limit(s Strategy, most int) Strategy { return limit{s, most} }

type limit struct {
	Strategy
	most int
}

func (l limit) Next(items []Variant, seen []Seen, n int) (next []int, why string) {
	left := l.most - len(seen)
	if left <= 0 {
		return nil, fmt.Sprintf("%d forms have been looked at, which is the budget", len(seen))
	}
	return l.Strategy.Next(items, seen, min(n, left))
}
