// Package plot draws charts of step functions: as SVG for documents, and with characters for a terminal.
//
// Both show the same: curves whose value stays until the next point, as resources of an SM do, and on each curve a
// mark where the kernel stands. The package knows nothing of GPUs; the caller decides what the axes mean.
package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/guptarohit/asciigraph"
)

// Series is one curve. Its value is Y[i] from X[i] up to X[i+1].
type Series struct {
	Name string
	X, Y []float64 // of equal length, X ascending
	Mark *float64  // the X to mark, nil for none
}

// At returns the curve's value at x; ok is false in front of its first point,
// after its last one, and where it has none.
func (s Series) At(x float64) (y float64, ok bool) {
	if len(s.X) == 0 || x < s.X[0] || x > s.X[len(s.X)-1] {
		return 0, false
	}
	i, found := slices.BinarySearch(s.X, x)
	if !found {
		i--
	}
	return s.Y[i], true
}

// Chart is a set of curves over the same axes. Both axes begin at 0.
type Chart struct {
	Title  string
	XLabel string
	YLabel string
	Series []Series
}

// extents returns the ends of the axes: the largest X and Y over all series, at
// least 1; Y is rounded up so that it divides evenly.
func (c Chart) extents() (x, y float64) {
	x, y = 1, 1
	for _, s := range c.Series {
		if len(s.X) > 0 {
			x, y = max(x, s.X[len(s.X)-1]), max(y, slices.Max(s.Y))
		}
	}
	if y > 8 {
		y = 8 * math.Ceil(y/8)
	}
	return x, y
}

// ticks returns round numbers from 0 to limit, about n of them.
func ticks(limit float64, n int) []float64 {
	step := tickStep(limit, n)
	var out []float64
	for i := 0; float64(i)*step <= limit; i++ {
		out = append(out, float64(i)*step)
	}
	return out
}

// tickStep is 1, 2, 4 or 8 times a power of 16 where resources come in powers of
// two and limit is one, else 1, 2 or 5 times a power of ten.
func tickStep(limit float64, n int) float64 {
	raw := limit / float64(n)
	if limit >= 16 && math.Mod(limit, 16) == 0 {
		return math.Exp2(math.Ceil(math.Log2(raw)))
	}
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw {
			return max(1, m*power)
		}
	}
	return max(1, 10*power)
}

// Look describes how to draw in a terminal.
type Look struct {
	Width  int  // columns of the terminal
	Height int  // rows of the plot itself
	Colour bool // else each series has a character of its own
}

// leastWidth is the narrowest plot that shows anything.
const leastWidth = 20

// terminalColours and terminalMarks distinguish series, in the order of the series.
var (
	terminalColours = []asciigraph.AnsiColor{asciigraph.Blue, asciigraph.DarkOrange, asciigraph.Green, asciigraph.Magenta,
		asciigraph.Yellow, asciigraph.Cyan, asciigraph.White}
	terminalMarks = []string{"*", "o", "+", "x", "#", "@", "%", "=", "~", "&"}
)

// Terminal draws a chart with characters and returns its lines. Where the mark of a series stands is said in the
// legend, since a line of characters has no room for it.
func Terminal(c Chart, look Look) string {
	maxX, maxY := c.extents()
	width := max(leastWidth, look.Width-utf8.RuneCountInString(label(maxY))-6)
	var curves [][]float64
	var names []string
	for _, s := range c.Series {
		if len(s.X) > 0 {
			curves = append(curves, sample(s, maxX, width))
			names = append(names, legendText(s))
		}
	}
	var out strings.Builder
	out.WriteString(c.Title + "\n")
	if len(curves) == 0 {
		out.WriteString("  (no values)\n")
		return out.String()
	}
	options := []asciigraph.Option{
		asciigraph.Height(evenHeight(maxY, max(2, look.Height))),
		asciigraph.LowerBound(0), asciigraph.UpperBound(maxY),
		asciigraph.XAxisRange(0, maxX),
		asciigraph.XAxisValueFormatter(axisText),
		asciigraph.YAxisValueFormatter(axisText),
	}
	var colours []asciigraph.AnsiColor
	var marks []asciigraph.CharSet
	for i := range curves {
		colours = append(colours, terminalColours[i%len(terminalColours)])
		marks = append(marks, asciigraph.CreateCharSet(terminalMarks[i%len(terminalMarks)]))
	}
	switch {
	case look.Colour:
		options = append(options, asciigraph.SeriesColors(colours...))
	case len(curves) > 1:
		options = append(options, asciigraph.SeriesChars(marks...))
	}
	out.WriteString(asciigraph.PlotMany(curves, options...))
	out.WriteByte('\n')
	for i, name := range names {
		name += hidden(curves, names, i)
		mark := "─"
		switch {
		case look.Colour:
			mark = colours[i].String() + mark + asciigraph.Default.String()
		case len(curves) > 1:
			mark = terminalMarks[i%len(terminalMarks)]
		}
		out.WriteString("  " + mark + " " + name + "\n")
	}
	return out.String()
}

// hidden says which curve a curve lies under, as far as one does: what is drawn later covers it.
func hidden(curves [][]float64, names []string, i int) string {
	for j := len(curves) - 1; j > i; j-- {
		same, own := 0, 0
		for x, y := range curves[i] {
			if !math.IsNaN(y) {
				own++
				if y == curves[j][x] {
					same++
				}
			}
		}
		name, _, _ := strings.Cut(names[j], ":")
		switch {
		case own > 0 && same == own:
			return ", under " + name
		case 2*same > own:
			return ", mostly under " + name
		}
	}
	return ""
}

// legendText returns a series' name and where its mark stands.
func legendText(s Series) string {
	if s.Mark == nil {
		return s.Name
	}
	if y, ok := s.At(*s.Mark); ok {
		return s.Name + ": " + axisText(y) + " at " + axisText(*s.Mark)
	}
	return s.Name
}

// sample returns the curve at each column, NaN where it has no value.
func sample(s Series, maxX float64, width int) []float64 {
	out := make([]float64, width)
	for i := range out {
		y, ok := s.At(maxX * float64(i) / float64(width-1))
		if !ok {
			y = math.NaN()
		}
		out[i] = y
	}
	return out
}

// axisText returns a number of an axis without a fraction.
func axisText(v float64) string { return label(math.Round(v)) }

// TerminalRows draws the charts of all rows, one below the other, each below the title of its row.
func TerminalRows(rows []Row, look Look) string {
	var out strings.Builder
	for _, row := range rows {
		for _, c := range row.Charts {
			fmt.Fprintf(&out, "\n%s: %s", row.Title, Terminal(c, look))
		}
	}
	return out.String()
}

// evenHeight returns a number of rows near height that divides the axis evenly, if
// there is one: its labels are whole numbers then.
func evenHeight(limit float64, height int) int {
	for _, h := range []int{height, height + 1, height - 1, height + 2, height - 2} {
		if h >= 2 && math.Mod(limit, float64(h)) == 0 {
			return h
		}
	}
	return height
}
