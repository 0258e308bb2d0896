package tune

import (
	"context"
	"time"

	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/search"
)

// Request is one kernel to be tuned.
type Request struct {
	Subject record.Subject
	Forms   []Variant // the original first
	// Source gives the program in a form. The error is a *record.Failure where the form
	// is unavailable.
	Source  func(context.Context, record.TunedVariant) (machine.Source, error)
	Machine machine.Machine
	// Stopped, unless nil, measures the forms that have a Source.Launch in the search: one launch of the
	// kernel, again and again in a program that is stopped there. What is chosen is confirmed by Machine, since a
	// launch alone doesn't tell how it gets on with the rest of its program.
	Stopped  machine.Machine
	Strategy search.Strategy
	Rules    judge.Rules
	Budget   Budget
	Store    Store
	// Progress is called with what happens; nil for no calls. It may be called from
	// several goroutines.
	Progress func(Progress)
	Now      func() time.Time // nil for time.Now
	Began    time.Time        // the time from which on all counts in the first line; zero for that of the call
	// Ahead is the number of forms that are built at once while others are measured; 0 where the machine builds
	// what it measures, one after the other.
	Ahead int
}

// Variant is a form with what is known of it beforehand.
type Variant struct {
	record.MeasuredVariant // Candidate, and what model and compiler say of it
	Traits                 []string
}

// Budget ends a search. What has been measured in earlier runs counts, too.
type Budget struct {
	Forms   int     // at most so many are measured beside the original; 0 for any number
	Seconds float64 // in which each device may compile and measure, a third of it for the confirmation; 0 for any time
}

// Store keeps lines: see record.Store.
type Store interface {
	Lines() []record.Line
	Append(...record.Line) error
}

// Progress says where a run is.
type Progress struct {
	Kernel string
	Doing  string // such as "vtb named N=2: turn 4"
	Done   int    // forms that have been measured or have failed
	Total  int    // forms that may be measured, by what the strategy and the budget allow
	// Best is the name of the best form so far, "" for none, and Ratio what it gains.
	Best  string
	Ratio float64
	// Left is the time that the rest may take, by what the forms so far took; 0 if nothing
	// is known.
	Left time.Duration
	// Ended is why the search has ended, "" before it has.
	Ended string
	// Finished names the form that has just been finished, with its ratio or failure;
	// "" in between.
	Finished string
}
