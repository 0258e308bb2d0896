package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/report"
)

const (
	livesColumns = 200 // of a picture; what is shorter than one is not shown
	livesRows    = 8   // virtual thread blocks of a picture
	livesBlocks  = 12  // thread blocks that are simulated, at least
)

// lives holds what the thread blocks on an SM do, as the model simulates them: the original, and the rewrite that is
// chosen or else ranked first, on the GPU where that one gains most.
type lives struct {
	GPU      string
	Columns  int
	Blocks   int
	Pictures []picture
}

// picture is one simulation. The pictures of a kernel share their time axis.
type picture struct {
	Title  string
	Cycles string
	Rows   []liveRow
	Hidden int // thread blocks that ran beside those of Rows
}

// liveRow is one virtual thread block.
type liveRow struct {
	Label string
	Runs  []run
}

// run is all the time that one kind of work takes in a row, as one path.
type run struct {
	Class string
	Path  string
}

// newLives is nil if nothing is ranked or the model has no time for it.
func newLives(s report.Kernel) *lives {
	places := s.Model.Places()
	first := shownWay(s.Model)
	if len(places) == 0 || first.Excluded != "" || len(first.Places) == 0 {
		return nil
	}
	at := 0 // where most is gained: there is something to see
	for i, p := range first.Places {
		if p.Ratio > first.Places[at].Ratio {
			at = i
		}
	}
	p, base := places[at], first.Places[at]
	l := &lives{GPU: p.GPU.String(), Columns: livesColumns, Blocks: max(livesBlocks, 2*base.Before.Blocks)}
	longest := 0.0
	var results []*sim.Result
	for _, w := range []struct {
		way selection.Variant
		as  selection.Resources
	}{{selection.Variant{}, base.Before.Resources}, {first.Variant, base.After.Resources}} {
		r, err := p.Lives(w.way, w.as, l.Blocks)
		if err != nil {
			return nil // the ranking shows what the model knows
		}
		results = append(results, r)
		longest = max(longest, r.Cycles)
	}
	for i, title := range []string{"original", first.Variant.String()} {
		pic := picture{Title: title, Cycles: grouped(results[i].Cycles)}
		pic.draw(results[i], longest)
		l.Pictures = append(l.Pictures, pic)
	}
	return l
}

// draw puts the first virtual thread blocks into rows.
func (p *picture) draw(r *sim.Result, longest float64) {
	vtbs := max(1, r.VTBs)
	slots := 0
	for _, s := range r.Timeline {
		slots = max(slots, s.Slot+1)
	}
	shown := min(slots, max(1, livesRows/vtbs))
	p.Hidden = (slots - shown) * vtbs
	cols := make([][][4]float64, shown*vtbs) // cycles of each kind, by row and column
	for i := range cols {
		cols[i] = make([][4]float64, livesColumns)
	}
	width := longest / livesColumns
	for _, s := range r.Timeline {
		if s.Slot >= shown || s.VTB >= vtbs || int(s.Kind) >= 4 {
			continue
		}
		row := cols[s.Slot*vtbs+s.VTB]
		for c := int(s.Start / width); c < livesColumns && float64(c)*width < s.End; c++ {
			row[c][s.Kind] += min(s.End, float64(c+1)*width) - max(s.Start, float64(c)*width)
		}
	}
	for i, row := range cols {
		label := fmt.Sprintf("slot %d", i/vtbs)
		if vtbs > 1 {
			label += fmt.Sprintf(" v-TB %d", i%vtbs)
		}
		p.Rows = append(p.Rows, liveRow{label, runs(row, width)})
	}
}

// runs joins columns in which most of the time goes to the same kind.
func runs(row [][4]float64, width float64) []run {
	kinds := []sim.SpanKind{sim.Compute, sim.Memory, sim.Region, sim.Wait}
	paths := make([]strings.Builder, len(kinds))
	most := func(c int) int {
		best, sum := 0, 0.0
		for k, t := range row[c] {
			sum += t
			if t > row[c][best] {
				best = k
			}
		}
		if sum < width/4 {
			return -1
		}
		return best
	}
	for c := 0; c < len(row); {
		kind, end := most(c), c+1
		for end < len(row) && most(end) == kind {
			end++
		}
		if kind >= 0 {
			fmt.Fprintf(&paths[kind], "M%d 0h%dv1h-%dz", c, end-c, end-c)
		}
		c = end
	}
	var out []run
	for k, b := range paths {
		if b.Len() > 0 {
			out = append(out, run{kinds[k].String(), b.String()})
		}
	}
	return out
}

