package explore

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A machine whose threads have a few instructions each, to explore without a compiler.
type instruction struct {
	what      byte // of Op.Kind, or 's' compare and swap, 'x' exchange, 'a' add and look, 'u' wait until not zero, 'd' wait for y, seeing x
	at, value int
	to        int // of 's'; of 'd' the second word
}

type machine struct {
	threads [][]instruction
	words   [3]int
	pc, see []int // what each thread has seen, as a number
	half    []int // 1 + x between the two reads of 'd'
	waits   []bool
}

func start(threads [][]instruction) *machine {
	n := len(threads)
	return &machine{threads: threads, pc: make([]int, n), see: make([]int, n), half: make([]int, n), waits: make([]bool, n)}
}

func (m *machine) name() string { return fmt.Sprint(m.words, m.pc, m.see, m.half, m.waits) }

func (m *machine) clone() *machine {
	c := *m
	for _, of := range []*[]int{&c.pc, &c.see, &c.half} {
		*of = append([]int(nil), *of...)
	}
	c.waits = append([]bool(nil), m.waits...)
	return &c
}

func (m *machine) enabled() (s Set) {
	for t := range m.threads {
		if m.pc[t] < len(m.threads[t]) && !m.waits[t] {
			s |= one(t)
		}
	}
	return s
}

// run makes a thread's step. As the runtime does, it lets a thread wait that has come back to where it was.
func (m *machine) run(t int) Op {
	in := m.threads[t][m.pc[t]]
	at := in.at
	saw := func(v int) { m.see[t] = m.see[t]*7 + v + 1 }
	next, kind, before := true, in.what, 0
	switch {
	case in.what == 'd' && m.half[t] != 0:
		at, kind = in.to, 'r'
		before = m.words[at]
		if before == 0 {
			next, m.waits[t] = false, true
		} else {
			saw(m.half[t] - 1)
		}
		m.half[t] = 0
	case in.what == 'd':
		kind, next, before = 'r', false, m.words[at]
		m.half[t] = before + 1
	case in.what == 'u':
		kind, before = 'r', m.words[at]
		next = before != 0
		m.waits[t] = !next
	default:
		before = m.words[at]
		switch in.what {
		case 'r':
			saw(before)
		case 'w':
			m.words[at] = in.value
		case '+':
			m.words[at] += in.value
		case 'x', 'a':
			kind = 'w'
			saw(before)
			m.words[at] = in.value
			if in.what == 'a' {
				m.words[at] += before
			}
		case 's':
			kind = 'w'
			saw(before)
			if before == in.value {
				m.words[at] = in.to
			}
		}
	}
	if next {
		m.pc[t]++
	}
	op := Op{Kind: kind, At: uint64(at), Bytes: 1, Changed: m.words[at] != before}
	if op.Changed {
		for other := range m.threads {
			if m.pc[other] >= len(m.threads[other]) {
				continue
			}
			if in := m.threads[other][m.pc[other]]; in.what == 'u' && in.at == at || in.what == 'd' && (in.at == at || in.to == at) {
				m.waits[other] = false
			}
		}
	}
	return op
}

// ends returns every end that some order brings.
func (m *machine) ends(seen, ends map[string]bool) {
	name := m.name()
	if seen[name] {
		return
	}
	seen[name] = true
	if m.enabled() == 0 {
		ends[name] = true
	}
	for t := range m.threads {
		if m.enabled().has(t) {
			next := m.clone()
			next.run(t)
			next.ends(seen, ends)
		}
	}
}

// explored returns the ends that the explorer sees, and in how many orders.
func explored(t *testing.T, threads [][]instruction) (ends map[string]bool, orders, redundant int) {
	return exploredLaunches(t, threads, 1)
}

// exploredLaunches is explored for some launches, each of which begins with memory that holds zeros.
func exploredLaunches(t *testing.T, threads [][]instruction, launches int) (ends map[string]bool, orders, redundant int) {
	ends = map[string]bool{}
	var e Explorer
	for {
		order, ok := e.Next()
		if !ok {
			return ends, orders, redundant
		}
		m, trace := start(threads), &Trace{}
		sleeping, at := order.Sleeping, 0
		for len(trace.Launches) < launches && !trace.Redundant {
			m = start(threads)
			l := Launch{Threads: len(threads)}
			for ; m.enabled() != 0; at++ {
				s := &Step{Enabled: m.enabled()}
				if at < len(order.Steps) {
					s.Thread = order.Steps[at]
					require.True(t, s.Enabled.has(s.Thread))
				} else {
					able := s.Enabled &^ asleep(sleeping)
					if able == 0 {
						trace.Redundant = true
						break
					}
					for !able.has(s.Thread) {
						s.Thread++
					}
				}
				s.Op = m.run(s.Thread)
				if at >= len(order.Steps)-1 {
					sleeping = awake(sleeping, Sleeper{s.Thread, s.Op})
				}
				l.Events = append(l.Events, Event{Step: s})
			}
			if launches > 1 {
				l.State = fmt.Sprint(m.words)
			}
			trace.Launches = append(trace.Launches, l)
		}
		require.NoError(t, e.Learn(trace))
		if trace.Redundant {
			redundant++
			continue
		}
		orders++
		ends[m.name()] = true
	}
}

func asleep(of []Sleeper) Set { return threads(of) }

