package plot

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	svg "github.com/ajstarks/svgo"
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
	d := svg.New(&out)
	d.Startview(width, height, 0, 0, width, height)
	d.Title(title)
	d.Rect(0, 0, width, height, `fill="#ffffff"`)
	d.Gstyle("font-family:sans-serif;font-size:11px;fill:#222")
	d.Text(12, 22, title, `font-size="15"`)
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

// stairs returns the corners of a curve; points between two corners of the same
// height are left out.
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
	out := make([]int, len(v))
	for i, x := range v {
		out[i] = int(x)
	}
	return out
}

// label writes a number on an axis: 16 k for 16384, 8.1 k for 8300.
func label(v float64) string {
	if v >= 4096 {
		return strings.TrimSuffix(strconv.FormatFloat(v/1024, 'f', 1, 64), ".0") + " k"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
