// Package residency reports how many thread blocks of each kernel a multiprocessor (SM) keeps resident at once, what
// limits them, and the smallest change that gives more: on each GPU, for each block shape that the kernel is launched
// with. Its figures are those of model/occupancy; what a thread block takes is asked of pipeline/resources.
package residency

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/analysis/usual"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/plot"
)

// Schema is the version of the JSON form of the reports of occupancy.
// It grows when a field changes its meaning or is removed.
const Schema = 1

// Report is the document that `smux occupancy --json` prints.
type Report struct {
	Schema  int      `json:"schema"`
	Kernels []Kernel `json:"kernels"`
	// Unknown are the kernels that nothing can be computed for.
	Unknown []report.Unknown `json:"unknown"`
}

// Kernel is a kernel as it is launched in one form, on each GPU.
type Kernel struct {
	Name     string         `json:"name"` // "" for a thread block that was given by hand
	Position *diag.Position `json:"position,omitempty"`
	Block    *[3]int        `json:"block,omitempty"`
	Launch   *diag.Position `json:"launch,omitempty"` // the first launch like this
	Notes    []string       `json:"notes,omitempty"`
	Rows     []Row          `json:"rows"`
}

// Row is a kernel on a GPU. Result is null where no thread block can run, and Impossible tells why.
type Row struct {
	GPU           string            `json:"gpu"`
	CC            string            `json:"cc"`
	Demand        occupancy.Demand  `json:"demand"`
	RegistersFrom string            `json:"registersFrom,omitempty"` // "ptxas sm_80", "estimate", "" by hand
	SharedKnown   bool              `json:"sharedKnown"`             // else Demand.Shared is the part that is known
	Result        *occupancy.Result `json:"result"`
	Impossible    string            `json:"impossible,omitempty"`
	Next          []occupancy.Step  `json:"next,omitempty"`
	// RegisterSteps hold what fewer registers alone give, the next step first. Where
	// there is none, RegistersFlat tells why.
	RegisterSteps []occupancy.RegisterStep `json:"registerSteps,omitempty"`
	RegistersFlat *occupancy.Flat          `json:"registersFlat,omitempty"`

	gpu *gpu.GPU
}

// newRow computes a demand on a GPU. The error is for a demand that makes no sense on any.
func newRow(g *gpu.GPU, d occupancy.Demand, from string) (Row, error) {
	row := Row{GPU: g.String(), CC: g.CC(), Demand: d, RegistersFrom: from, SharedKnown: true, gpu: g}
	result, err := occupancy.Compute(g, d)
	var impossible *occupancy.ImpossibleError
	switch {
	case errors.As(err, &impossible):
		row.Impossible = impossible.Error()
	case err != nil:
		return row, err
	default:
		row.Result = &result
	}
	row.Next = occupancy.Next(g, d)
	steps, flat := occupancy.RegisterSteps(g, d)
	if row.RegisterSteps = steps; len(steps) == 0 {
		row.RegistersFlat = &flat
	}
	return row, nil
}

// ByHand returns the report on a thread block that no kernel has. Where it can't run on a GPU, the row of that one
// has no Result. The error is for a demand that makes no sense on any GPU.
func ByHand(d occupancy.Demand, gpus []*gpu.GPU) (Report, error) {
	k := Kernel{}
	for _, g := range gpus {
		row, err := newRow(g, d, "")
		if err != nil {
			return Report{}, err
		}
		k.Rows = append(k.Rows, row)
	}
	return Report{Schema: Schema, Kernels: []Kernel{k}, Unknown: []report.Unknown{}}, nil
}

// Way returns the smallest change with which more thread blocks run, "" for none.
func (r Row) Way() string {
	if len(r.Next) == 0 {
		return ""
	}
	return r.Next[0].String()
}

// Of returns the report on kernels, as each is launched. Those that nothing is known of are
// Unknown. The errors are those of from, but for resources.ErrNoCode.
func Of(kernels []*analysis.Kernel, gpus []*gpu.GPU, from *resources.Reader) (Report, error) {
	r := Report{Schema: Schema, Kernels: []Kernel{}, Unknown: []report.Unknown{}}
	for _, k := range kernels {
		why := launches.WhyNoShape(k)
		for _, in := range usual.Counted(k) {
			dims, ok := in.BlockShape()
			if !ok {
				continue
			}
			out, err := ofInstance(k, in, dims, gpus, from)
			if err != nil && err != resources.ErrNoCode {
				return r, err
			}
			if why = ""; err == resources.ErrNoCode {
				why = err.Error()
				break
			}
			r.Kernels = append(r.Kernels, out)
		}
		if why != "" {
			r.Unknown = append(r.Unknown, report.Unknown{Name: k.Name, Position: summary.Position(k), Why: why})
		}
	}
	return r, nil
}

