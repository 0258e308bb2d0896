// Package regreduce brings the registers of a kernel down to the next occupancy step by the cheapest means that
// works: a cap, smaller unroll factors, pins, demotion to shared memory, and the compiler's own spilling to shared
// memory (Hayes & Zhang; RegDem §3). Each rung is judged by what a compiler made of it, and by nothing else.
package regreduce

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/stall"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// The rungs, in the order in which they are tried.
const (
	RungCap    = "cap"
	RungUnroll = "unroll"
	RungPin    = "pin"
	RungDemote = "demote"
	RungSpill  = "spill"
)

// Rungs are all of them.
var Rungs = []string{RungCap, RungUnroll, RungPin, RungDemote, RungSpill}

// Subject is a kernel in one of its launches, which the ladder is for.
type Subject struct {
	Kernel   *analysis.Kernel
	Instance *analysis.Instance
	Threads  int // per thread block
	Dynamic  int // bytes of dynamic shared memory per thread block
	// Bounded says that no launch has more than Threads threads: all launches are
	// in view, or the kernel has launch bounds.
	Bounded bool
	// Candidates lists what may be done to the kernel; nil has them found.
	Candidates *demotion.Candidates
}

// Figures holds what a compiler made of a kernel on one architecture.
type Figures struct {
	Arch         string  `json:"arch"`
	Registers    int     `json:"registers"`
	SpillStores  int     `json:"spillStores"` // bytes per thread, static
	SpillLoads   int     `json:"spillLoads"`
	Stack        int     `json:"stack"`
	Shared       int     `json:"shared"` // static bytes per thread block
	Barriers     int     `json:"barriers"`
	Instructions int     `json:"instructions"` // of the kernel's own code
	LocalWeight  float64 `json:"localWeight"`  // loads and stores of local memory, x10 per loop level of the source
	SharedWeight float64 `json:"sharedWeight"` // … of shared memory
	Stall        float64 `json:"stall"`        // predicted cycles (model/stall), not scaled by occupancy; 0 where not known
	Busy         float64 `json:"busy"`         // cycles of the SM's busiest unit that a warp takes (stall.Mix); 0 where not known
	Conflicts    float64 `json:"conflicts"`    // cycles that operands in one register bank cost a warp; 0 where Stall is

	code []stall.Instruction // for RegDem's predictor
}

// Spills are the bytes per thread that are spilled, stores and loads.
func (f Figures) Spills() int { return f.SpillStores + f.SpillLoads }

// Compiler compiles a kernel under a recipe; the zero recipe is the kernel as it stands. A recipe that the rewriter
// refuses is a *RefusedError. It is called from several goroutines.
type Compiler interface {
	Compile(ctx context.Context, s Subject, r variant.Recipe, arch string) (Figures, error)
	// Begin is Compile without a look at the machine code, which takes half as long as all
	// else and often needs not be taken.
	Begin(ctx context.Context, s Subject, r variant.Recipe, arch string) (*Begun, error)
	// Arch is the architecture to compile for to learn about a GPU, "" for none.
	Arch(g *gpu.GPU) string
	// Version is the toolkit's version: major and minor.
	Version() (major, minor int)
}

// Begun is a kernel that was compiled. Its figures are those that ptxas reports.
type Begun struct {
	Figures
	rest  func(context.Context, *Figures) error // adds those of the machine code; nil where they are there
	close func()                                // lets go of it; nil where there is nothing
}

// All are the figures with those of the machine code.
func (b *Begun) All(ctx context.Context) (Figures, error) {
	f := b.Figures
	if b.rest == nil {
		return f, nil
	}
	err := b.rest(ctx, &f)
	return f, err
}

// Close lets go of what was compiled.
func (b *Begun) Close() {
	if b != nil && b.close != nil {
		b.close()
	}
}

// Rules say what a rung must keep to be accepted.
type Rules struct {
	// MaxSpill is the number of bytes per thread that a cap may spill, stores and loads, for
	// the compiler's own spilling to be the cheaper way.
	MaxSpill int
	// SharedRatio is the number of weighted accesses to shared memory that may take the place of one to local memory.
	SharedRatio float64
	// Growth bounds the growth of the static code: 0.05 for 5 %.
	Growth float64
	// Least is the number of registers below which nothing is demoted.
	Least int
	// Flat is the number of thread blocks per SM after which more of them gain
	// nothing, as a stress test measured it; 0 if unknown.
	Flat int
}

// Usual are the rules where nobody says otherwise.
var Usual = Rules{MaxSpill: 16, SharedRatio: 1.5, Growth: 0.05, Least: 32}

// Options say what to climb with.
type Options struct {
	GPUs     []*gpu.GPU // the first that registers limit is the target; on no other may fewer blocks run
	Rungs    []string   // nil for all
	Rules    Rules
	Progress func(line string) // called before each compilation; nil for nobody
	// Listed has the machine code for the GPUs looked at, too, that are not the target: none of it
	// is judged, but a report tells it.
	Listed bool
	// Compilations is the number of times that each rung may have the kernel compiled, aside from
	// what it takes to look at further GPUs; 0 for ten times.
	Compilations int
}