// grouped writes a number with a thin space between each three digits.
func grouped(x float64) string {
	text := fmt.Sprintf("%.0f", x)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}

// Sizes of a chart in user units. Package plot draws charts for files of their own; here the page's style gives the
// colours, light and dark, and hides the curves of GPUs that are not picked.
const (
	chartLeft, chartTop    = 30, 8
	chartRight, chartFloor = 288, 128
)

// chart is thread blocks per SM against a part of what a thread block takes.
type chart struct {
	Label  string
	Text   string // what it shows, for those who do not see it
	Curves []curve
	X, Y   []tick
}

// curve is one GPU's, with a mark where the kernel stands.
type curve struct {
	GPU   string
	Index int // of the GPU, from 1
	Path  string
	AtX   string
	AtY   string
	Tip   string
}

type tick struct {
	At   string
	Text string
}

// newCharts draws the three curves of the calculator sheets for the kernel's first launch on each GPU.
func newCharts(s report.Kernel, gpus []string) []chart {
	var of [][]occupancy.Curve // by GPU that is known
	var at []int
	places := s.Model.Places()
	for g, name := range gpus {
		for i, o := range s.Model.Originals {
			if o.GPU != name || i >= len(places) {
				continue
			}
			curves, err := occupancy.Curves(places[i].GPU, occupancy.Demand{Threads: o.Threads, Registers: o.Registers, Shared: o.Shared})
			if err == nil {
				of, at = append(of, curves), append(at, g)
			}
			break
		}
	}
	if len(of) == 0 {
		return nil
	}
	var out []chart
	for axis := range of[0] {
		maxX, maxY := 1, 1
		for _, curves := range of {
			for _, p := range curves[axis].Points {
				maxX, maxY = max(maxX, p.X), max(maxY, p.Blocks)
			}
		}
		c := chart{Label: of[0][axis].Axis, X: ticks(maxX, scaleX(maxX)), Y: ticks(maxY, scaleY(maxY))}
		var said []string
		for i, curves := range of {
			k := newCurve(gpus[at[i]], at[i]+1, curves[axis], maxX, maxY)
			c.Curves = append(c.Curves, k)
			said = append(said, k.Tip)
		}
		c.Text = strings.Join(said, "; ")
		out = append(out, c)
	}
	return out
}

func scaleX(most int) func(int) string {
	return func(x int) string {
		return units(chartLeft + float64(x)/float64(most)*(chartRight-chartLeft))
	}
}

func scaleY(most int) func(int) string {
	return func(y int) string {
		return units(chartFloor - float64(y)/float64(most)*(chartFloor-chartTop))
	}
}

func units(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

func newCurve(name string, index int, c occupancy.Curve, maxX, maxY int) curve {
	x, y := scaleX(maxX), scaleY(maxY)
	var path strings.Builder
	for i, p := range c.Points {
		switch {
		case i == 0:
			path.WriteString("M" + x(p.X) + " " + y(p.Blocks))
		case p.Blocks != c.Points[i-1].Blocks: // a step function: only its corners are drawn
			path.WriteString("H" + x(p.X) + "V" + y(p.Blocks))
		case i == len(c.Points)-1:
			path.WriteString("H" + x(p.X))
		}
	}
	at := c.Points[c.At]
	return curve{
		GPU: name, Index: index, Path: path.String(), AtX: x(at.X), AtY: y(at.Blocks),
		Tip: fmt.Sprintf("%s: %d %s give %d per SM", name, at.X, c.Axis, at.Blocks),
	}
}

// ticks are about four round numbers from 0.
func ticks(most int, at func(int) string) []tick {
	step := 1
	for step*4 < most {
		step *= 2
	}
	var out []tick
	for v := 0; v <= most; v += step {
		text := strconv.Itoa(v)
		if v >= 4096 && v%1024 == 0 {
			text = strconv.Itoa(v/1024) + " k"
		}
		out = append(out, tick{at(v), text})
	}
	return out
}
