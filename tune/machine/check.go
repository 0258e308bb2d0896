package machine

import (
	"context"
	"sync"
	"time"
)

// checks makes the check runs of a machine. The original may not bear misplaced results: an index that is read back leads elsewhere.
// Where it fails, takes longer than a timed run, or its equal runs differ, each launch just begins with the first one's memory.
type checks struct {
	mutex   sync.Mutex
	decided bool
	kind    runKind
}

// checker makes a check run of a form: nil outputs, without an error, where there isn't enough memory for it.
type checker func(context.Context, runKind) (Outputs, error)

// check makes the check run of a form. patience is the time of a timed run.
func (c *checks) check(ctx context.Context, original bool, patience time.Duration, run checker) (Outputs, error) {
	c.mutex.Lock()
	if !original || c.decided {
		kind := c.kind
		if !c.decided {
			kind = strictRun
		}
		c.mutex.Unlock()
		return run(ctx, kind)
	}
	defer c.mutex.Unlock()
	limited, cancel := context.WithTimeout(ctx, patience)
	out, err := twice(limited, strictRun, run)
	cancel()
	c.kind = strictRun
	if err != nil && ctx.Err() == nil {
		out, err = twice(ctx, checkRun, run)
		c.kind = checkRun
	}
	c.decided = err == nil
	return out, err
}

func twice(ctx context.Context, kind runKind, run checker) (Outputs, error) {
	first, err := run(ctx, kind)
	if err != nil || first == nil {
		return nil, err
	}
	again, err := run(ctx, kind)
	if err != nil || again == nil {
		first.Release()
		return nil, err
	}
	defer again.Release()
	if _, failure := first.Compare(again); failure != nil {
		first.Release()
		return nil, failure
	}
	return first, nil
}