func TestEveryEndOfRandomProgramsIsSeen(t *testing.T) {
	const programs = 3000
	waiting, orders, all := 0, 0, 0
	for seed := range uint64(programs) {
		random := rand.New(rand.NewPCG(seed, 1))
		threads := make([][]instruction, 2+random.IntN(2))
		for i := range threads {
			for range 1 + random.IntN(3) {
				in := instruction{"rw+xsarwsud"[random.IntN(11)], random.IntN(3), 1 + random.IntN(2), random.IntN(3)}
				if in.what == 's' {
					in.value = random.IntN(2)
				}
				threads[i] = append(threads[i], in)
			}
		}
		want, seen := map[string]bool{}, map[string]bool{}
		start(threads).ends(seen, want)
		got, n, again := explored(t, threads)
		if !assert.Equal(t, want, got, "seed %d: %c", seed, threads) {
			return
		}
		orders, all = orders+n, all+n+again
		waiting += len(want)
	}
	assert.Greater(t, waiting, programs, "some have several ends")
	t.Logf("%d orders, %d runs, %d ends", orders, all, waiting)
}

func TestOrdersAreCountedByWhatMatters(t *testing.T) {
	for name, c := range map[string]struct {
		threads []instruction // the same for each of four
		orders  int
	}{
		"own words":                        {nil, 1},
		"updates whose result is not used": {[]instruction{{what: '+', value: 1}}, 1},
		"reads":                            {[]instruction{{what: 'r'}}, 1},
		"updates whose result is used":     {[]instruction{{what: 'a', value: 3}}, 24},
		"the first sets, the others see":   {[]instruction{{what: 'x', value: 3}}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			threads := [][]instruction{c.threads, c.threads, c.threads, c.threads}
			if c.threads == nil {
				threads = [][]instruction{{{what: 'w', at: 0, value: 1}}, {{what: 'w', at: 1, value: 1}}, {{what: 'w', at: 2, value: 1}}}
			}
			_, orders, redundant := explored(t, threads)
			assert.Equal(t, c.orders, orders)
			assert.Zero(t, redundant)
		})
	}
}

// TestLaunchesThatLeaveTheSameAreExploredOneByOne: a launch has six orders, and all leave the same memory. Three of them have
// 6 orders, and 5 more for each one but the last, not 6 * 6 * 6.
func TestLaunchesThatLeaveTheSameAreExploredOneByOne(t *testing.T) {
	draws := []instruction{{what: 'a', value: 1}}
	_, orders, _ := exploredLaunches(t, [][]instruction{draws, draws, draws}, 3)
	assert.Equal(t, 6+5+5, orders)
	// Where they leave something else, what comes after is explored after each.
	writes := [][]instruction{{{what: 'w', value: 1}}, {{what: 'w', value: 2}}}
	_, orders, _ = exploredLaunches(t, writes, 2)
	assert.Equal(t, 4, orders)
}

func TestWhoMeetsIsOrdered(t *testing.T) {
	write := func(thread int, enabled Set) Event {
		return Event{Step: &Step{Thread: thread, Enabled: enabled, Op: Op{Kind: 'w', At: 8, Bytes: 4, Changed: true}}}
	}
	for name, c := range map[string]struct {
		between []Event
		more    bool
	}{
		"nothing between":               {nil, true},
		"a barrier":                     {[]Event{{Meeting: &Meeting{Members: 3}}}, false},
		"a barrier of others":           {[]Event{{Meeting: &Meeting{Members: 4}}}, true},
		"an arrival that is waited for": {[]Event{{Arrival: 0}, {Meeting: &Meeting{Members: 2, Tickets: []int{0}}}}, false},
		"an arrival of another":         {[]Event{{Arrival: 2}, {Meeting: &Meeting{Members: 2, Tickets: []int{0}}}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var e Explorer
			e.Next()
			l := Launch{Threads: 3, Events: append(append([]Event{write(0, 3)}, c.between...), write(1, 2))}
			require.NoError(t, e.Learn(&Trace{Launches: []Launch{l}}))
			order, more := e.Next()
			assert.Equal(t, c.more, more)
			if more {
				assert.Equal(t, []int{1}, order.Steps)
				assert.Equal(t, "0w8,4,1;", order.Asleep())
			}
		})
	}
}

func TestTracesAreRead(t *testing.T) {
	trace, err := ParseTrace([]byte("launch 2 k<int, 3>\nstep 1 3 w 1f0 4 1\narrive 0\nmeet 3 0\nbarrier 4f\nstate ab\nlaunch 0 large\nstate 2\nredundant\nste"))
	require.NoError(t, err)
	assert.Equal(t, &Trace{Redundant: true, Launches: []Launch{
		{Threads: 2, Kernel: "k<int, 3>", State: "ab", Events: []Event{
			{Step: &Step{Thread: 1, Enabled: 3, Op: Op{Kind: 'w', At: 0x1f0, Bytes: 4, Changed: true}}}, {}, {Meeting: &Meeting{Members: 3, Tickets: []int{0}, Barrier: 0x4f}}}},
		{Kernel: "large", State: "2"},
	}}, trace)
	_, err = ParseTrace([]byte("launch 2 k\nstep 2 7 w 0 4 1\n"))
	assert.Error(t, err)
}

func TestARunThatDoesSomethingElseIsAnError(t *testing.T) {
	var e Explorer
	e.Next()
	step := func(thread int, enabled Set, at uint64) Event {
		return Event{Step: &Step{Thread: thread, Enabled: enabled, Op: Op{Kind: 'w', At: at, Bytes: 4, Changed: true}}}
	}
	require.NoError(t, e.Learn(&Trace{Launches: []Launch{{Threads: 2, Events: []Event{step(0, 3, 0), step(0, 3, 8), step(1, 2, 8)}}}}))
	order, _ := e.Next()
	require.Equal(t, []int{0, 1}, order.Steps)
	assert.ErrorIs(t, e.Learn(&Trace{Launches: []Launch{{Threads: 2, Events: []Event{step(0, 3, 4), step(1, 3, 8)}}}}), ErrDiverged)
}
