package plot

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	svg "github.com/ajstarks/svgo"

	"github.com/smux-cuda/smux/internal/lists"
)

// Sizes of the drawing, in SVG user units.
const (
	chartWidth, chartHeight = 340, 240
	plotLeft, plotTop       = 48, 34
	plotRight, plotBottom   = 14, 44
	headHeight, rowHead     = 34, 26
	legendLine              = 20
)

// colours are those of Okabe and Ito, which people who can't tell red from green
// can tell apart; series beyond them repeat the colours with dashes.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

var dashes = []string{"", "6 3", "2 3", "8 3 2 3"}

// Row is a line of charts that belong together.
type Row struct {
	Title  string
	Charts []Chart
}

// SVG draws rows of charts under one title and one legend, and returns the
// document. Series of the same name have the same colour in all charts.
func SVG(title string, rows []Row) []byte {
	legend := newLegend(rows)
	columns := 1
	for _, r := range rows {
		columns = max(columns, len(r.Charts))
	}
	width := columns * chartWidth
	height := headHeight + legend.height(width) + len(rows)*(rowHead+chartHeight)

	var out bytes.Buffer
	d := begin(&out, title, width, height)
	y := headHeight
	legend.draw(d, y, width)
	y += legend.height(width)
	for _, r := range rows {
		d.Text(12, y+16, r.Title, `font-size="13"`, `font-weight="bold"`)
		y += rowHead
		for i, c := range r.Charts {
			drawChart(d, c, legend, i*chartWidth, y)
		}
		y += chartHeight
	}
	d.Gend()
	d.End()
	return out.Bytes()
}

// begin begins a document under a title.
func begin(out *bytes.Buffer, title string, width, height int) *svg.SVG {
	d := svg.New(out)
	d.Startview(width, height, 0, 0, width, height)
	d.Title(title)
	d.Rect(0, 0, width, height, `fill="#ffffff"`)
	d.Gstyle("font-family:sans-serif;font-size:11px;fill:#222")
	d.Text(12, 22, title, `font-size="15"`)
	return d
}

// legend gives each name of a series its stroke.
type legend struct {
	names []string
	index map[string]int
}

func newLegend(rows []Row) legend {
	l := legend{index: map[string]int{}}
	for _, r := range rows {
		for _, c := range r.Charts {
			for _, s := range c.Series {
				if _, ok := l.index[s.Name]; !ok {
					l.index[s.Name] = len(l.names)
					l.names = append(l.names, s.Name)
				}
			}
		}
	}
	return l
}

// stroke returns the attributes of a series' line.
func (l legend) stroke(name string) []string {
	i := l.index[name]
	out := []string{fmt.Sprintf(`stroke=%q`, colours[i%len(colours)]), `stroke-width="2"`, `fill="none"`}
	if dash := dashes[i/len(colours)%len(dashes)]; dash != "" {
		out = append(out, fmt.Sprintf(`stroke-dasharray=%q`, dash))
	}
	return out
}

// entryWidth returns the room of one name: a character takes about 6.5 units.
func entryWidth(name string) int { return 46 + int(6.5*float64(len([]rune(name)))) }

// places returns where each entry of the legend stands.
func (l legend) places(width int) (places [][2]int, lines int) {
	x, line := 12, 0
	for _, name := range l.names {
		if w := entryWidth(name); x+w > width && x > 12 {
			x, line = 12, line+1
		}
		places = append(places, [2]int{x, line})
		x += entryWidth(name)
	}
	return places, line + 1
}

func (l legend) height(width int) int {
	_, lines := l.places(width)
	return lines * legendLine
}

func (l legend) draw(d *svg.SVG, y, width int) {
	places, _ := l.places(width)
	for i, name := range l.names {
		x, at := places[i][0], y+places[i][1]*legendLine+legendLine/2
		d.Line(x, at, x+24, at, l.stroke(name)...)
		d.Text(x+30, at+4, name)
	}
}

// drawChart draws one chart with its upper left corner at x, y.
func drawChart(d *svg.SVG, c Chart, l legend, x, y int) {
	maxX, maxY := c.extents()
	w, h := chartWidth-plotLeft-plotRight, chartHeight-plotTop-plotBottom
	px := func(v float64) int { return x + plotLeft + int(math.Round(v/maxX*float64(w))) }
	py := func(v float64) int { return y + plotTop + h - int(math.Round(v/maxY*float64(h))) }

	d.Text(x+plotLeft, y+18, c.Title, `font-size="12"`)
	for _, t := range ticks(maxY, 5) {
		d.Line(px(0), py(t), px(maxX), py(t), `stroke="#ddd"`)
		d.Text(px(0)-6, py(t)+4, label(t), `text-anchor="end"`)
	}
	for _, t := range ticks(maxX, 6) {
		d.Line(px(t), py(0), px(t), py(0)+4, `stroke="#888"`)
		d.Text(px(t), py(0)+17, label(t), `text-anchor="middle"`)
	}
	d.Line(px(0), py(0), px(maxX), py(0), `stroke="#888"`)
	d.Line(px(0), py(0), px(0), py(maxY), `stroke="#888"`)
	d.Text(px(maxX/2), py(0)+34, c.XLabel, `text-anchor="middle"`)
	d.Text(0, 0, c.YLabel, `text-anchor="middle"`, fmt.Sprintf(`transform="translate(%d %d) rotate(-90)"`, x+14, py(maxY/2)))

	for _, s := range c.Series {
		xs, ys := stairs(s)
		for i := range xs {
			xs[i], ys[i] = float64(px(xs[i])), float64(py(ys[i]))
		}
		if len(xs) > 0 {
			d.Polyline(ints(xs), ints(ys), l.stroke(s.Name)...)
		}
	}
	for _, s := range c.Series {
		if s.Mark == nil {
			continue
		}
		if v, ok := s.At(*s.Mark); ok {
			d.Circle(px(*s.Mark), py(v), 4, fmt.Sprintf(`fill=%q`, colours[l.index[s.Name]%len(colours)]), `stroke="#fff"`)
		}
	}
}

