package verify

import (
	"slices"

	"github.com/smux-cuda/smux/diag"
)

// Schema is the version of the JSON form of a Verdict. Members may be added
// within a version; none changes its meaning.
const Schema = 1

// Outcome is the verdict in one word.
type Outcome string

// The outcomes, the better first.
const (
	Equal       Outcome = "equal"         // nothing found in any variant
	Unchanged   Outcome = "unchanged"     // there is no variant: the rewrite would change nothing
	Clean       Outcome = "clean"         // nothing found in the one program
	Different   Outcome = "different"     // a variant differs, or something was found
	Found       Outcome = "findings"      // something was found in the one program
	CouldNotRun Outcome = "could-not-run" // something was not judged, see Failures
)

// Verdict is the result of a Request.
type Verdict struct {
	Schema   int            `json:"schema"`
	Outcome  Outcome        `json:"outcome"`
	Compiler string         `json:"compiler,omitempty"`
	Rows     []Row          `json:"rows"`
	Findings []Finding      `json:"findings"`
	Failures []Failure      `json:"failures"` // why something could not be judged
	Remarks  []diag.Message `json:"remarks,omitempty"`
	Explored []Explored     `json:"explored,omitempty"` // where every order was asked for
	Cached   bool           `json:"cached,omitempty"`   // nothing was run: nothing that it rests on has changed since it was
	Alone    Outcome        `json:"alone,omitempty"`    // of the kernels run alone, since the program's own run said nothing
	Kernels  []KernelRuns   `json:"kernels,omitempty"`  // of the program, where its runs ended
	Branches *Branches      `json:"branches,omitempty"` // of its kernels, where all checked runs ended

	Reached []map[uint32]int64 `json:"-"` // by argument list: how often each branch was in one run, by translate.Branch's ID
}

// Result says how one check of one run ended.
type Result string

// The results of a check.
const (
	OK      Result = "ok"      // nothing found
	Known   Result = "known"   // found, but it is a note or the original has it, too
	Failed  Result = "found"   // found
	NotRun  Result = "not-run" // not judged: the program could not be run
	NotMade Result = "-"       // this check is not made in this order
)

// Row is one check of one run.
type Row struct {
	Variant string   `json:"variant"`
	Args    []string `json:"args,omitempty"`
	Order   string   `json:"order"`
	Check   Check    `json:"check"`
	Result  Result   `json:"result"`
	Count   int      `json:"count"` // different findings
}

// Severity says how a finding weighs.
type Severity string

// The severities.
const (
	Counts    Severity = "finding"   // makes the outcome Different or Found
	Inherited Severity = "inherited" // the original has it, too, or it is the original's
	Note      Severity = "note"      // without an effect on any output
	Recorded  Severity = "recorded"  // it is in a baseline
	Guessed   Severity = "guessed"   // it may come from the launch that smux chose
)

// Finding is one thing that a run showed. The same thing in several runs is one Finding.
type Finding struct {
	Variant  string       `json:"variant"`
	Check    Check        `json:"check"`
	Severity Severity     `json:"severity"`
	Message  diag.Message `json:"message"` // at its place in the original
	// Place says where it was in the text of the variant, where that is another one, and Line the text of that line.
	Place      *diag.Position `json:"place,omitempty"`
	Line       string         `json:"line,omitempty"`
	Kernel     string         `json:"kernel,omitempty"`
	Block      *[3]int        `json:"block,omitempty"`
	Thread     *[3]int        `json:"thread,omitempty"`
	Other      *diag.Position `json:"other,omitempty"` // the other access of two, in the original
	Runs       []RunName      `json:"runs"`            // where it was seen
	Difference *Difference    `json:"difference,omitempty"`

	Launch        int  `json:"-"` // the number of the launch in the first run where it was seen, from 1; 0 for none
	BetweenBlocks bool `json:"-"` // of two accesses, which are of two thread blocks
	Atomic        bool `json:"-"` // one of the accesses is atomic
	Ended         bool `json:"-"` // it ended the run

	key    key
	array  arrayName // next to which memory was accessed, of a finding on bounds
	writes bool
}

