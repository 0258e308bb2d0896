package simulation

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/pipeline/resources"
)

// Text prints the report for people: per kernel and GPU a heading, a table of
// policies and what was assumed.
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
	var reasons []string
	by := map[string][]string{}
	for _, run := range k.Runs {
		if run.Refused == "" {
			continue
		}
		if by[run.Refused] == nil {
			reasons = append(reasons, run.Refused)
		}
		by[run.Refused] = append(by[run.Refused], run.Policy)
	}
	for _, why := range reasons {
		fmt.Fprintf(out, "  refused: %s: %s\n", strings.Join(by[why], ", "), why)
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
