package explore

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
)

// MostThreads is the largest number of threads of a launch.
const MostThreads = 64

// Op says what a step does to the memory that orders threads.
type Op struct {
	// Kind is 'n' of a step that touches none (a thread that gives way), 'r' of a read, 'w' of a write or an update, or
	// an operator of an update whose result nobody looks at: '+', '&', '|', '^', '<' (minimum), '>' (maximum).
	Kind    byte
	At      uint64 // where, the same in each run
	Bytes   uint64
	Changed bool // the memory holds something else afterwards
}

// Depends reports whether the order of two steps of different threads matters.
func (o Op) Depends(p Op) bool {
	if o.Kind == 'n' || p.Kind == 'n' || o.At+o.Bytes <= p.At || p.At+p.Bytes <= o.At || !o.Changed && !p.Changed {
		return false
	}
	commute := o.Kind == p.Kind && o.Kind != 'r' && o.Kind != 'w' && o.At == p.At && o.Bytes == p.Bytes
	return !commute
}

// Set is a set of threads of a launch, a bit each.
type Set uint64

func (s Set) has(thread int) bool { return s>>thread&1 != 0 }

func one(thread int) Set { return 1 << thread }

// Step is a thread's access with what follows up to its next one.
type Step struct {
	Thread int // blocks one after another, threads by their rank in the block
	Op
	Enabled Set // who could have run instead, this thread included
}

// Meeting is a place where threads wait for each other: the members then know what all of them and the tellers did.
type Meeting struct {
	Members Set
	Tickets []int // of earlier arrivals that only tell
	// Barrier is its place in the program, a program counter, where a whole block or grid meets; else 0.
	Barrier uint64
}

// Event is one of three things.
type Event struct {
	Step    *Step
	Meeting *Meeting
	Arrival int // else: a thread arrives somewhere without waiting; tickets count from 0 in a launch
}

// Launch holds what the threads of one launch did.
type Launch struct {
	Threads int // 0: more than MostThreads, so nothing is known of it
	Kernel  string
	Events  []Event
	State   string // names what device and host hold at its end; "" where that did not come
}

// Trace is a run.
type Trace struct {
	Launches  []Launch
	Redundant bool // it was ended, since another run has shown what it would
	Endless   bool // it was ended after too many steps
}

// Steps returns the threads of all steps.
func (t *Trace) Steps() (out []int) {
	for _, l := range t.Launches {
		for _, e := range l.Events {
			if e.Step != nil {
				out = append(out, e.Step.Thread)
			}
		}
	}
	return out
}

// ParseTrace reads what the runtime writes (shim/runtime/explore.h). A line that was not finished is passed over.
func ParseTrace(text []byte) (*Trace, error) {
	t := &Trace{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f := bytes.Fields(lines.Bytes())
		if len(f) == 0 {
			continue
		}
		number := func(i, base int) (n uint64) {
			if i < len(f) {
				n, _ = strconv.ParseUint(string(f[i]), base, 64)
			}
			return n
		}
		var launch *Launch
		if len(t.Launches) > 0 {
			launch = &t.Launches[len(t.Launches)-1]
		}
		switch kind := string(f[0]); {
		case kind == "launch" && len(f) >= 2:
			l := Launch{Threads: int(number(1, 10))}
			if len(f) > 2 {
				l.Kernel = string(bytes.Join(f[2:], []byte(" ")))
			}
			if l.Threads > MostThreads {
				return nil, fmt.Errorf("a trace with %d threads", l.Threads)
			}
			t.Launches = append(t.Launches, l)
		case kind == "redundant":
			t.Redundant = true
		case kind == "endless":
			t.Endless = true
		case launch == nil:
		case kind == "step" && len(f) == 7:
			s := &Step{Thread: int(number(1, 10)), Enabled: Set(number(2, 16))}
			s.Op = Op{Kind: f[3][0], At: number(4, 16), Bytes: number(5, 10), Changed: string(f[6]) == "1"}
			if s.Thread >= launch.Threads {
				return nil, fmt.Errorf("a step of thread %d among %d", s.Thread, launch.Threads)
			}
			launch.Events = append(launch.Events, Event{Step: s})
		case kind == "arrive" && len(f) == 2:
			launch.Events = append(launch.Events, Event{Arrival: int(number(1, 10))})
		case kind == "meet" && len(f) >= 2:
			m := &Meeting{Members: Set(number(1, 16))}
			for i := 2; i < len(f); i++ {
				m.Tickets = append(m.Tickets, int(number(i, 10)))
			}
			launch.Events = append(launch.Events, Event{Meeting: m})
		case kind == "barrier" && len(f) == 2 && len(launch.Events) > 0:
			if m := launch.Events[len(launch.Events)-1].Meeting; m != nil {
				m.Barrier = number(1, 16)
			}
		case kind == "state" && len(f) == 2:
			launch.State = string(f[1])
		}
	}
	return t, lines.Err()
}
