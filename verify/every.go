package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/explore"
)

// everyOrder stands for all orders in a verdict.
var everyOrder = execute.Schedule{Kind: "all"}

// DefaultAllSchedules is in how many orders a program is run at the most, with each argument list, where every one
// is asked for.
const DefaultAllSchedules = 1000

// Explored says in how many orders a program was run of those that matter, with one argument list.
type Explored struct {
	Variant string   `json:"variant"`
	Args    []string `json:"args,omitempty"`
	Orders  int      `json:"orders"`
	// Complete is set if any other order does what one of these does. Else Why says what was left out.
	Complete bool   `json:"complete"`
	Why      string `json:"why,omitempty"`
	// Intervals are those in which the order matters, where the bound was reached.
	Intervals []Interval `json:"intervals,omitempty"`
}

// String is "complete: 12 orders", or how far it got and why no further.
func (x Explored) String() string {
	if x.Complete {
		return "complete: " + prose.Count(x.Orders, "order")
	}
	return x.Why
}

// exploreAll runs the checked builds of all programs in every order that matters.
func (s *session) exploreAll(ctx context.Context) {
	if s.AllSchedules <= 0 {
		return
	}
	var jobs []job
	for _, sub := range s.prepared() {
		if sub.program.isHost() {
			continue
		}
		jobs = append(jobs, job{sub, build.Checked, func() { s.explore(ctx, sub) }})
	}
	s.parallel(jobs)
}

// explore runs the checked build of a program in every order that matters. Where the bound comes first, its last
// quarter is spent on orders from all over, since those that are listed one after the other differ only near the end; where the
// order matters in several intervals between barriers, the quarter before on each of these.
func (s *session) explore(ctx context.Context, sub *subject) {
	program := s.build(ctx, sub, build.Checked)
	if program == nil {
		return
	}
	for args := range s.Args {
		e := &exploration{session: s, subject: sub, program: program, args: args}
		e.Variant, e.Args = sub.name, s.Args[args]
		e.Complete = e.follow(ctx, &e.orders, func() int {
			if len(e.orders.Stretches()) > 1 {
				return max(s.AllSchedules/2, 1)
			}
			return s.AllSchedules - s.AllSchedules/4
		})
		if !e.Complete {
			e.byInterval(ctx)
			e.scatter(ctx)
		}
		if len(e.large) > 0 && e.Why == "" {
			e.Complete, e.Why = false, fmt.Sprintf("launches of more than %d threads run in ascending order: %s", explore.MostThreads, strings.Join(e.large, ", "))
		}
		if ctx.Err() != nil {
			return
		}
		if e.Why != "" && e.small == 0 {
			sub.fail(e.partly(sub), nil)
			continue
		}
		sub.explored = append(sub.explored, e.Explored)
	}
}

// partly is the message that not every order was run.
func (x Explored) partly(sub *subject) diag.Message {
	return diag.Message{Pos: diag.Position{File: sub.program.Files[0].Name}, Code: CodePartlyExplored, Text: sub.name + ": " + x.Why, Help: diag.Help(CodePartlyExplored)}
}

// partlyExplored remarks that there are orders that were not run.
func partlyExplored(sub *subject) (out []diag.Message) {
	for _, x := range sub.explored {
		if !x.Complete {
			out = append(out, x.partly(sub))
		}
	}
	return out
}

// exploration is the runs of one program with one argument list.
type exploration struct {
	Explored
	session *session
	subject *subject
	program *build.Program
	args    int
	orders  explore.Explorer
	first   *explore.Trace
	runs    int      // with those that turned out to show nothing new
	small   int      // launches that were explored
	large   []string // kernels of those that were not
	left    int      // intervals for which the bound did not suffice
}

