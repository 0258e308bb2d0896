package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/search"
)

// Run measures the forms of a kernel until the strategy or the budget ends the search, confirms the best, and decides. What
// the store holds is not measured again. The error is ctx's, the store's, the machine's, or a *BaseError.
func Run(ctx context.Context, req Request) (*judge.Verdict, error) {
	if len(req.Forms) == 0 || !req.Forms[0].Candidate.IsOriginal() {
		return nil, errors.New("the original is not among the forms")
	}
	r := newRun(req)
	defer r.release()
	if err := r.search(ctx); err != nil {
		return nil, err
	}
	if err := r.confirm(ctx); err != nil {
		return nil, err
	}
	v := verdictOf(r.lines(), r.Rules)
	v.Remarks = append(v.Remarks, r.remarks...)
	return &v, nil
}

// BaseError reports that the original itself can't be measured, so that there is nothing to compare with.
type BaseError struct{ Failure *record.Failure }

func (e *BaseError) Error() string { return "the program as it is: " + e.Failure.Text }

func (e *BaseError) Unwrap() error { return e.Failure }

// ofForm returns the failure of a form that an error is, nil for any other error.
func ofForm(ctx context.Context, err error) (f *record.Failure) {
	var base *BaseError
	if ctx.Err() == nil && !errors.As(err, &base) {
		errors.As(err, &f)
	}
	return f
}

// run is one call of Run.
type run struct {
	Request
	items  []search.Variant
	named  map[string]int // the forms by their names
	builds *builds

	writing sync.Mutex // of Source, and of what it gives
	keys    []string   // of the forms, "" where they aren't known yet
	sources map[int]machine.Source

	mu      sync.Mutex        // of what follows, and of the store
	base    map[place]*runner // the original's program
	subject string            // its key
	mine    []record.Line     // the subject's lines among the first read ones of the store
	read    int
	ours    map[string]bool // by the keys of these
	stale   map[string]bool // keys of forms that have another text by now
	remarks []string        // what the store's lines don't tell
	ended   map[int]float64 // the ratios of the forms that this run finished, 0 for failures
	started time.Time
	counted map[int]time.Time // up to which time of each device is in the lines
	before  int               // forms that were done when this run began
}

func newRun(req Request) *run {
	r := &run{Request: req, named: map[string]int{}, builds: newBuilds(), sources: map[int]machine.Source{}, base: map[place]*runner{}, ours: map[string]bool{}, ended: map[int]float64{}, stale: map[string]bool{}, subject: req.Subject.Key(), keys: make([]string, len(req.Forms)), started: req.Now(), counted: map[int]time.Time{}}
	for _, d := range req.Machine.Devices() {
		r.counted[d] = cmp.Or(req.Began, r.started)
	}
	for i, f := range slices.Backward(req.Forms) {
		r.named[f.Candidate.String()] = i
	}
	for _, f := range req.Forms {
		r.items = append(r.items, search.Of(&f.MeasuredVariant, f.Traits))
	}
	return r
}

// search measures what the strategy asks for, and builds ahead what it is going to ask for.
func (r *run) search(ctx context.Context) error {
	ahead, stop := context.WithCancel(ctx)
	return parallel.Each(ctx, 1+r.Ahead, 1+r.Ahead, func(i int) error {
		if i > 0 {
			r.builds.work(func(form int) { // what is wrong with it is told when the search asks for it
				err := r.source(ahead, form)
				if src, ok := r.sourceOf(form); err == nil && ok {
					_, _ = r.builds.get(ahead, target{machineOf(r, src, record.Search), form}, src)
				}
			})
			return nil
		}
		defer r.builds.end()
		defer stop()
		return r.measureAsked(ctx)
	})
}

// measureAsked measures what the strategy asks for. First come the forms that an earlier run began.
func (r *run) measureAsked(ctx context.Context) error {
	if err := r.source(ctx, 0); err != nil {
		return err
	}
	done, err := r.known(ctx)
	if err != nil {
		return err
	}
	r.before = len(done.seen)
	for {
		next, why := done.begun, ""
		if len(next) == 0 {
			if why = spent(r, done); why == "" {
				next, why = r.next(done)
			}
		}
		if len(next) == 0 {
			if len(r.ended) > 0 { // not where everything was known
				p := r.count(done)
				p.Ended = why
				r.Progress(p)
			}
			return nil
		}
		if err := r.measureAll(ctx, next, done); err != nil {
			return err
		}
		if done, err = r.known(ctx); err != nil {
			return err
		}
	}
}

// progressOf holds what the store has of the subject's forms.
type progressOf struct {
	seen  []search.Seen // what is done, in the order in which it was begun
	begun []int         // forms that were begun and aren't done
	spent float64       // seconds of a device
}