// stairs returns the corners of a curve; points between two corners of the same height are left out.
func stairs(s Series) (xs, ys []float64) {
	for i := range s.X {
		switch {
		case i == 0:
		case s.Y[i] != s.Y[i-1]:
			xs, ys = append(xs, s.X[i]), append(ys, s.Y[i-1])
		case i < len(s.X)-1:
			continue
		}
		xs, ys = append(xs, s.X[i]), append(ys, s.Y[i])
	}
	return xs, ys
}

func ints(v []float64) []int {
	return lists.Map(v, func(x float64) int { return int(x) })
}

// label writes a number on an axis: 16 k for 16384, 8.1 k for 8300.
func label(v float64) string {
	if v >= 4096 {
		return strings.TrimSuffix(strconv.FormatFloat(v/1024, 'f', 1, 64), ".0") + " k"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// Cloud is a chart of pairs of positive values, both on a logarithmic axis of the same
// scale, with the diagonal on which both are equal.
type Cloud struct {
	Title          string
	XLabel, YLabel string
	Dots           []Dots
}

// Dots are pairs of values of one kind.
type Dots struct {
	Name string
	X, Y []float64
}

// cloudSide is the length of an axis, cloudWidth and cloudHeight the room of a chart.
const (
	cloudSide               = 300
	cloudWidth, cloudHeight = cloudSide + 70, cloudSide + 80
	cloudColumns            = 3
)

// Clouds draws charts, three in a row, under one title and one legend, and returns the SVG
// document. Dots that would lie on one another are drawn once.
func Clouds(title string, of []Cloud) []byte {
	columns := max(1, min(cloudColumns, len(of)))
	width, height := max(columns*cloudWidth, 360), headHeight+legendLine+(len(of)+columns-1)/columns*cloudHeight
	var out bytes.Buffer
	d := begin(&out, title, width, height)
	colour, x := map[string]string{}, 16
	for _, c := range of {
		for _, s := range c.Dots {
			if _, known := colour[s.Name]; known {
				continue
			}
			colour[s.Name] = colours[len(colour)%len(colours)]
			d.Circle(x, headHeight+legendLine/2, 4, fmt.Sprintf(`fill=%q`, colour[s.Name]))
			d.Text(x+8, headHeight+legendLine/2+4, s.Name)
			x += entryWidth(s.Name)
		}
	}
	for i, c := range of {
		drawCloud(d, c, colour, i%columns*cloudWidth, headHeight+legendLine+i/columns*cloudHeight)
	}
	d.Gend()
	d.End()
	return out.Bytes()
}

// drawCloud draws one chart with its upper left corner at x, y.
func drawCloud(d *svg.SVG, c Cloud, colour map[string]string, x, y int) {
	low, high := c.decades()
	left, top := x+plotLeft, y+plotTop
	at := func(v float64) int {
		return int(math.Round((math.Log10(v) - float64(low)) / float64(high-low) * cloudSide))
	}
	d.Text(left, y+18, c.Title, `font-size="12"`)
	d.Rect(left, top, cloudSide, cloudSide, `fill="none"`, `stroke="#888"`)
	for e := low; e <= high; e++ {
		p := at(math.Pow10(e))
		d.Line(left+p, top, left+p, top+cloudSide, `stroke="#ddd"`)
		d.Line(left, top+cloudSide-p, left+cloudSide, top+cloudSide-p, `stroke="#ddd"`)
		d.Text(left+p, top+cloudSide+15, decade(e), `text-anchor="middle"`)
		d.Text(left-5, top+cloudSide-p+4, decade(e), `text-anchor="end"`)
	}
	d.Line(left, top+cloudSide, left+cloudSide, top, `stroke="#888"`, `stroke-dasharray="4 3"`)
	d.Text(left+cloudSide/2, top+cloudSide+32, c.XLabel, `text-anchor="middle"`)
	d.Text(0, 0, c.YLabel, `text-anchor="middle"`, fmt.Sprintf(`transform="translate(%d %d) rotate(-90)"`, x+12, top+cloudSide/2))
	drawn := map[[2]int]bool{}
	for _, s := range c.Dots {
		d.Group(fmt.Sprintf(`fill=%q`, colour[s.Name]), `fill-opacity="0.6"`)
		for i := range min(len(s.X), len(s.Y)) {
			if !positive(s.X[i]) || !positive(s.Y[i]) {
				continue
			}
			place := [2]int{left + at(s.X[i]), top + cloudSide - at(s.Y[i])}
			if !drawn[place] {
				drawn[place] = true
				d.Circle(place[0], place[1], 1)
			}
		}
		d.Gend()
	}
}

// decades returns the powers of ten that all values lie between.
func (c Cloud) decades() (low, high int) {
	least, most := math.Inf(1), math.Inf(-1)
	for _, s := range c.Dots {
		for i := range min(len(s.X), len(s.Y)) {
			if positive(s.X[i]) && positive(s.Y[i]) {
				least, most = min(least, s.X[i], s.Y[i]), max(most, s.X[i], s.Y[i])
			}
		}
	}
	if least > most {
		return 0, 1
	}
	low, high = int(math.Floor(math.Log10(least))), int(math.Ceil(math.Log10(most)))
	return low, max(high, low+1)
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 0) }

func decade(e int) string { return fmt.Sprintf("%g", math.Pow10(e)) }
