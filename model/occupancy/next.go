package occupancy

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
)

// Step is a change of a demand and what it gains. Where more than one of the
// first four isn't 0, all of them are needed together.
type Step struct {
	Registers int `json:"registers,omitempty"` // fewer registers per thread
	Shared    int `json:"shared,omitempty"`    // fewer shared bytes per thread block
	Barriers  int `json:"barriers,omitempty"`  // fewer barriers per thread block
	Threads   int `json:"threads,omitempty"`   // more threads per block; below 0 fewer

	Demand    Demand  `json:"demand"` // after the change
	Blocks    int     `json:"blocks"` // after the change, as the next two
	Warps     int     `json:"warps"`
	Occupancy float64 `json:"occupancy"`
}

// Next lists the smallest changes of d that put more on an SM of g: one that asks for less in blocks of the same
// size, and the next smaller and the next larger block size (in whole warps) with more warps at once, where there are
// such. Where neither alone will do, as the slots for threads or blocks limit together with another resource, it is
// the block size with which the other has to give least. For a demand that can't run at all the changes are those
// that let it run.
//
// Registers per thread and shared bytes per block are taken to stay as they are
// when the block size changes, which is for the caller to judge.
func Next(g *gpu.GPU, d Demand) []Step {
	r, err := Compute(g, d)
	if isInvalid(err) || r.Warps == g.Arch.WarpsPerSM {
		return nil
	}
	var steps []Step
	if s, ok := stepTo(g, d, r.Blocks+1); ok {
		steps = append(steps, s)
	}
	most := g.Arch.ThreadsPerBlock / hardware.WarpSize
	warps := warpsOf(d.Threads)
	for n := min(warps-1, most); n > 0; n-- {
		if s, ok := resize(g, d, n, r.Warps); ok && s.onlySize() {
			steps = append(steps, s)
			break
		}
	}
	for n := warps + 1; n <= most; n++ {
		if s, ok := resize(g, d, n, r.Warps); ok && s.onlySize() {
			steps = append(steps, s)
			break
		}
	}
	if len(steps) == 0 {
		return sizeAndMore(g, d, r.Warps)
	}
	return steps
}

// sizeAndMore returns the block size that gives more than warps warps at once with the least reduction of registers
// and shared bytes, as parts of what they are; of several such the one with the most warps.
func sizeAndMore(g *gpu.GPU, d Demand, warps int) []Step {
	var best Step
	least := math.Inf(1)
	for n := 1; n <= g.Arch.ThreadsPerBlock/hardware.WarpSize; n++ {
		s, ok := resize(g, d, n, warps)
		cost := part(s.Registers, d.Registers) + part(s.Shared, d.Shared) + part(s.Barriers, d.Barriers)
		if ok && (cost < least || cost == least && s.Warps > best.Warps) {
			best, least = s, cost
		}
	}
	if math.IsInf(least, 1) {
		return nil
	}
	return []Step{best}
}

