// Package parallel does things side by side.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/smux-cuda/smux/diag"
)

// Each calls f with 0 to n-1, at most jobs calls at a time, begun in this order. When the context ends no more calls
// begin, and Each returns the context's error; else it returns the error of the first number that has one. Where a
// call panics, so does Each, in the caller's goroutine, when all that began have ended: diag.Panicked says what it
// was and where.
func Each(ctx context.Context, n, jobs int, f func(i int) error) error {
	errs := make([]error, n)
	raised := make(chan diag.Raised, n)
	call := func(i int) {
		defer func() {
			if v := recover(); v != nil {
				raised <- diag.Raised(diag.Panicked(v))
			}
		}()
		errs[i] = f(i)
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, jobs) {
		workers.Go(func() {
			for ctx.Err() == nil && len(raised) == 0 {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				call(i)
			}
		})
	}
	workers.Wait()
	if len(raised) > 0 {
		panic(<-raised)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
