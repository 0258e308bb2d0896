// Package timeline draws what the thread blocks on an SM do over time, as
// Figures 4 and 9 of Yang et al., PACT'12, do: one row per virtual thread block,
// grouped by the slot on the SM that a launched thread block has for its life.
package timeline

import (
	"fmt"
	"io"
	"math"
	"strconv"

	svg "github.com/ajstarks/svgo/float"

	"github.com/smux-cuda/smux/model/sim"
)

// Options of a drawing.
type Options struct {
	Title string
	// From and To are the cycles that are shown; 0 and 0 show three lives of the
	// first thread block.
	From, To float64
	// Width of the drawing in pixels; 0 is 960.
	Width float64
	// Rows is the most v-TBs that are drawn; 0 is 24.
	Rows int
}

// Sizes in pixels.
const (
	defaultWidth = 960
	defaultRows  = 24
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

// WriteTimelineSVG draws the timeline of a result, which must have been made with
// Options.Timeline. Equal results give equal bytes.
func WriteTimelineSVG(w io.Writer, r *sim.Result, opt Options) error {
	if len(r.Timeline) == 0 {
		return fmt.Errorf("the result has no timeline")
	}
	out := &failing{w: w}
	p := newPicture(out, r, opt)
	p.canvas.Start(p.width, p.height)
	p.canvas.Group(`class="smux"`)
	p.canvas.Style("text/css", style)
	p.canvas.Rect(0, 0, p.width, p.height, `class="back"`)
	p.heading(r)
	p.labels()
	for _, s := range r.Timeline {
		p.span(s)
	}
	p.axis()
	p.canvas.Gend()
	p.canvas.End()
	return out.err
}

// failing remembers the first error of a writer, which the drawing library drops.
type failing struct {
	w   io.Writer
	err error
}

func (f *failing) Write(b []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.w.Write(b)
	f.err = err
	return n, err
}

// picture places cycles and v-TBs on the canvas.
type picture struct {
	canvas        *svg.SVG
	opt           Options
	width, height float64
	places, vtbs  int // rows: places on the SM, v-TBs in each
	scale         float64
}

func newPicture(w io.Writer, r *sim.Result, opt Options) *picture {
	if opt.Width <= left+right {
		opt.Width = defaultWidth
	}
	if opt.Rows <= 0 {
		opt.Rows = defaultRows
	}
	if opt.To <= opt.From {
		opt.To = min(r.Cycles, opt.From+3*firstLife(r.Timeline))
	}
	p := &picture{canvas: svg.New(w), opt: opt, width: opt.Width, vtbs: max(1, r.VTBs)}
	for _, s := range r.Timeline {
		p.places = max(p.places, s.Slot+1)
	}
	p.places = min(p.places, max(1, opt.Rows/p.vtbs))
	p.scale = (opt.Width - left - right) / (opt.To - opt.From)
	p.height = p.row(p.places, 0) + bottom
	return p
}

// firstLife returns the cycles of the first launched thread block.
func firstLife(spans []sim.Span) float64 {
	end := 0.0
	for _, s := range spans {
		if s.TB == 0 {
			end = max(end, s.End)
		}
	}
	return max(end, 1)
}

// row returns the top of a v-TB's row.
func (p *picture) row(place, vtb int) float64 {
	return top + float64(place)*(float64(p.vtbs)*(rowHeight+rowGap)+groupGap) + float64(vtb)*(rowHeight+rowGap)
}

func (p *picture) x(cycle float64) float64 { return left + (cycle-p.opt.From)*p.scale }

func (p *picture) heading(r *sim.Result) {
	title := p.opt.Title
	if title == "" {
		title = r.Policy.String()
	}
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
	if s.Slot >= p.places || s.End <= p.opt.From || s.Start >= p.opt.To {
		return
	}
	from, to := p.x(max(s.Start, p.opt.From)), p.x(min(s.End, p.opt.To))
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
	p.canvas.Line(left, y, p.width-right, y, `class="axis"`)
	step := roundStep((p.opt.To - p.opt.From) / 8)
	for at := math.Ceil(p.opt.From/step) * step; at <= p.opt.To; at += step {
		p.canvas.Line(p.x(at), y, p.x(at), y+4, `class="axis"`)
		p.canvas.Text(p.x(at), y+16, strconv.FormatFloat(at, 'f', -1, 64), `text-anchor="middle"`)
	}
	p.canvas.Text(p.width-right, y+30, "cycles", `text-anchor="end"`)
}

// roundStep returns the number 1, 2 or 5 times a power of ten that is no less than x,
// and 1 at least.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(max(x, 1))))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= x {
			return m * power
		}
	}
	return 10 * power
}