// RunName names one run of a program.
type RunName struct {
	Order string   `json:"order"`
	Args  []string `json:"args,omitempty"`
	Build string   `json:"build"` // plain, checked, address
	// Steps is one of the orders that --all-schedules found it in, as --checked-orders takes it, and Orders is how many there were.
	Steps  string `json:"steps,omitempty"`
	Orders int    `json:"orders,omitempty"`
}

func (n RunName) equal(o RunName) bool {
	return n.Order == o.Order && n.Build == o.Build && slices.Equal(n.Args, o.Args)
}

// Failure describes why a program could not be judged.
type Failure struct {
	Variant string       `json:"variant"`
	Message diag.Message `json:"message"`
	Output  string       `json:"output,omitempty"` // of the compiler or the program
	// Recorded is set if it is in a baseline, and doesn't count.
	Recorded bool `json:"recorded,omitempty"`
}

// Passed reports whether a variant was run and nothing was found that counts.
func (v *Verdict) Passed(variant string) bool {
	for _, f := range v.Failures {
		if f.Variant == variant || f.Variant == OriginalName {
			return false
		}
	}
	for _, f := range v.Findings {
		if f.Severity == Counts && (f.Variant == variant || f.Variant == OriginalName) {
			return false
		}
	}
	return slices.ContainsFunc(v.Rows, func(r Row) bool { return r.Variant == variant })
}

// Judged reports whether any check of any run has a result.
func (v *Verdict) Judged() bool {
	return slices.ContainsFunc(v.Rows, func(r Row) bool { return r.Result != NotRun && r.Result != NotMade })
}

// conclude sets the outcome from findings and failures. What was found stands, whatever
// else could not be judged; but where part of the original could not be, a variant
// may have its defects from there, and nothing but another output is its own.
func (v *Verdict) conclude(comparing bool) {
	unsure := comparing && slices.ContainsFunc(v.Failures, func(f Failure) bool { return f.Variant == OriginalName })
	counts := slices.ContainsFunc(v.Findings, func(f Finding) bool {
		return f.Severity == Counts && (f.Difference != nil || !unsure)
	})
	switch {
	case counts && comparing:
		v.Outcome = Different
	case counts:
		v.Outcome = Found
	case len(v.Failures) > 0:
		v.Outcome = CouldNotRun
	case comparing:
		v.Outcome = Equal
	default:
		v.Outcome = Clean
	}
}

// Overlook has findings that count, and failures, count no more where they are known.
func (v *Verdict) Overlook(known func(m diag.Message, kernel string) bool) {
	for i := range v.Findings {
		if f := &v.Findings[i]; f.Severity == Counts && known(f.Message, f.Kernel) {
			f.Severity = Recorded
		}
	}
	for i := range v.Failures {
		v.Failures[i].Recorded = known(v.Failures[i].Message, "")
	}
	if v.Outcome == Different || v.Outcome == Found {
		v.conclude(v.Outcome == Different)
	}
}

// Guess makes a finding one that may come from the launch that smux chose, as a message says.
func (v *Verdict) Guess(i int, m diag.Message) {
	f := &v.Findings[i]
	f.Severity, f.Message = Guessed, m
	for k := range v.Rows {
		if r := &v.Rows[k]; r.Variant == f.Variant && r.Check == f.Check && r.Result == Failed && seenIn(*f, *r) {
			r.weigh(v.Findings)
		}
	}
	v.conclude(v.Compares())
}

// Like reports whether two findings are of one kind, and have a place in common.
func (f *Finding) Like(o *Finding) bool {
	if f.Check != o.Check || f.Message.Code != o.Message.Code {
		return false
	}
	return f.Message.Pos == o.Message.Pos || f.Other != nil && *f.Other == o.Message.Pos || o.Other != nil && *o.Other == f.Message.Pos ||
		f.Other != nil && o.Other != nil && *f.Other == *o.Other
}

// Compares reports whether programs were compared, or one was checked alone.
func (v *Verdict) Compares() bool { return len(v.variants()) > 0 }