func part(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

// stepTo returns the least that d must ask for less to run that many blocks. None
// will do where the slots for threads or blocks don't suffice.
func stepTo(g *gpu.GPU, d Demand, blocks int) (Step, bool) {
	after := d
	after.Registers = min(d.Registers, MaxRegisters(g, d.Threads, blocks))
	after.Shared = min(d.Shared, MaxShared(g, blocks))
	if after.Shared < 0 || after.Registers == 0 && d.Registers > 0 {
		return Step{}, false
	}
	after.Barriers = min(d.Barriers, maxBarriers(&g.Arch, blocks))
	r, err := Compute(g, after)
	if err != nil || r.Blocks < blocks {
		return Step{}, false
	}
	return stepFrom(d, after, r), true
}

// resize returns the step to blocks of n warps, with as much less of the rest as it
// takes to have more than warps warps at once.
func resize(g *gpu.GPU, d Demand, n, warps int) (Step, bool) {
	sized := d
	sized.Threads = n * hardware.WarpSize
	s, ok := stepTo(g, sized, warps/n+1)
	s.Threads = sized.Threads - d.Threads
	return s, ok
}

// onlySize reports whether the step changes nothing but the block size.
func (s Step) onlySize() bool { return s.Registers == 0 && s.Shared == 0 && s.Barriers == 0 }

func stepFrom(before, after Demand, r Result) Step {
	return Step{
		Registers: before.Registers - after.Registers,
		Shared:    before.Shared - after.Shared,
		Barriers:  before.Barriers - after.Barriers,
		Threads:   after.Threads - before.Threads,
		Demand:    after,
		Blocks:    r.Blocks, Warps: r.Warps, Occupancy: r.Occupancy,
	}
}

// String returns the step in words, such as "8 registers fewer gives 6 TBs", "8 registers fewer and 1.2 kB less
// together give 6 TBs" or "blocks of 96 threads give 10 TBs, 30 warps".
func (s Step) String() string {
	var changes []string
	if s.Threads != 0 {
		changes = append(changes, fmt.Sprintf("blocks of %d threads", s.Demand.Threads))
	}
	if s.Registers != 0 {
		changes = append(changes, prose.Count(s.Registers, "register")+" fewer")
	}
	if s.Shared != 0 {
		changes = append(changes, bytesAtLeast(s.Shared)+" less")
	}
	if s.Barriers != 0 {
		changes = append(changes, prose.Count(s.Barriers, "barrier")+" fewer")
	}
	text := diag.AndList(changes)
	switch {
	case len(changes) > 1:
		text += " together give "
	case s.Threads != 0:
		text += " give "
	default:
		text += " gives "
	}
	text += prose.Count(s.Blocks, "thread block")
	if s.Threads != 0 {
		text += ", " + prose.Count(s.Warps, "warp")
	}
	return text
}

// bytesAtLeast is n bytes in words, rounded up where it is rounded, so that
// saving what it names is enough. A kB is 1024 bytes.
func bytesAtLeast(n int) string {
	if n < 1024 {
		return prose.Count(n, "byte")
	}
	return fmt.Sprintf("%.1f kB", math.Ceil(float64(n)/1024*10)/10)
}

// RegisterStep is a number of registers per thread from which on more thread blocks run: a step of the curve of
// occupancy against registers, below what the kernel takes now.
type RegisterStep struct {
	Blocks    int `json:"blocks"`    // thread blocks at once
	Registers int `json:"registers"` // per thread: the most with which they run
	Words     int `json:"words"`     // registers per thread that must go

	// SharedLeft is the shared bytes that a thread block may take in addition
	// with that many of them; what the words may use.
	SharedLeft int `json:"sharedLeft"`
	// WordBytes is the shared bytes of a thread block whose words moved to
	// shared memory, the bytes that align them included (Demand.Demote).
	WordBytes int `json:"wordBytes"`
	// Demotable is set if Blocks run after all Words moved to shared memory.
	Demotable bool `json:"demotable"`

	Warps     int     `json:"warps"` // at once
	Occupancy float64 `json:"occupancy"`
}

// RegisterSteps returns the steps that fewer registers alone reach on an SM of g, with the fewest words first: blocks
// rise strictly, registers fall strictly. Where there is none, Flat tells why; else its Case is empty.
//
// A demand that can't run for its registers alone has steps, too: the first lets it run.
func RegisterSteps(g *gpu.GPU, d Demand) ([]RegisterStep, Flat) {
	now, err := Compute(g, d)
	if flat := flatRegisters(g, now, err); flat.Case != "" {
		return nil, flat
	}
	var steps []RegisterStep
	for blocks := now.Blocks + 1; ; {
		after := d
		after.Registers = min(MaxRegisters(g, d.Threads, blocks), d.Registers)
		r, err := Compute(g, after)
		if after.Registers == 0 || err != nil || r.Blocks < blocks {
			break
		}
		steps = append(steps, registerStep(g, d, after.Registers, r))
		blocks = r.Blocks + 1
	}
	if len(steps) == 0 { // not with the limits of any GPU that was built
		return nil, Flat{Case: FlatNone, Limits: now.Limiters}
	}
	return steps, Flat{}
}

func registerStep(g *gpu.GPU, d Demand, registers int, r Result) RegisterStep {
	s := RegisterStep{
		Blocks: r.Blocks, Registers: registers, Words: d.Registers - registers,
		SharedLeft: max(0, MaxShared(g, r.Blocks)-d.Shared),
		Warps:      r.Warps, Occupancy: r.Occupancy,
	}
	demoted := d.Demote(s.Words)
	s.WordBytes = demoted.Shared - d.Shared
	after, err := Compute(g, demoted)
	s.Demotable = err == nil && after.Blocks >= s.Blocks
	return s
}

// String returns the step in words, such as "6 registers fewer gives 5 TBs; as words in
// shared memory they take 6 kB, which fit".
func (s RegisterStep) String() string {
	text := fmt.Sprintf("%s fewer gives %s; ", prose.Count(s.Words, "register"), prose.Count(s.Blocks, "thread block"))
	if s.Words == 1 {
		text += "as a word in shared memory it takes "
	} else {
		text += "as words in shared memory they take "
	}
	text += bytesShort(s.WordBytes, math.Ceil)
	switch {
	case s.Demotable && s.Words == 1:
		return text + ", which fits"
	case s.Demotable:
		return text + ", which fit"
	case s.SharedLeft == 0:
		return text + ", and none is left"
	default:
		return text + ", and " + bytesShort(s.SharedLeft, math.Floor) + " are left"
	}
}

// bytesShort is n bytes in words; a part of a kB is rounded by round.
func bytesShort(n int, round func(float64) float64) string {
	if n < 1024 {
		return prose.Count(n, "byte")
	}
	return strconv.FormatFloat(round(float64(n)/1024*10)/10, 'f', -1, 64) + " kB"
}

// Flat describes why fewer registers give nothing. The zero value means that they do.
type Flat struct {
	Case FlatCase `json:"case,omitempty"`
	// Limits are the resources that allow no more thread blocks than run now.
	Limits Limits `json:"limits,omitempty"`
}

// FlatCase is a kind of reason.
type FlatCase string

// The kinds.
const (
	FlatInvalid    FlatCase = "invalid"    // the demand makes no sense: it has no threads, say
	FlatImpossible FlatCase = "impossible" // it can't run, and not for its registers alone
	FlatFull       FlatCase = "full"       // the SM has all the warps that it can hold
	FlatOther      FlatCase = "other"      // something else limits, and registers don't
	FlatTogether   FlatCase = "together"   // registers limit, and something else just as much
	FlatNone       FlatCase = "none"       // registers limit, but no number of them gives more
)

// String returns the reason in words, "" where there is none.
func (f Flat) String() string {
	switch f.Case {
	case "":
		return ""
	case FlatInvalid:
		return "there is no such thread block"
	case FlatImpossible:
		return "no thread block can run, for its " + f.Limits.String()
	case FlatFull:
		return "the SM is full"
	case FlatOther:
		return f.Limits.String() + f.verb() + ", registers don't"
	case FlatTogether:
		return f.Limits.String() + " limit together"
	default:
		return "no number of registers gives more"
	}
}

func (f Flat) verb() string {
	if l := f.Limits.List(); len(l) == 1 && (l[0] == Shared) {
		return " limits"
	}
	return " limit"
}

// flatRegisters returns why fewer registers gain nothing over a result of Compute; its
// Case is "" where registers alone limit.
func flatRegisters(g *gpu.GPU, now Result, err error) Flat {
	var impossible *ImpossibleError
	switch {
	case isInvalid(err):
		return Flat{Case: FlatInvalid}
	case now.Limiters.Only(Registers):
		return Flat{}
	case errors.As(err, &impossible):
		return Flat{Case: FlatImpossible, Limits: now.Limiters}
	case now.Warps == g.Arch.WarpsPerSM:
		return Flat{Case: FlatFull, Limits: now.Limiters}
	case now.Limiters.Has(Registers):
		return Flat{Case: FlatTogether, Limits: now.Limiters}
	default:
		return Flat{Case: FlatOther, Limits: now.Limiters}
	}
}

// wordBytes is the bytes that a demoted register takes in shared memory.
const wordBytes = 4

// Demote returns the demand of a kernel that keeps that many of its registers in shared memory, one word for each
// thread after the bytes it has, as RegDem lays them out.
func (d Demand) Demote(words int) Demand {
	d.Registers -= words
	if words > 0 {
		d.Shared = roundUp(d.Shared, wordBytes) + words*d.Threads*wordBytes
	}
	return d
}
