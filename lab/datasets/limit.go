package datasets

import (
	"fmt"

	"github.com/smux-cuda/smux/tune/search"
)

// limited ends a search when so many items have been looked at, whether they could be
// measured or not.
func limited(s search.Strategy, most int) search.Strategy { return limit{s, most} }

type limit struct {
	search.Strategy
	most int
}

func (l limit) Next(items []search.Variant, seen []search.Seen, n int) (next []int, why string) {
	left := l.most - len(seen)
	if left <= 0 {
		return nil, fmt.Sprintf("%d forms have been looked at, which is the budget", len(seen))
	}
	return l.Strategy.Next(items, seen, min(n, left))
}
