package sim

import (
	"math"

	"github.com/smux-cuda/smux/model/workload"
)

// ahead holds what the text has in front of a turn and the machine code does in it.
type ahead struct {
	loads bool    // some are under way
	issue float64 // instructions
}

// inFront reports whether nothing but barriers lies between an item and a region.
func inFront(items []item, i int) bool {
	for i++; i < len(items) && items[i].kind == itemBarrier; i++ {
	}
	return i < len(items) && items[i].kind == itemEnter
}

// inAdvance adds work that the text has right in front of a turn. The barrier that the turn is taken by holds back
// accesses to memory and nothing else: what comes in is first used after it, so a compiler has it waited for, and
// what follows from it computed, in the turn. Of two barriers ptxas predicates both, which leaves a single basic
// block, and all the computing goes where its results are stored; of three it makes branches, over which nothing
// moves. FFT's machine code shows that for compute capabilities 3.5 and 8.0. Barriers whose number is in a
// register have no branches, however many there are. What is pinned is computed in front, all but loads into
// registers.
func (l *lowering) inAdvance(it item) {
	l.label = it.label
	w := it.work
	switch {
	case w.Shared > 0 || w.Stores > 0:
		l.outside(it)
	case l.p.Pinned && (!it.hoisted || l.p.Computed):
		l.outside(it)
	case w.Loads > 0 && w.Waits > 0:
		batches := math.Ceil(w.Waits - 1e-9)
		if batches > 1 {
			l.work(w.Scale(1-1/batches), it.times)
		}
		last := w.Scale(1 / batches)
		accesses := min(last.Issue, last.Loads/accessBytes) // at constant offsets
		l.issue(mix{slots: accesses}, accesses*l.access)
		l.add(l.bytes(opFetch, last))
		l.ahead = ahead{loads: true, issue: last.Issue - accesses}
	case l.turns() == byRing && (l.s.turns == 2 || l.p.Numbered):
		l.ahead.issue = w.Issue
	default:
		l.outside(it)
	}
}

// settle adds a share of what was left in front of a turn.
func (l *lowering) settle(share float64) {
	if l.ahead.loads {
		l.ahead.loads = false
		l.add(op{kind: opAwait, span: l.span(Memory)})
	}
	late := l.ahead.issue * share
	l.issue(mix{slots: late}, late*l.instruction)
	l.ahead.issue -= late
}

// owned adds the part of a region that needs no turn and returns the rest. The text takes the turn in front of the
// first store to a shared row and gives it back after the last read of one, and which row is read is seldom known. So
// what is free of turns is the definitions, but for the stores to shared rows, whose values wait in registers.
func (l *lowering) owned(body []item) (turn []item) {
	private := l.p.Private
	if private == 0 || l.p.Joint || len(body) < 2 || body[0].kind != itemWork {
		return body
	}
	l.settle(private)
	first := body[0]
	stores := min(first.work.Issue, first.work.Shared) * (1 - private)
	mine, shared := first, first
	shared.work = workload.Work{Issue: stores, Shared: first.work.Shared * (1 - private)}
	mine.work.Issue -= stores
	mine.work.Shared -= shared.work.Shared
	l.outside(mine)
	return append([]item{shared}, body[1:]...)
}
