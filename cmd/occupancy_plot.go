package cmd

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/term"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/report/plot"
)

const (
	curveHeight = 10 // rows of a curve in the terminal
)

// curveRows are the three classic curves of each kernel, a series per GPU.
func (r occupancyReport) curveRows() ([]plot.Row, error) {
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

// curveSeries is a curve with a mark where the kernel stands.
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

// plotTitle is the heading without the place in the file.
func (k occupancyKernel) plotTitle() string {
	if k.Name == "" {
		return k.heading()
	}
	return fmt.Sprintf("%s, block %s", k.Name, analysis.ShapeText(k.Block))
}

// drawCurves writes the SVG file and returns the curves in characters.
func (s *session) drawCurves(r occupancyReport, file string) (string, error) {
	rows, err := r.curveRows()
	if err != nil {
		return "", diag.Failed("computing the curves", err)
	}
	if err := s.WriteOutput(file, plot.SVG("Warps per SM", rows)); err != nil {
		return "", err
	}
	look := plot.Look{Width: s.stdoutWidth(), Height: curveHeight, Colour: s.Coloured(s.Stdout.W)}
	var out bytes.Buffer
	for _, row := range rows {
		for _, c := range row.Charts {
			fmt.Fprintf(&out, "\n%s: %s", row.Title, plot.Terminal(c, look))
		}
	}
	return out.String(), nil
}

// stdoutWidth is the columns of the terminal that the result goes to.
func (s *session) stdoutWidth() int {
	if !s.IsTerminal(s.Stdout.W) {
		return console.PlainWidth
	}
	if n, err := strconv.Atoi(s.Getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	if f, ok := s.Stdout.W.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return console.PlainWidth
}
