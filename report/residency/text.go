package residency

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/pipeline/resources"
)

// Text prints the report for people: per kernel a heading and a table.
func (r Report) Text(out *bytes.Buffer) {
	for i, k := range r.Kernels {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, "%s\n", k.heading())
		t := prose.Table{Indent: 2}
		t.Row("GPU", "thread blocks", "warps", "occupancy", "limited by", "registers", "shared", "unused", "next step")
		for _, row := range k.Rows {
			t.Rows = append(t.Rows, row.cells())
		}
		t.Print(out)
		for _, line := range k.registerLines() {
			fmt.Fprintf(out, "  %s\n", line)
		}
		for _, n := range k.Notes {
			fmt.Fprintf(out, "  note: %s\n", n)
		}
	}
}

// heading is file:line:col: kernel k, block 16x16 (256 threads), launched at ….
func (k Kernel) heading() string {
	if k.Name == "" {
		d := k.Rows[0].Demand
		registers := "registers left out"
		if d.Registers > 0 {
			registers = prose.Count(d.Registers, "register") + " each"
		}
		return fmt.Sprintf("%s, %s, %s of shared memory", prose.Count(d.Threads, "thread"), registers, prose.Bytes(d.Shared))
	}
	text := fmt.Sprintf("%s: kernel %s", k.Position, k.Name)
	if k.Block != nil {
		text += ", block " + analysis.ShapeText(*k.Block)
		if k.Block[1]*k.Block[2] != 1 {
			text += fmt.Sprintf(" (%s)", prose.Count(k.Block[0]*k.Block[1]*k.Block[2], "thread"))
		}
	}
	if k.Launch != nil {
		text += ", launched at " + k.Launch.String()
	}
	return text
}

// cells returns the columns of a row; the reason of a demand that can't run takes
// the place of all after it.
func (r Row) cells() []string {
	if r.Result == nil {
		return []string{r.GPU, "0", "0", "-", "can't run: " + r.Impossible}
	}
	if !r.SharedKnown {
		return r.atMost()
	}
	return []string{
		r.GPU, strconv.Itoa(r.Result.Blocks), strconv.Itoa(r.Result.Warps), fmt.Sprintf("%.0f %%", 100*r.Result.Occupancy),
		r.Result.Limiters.String(), resources.RegistersText(r.Demand.Registers, r.RegistersFrom, r.CC), prose.Bytes(r.Demand.Shared), prose.Bytes(r.Result.WastedShared), nextText(r.Next, r.Result.Occupancy),
	}
}

// atMost returns the columns of a row whose shared memory is known in part: what it leaves is the
// most there can be, and a next step nobody knows.
func (r Row) atMost() []string {
	shared := "unknown"
	if r.Demand.Shared > 0 {
		shared = "over " + prose.Bytes(r.Demand.Shared)
	}
	return []string{
		r.GPU, "<= " + strconv.Itoa(r.Result.Blocks), "<= " + strconv.Itoa(r.Result.Warps), fmt.Sprintf("<= %.0f %%", 100*r.Result.Occupancy),
		"unknown", resources.RegistersText(r.Demand.Registers, r.RegistersFrom, r.CC), shared, "unknown", "give --smem BYTES",
	}
}

// registerLines tell what the next step down in registers takes, where registers
// alone limit; GPUs of which the same is true share a line.
func (k Kernel) registerLines() []string {
	var steps []string
	gpus := map[string][]string{}
	for _, row := range k.Rows {
		if len(row.RegisterSteps) == 0 {
			continue
		}
		step := row.RegisterSteps[0].String()
		if gpus[step] == nil {
			steps = append(steps, step)
		}
		gpus[step] = append(gpus[step], row.GPU)
	}
	for i, step := range steps {
		steps[i] = strings.Join(gpus[step], ", ") + ": " + step
	}
	return steps
}

// nextText returns the smallest change that helps.
func nextText(steps []occupancy.Step, now float64) string {
	switch {
	case now >= 1:
		return "full"
	case len(steps) == 0:
		return "none"
	}
	return steps[0].String()
}