// Attempt is one recipe that was compiled.
type Attempt struct {
	Rung      string           `json:"rung"` // "" for the kernel as it stands
	Recipe    string           `json:"recipe"`
	Figures   Figures          `json:"figures"`
	Occupancy occupancy.Result `json:"occupancy"` // on the target
	// Predicted is the stall count scaled by occupancy (stall.Variant.Cost): the order of
	// the attempts by it is the predictor's; 0 if unknown.
	Predicted float64 `json:"predicted"`
	// RegDem is the stall count that RegDem's own predictor gives it (stall.RegDem); 0 where it is not known.
	RegDem float64 `json:"regdem"`
	// Rejected says by how much it failed, "" where it was accepted.
	Rejected string `json:"rejected,omitempty"`
	Failed   string `json:"failed,omitempty"` // refused by the rewriter or the compiler
	// Elsewhere holds what was made of it for the other GPUs, where that was asked.
	Elsewhere []Elsewhere `json:"elsewhere,omitempty"`
}

// Elsewhere is an attempt on a GPU that is not the target.
type Elsewhere struct {
	GPU       string           `json:"gpu"`
	Figures   Figures          `json:"figures"`
	Occupancy occupancy.Result `json:"occupancy"`
	Before    occupancy.Result `json:"before"` // of the kernel as it stands
}

// Report is the result of a climb.
type Report struct {
	Schema   int            `json:"schema"`
	Code     diag.Code      `json:"code"` // CodeDemoted, CodeNoStep or CodeNotDemoted
	GPU      string         `json:"gpu"`  // the target; the first GPU where there is none
	Step     occupancy.Step `json:"step"` // that was aimed at
	Attempts []Attempt      `json:"attempts"`
	// Chosen is the index of the accepted attempt, -1 for none.
	Chosen int `json:"chosen"`
	// Why says in one line what was done or why nothing was.
	Why string `json:"why"`
	// Order is the predictor's order of the attempts, see Order.
	Order []int `json:"order"`
	// Stacked is the number of original thread blocks in a merged one, else 1: people are told
	// of those, attempts of launched ones.
	Stacked int `json:"stacked"`
}

// Schema is the version of the JSON form of a Report: fields may be added to it,
// those that are there keep their meaning.
const Schema = 1

// Recipe is the accepted recipe, the zero one where there is none.
func (r *Report) Recipe() variant.Recipe {
	if r.Chosen < 0 {
		return variant.Recipe{}
	}
	recipe, _ := variant.ParseRecipe(r.Attempts[r.Chosen].Recipe)
	return recipe
}

// RefusedError says that a recipe can't be followed.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return e.Reason }

// capRegisters is the first rung: the compiler is told how many thread blocks an SM is to hold, by launch bounds; or,
// where the block size has no bound, the number of registers, from CUDA 12.4 on. More often than not it reaches the
// step without a spill.
func (c *climber) capRegisters() ([]int, string, error) {
	r, why := capOf(c.subject, c.compiler, c.report.Step.Blocks, c.report.Step.Demand.Registers)
	if why != "" {
		return nil, why, nil
	}
	at, err := c.attempt(RungCap, r)
	if err != nil {
		return nil, "", err
	}
	if failed := c.report.Attempts[at].Failed; failed != "" {
		return nil, failed, nil
	}
	c.capped, c.base = at, at
	return []int{at}, "", nil
}

// capOf is the recipe that caps a kernel at a step, or says why there is none.
func capOf(s Subject, compiler Compiler, blocks, registers int) (variant.Recipe, string) {
	bounds := s.Kernel != nil && s.Kernel.View.LaunchBounds != nil
	if s.Bounded || bounds {
		return variant.Recipe{Threads: s.Threads, Blocks: blocks}, ""
	}
	if compiler != nil {
		major, minor := compiler.Version()
		if major > 12 || major == 12 && minor >= 4 {
			return variant.Recipe{MaxRegisters: registers}, ""
		}
		return variant.Recipe{}, fmt.Sprintf("not all launches are in view, so one may exceed launch bounds, and __maxnreg__ needs CUDA 12.4, not %d.%d", major, minor)
	}
	return variant.Recipe{MaxRegisters: registers}, ""
}

// spill is the last rung: from CUDA 13 on the compiler can spill to shared memory itself, on sm_75 and later. Where
// its further rules don't allow that, the rewriter refuses.
func (c *climber) spill() ([]int, string, error) {
	major, minor := c.compiler.Version()
	if major < 13 {
		return nil, fmt.Sprintf("it needs CUDA 13.0, not %d.%d", major, minor), nil
	}
	if n, err := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(c.arch, "sm_"), "af")); err != nil || n < 75 {
		return nil, "it needs sm_75, not " + c.arch, nil
	}
	if c.capped < 0 {
		return nil, "a kernel that isn't capped spills nothing", nil
	}
	if n := c.need(c.capped); n.spilled <= c.opt.Rules.MaxSpill {
		return nil, fmt.Sprintf("%d bytes are spilled, and up to %d the compiler's own spilling is cheaper", n.spilled, c.opt.Rules.MaxSpill), nil
	}
	r := c.recipes[c.capped]
	r.Spill = true
	at, err := c.attempt(RungSpill, r)
	if err != nil {
		return nil, "", err
	}
	if failed := c.report.Attempts[at].Failed; failed != "" {
		return nil, failed, nil
	}
	return []int{at}, "", nil
}
