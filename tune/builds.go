package tune

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

// builds are the forms that a run has compiled, each once for a machine: when asked for, or ahead on idle processors.
type builds struct {
	mu       sync.Mutex
	of       map[target]*building
	expected []int        // forms that the search will ask for, in its order, and that nobody has begun to build ahead
	ahead    map[int]bool // the forms that somebody has
	more     *sync.Cond   // of mu: expected or over has changed
	over     bool         // nothing is built ahead any more
}

type target struct {
	on   machine.Machine
	form int
}

// building is a form that is being compiled. What came of it holds once done is closed.
type building struct {
	done  chan struct{}
	built machine.Built
	err   error
}

func newBuilds() *builds {
	b := &builds{of: map[target]*building{}, ahead: map[int]bool{}}
	b.more = sync.NewCond(&b.mu)
	return b
}

// get returns a form's program, which belongs to the builds. It keeps the form's failure too, but no fault of the machine.
func (b *builds) get(ctx context.Context, t target, src machine.Source) (machine.Built, error) {
	b.mu.Lock()
	p := b.of[t]
	if p != nil {
		b.mu.Unlock()
		select {
		case <-p.done:
			return p.built, p.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	p = &building{done: make(chan struct{})}
	b.of[t] = p
	b.mu.Unlock()
	defer close(p.done)
	p.built, p.err = t.on.Build(ctx, src)
	var failure *record.Failure
	if p.err != nil && !errors.As(p.err, &failure) {
		b.drop(t)
	}
	return p.built, p.err
}

// drop gives up a program, which nobody is likely to ask for again.
func (b *builds) drop(t target) {
	b.mu.Lock()
	p := b.of[t]
	delete(b.of, t)
	b.mu.Unlock()
	if p != nil && p.built != nil {
		p.built.Release()
	}
}

// release gives up all programs. No other call may be under way.
func (b *builds) release() {
	for t := range b.of {
		b.drop(t)
	}
}

// expect says which forms the search is going to ask for, in the place of those that were expected before.
func (b *builds) expect(forms []int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = slices.DeleteFunc(slices.Clone(forms), func(i int) bool { return b.ahead[i] })
	b.more.Broadcast()
}

func (b *builds) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	b.more.Broadcast()
}

// work calls build with what is expected, until end.
func (b *builds) work(build func(form int)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		for !b.over && len(b.expected) == 0 {
			b.more.Wait()
		}
		if b.over {
			return
		}
		form := b.expected[0]
		b.expected, b.ahead[form] = b.expected[1:], true
		b.mu.Unlock()
		build(form)
		b.mu.Lock()
	}
}
