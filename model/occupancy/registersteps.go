package occupancy

import (
	"fmt"
	"math"
	"strconv"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/gpu"
)

// RegisterStep is a number of registers per thread from which on more thread
// blocks run: a step of the curve of occupancy against registers, below what the
// kernel takes now.
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

// RegisterSteps returns the steps that fewer registers alone reach on an SM of g, with
// the fewest words first: blocks rise strictly, registers fall strictly. Where
// there is none, Flat tells why; else its Case is empty.
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