// follow runs orders until there are no more, which it reports, or so many were run in all.
func (e *exploration) follow(ctx context.Context, orders *explore.Explorer, most func() int) (complete bool) {
	begun, runs := e.Orders, e.runs
	for e.Why == "" && ctx.Err() == nil {
		if !orders.More() {
			return true
		}
		if bound := most(); e.Orders >= bound || e.runs-runs >= 4*(bound-begun) {
			return false
		}
		order, _ := orders.Next()
		e.next(ctx, orders, order)
	}
	return false
}

// next runs an order and lets the explorer know.
func (e *exploration) next(ctx context.Context, orders *explore.Explorer, order explore.Order) {
	trace := e.run(ctx, execute.StepsOf(order.Steps), explore.SleepVariable+"="+order.Asleep())
	if trace == nil {
		return
	}
	for _, l := range trace.Launches {
		switch {
		case l.Threads > 0:
			e.small++
		case !slices.Contains(e.large, l.Kernel):
			e.large = append(e.large, l.Kernel)
		}
	}
	if e.first == nil {
		e.first = trace
	}
	if err := orders.Learn(trace); err != nil {
		e.Why = fmt.Sprintf("%s: %s", prose.Count(e.Orders, "order"), err)
	}
	if trace.Endless {
		e.Why = fmt.Sprintf("%s: in one of them threads make more than %d steps", prose.Count(e.Orders, "order"), mostSteps)
	}
}

// mostSteps is the number that the runtime lets a run make.
const mostSteps = 4000

// scatter spends what is left of the bound on orders from all over.
func (e *exploration) scatter(ctx context.Context) {
	for seed := 0; e.Orders < e.session.AllSchedules && ctx.Err() == nil && e.Why == ""; seed++ {
		e.run(ctx, execute.Schedule{Kind: "steps", Steps: fmt.Sprint("any:", seed)})
	}
	if e.Why == "" {
		e.Why = e.reached()
	}
}

// run runs an order, and keeps it where it shows anything. nil is returned if nothing is known of it.
func (e *exploration) run(ctx context.Context, order execute.Schedule, env ...string) *explore.Trace {
	s := e.session
	r := &run{mode: build.Checked, args: e.args, order: order, explored: true}
	r.log = s.logName(e.subject, &run{args: e.args, order: everyOrder})
	e.runs++
	s.execute(ctx, e.subject, e.program, r, env...)
	defer s.dropLog(r)
	if r.result == nil {
		e.Why = "it could not be run"
		return nil
	}
	trace, err := explore.ParseTrace(r.result.Trace)
	if err != nil {
		e.Why = err.Error()
		return nil
	}
	if trace.Redundant || trace.Endless {
		return trace
	}
	e.Orders++
	if threads := trace.Steps(); len(threads) > 0 {
		r.order = execute.StepsOf(threads)
	}
	if reference := s.original.find(build.Plain, e.args, s.Schedules[0]); r.judged && reference != nil {
		s.compare(e.subject, r, reference, s.Tolerance)
	}
	if r.difference != nil || len(r.result.Report) > 0 || s.badEnd(e.subject, r) != nil {
		e.subject.add(r)
	}
	return trace
}

// madeInEveryOrder reports whether a check was made in every order: regions are not, since what is followed of them ends where
// threads of another block run.
func (sub *subject) madeInEveryOrder(args []string, check Check) Result {
	for _, x := range sub.explored {
		switch {
		case !slices.Equal(x.Args, args):
		case check == Regions:
			return NotMade
		case x.Orders > 0:
			return OK
		}
	}
	return NotRun
}

// exploredText sums up how many orders were run.
func (v *Verdict) exploredText() string {
	orders, complete := 0, true
	for _, x := range v.Explored {
		orders += x.Orders
		complete = complete && x.Complete
	}
	switch {
	case len(v.Explored) == 0:
		return ""
	case len(v.Explored) == 1:
		return "; " + v.Explored[0].String()
	case complete:
		return "; complete: " + prose.Count(orders, "order")
	}
	return fmt.Sprintf("; %s, not complete", prose.Count(orders, "order"))
}
