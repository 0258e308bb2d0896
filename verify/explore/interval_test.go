package explore

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runParts makes the run of an order: in one launch, a program for each interval, each of which begins with memory that
// holds zeros. It returns how each interval ended.
func runParts(t *testing.T, parts [][][]instruction, order Order) (*Trace, []string) {
	l := Launch{Threads: len(parts[0]), Kernel: "k"}
	trace := &Trace{Launches: []Launch{l}}
	var ends []string
	sleeping, at := order.Sleeping, 0
	for number, part := range parts {
		m := start(part)
		if number > 0 {
			l.Events = append(l.Events, Event{Meeting: &Meeting{Members: one(l.Threads) - 1, Barrier: uint64(100 + number)}})
		}
		for ; m.enabled() != 0; at++ {
			s := &Step{Enabled: m.enabled()}
			able := s.Enabled &^ threads(sleeping)
			switch {
			case at < len(order.Steps):
				s.Thread = order.Steps[at]
				require.True(t, s.Enabled.has(s.Thread))
			case able == 0:
				trace.Launches[0], trace.Redundant = l, true
				return trace, nil
			default:
				for !able.has(s.Thread) {
					s.Thread++
				}
			}
			s.Op = m.run(s.Thread)
			s.At += uint64(100 * number) // words of their own, which the barrier orders anyway
			if at >= len(order.Steps)-1 {
				sleeping = awake(sleeping, Sleeper{s.Thread, s.Op})
			}
			l.Events = append(l.Events, Event{Step: s})
		}
		ends = append(ends, m.name())
	}
	trace.Launches[0] = l
	return trace, ends
}

// follow makes the runs of up to so many orders, and returns how the intervals ended in each.
func follow(t *testing.T, e *Explorer, parts [][][]instruction, most int) (out [][]string) {
	for len(out) < most && e.More() {
		order, _ := e.Next()
		trace, ends := runParts(t, parts, order)
		require.NoError(t, e.Learn(trace))
		if !trace.Redundant {
			out = append(out, ends)
		}
	}
	return out
}

// TestOneIntervalIsExploredByItself: of random programs in two intervals, Within sees every end of one, all else as it was first.
func TestOneIntervalIsExploredByItself(t *testing.T) {
	several := 0
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 7))
		parts := make([][][]instruction, 2)
		for p := range parts {
			for range 3 {
				var thread []instruction
				for range 1 + random.IntN(2) {
					thread = append(thread, instruction{"rw+xsa"[random.IntN(6)], random.IntN(2), 1 + random.IntN(2), random.IntN(3)})
				}
				parts[p] = append(parts[p], thread)
			}
		}
		first, ends := runParts(t, parts, Order{})
		for number := range parts {
			want, got := map[string]bool{}, map[string]bool{ends[number]: true}
			start(parts[number]).ends(map[string]bool{}, want)
			e, err := Within(Interval{0, number}, first)
			require.NoError(t, err)
			for _, of := range follow(t, e, parts, 1000) {
				got[of[number]] = true
				assert.Equal(t, ends[1-number], of[1-number], "seed %d", seed)
			}
			require.Equal(t, want, got, "seed %d interval %d: %c", seed, number, parts[number])
			if len(want) > 1 {
				several++
			}
		}
	}
	assert.Greater(t, several, 200, "the order matters in many")
}

// TestStretchesSayHowFarTheyWereExplored: of three intervals with 24 orders each the last is done with first.
func TestStretchesSayHowFarTheyWereExplored(t *testing.T) {
	draws := [][]instruction{{{what: 'a', value: 1}}, {{what: 'a', value: 1}}, {{what: 'a', value: 1}}, {{what: 'a', value: 1}}}
	quiet := [][]instruction{{{what: 'r'}}, {{what: 'r'}}, {{what: 'r'}}, {{what: 'r'}}}
	parts := [][][]instruction{draws, quiet, draws, draws}
	for orders, want := range map[int]string{
		23:      "[{0 1 0 101 false} {2 1 102 103 false} {3 23 103 0 false}]",
		24:      "[{0 1 0 101 false} {2 1 102 103 false} {3 24 103 0 true}]",
		24 * 24: "[{0 1 0 101 false} {2 24 102 103 true} {3 553 103 0 true}]",
	} {
		var e Explorer
		require.Len(t, follow(t, &e, parts, orders), orders)
		require.True(t, e.More())
		var got []string
		for _, s := range e.Stretches() {
			assert.Equal(t, "k", s.Kernel)
			got = append(got, fmt.Sprint(struct {
				number, orders int
				begin, end     uint64
				whole          bool
			}{s.Number, s.Orders, s.Begin, s.End, s.Whole}))
		}
		assert.Equal(t, want, fmt.Sprint(got))
	}
}
