package residency

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/report/plot"
)

// Curves returns the three classic curves of each kernel, a series per GPU, with a
// mark where the kernel stands: warps per SM by block size, registers, shared memory.
func (r Report) Curves() ([]plot.Row, error) {
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

// curveSeries returns a curve with a mark where the kernel stands.
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

// plotTitle returns the heading without the place in the file.
func (k Kernel) plotTitle() string {
	if k.Name == "" {
		return k.heading()
	}
	return fmt.Sprintf("%s, block %s", k.Name, analysis.ShapeText(k.Block))
}
