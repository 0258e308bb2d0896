package plot

import (
	"bytes"
	"fmt"
	"math"

	svg "github.com/ajstarks/svgo"
)

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
	d := svg.New(&out)
	d.Startview(width, height, 0, 0, width, height)
	d.Title(title)
	d.Rect(0, 0, width, height, `fill="#ffffff"`)
	d.Gstyle("font-family:sans-serif;font-size:11px;fill:#222")
	d.Text(12, 22, title, `font-size="15"`)
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
