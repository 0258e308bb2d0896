// Package simulation reports what model/sim makes of kernels: the cycles of each under the policies by which its
// shared memory can be shared, the original first, for an SM of each GPU. What a thread block does is counted by
// analysis/cost or given by hand. The order of the policies counts: cycles are not measurements.
package simulation

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/report"
)

// Schema is the version of the JSON form of the reports of simulate.
const Schema = 1

// Report is the document that `smux simulate --json` prints.
type Report struct {
	Schema  int              `json:"schema"`
	Kernels []Kernel         `json:"kernels"`
	Unknown []report.Unknown `json:"unknown"`
}

// Kernel is a kernel, as it is launched in one form, on one GPU.
type Kernel struct {
	Name          string         `json:"name"` // "" for segments without a file
	Position      *diag.Position `json:"position,omitempty"`
	Block         *[3]int        `json:"block,omitempty"`
	GPU           string         `json:"gpu"`
	CC            string         `json:"cc"`
	Threads       int            `json:"threads"`
	Registers     int            `json:"registers"`
	RegistersFrom string         `json:"registersFrom,omitempty"` // "ptxas sm_80", "estimate", "" by hand
	Shared        int            `json:"shared"`
	Blocks        int            `json:"blocks"`      // thread blocks of the original that the SM runs
	Segments      string         `json:"segments"`    // what a warp does, as --segments takes it
	RegionShare   *float64       `json:"regionShare"` // of a lone thread block's cycles, null without a region and where none can run
	Assumptions   []string       `json:"assumptions,omitempty"`
	Notes         []string       `json:"notes,omitempty"`
	Runs          []Run          `json:"runs"`

	sharedKnown bool // Shared is all that a thread block takes
}

// Run is one policy. Where the policy is unavailable, Result is null and Reason tells why.
type Run struct {
	Policy string `json:"policy"` // as rewrites are written elsewhere: "vtb named N=2"
	// Hardware says that no rewrite does this: it is a proposal for other hardware.
	Hardware bool `json:"hardware,omitempty"`
	// Refused says why smux can't rewrite the kernel so.
	Refused string  `json:"refused,omitempty"`
	Result  *Result `json:"result"`
	Reason  string  `json:"reason,omitempty"`
}

// Result holds what a policy does.
type Result struct {
	Cycles   float64          `json:"cycles"`
	PerBlock float64          `json:"cyclesPerBlock"`
	SpeedUp  *float64         `json:"speedUp"` // over the original, null where that cannot run
	Resident int              `json:"resident"`
	Limiters occupancy.Limits `json:"limiters"`
	Issue    float64          `json:"issue"`  // part of the cycles in which instructions are issued
	Memory   float64          `json:"memory"` // … in which the memory is busy
	Pipe     float64          `json:"pipe"`   // … in which the shared-memory pipe is busy
}

// title is fft1024, block 64 on gtx285.
func (k Kernel) title() string {
	name := cmp.Or(k.Name, prose.Count(k.Threads, "thread"))
	if k.Block != nil {
		name += ", block " + analysis.ShapeText(*k.Block)
	}
	return fmt.Sprintf("%s on %s", name, k.GPU)
}

// Text prints the report for people: per kernel and GPU a heading, a table of policies and what was assumed.
func (r Report) Text(out *bytes.Buffer) {
	for i, k := range r.Kernels {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, "%s\n", k.heading())
		t := prose.Table{Indent: 2}
		t.Row("policy", "cycles", "speed-up", "v-TBs", "limited by", "issue", "shared", "memory")
		for _, run := range k.Runs {
			if run.Refused == "" || run.Result != nil {
				t.Rows = append(t.Rows, run.cells())
			}
		}
		t.Print(out)
		k.refusals(out)
		fmt.Fprintf(out, "  segments: %s\n", shortened(k.Segments))
		for _, a := range k.Assumptions {
			fmt.Fprintf(out, "  assumed: %s\n", a)
		}
		for _, n := range k.Notes {
			fmt.Fprintf(out, "  note: %s\n", n)
		}
	}
}

// mostSegments is the number of segments shown of a long list; --json has all.
const mostSegments = 400

// shortened cuts a list of segments at a blank.
func shortened(segments string) string {
	if len(segments) <= mostSegments {
		return segments
	}
	cut := strings.LastIndexByte(segments[:mostSegments], ' ')
	return segments[:max(cut, 0)] + " … (--json has all)"
}

// heading is file:line:col: kernel k, block 64 on gtx285: 64 threads, ….
func (k Kernel) heading() string {
	text := k.title()
	if k.Position != nil {
		text = fmt.Sprintf("%s: kernel %s", k.Position, text)
	}
	registers := "registers left out"
	if k.Registers > 0 {
		registers = resources.RegistersText(k.Registers, k.RegistersFrom, k.CC) + " registers"
	}
	shared := prose.Bytes(k.Shared)
	switch {
	case k.sharedKnown:
	case k.Shared == 0:
		shared = "an unknown number of bytes"
	default:
		shared += " or more"
	}
	of := fmt.Sprintf("%s, %s of shared memory", registers, shared)
	if k.Block != nil || k.Name != "" {
		of = prose.Count(k.Threads, "thread") + ", " + of
	}
	if k.Blocks > 0 {
		of += fmt.Sprintf(", %s for an SM", prose.Count(k.Blocks, "thread block"))
	}
	if k.RegionShare != nil {
		of += fmt.Sprintf(", %s of a lone thread block's time in regions", percent(*k.RegionShare))
	}
	return text + ": " + of
}

// refusals writes which policies smux can't rewrite the kernel to, by the reason.
func (k Kernel) refusals(out *bytes.Buffer) {
	var reasons prose.Groups
	for _, run := range k.Runs {
		if run.Refused != "" {
			reasons.Add(run.Refused, run.Policy)
		}
	}
	for _, line := range reasons.Lines(func(why string, of []string) string { return strings.Join(of, ", ") + ": " + why }) {
		fmt.Fprintf(out, "  refused: %s\n", line)
	}
}

// cells returns the columns of a run.
func (r Run) cells() []string {
	x := r.Result
	name := r.Policy
	if r.Hardware {
		name += " (hardware)"
	}
	if r.Refused != "" {
		name += " (refused)"
	}
	if x == nil {
		return []string{name, "not possible: " + r.Reason}
	}
	speedUp := "-"
	if x.SpeedUp != nil {
		speedUp = fmt.Sprintf("%.2f", *x.SpeedUp)
	}
	return []string{
		name, strconv.FormatFloat(x.Cycles, 'f', 0, 64), speedUp, strconv.Itoa(x.Resident), x.Limiters.String(),
		percent(x.Issue), percent(x.Pipe), percent(x.Memory),
	}
}

// percent is a part of 1 in whole per cent.
func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }
