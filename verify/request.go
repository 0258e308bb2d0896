package verify

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

// Request describes what is to be run and compared. Without variants the one program is checked.
type Request struct {
	Original Program
	Variants []Variant

	// Schedules are the orders of threads and blocks in which the plain builds run.
	// The first is the one whose output all others must equal.
	Schedules []execute.Schedule
	// CheckedSchedules are those in which the checked builds run.
	CheckedSchedules []execute.Schedule
	// AllSchedules makes the checked build run in every order that matters, in so many at the most; 0: it does not.
	AllSchedules int
	Args         [][]string // the argument lists to run with; none means one run without arguments
	Stdin        []byte
	Dir          string // where the programs run, "" for the working directory
	Tolerance    Tolerance
	Strict       bool     // a race in which both threads write the same value counts, too
	Kernels      []string // those that are asked for, by name; none: all
	RequireAll   bool     // a program is judged as a whole only if each of its kernels was launched

	Timeout  time.Duration // of one plain run; checked runs get checkedSlowdown times that
	Watchdog time.Duration // time without progress after which a kernel counts as spinning
	Address  bool          // run a build with the address sanitizer as well
	Board    *Board        // for which launches are looked at, nil: what an A100 allows

	Compiler string // path or name of the C++ compiler, "" to look for one
	CacheDir string // keeps the compiled runtime between calls
	Keep     string // folder that keeps the translated programs, "" for none
	Jobs     int    // builds and runs at a time
	Reuse    bool   // an equal request's answer is taken from the cache, and this one's kept there

	// Preparing is called before something is compiled that all programs need and
	// that is kept: it takes a while, once for each compiler. nil: nobody asks.
	Preparing func(compiler string) `json:"-"`
	// Progress is called where a build of a program and its runs begin, with how many
	// of those that are to be made now have begun. nil: nobody looks.
	Progress func(program string, build build.Mode, begun, all int) `json:"-"`
}

// Board is a GPU, as far as its launches can fail where another one's do not.
type Board struct {
	Name   string
	Shared int // bytes of shared memory that a block can have at the most
	// Registers says why a block of so many threads does not get the registers that the kernel takes as it is compiled for
	// this GPU; "" where it does, or nobody knows. nil: nobody knows. Blocks of any kernel's number of threads are not asked for.
	Registers func(ctx context.Context, p *Program, kernel string, threads int) string `json:"-"`
}

// modes returns the builds that a request needs.
func (r *Request) modes() []build.Mode {
	modes := []build.Mode{build.Plain}
	if len(r.CheckedSchedules) > 0 || r.AllSchedules > 0 {
		modes = append(modes, build.Checked)
	}
	if r.Address {
		modes = append(modes, build.Address)
	}
	return modes
}

// Variant is a program that is to do the same as the original.
type Variant struct {
	Name    string // such as "vtb named N=2", or a file's name
	Program Program
	// Separate is set if it is a program that lies on disk by itself: messages
	// then name places in it. Otherwise they name places in the original.
	Separate bool
	// Checked is set if the checked build alone is made and run, and its output compared: half the work, and fewer
	// orders. Without CheckedSchedules it has no effect.
	Checked bool
	// Rewritten are the kernels that a verdict is to be about: those that no run
	// launches make it CodeNotExercised. None where nobody knows.
	Rewritten []Rewritten
}

// OriginalName is the name of the original in a verdict.
const OriginalName = "original"

// checkedSlowdown is the factor by which a checked run may be slower before it counts as hanging: measured are 1.5 to
// 10 times as a rule, and up to 16 for kernels that do little but load, which then need more --timeout.
const checkedSlowdown = 10

// variantSlowdown is the factor by which a variant may be slower than the original before it counts as
// hanging: an original that ends just within the timeout says nothing of a variant that doesn't.
const variantSlowdown = 4

// DefaultSchedules are ascending, descending, and three random ones from a seed on.
func DefaultSchedules(seed uint64) []execute.Schedule {
	orders := []execute.Schedule{{Kind: "ascending"}, {Kind: "descending"}}
	for i := range uint64(3) {
		orders = append(orders, execute.Schedule{Kind: "random", Seed: seed + i})
	}
	return orders
}

// DefaultCheckedSchedules returns the first order, and the first of each kind after it: what a release and an acquire order where one block
// comes first, nothing may order where the other one does.
func DefaultCheckedSchedules(orders []execute.Schedule) (checked []execute.Schedule) {
	for i, o := range orders {
		if i == 0 || !slices.ContainsFunc(checked[1:], func(c execute.Schedule) bool { return c.Kind == o.Kind }) {
			checked = append(checked, o)
		}
	}
	return checked
}

// withDefaults fills in what was left open.
func (r Request) withDefaults() Request {
	if r.Schedules == nil {
		r.Schedules = DefaultSchedules(1)
	}
	if r.CheckedSchedules == nil {
		r.CheckedSchedules = DefaultCheckedSchedules(r.Schedules)
	}
	if len(r.Args) == 0 {
		r.Args = [][]string{nil}
	}
	r.Timeout = cmp.Or(r.Timeout, time.Minute)
	if r.Jobs <= 0 {
		r.Jobs = runtime.NumCPU()
	}
	return r
}
