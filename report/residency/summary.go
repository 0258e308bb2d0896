package residency

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/report"
)

// mostHeadroom is the number of kernels with headroom shown per GPU; --json has
// all.
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

// Text prints, per GPU, what limits how many kernels, and which have most
// headroom.
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

// headroomText lists the kernels that something else than their limit would let
// run more blocks.
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
