package census

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The outcomes of a kernel or a file.
const (
	outcomeReached      = "reached"       // it runs more thread blocks
	outcomeRefused      = "refused"       // no rung was accepted
	outcomeNoStep       = "no-step"       // fewer registers alone gain nothing
	outcomeUnknownBlock = "unknown-block" // no launch in view tells the block size
	outcomeNoCode       = "no-code"       // nvcc makes no code of it
	outcomeListed       = "listed"        // fewer registers are a step
	outcomeBroken       = "broken"        // the file can't be read or compiled
)

// entry is what came of a kernel, or of a file as a whole.
type entry struct {
	File         string   `json:"file"`
	Line         int      `json:"line,omitempty"`
	Kernel       string   `json:"kernel,omitempty"`
	Threads      int      `json:"threads,omitempty"` // per thread block
	GPU          string   `json:"gpu,omitempty"`
	Outcome      string   `json:"outcome"`
	Before       state    `json:"before"`
	After        state    `json:"after"`
	Aim          int      `json:"aim,omitempty"` // thread blocks per SM of the next step
	Rung         string   `json:"rung,omitempty"`
	Recipe       string   `json:"recipe,omitempty"`
	Compilations int      `json:"compilations,omitempty"`
	Worse        []string `json:"worse,omitempty"` // GPUs with fewer warps than before
	Why          string   `json:"why,omitempty"`
}

// state is a kernel as compiled for the GPU that was climbed for.
type state struct {
	Registers int `json:"registers"`
	Spills    int `json:"spills"` // bytes per thread
	Shared    int `json:"shared"` // static bytes per thread block
	Blocks    int `json:"blocks"` // per SM
}

func (e entry) String() string {
	switch e.Outcome {
	case outcomeBroken, outcomeNoCode:
		return fmt.Sprintf("%s: %s %s: %s", e.position(), e.Outcome, e.Kernel, e.Why)
	case outcomeListed:
		return fmt.Sprintf("%s: %s: %d threads, %d registers, %d thread blocks on %s, %d with fewer registers",
			e.position(), e.Kernel, e.Threads, e.Before.Registers, e.Before.Blocks, e.GPU, e.Aim)
	case outcomeRefused:
		return fmt.Sprintf("%s: %s: %d threads, %d registers, %d thread blocks on %s: refused: %s",
			e.position(), e.Kernel, e.Threads, e.Before.Registers, e.Before.Blocks, e.GPU, e.Why)
	}
	text := fmt.Sprintf("%s: %s: %d threads, %d -> %d registers, %d -> %d bytes spilled, %d -> %d thread blocks on %s: %s: %s",
		e.position(), e.Kernel, e.Threads, e.Before.Registers, e.After.Registers, e.Before.Spills, e.After.Spills,
		e.Before.Blocks, e.After.Blocks, e.GPU, e.Rung, e.Recipe)
	if len(e.Worse) > 0 {
		text += "; WORSE on " + strings.Join(e.Worse, ", ")
	}
	return text
}

// totals count entries.
type totals struct {
	Kernels      int            `json:"kernels"`      // with a known block size, in files that compile
	UnknownBlock int            `json:"unknownBlock"` // kernels left out, since their block size is not known
	Broken       int            `json:"broken"`       // files
	NoCode       int            `json:"noCode"`       // kernels of which nvcc makes no code
	Limited      int            `json:"limited"`      // kernels for which fewer registers are a step
	Reached      map[string]int `json:"reached"`      // by rung
	Clean        int            `json:"clean"`        // of those, without a spill
	Refused      map[string]int `json:"refused"`      // by the last rung's reason
	Worse        int            `json:"worse"`        // on any GPU
}

func (t *totals) add(e entry) {
	if t.Reached == nil {
		t.Reached, t.Refused = map[string]int{}, map[string]int{}
	}
	switch e.Outcome {
	case outcomeBroken:
		t.Broken++
		return
	case outcomeUnknownBlock:
		t.UnknownBlock++
		return
	case outcomeNoCode:
		t.NoCode++
		return
	}
	t.Kernels++
	switch e.Outcome {
	case outcomeReached:
		t.Limited++
		t.Reached[e.Rung]++
		if e.After.Spills == 0 {
			t.Clean++
		}
	case outcomeListed:
		t.Limited++
	case outcomeRefused:
		t.Limited++
		t.Refused[e.Why]++
	}
	if len(e.Worse) > 0 {
		t.Worse++
	}
}

func (t totals) String() string {
	var b strings.Builder
	reached := 0
	for _, n := range t.Reached {
		reached += n
	}
	fmt.Fprintf(&b, "\n%d kernels, %d limited by registers; %d reached their next step, %d of them without a spill\n", t.Kernels, t.Limited, reached, t.Clean)
	for _, rung := range slices.Sorted(maps.Keys(t.Reached)) {
		fmt.Fprintf(&b, "  %s: %d\n", rung, t.Reached[rung])
	}
	for _, why := range slices.Sorted(maps.Keys(t.Refused)) {
		fmt.Fprintf(&b, "  refused: %d: %s\n", t.Refused[why], why)
	}
	fmt.Fprintf(&b, "%d with worse occupancy; %d kernels of unknown block size, %d without code, %d files left out\n", t.Worse, t.UnknownBlock, t.NoCode, t.Broken)
	return b.String()
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
