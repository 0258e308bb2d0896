package cmd

import (
	"context"
	"sync"
	"sync/atomic"
)

// concurrently calls f with 0 to n-1, at most jobs calls at a time, in no order.
// It ends early, with the context's error, when the context ends.
func concurrently(ctx context.Context, n, jobs int, f func(i int)) error {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, jobs) {
		all.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(i)
			}
		})
	}
	all.Wait()
	return ctx.Err()
}