func ofInstance(k *analysis.Kernel, in *analysis.Instance, dims [3]int, gpus []*gpu.GPU, from *resources.Reader) (Kernel, error) {
	at := summary.Position(k)
	out := Kernel{Name: k.Name, Position: &at, Block: &dims}
	if in.Launch != nil {
		launch := in.Launch.File.Position(in.Launch.View.Open)
		out.Launch = &launch
	}
	if in.Assumed != "" {
		out.Notes = append(out.Notes, in.Assumed)
	}
	exact := true
	for _, g := range gpus {
		res, err := from.Of(k, in, g)
		if err != nil {
			return out, err
		}
		exact = exact && res.Exact
		d := occupancy.Demand{Threads: dims[0] * dims[1] * dims[2], Registers: res.Registers, Shared: res.Shared, Barriers: res.Barriers}
		row, err := newRow(g, d, res.From)
		if err != nil {
			return out, err
		}
		row.SharedKnown = res.Exact
		out.Rows = append(out.Rows, row)
	}
	if !exact {
		out.Notes = append(out.Notes, "not all of its shared memory is known: bytes that the launch computes, or a template's type decides, count as nothing")
	}
	return out, nil
}

// Curves returns the three classic curves of each kernel, a series per GPU, with a
// mark where the kernel stands: warps per SM by block size, registers, shared memory.
func (r Report) Curves() ([]plot.Row, error) {
	var rows []plot.Row
	for _, k := range r.Kernels {
		row := plot.Row{Title: k.plotTitle()}
		for _, o := range k.Rows {
			curves, err := occupancy.Curves(o.gpu, o.Demand)
			if err != nil {
				return nil, err
			}
			for i, c := range curves {
				if i == len(row.Charts) {
					row.Charts = append(row.Charts, plot.Chart{Title: "warps by " + c.Axis, XLabel: c.Axis, YLabel: "warps per SM"})
				}
				row.Charts[i].Series = append(row.Charts[i].Series, curveSeries(o.GPU, c))
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// curveSeries returns a curve with a mark where the kernel stands.
func curveSeries(name string, c occupancy.Curve) plot.Series {
	s := plot.Series{Name: name}
	for _, p := range c.Points {
		s.X = append(s.X, float64(p.X))
		s.Y = append(s.Y, float64(p.Warps))
	}
	if c.At < len(s.X) {
		s.Mark = &s.X[c.At]
	}
	return s
}

// plotTitle returns the heading without the place in the file.
func (k Kernel) plotTitle() string {
	if k.Name == "" {
		return k.heading()
	}
	return fmt.Sprintf("%s, block %s", k.Name, analysis.ShapeText(*k.Block))
}

// mostHeadroom is the number of kernels with headroom shown per GPU; --json has all.
const mostHeadroom = 10

// Summary is the document that `smux occupancy --summary --json` prints.
type Summary struct {
	Schema  int                `json:"schema"`
	GPUs    []occupancy.Census `json:"gpus"`
	Unknown []report.Unknown   `json:"unknown"`
}

// Summary counts what limits the kernels of a report. A kernel that is launched
// in several forms counts once for each.
func (r Report) Summary(gpus []*gpu.GPU) Summary {
	out := Summary{Schema: r.Schema, GPUs: []occupancy.Census{}, Unknown: r.Unknown}
	for i, g := range gpus {
		var kernels []occupancy.Kernel
		for _, k := range r.Kernels {
			name := fmt.Sprintf("%s %s %s", k.Position, k.Name, analysis.ShapeText(*k.Block))
			kernels = append(kernels, occupancy.Kernel{Name: name, Demand: k.Rows[i].Demand})
		}
		out.GPUs = append(out.GPUs, occupancy.Summary(g, kernels))
	}
	return out
}

// Text prints, per GPU, what limits how many kernels, and which have most headroom.
func (s Summary) Text(out *bytes.Buffer) {
	for i, c := range s.GPUs {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(out, "%s: %s, %d with all warps\n", c.GPU, prose.Count(c.Kernels, "kernel"), c.Full)
		t := prose.Table{Indent: 2}
		if len(c.Limits) > 0 {
			t.Row("limited by", "kernels", "share")
		}
		for _, l := range c.Limits {
			t.Row(l.Limiters.String(), strconv.Itoa(l.Kernels), fmt.Sprintf("%.0f %%", 100*l.Share))
		}
		t.Print(out)
		headroomText(out, c)
		for _, k := range c.Impossible {
			fmt.Fprintf(out, "  can't run: %s: %s\n", k.Name, k.Reason)
		}
	}
}

// headroomText lists the kernels that something else than their limit would let run more blocks.
func headroomText(out *bytes.Buffer, c occupancy.Census) {
	t := prose.Table{Indent: 2}
	t.Row("headroom", "thread blocks", "without the limit", "limited by", "kernel")
	more := 0
	for _, h := range c.Headroom {
		switch {
		case h.Factor <= 1:
		case len(t.Rows) > mostHeadroom:
			more++
		default:
			t.Row(fmt.Sprintf("%.1fx", h.Factor), strconv.Itoa(h.Result.Blocks), strconv.Itoa(h.Lifted), h.Result.Limiters.String(), h.Name)
		}
	}
	if len(t.Rows) > 1 {
		t.Print(out)
	}
	if more > 0 {
		fmt.Fprintf(out, "  and %d more with headroom\n", more)
	}
}

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

// cells returns the columns of a row; the reason of a demand that can't run takes the place of all after it.
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
	var gpus prose.Groups
	for _, row := range k.Rows {
		if len(row.RegisterSteps) > 0 {
			gpus.Add(row.RegisterSteps[0].String(), row.GPU)
		}
	}
	return gpus.Lines(func(step string, of []string) string { return strings.Join(of, ", ") + ": " + step })
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
