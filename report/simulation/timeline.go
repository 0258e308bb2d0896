package simulation

import (
	"bytes"
	"fmt"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/model/sim/timeline"
	"github.com/smux-cuda/smux/report/plot"
)

// lives is how many times the SM of a timeline is filled by the original, and
// fewest the least number of thread blocks in it.
const (
	lives  = 3
	fewest = 12
)

// Timeline draws what each thread block does when as an SVG document, a picture for each
// policy under one time axis. The error is for more than one kernel or GPU, and for one
// that no policy is possible for.
func (m *Simulation) Timeline() ([]byte, error) {
	if len(m.drawn) != 1 {
		return nil, diag.Usagef("pick one with --kernel, --block and --gpu", "--timeline draws one kernel on one GPU, and there are %d", len(m.drawn))
	}
	d := m.drawn[0]
	opt := sim.Options{Blocks: m.Options.Blocks, Timeline: true}
	if opt.Blocks == 0 {
		base, err := sim.Place(d.gpu, d.work, sim.Policy{})
		if err != nil {
			return nil, diag.Usagef("", "--timeline: %s", reasonOf(err))
		}
		opt.Blocks = max(fewest, lives*base.Resident)
	}
	var results []*sim.Result
	longest := 0.0
	for i, p := range d.policies {
		if d.refused[i] {
			continue // the table tells why
		}
		r, err := sim.Run(d.gpu, d.work, p, opt)
		if err != nil {
			continue // the table tells why
		}
		results = append(results, r)
		longest = max(longest, r.Cycles)
	}
	if len(results) == 0 {
		return nil, diag.Usagef("", "--timeline has nothing to draw: no policy is possible")
	}
	var pictures [][]byte
	for _, r := range results {
		var out bytes.Buffer
		title := fmt.Sprintf("%s: %.0f cycles", Notation(r.Policy), r.Cycles)
		if err := timeline.WriteTimelineSVG(&out, r, timeline.Options{Title: title, To: longest}); err != nil {
			return nil, diag.Failed("drawing the timeline", err)
		}
		pictures = append(pictures, out.Bytes())
	}
	document, err := plot.Stack(d.title(opt.Blocks), pictures)
	if err != nil {
		return nil, diag.Failed("drawing the timeline", err)
	}
	return document, nil
}

// title is that of the pictures. They show fewer thread blocks than the table is of, and another
// number of cycles.
func (d simulated) title(blocks int) string {
	text := fmt.Sprintf("%s, %d thread blocks", d.name, blocks)
	if d.blocks > 0 && d.blocks != blocks {
		text += fmt.Sprintf("; the table is of %d", d.blocks)
	}
	return text
}
