package modelcheck

import (
	"fmt"

	"github.com/smux-cuda/smux/report/plot"
	"github.com/smux-cuda/smux/tune/record"
)

// SVG draws the measured times over the predicted ones, a chart for each kernel and GPU. A
// configuration with a shared array has another colour than one without where a kernel has
// both. A model that is right up to a factor has all of them on a line in parallel to the
// diagonal.
func (r Report) SVG() []byte {
	var clouds []plot.Cloud
	for _, k := range r.Kernels {
		c := plot.Cloud{Title: fmt.Sprintf("%s on %s", k.Kernel, k.GPU), XLabel: "predicted, ms", YLabel: "measured, ms"}
		with, without := plot.Dots{Name: "with shared memory"}, plot.Dots{Name: "without"}
		k.Each(func(_ record.Configuration, measured float64, p *Prediction) {
			to := &without
			if p.Shared > 0 {
				to = &with
			}
			to.X, to.Y = append(to.X, p.Milliseconds), append(to.Y, measured)
		})
		for _, d := range []plot.Dots{with, without} {
			if len(d.X) > 0 {
				c.Dots = append(c.Dots, d)
			}
		}
		clouds = append(clouds, c)
	}
	return plot.Clouds("Predicted and measured times", clouds)
}
