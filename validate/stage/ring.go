package stage

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/linear"
	"github.com/smux-cuda/smux/validate/units"
)

// around runs a loop in which one more of n planes is copied in each iteration, over the one that is read no more, and
// the planes in front of the first iteration's last before the loop. An iteration finds what the n - 1 before it copied,
// and itself: so the first n - 1 are run as they are; and any n - 1 in a row, from a multiple of n on, of which nothing
// is asked, and the n after them, which are any other iteration. What is copied may be read first in one of the n - 1
// that follow.
func (y *symbolic) around(s *ir.Stmt, v *ir.Var, step int64, n int) {
	first := y.env[v]
	left, trip := len(y.path), y.trip
	part := 0
	run := func(from linear.Sum, asked, until int) {
		part++
		for i := range until + n - 1 {
			y.trip = trip + "." + units.Itoa(part) + "." + units.Itoa(i)
			y.env[v] = known{kind: first.kind, s: from.Shifted(step * int64(i))}
			c := y.truth(y.eval(s.Cond))
			if c.Op == linear.IsFalse {
				break
			}
			if c.Op != linear.IsTrue {
				y.path = append(y.path, c)
			}
			y.blind, y.ahead = i < asked, i >= until
			y.stmt(s.Body)
		}
		y.path, y.blind, y.ahead, y.trip = y.path[:left], false, false, trip
	}
	run(first.s, 0, n-1)
	y.changes(s, "in ")
	round, fresh := y.g.Of("round of " + units.Itoa(s.Range.Start) + y.trip)
	if fresh {
		y.g.Know(round, linear.Natural(round))
	}
	y.floor = y.phase
	run(first.s.Plus(round, step*int64(n)), n-1, 2*n-1)
	y.changes(s, "behind ")
	y.floor = y.phase
}
