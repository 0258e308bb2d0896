package explore

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
)

// Sleeper is a thread whose next step was explored already from a state that differs from this one in nothing
// that matters to the step: to run it before something does would be to see the same again.
type Sleeper struct {
	Thread int
	Op
}

// Order is a run to make: these threads' steps first, then any thread that does not sleep.
type Order struct {
	Steps []int
	// Sleeping counts when the last of Steps but one has been made. That one, like all after it, wakes those to which it matters.
	Sleeping []Sleeper
}

// SleepVariable is the environment variable that tells a run who sleeps.
const SleepVariable = "SMUX_SLEEPING"

// Asleep returns Sleeping as the runtime reads it.
func (o Order) Asleep() string {
	var text strings.Builder
	for _, s := range o.Sleeping {
		changed := 0
		if s.Changed {
			changed = 1
		}
		fmt.Fprintf(&text, "%d%c%x,%d,%d;", s.Thread, s.Kind, s.At, s.Bytes, changed)
	}
	return text.String()
}

// ErrDiverged says that a run did not do what an equal run had done before.
var ErrDiverged = errors.New("equal orders of threads led to different steps")

// node is a state of the run that was made last, and what is known of other runs that come through it.
type node struct {
	interval  Interval
	enabled   Set
	chosen    Sleeper // the step that the run made here
	backtrack Set     // threads of which one must have its turn here
	done      []Sleeper
	sleep     []Sleeper
	clock     []int // after the step: of each thread of the launch, the last step that came before, as its index + 1
}

// Explorer knows which orders are still to be run. Make the run of Next, give its trace to Learn, and so on.
type Explorer struct {
	nodes []node
	fresh int            // the first node whose step the next trace will tell
	known map[state]bool // ends of launches after which all has been explored or is being explored
	begun bool
	only  *Interval // orders are to differ in this one alone; nil: in all

	stretches map[Interval]*Stretch
}

type state struct {
	launch int
	name   string
}

// More reports whether there are orders to run: whether Next has one.
func (e *Explorer) More() bool { return !e.begun || e.deepest() >= 0 }

// deepest returns the last node at which another thread must have its turn, -1 where every class has been seen.
func (e *Explorer) deepest() int {
	for i := len(e.nodes) - 1; i >= 0; i-- {
		if n := &e.nodes[i]; n.open() != 0 && (e.only == nil || n.interval == *e.only) {
			e.closed(i)
			return i
		}
	}
	return -1
}

// Next returns an order to run; ok is false where every class has been seen.
func (e *Explorer) Next() (o Order, ok bool) {
	if !e.begun {
		e.begun = true
		e.known, e.stretches = map[state]bool{}, map[Interval]*Stretch{}
		return Order{}, true
	}
	i := e.deepest()
	if i < 0 {
		return o, false
	}
	n := &e.nodes[i]
	e.stretch(n.interval).Orders++
	open := n.open()
	n.done = append(n.done, n.chosen)
	n.chosen = Sleeper{Thread: bits.TrailingZeros64(uint64(open))}
	e.nodes, e.fresh = e.nodes[:i+1], i
	for _, m := range e.nodes {
		o.Steps = append(o.Steps, m.chosen.Thread)
	}
	o.Sleeping = append(append(o.Sleeping, n.sleep...), n.done...)
	return o, true
}

// open returns the threads of which one must still have its turn here.
func (n *node) open() Set {
	return n.backtrack &^ one(n.chosen.Thread) &^ threads(n.done) &^ threads(n.sleep)
}

func threads(of []Sleeper) (s Set) {
	for _, t := range of {
		s |= one(t.Thread)
	}
	return s
}

// Learn reads what the run of the last order did.
func (e *Explorer) Learn(t *Trace) error {
	at, followed := 0, true
	for number, l := range t.Launches {
		walk := walk{explorer: e, first: at, clocks: make([][]int, l.Threads), passed: make([]int, l.Threads)}
		for i := range walk.clocks {
			walk.clocks[i] = make([]int, l.Threads)
		}
		for _, event := range l.Events {
			switch {
			case event.Meeting != nil:
				walk.meet(number, &l, event.Meeting)
			case event.Step == nil:
				walk.told = append(walk.told, append([]int(nil), walk.clocks[event.Arrival]...))
			default:
				in := Interval{number, walk.passed[event.Step.Thread]}
				e.stretch(in).Kernel = l.Kernel
				if err := e.enter(at, in, event.Step); err != nil {
					return err
				}
				walk.step(at, followed)
				at++
			}
		}
		if l.State != "" && at > e.fresh && followed {
			here := state{number, l.State}
			followed = !e.known[here]
			e.known[here] = true
		}
	}
	if at < len(e.nodes) && !t.Endless {
		return ErrDiverged
	}
	return nil
}

// enter notes the step that a run made at a node.
func (e *Explorer) enter(at int, in Interval, s *Step) error {
	made := Sleeper{s.Thread, s.Op}
	if at < len(e.nodes) {
		n := &e.nodes[at]
		if n.enabled != s.Enabled || n.chosen.Thread != s.Thread || at < e.fresh && n.chosen != made {
			return ErrDiverged
		}
		n.chosen = made
		return nil
	}
	n := node{interval: in, enabled: s.Enabled, chosen: made, backtrack: one(s.Thread)}
	if at > 0 {
		before := &e.nodes[at-1]
		if before.interval.Launch == in.Launch {
			n.sleep = awake(append(append(n.sleep, before.sleep...), before.done...), before.chosen)
		}
	}
	e.nodes = append(e.nodes, n)
	return nil
}

// awake returns those who sleep on after a step.
func awake(sleeping []Sleeper, step Sleeper) []Sleeper {
	return lists.Filter(sleeping, func(s Sleeper) bool { return s.Thread != step.Thread && !s.Depends(step.Op) })
}
