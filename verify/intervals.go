package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/explore"
)

// Interval says in how many orders of what threads do between two barriers of their whole block or grid a program was run,
// all else in the first order.
type Interval struct {
	Launch int    `json:"launch"` // from 0
	Kernel string `json:"kernel"`
	Number int    `json:"number"`         // in the launch, from 1
	From   string `json:"from,omitempty"` // the place of the barrier before it; none: the kernel's begin
	To     string `json:"to,omitempty"`   // of the barrier after it; none: the kernel's end
	Orders int    `json:"orders"`
	// Complete is set if any other order of the interval does what one of these does.
	Complete bool `json:"complete"`
}

func (i Interval) String() string {
	text := fmt.Sprintf("interval %d of %s", i.Number, i.Kernel)
	switch {
	case i.From != "" && i.To != "":
		text += fmt.Sprintf(" (%s to %s)", i.From, i.To)
	case i.From != "":
		text += fmt.Sprintf(" (from %s on)", i.From)
	case i.To != "":
		text += fmt.Sprintf(" (up to %s)", i.To)
	}
	return text
}

// fewestOfInterval is the least number of orders of each interval; those for which the bound does not suffice get none.
const fewestOfInterval = 5

// byInterval runs orders that differ from the first in one interval alone, up to a quarter of the bound, of which each
// interval gets the same.
func (e *exploration) byInterval(ctx context.Context) {
	stretches := e.orders.Stretches()
	bound := e.session.AllSchedules / 4
	most := max(bound/max(len(stretches), 1), fewestOfInterval)
	for _, s := range stretches {
		switch end := e.Orders + most; {
		case s.Whole || s.Orders > most || len(stretches) == 1:
		case bound < most:
			e.left++
			continue
		default:
			bound -= most
			within, err := explore.Within(s.Interval, e.first)
			if err != nil {
				e.Why = err.Error()
				return
			}
			begun := e.Orders
			s.Whole = e.follow(ctx, within, func() int { return end })
			s.Orders = 1 + e.Orders - begun
		}
		if ctx.Err() != nil || e.Why != "" {
			return
		}
		e.Intervals = append(e.Intervals, Interval{Launch: s.Launch, Kernel: s.Kernel, Number: s.Number + 1,
			From: e.place(s.Begin), To: e.place(s.End), Orders: s.Orders, Complete: s.Whole})
	}
}

// place returns the place of a barrier in the original.
func (e *exploration) place(pc uint64) string {
	if pc == 0 {
		return ""
	}
	pos := shown(execute.Places(e.program, pc), e.subject.places)
	return fmt.Sprintf("%s:%d", pos.File, pos.Line)
}

// mostNamed is the number of intervals that a message names.
const mostNamed = 3

// reached says what the bound left out.
func (e *exploration) reached() string {
	var open []string
	for _, i := range e.Intervals {
		if !i.Complete {
			open = append(open, fmt.Sprintf("%s has more than %s", i, prose.Count(i.Orders, "order")))
		}
	}
	text := fmt.Sprintf("not all: bound reached after %s", prose.Count(e.Orders, "order"))
	switch n := len(open); {
	case n > mostNamed:
		text += fmt.Sprintf("; %s, and so have %d more", strings.Join(open[:mostNamed], ", "), n-mostNamed)
	case n > 0:
		text += "; " + strings.Join(open, ", ")
	case len(e.Intervals) > 1 && e.left == 0:
		text += fmt.Sprintf("; all of each of %d intervals between barriers, but not of all of them together", len(e.Intervals))
	}
	if e.left > 0 {
		text += fmt.Sprintf("; %s not looked at one by one", prose.Count(e.left, "interval"))
	}
	return text
}
