package parallel_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/parallel"
)

func TestEachCallsAllAndReturnsTheFirstError(t *testing.T) {
	for _, jobs := range []int{1, 3, 100} {
		called := make([]int, 50)
		err := parallel.Each(t.Context(), len(called), jobs, func(i int) error {
			called[i]++
			if i == 20 || i == 30 {
				return errors.New(map[int]string{20: "twenty", 30: "thirty"}[i])
			}
			return nil
		})
		assert.EqualError(t, err, "twenty")
		for _, n := range called {
			assert.Equal(t, 1, n)
		}
	}
	assert.NoError(t, parallel.Each(t.Context(), 0, 4, nil))
}

func TestEachHasNoMoreThanSoManyAtATime(t *testing.T) {
	var mutex sync.Mutex
	now, most := 0, 0
	add := func(n int) {
		mutex.Lock()
		defer mutex.Unlock()
		now += n
		most = max(most, now)
	}
	both := make(chan bool) // two calls have to meet to go on
	assert.NoError(t, parallel.Each(t.Context(), 8, 2, func(i int) error {
		add(1)
		defer add(-1)
		select {
		case both <- true:
		case <-both:
		}
		return nil
	}))
	assert.Equal(t, 2, most)
}

func TestEachBeginsNothingWhenTheContextHasEnded(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	called := 0
	err := parallel.Each(ctx, 10, 1, func(i int) error {
		if called++; called == 3 {
			stop()
		}
		return errors.New("another")
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 3, called)
}

// TestEachPanicsWhereItsCallerCanRecover: a panic of a goroutine that nobody recovers
// ends the process.
func TestEachPanicsWhereItsCallerCanRecover(t *testing.T) {
	ended := false
	defer func() {
		assert.Regexp(t, `^internal error: .*index out of range.* \(parallel_test.go:\d+\)$`, diag.Panicked(recover()))
		assert.True(t, ended, "the others have ended")
	}()
	begun, failed := make(chan bool), make(chan bool)
	parallel.Each(t.Context(), 2, 2, func(i int) error {
		if i == 0 {
			<-begun
			defer close(failed)
			return []error{nil}[i+1]
		}
		close(begun)
		<-failed
		ended = true
		return nil
	})
}
