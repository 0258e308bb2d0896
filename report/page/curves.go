package page

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/report"
)

// Sizes of a chart in user units. Package plot draws charts for files of their
// own; here the page's style gives the colours, light and dark, and hides the
// curves of GPUs that are not picked.
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

// newCharts draws the three curves of the calculator sheets for the kernel's first
// launch on each GPU.
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
