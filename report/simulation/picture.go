package simulation

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	svg "github.com/ajstarks/svgo/float"

	"github.com/smux-cuda/smux/model/sim"
)

// Sizes in pixels, and the most virtual thread blocks that are drawn.
const (
	drawingWidth = 960
	mostRows     = 24
	rowHeight    = 16
	rowGap       = 2
	groupGap     = 8
	left         = 100
	right        = 16
	top          = 56
	bottom       = 40
)

// style has colours that are distinguished with colour-blind eyes and on paper, and
// that stand out from light and dark backgrounds.
const style = `
.smux { font-family: sans-serif; font-size: 11px; }
.smux text { fill: #333; }
.smux .title { font-size: 14px; }
.smux .back { fill: #fff; }
.smux .axis { stroke: #999; stroke-width: 1; }
.smux .compute { fill: #56b4e9; }
.smux .memory { fill: #009e73; }
.smux .region { fill: #d55e00; }
.smux .wait { fill: none; stroke: #999; stroke-width: 1; stroke-dasharray: 2 2; }
@media (prefers-color-scheme: dark) {
.smux text { fill: #ddd; }
.smux .back { fill: #1b1b1b; }
}
`

var legend = []struct {
	kind sim.SpanKind
	text string
}{
	{sim.Compute, "compute"},
	{sim.Memory, "waits for memory"},
	{sim.Region, "region"},
	{sim.Wait, "waits for its turn or a barrier"},
}

// picture draws what the thread blocks on an SM do over time, as Figures 4 and 9 of Yang et al., PACT'12, do: one row
// per virtual thread block, grouped by the slot on the SM that a launched thread block has for its life.
type picture struct {
	canvas       *svg.SVG
	text         bytes.Buffer
	to           float64 // the last cycle that is shown
	height       float64
	places, vtbs int // rows: places on the SM, v-TBs in each
	scale        float64
}

// draw draws the cycles of a result up to one; it must have been made with
// Options.Timeline. Equal results give equal bytes.
func draw(r *sim.Result, title string, to float64) (*picture, error) {
	if len(r.Timeline) == 0 {
		return nil, errors.New("the result has no timeline")
	}
	p := &picture{to: to, vtbs: max(1, r.VTBs), scale: (drawingWidth - left - right) / to}
	for _, s := range r.Timeline {
		p.places = max(p.places, s.Slot+1)
	}
	p.places = min(p.places, max(1, mostRows/p.vtbs))
	p.height = p.row(p.places, 0) + bottom
	p.canvas = svg.New(&p.text)
	p.canvas.Start(drawingWidth, p.height)
	p.canvas.Group(`class="smux"`)
	p.canvas.Style("text/css", style)
	p.canvas.Rect(0, 0, drawingWidth, p.height, `class="back"`)
	p.heading(title)
	p.labels()
	for _, s := range r.Timeline {
		p.span(s)
	}
	p.axis()
	p.canvas.Gend()
	p.canvas.End()
	return p, nil
}

// row returns the top of a v-TB's row.
func (p *picture) row(place, vtb int) float64 {
	return top + float64(place)*(float64(p.vtbs)*(rowHeight+rowGap)+groupGap) + float64(vtb)*(rowHeight+rowGap)
}

func (p *picture) x(cycle float64) float64 { return left + cycle*p.scale }

func (p *picture) heading(title string) {
	p.canvas.Text(left, 20, title, `class="title"`)
	x := float64(left)
	for _, l := range legend {
		p.canvas.Rect(x, 32, 12, 12, class(l.kind))
		p.canvas.Text(x+16, 42, l.text)
		x += 40 + 6.2*float64(len(l.text))
	}
}

func (p *picture) labels() {
	for place := range p.places {
		for v := range p.vtbs {
			text := fmt.Sprintf("slot %d", place)
			if p.vtbs > 1 {
				text = fmt.Sprintf("slot %d, v-TB %d", place, v)
			}
			p.canvas.Text(left-8, p.row(place, v)+12, text, `text-anchor="end"`)
		}
	}
}

// span draws one span, with what it is as a tooltip.
func (p *picture) span(s sim.Span) {
	if s.Slot >= p.places || s.End <= 0 || s.Start >= p.to {
		return
	}
	from, to := p.x(max(s.Start, 0)), p.x(min(s.End, p.to))
	y, height := p.row(s.Slot, s.VTB), float64(rowHeight)
	if s.Kind == sim.Wait {
		y, height = y+height/2, 0
	}
	p.canvas.Group(class(s.Kind))
	p.canvas.Title(tooltip(s))
	if s.Kind == sim.Wait {
		p.canvas.Line(from, y, to, y)
	} else {
		p.canvas.Rect(from, y, math.Max(to-from, 0.2), height)
	}
	p.canvas.Gend()
}

func tooltip(s sim.Span) string {
	where := ""
	if s.Label != "" {
		where = ", " + s.Label
	}
	return fmt.Sprintf("thread block %d, v-TB %d: %s%s, cycles %.0f to %.0f", s.TB, s.VTB, s.Kind, where, s.Start, s.End)
}

func class(k sim.SpanKind) string { return fmt.Sprintf(`class="%s"`, k) }

// axis draws the cycles, with about eight round numbers.
func (p *picture) axis() {
	y := p.height - bottom + 4
	p.canvas.Line(left, y, drawingWidth-right, y, `class="axis"`)
	step := roundStep(p.to / 8)
	for at := 0.0; at <= p.to; at += step {
		p.canvas.Line(p.x(at), y, p.x(at), y+4, `class="axis"`)
		p.canvas.Text(p.x(at), y+16, strconv.FormatFloat(at, 'f', -1, 64), `text-anchor="middle"`)
	}
	p.canvas.Text(drawingWidth-right, y+30, "cycles", `text-anchor="end"`)
}

// roundStep returns the number 1, 2 or 5 times a power of ten that is no less than x, and 1 at least.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(max(x, 1))))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x {
			return m * power
		}
	}
	return 10 * power
}