// known finds out what the store holds. A form is known by the key of its text, so forms of the store are written first.
func (r *run) known(ctx context.Context) (progressOf, error) {
	var out progressOf
	lines := r.lines()
	v := verdictOf(lines, r.Rules)
	for _, row := range v.Rows {
		i, there := r.named[row.Candidate.String()]
		if there {
			if err := r.source(ctx, i); err != nil {
				return out, err
			}
		}
		pairs := pairsOf(lines, row.Key, record.Search)
		switch {
		case !there || r.keys[i] != row.Key: // it has another text by now: another smux has written it
			r.mu.Lock()
			r.ours[row.Key], r.stale[row.Key] = false, true
			r.mine = slices.DeleteFunc(r.mine, func(l record.Line) bool { return l.Key == row.Key })
			r.mu.Unlock()
		case row.Failure != nil:
			out.seen = append(out.seen, search.Seen{Item: i})
		case r.Rules.Enough(pairs):
			out.seen = append(out.seen, search.Seen{Item: i, Ratio: row.Search.Median, Low: row.Search.Low, High: row.Search.High})
		case len(pairs) > 0 && len(pairs) == r.Strategy.Pairs(nil, i):
			out.seen = append(out.seen, search.Seen{Item: i, Ratio: row.Search.Median, Cost: float64(len(pairs)) / float64(r.Rules.MinPairs)})
		default:
			out.begun = append(out.begun, i)
		}
	}
	out.spent = seconds(r.lines(), record.Search)
	return out, nil
}

// spent returns in words that the budget is spent, "" while it isn't.
func spent(r *run, p progressOf) string {
	measured := len(p.seen) - 1 // beside the original
	switch {
	case r.Budget.Forms > 0 && measured >= r.Budget.Forms:
		return fmt.Sprintf("the budget of %d variants is spent", r.Budget.Forms)
	case r.Budget.Seconds > 0 && p.spent >= searchShare*r.Budget.Seconds:
		return fmt.Sprintf("the budget of %v is spent but for what confirming the best takes", duration(r.Budget.Seconds))
	}
	return ""
}

func duration(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second)).Round(time.Second)
}

// searchShare is the share of a budget of time for the search: confirming the best, nine processes as a rule, takes the rest
// (on an H100 a budget of 34 s took more than 52 without it).
const searchShare = 2. / 3

// next returns the forms to measure now, one for each device within the budget. It has those after them built ahead.
func (r *run) next(p progressOf) (next []int, why string) {
	now, most := len(r.Machine.Devices()), len(r.Forms)
	if r.Budget.Forms > 0 {
		most = r.Budget.Forms + 1 - len(p.seen)
	}
	next, why = r.Strategy.Next(r.items, p.seen, min(most, now+aheadEach*r.Ahead))
	now = min(now, len(next))
	r.builds.expect(next[now:])
	return next[:now], why
}

// aheadEach is the forms expected for each that is built ahead: fewer leave builders idle, of more the search may change its mind.
const aheadEach = 2

// measureAll measures forms side by side, one on each device.
func (r *run) measureAll(ctx context.Context, forms []int, done progressOf) error {
	devices := r.Machine.Devices()
	if err := r.begin(ctx, forms); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	errs := make([]error, len(devices))
	queues := map[int][]int{}
	for n, form := range forms { // one that has been measured on a device stays there
		d := r.deviceOf(r.keys[form], devices[n%len(devices)])
		queues[d] = append(queues[d], form)
	}
	ended := parallel.Each(ctx, len(devices), len(devices), func(d int) error {
		for _, form := range queues[devices[d]] {
			if errs[d] = r.measure(ctx, form, devices[d], done); errs[d] != nil {
				stop()
				break
			}
		}
		return nil
	})
	// An error that is a mere consequence of another one comes last.
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil && !errors.Is(err, context.Canceled) }); i >= 0 {
		return errs[i]
	}
	return ended
}

// confirm measures what the decision waits for.
func (r *run) confirm(ctx context.Context) error {
	for {
		lines := r.lines()
		task := judge.Waits(lines, r.Rules)
		if task == nil {
			return nil
		}
		if err := r.confirmOne(ctx, *task); err != nil {
			return err
		}
		if len(r.lines()) == len(lines) {
			return errors.New("a measurement that is waited for can't be made")
		}
	}
}

// verdictOf judges the lines of one subject.
func verdictOf(lines []record.Line, rules judge.Rules) judge.Verdict {
	if all := judge.Of(lines, rules); len(all) > 0 {
		return all[0]
	}
	return judge.Verdict{Chosen: -1, Form: -1}
}

// Request is one kernel to be tuned.
type Request struct {
	Subject record.Subject
	Forms   []Variant // the original first
	// Source gives the program in a form. The error is a *record.Failure where the form is unavailable.
	Source  func(context.Context, record.TunedVariant) (machine.Source, error)
	Machine machine.Machine
	// Stopped, unless nil, measures forms that have a Source.Launch in the search, in a program that is stopped at a launch.
	// Machine confirms: a launch alone doesn't tell how a form gets on with the rest of its program.
	Stopped  machine.Machine
	Strategy search.Strategy
	Rules    judge.Rules
	Budget   Budget
	Store    Store
	// Progress is called with what happens. It may be called from several goroutines.
	Progress func(Progress)
	Now      func() time.Time
	Began    time.Time // the time from which on all counts in the first line; zero for that of the call
	// Ahead is the number of forms that are built at once while others are measured; 0 to build each before it is measured.
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
	// Left is the time that the rest may take, by what the forms so far took; 0 if nothing is known.
	Left time.Duration
	// Ended is why the search has ended, "" before it has.
	Ended string
	// Finished names the form that has just been finished, with its ratio or failure; "" in between.
	Finished string
}
