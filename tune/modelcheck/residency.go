package modelcheck

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
)

// Residency holds the computed occupancy against what ran.
type Residency struct {
	// Active are configurations with recorded registers and a counter of active warps. In Early of them more were than whole
	// thread blocks have, and no more than fit: a warp gives its registers back before its block ends. In Over even more were.
	Active int `json:"active"`
	Early  int `json:"early"`
	Over   int `json:"over"`
	// Full is the median of the active warps over those that the occupancy allows, 0 without Active.
	Full float64 `json:"full"`
	// Of those that Ran, not one thread block of Denied fits by the record's registers, and of Guessed by estimated ones.
	Ran     int `json:"ran"`
	Denied  int `json:"denied"`
	Guessed int `json:"guessed"`
	// Failed are failed launches of configurations whose source could be read. Not one block of Explained fits, with any or
	// the recorded registers; of Possible none fits if they take many registers, which are not known; Unknown are the rest.
	Failed    int      `json:"failed"`
	Explained []Reason `json:"explained"`
	Possible  int      `json:"possible"`
	Unknown   int      `json:"unknown"`
	// Examples are the first few contradictions.
	Examples []string `json:"examples"`
}

// warpsActive is the counter of the share of an SM's warp slots that are in use.
const warpsActive = "sm__warps_active.avg.pct_of_peak_sustained_active"

// rounding is by how many points of a hundred a counter may be too high: it is averaged over SMs and passes.
const rounding = 0.05

func residency(of []point, g *gpu.GPU) Residency {
	r := Residency{Explained: []Reason{}, Examples: []string{}}
	var full []float64
	example := func(p *point, what string) {
		if len(r.Examples) < 3 {
			r.Examples = append(r.Examples, string(p.variant.Configuration())+": "+what)
		}
	}
	for i := range of {
		p := &of[i]
		impossible := p.predicted != nil && p.predicted.Impossible != ""
		if p.measured == 0 {
			f := p.failure // which may be one of resources
			if f != nil && (f.Kind == record.FailedRun || f.Kind == record.FailedResources || f.Kind == record.FailedCompile) && p.predicted != nil {
				r.Failed++
				switch why, known := whyFailed(p, g); {
				case why == "":
					r.Unknown++
					example(p, "nothing says why its launch failed")
				case known:
					r.Explained = count(r.Explained, why)
				default:
					r.Possible++
				}
			}
			continue
		}
		r.Ran++
		switch {
		case impossible && p.predicted.Recorded:
			r.Denied++
			example(p, p.predicted.Impossible)
		case impossible:
			r.Guessed++
		}
		active, counted := p.counters[warpsActive]
		if !counted || p.predicted == nil || !p.predicted.Recorded || impossible {
			continue
		}
		r.Active++
		allowed := 100 * p.predicted.Static.Occupancy
		full = append(full, active/allowed)
		switch {
		case active <= allowed+rounding:
		case active <= 100*byWarps(p.predicted, g)+rounding:
			r.Early++
		default:
			r.Over++
			example(p, "more warps were active than fit")
		}
	}
	if len(full) > 0 {
		r.Full = judge.Median(full)
	}
	slices.SortStableFunc(r.Explained, func(a, b Reason) int { return cmp.Compare(b.Count, a.Count) })
	return r
}

// byWarps is the occupancy where registers are counted by the warp.
func byWarps(p *Prediction, g *gpu.GPU) float64 {
	one, err := occupancy.Compute(g, occupancy.Demand{Threads: 1, Registers: p.Registers})
	if err != nil {
		return p.Static.Occupancy
	}
	limit := p.Static.ByLimit
	blocks := min(limit[occupancy.Shared], limit[occupancy.Threads], limit[occupancy.Blocks], limit[occupancy.Barriers])
	warps := min(one.ByLimit[occupancy.Registers], blocks*(p.Static.Warps/p.Static.Blocks))
	return max(p.Static.Occupancy, float64(warps)/float64(g.Arch.WarpsPerSM))
}

// whyFailed returns what a launch that failed lacks, "" for nothing; known says that it does for certain.
func whyFailed(p *point, g *gpu.GPU) (why string, known bool) {
	demand := occupancy.Demand{Threads: 1, Shared: p.predicted.Shared}
	for _, n := range p.predicted.Launch.Block {
		demand.Threads *= n
	}
	_, err := occupancy.Compute(g, demand)
	switch {
	case err != nil:
		return lacking(err.Error()), true
	case p.predicted.Impossible != "" && (p.predicted.Recorded || lacking(p.predicted.Impossible) != registers):
		return lacking(p.predicted.Impossible), true
	}
	demand.Registers = g.Arch.RegistersPerThread
	if _, err := occupancy.Compute(g, demand); err != nil && !p.predicted.Recorded {
		return registers, false
	}
	return "", false
}

const registers = "registers"

// lacking is a reason without its figures.
func lacking(why string) string {
	for _, what := range []string{"static shared memory", "shared memory", registers, "threads"} {
		if strings.Contains(why, what) {
			return what
		}
	}
	return why
}
