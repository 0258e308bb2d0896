package cmd

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

// drawTimeline writes what each thread block does when, a picture for each
// policy under one time axis.
func (s *session) drawTimeline(m *simulation, file string) error {
	if len(m.drawn) != 1 {
		return diag.Usagef("pick one with --kernel, --block and --gpu", "--timeline draws one kernel on one GPU, and there are %d", len(m.drawn))
	}
	d := m.drawn[0]
	opt := sim.Options{Blocks: m.blocks, Timeline: true}
	if opt.Blocks == 0 {
		base, err := sim.Place(d.gpu, d.work, sim.Policy{})
		if err != nil {
			return diag.Usagef("", "--timeline: %s", reasonOf(err))
		}
		opt.Blocks = max(fewest, lives*base.Resident)
	}
	var results []*sim.Result
	longest := 0.0
	for _, p := range m.policies {
		r, err := sim.Run(d.gpu, d.work, p, opt)
		if err != nil {
			continue // the table says why
		}
		results = append(results, r)
		longest = max(longest, r.Cycles)
	}
	if len(results) == 0 {
		return diag.Usagef("", "--timeline has nothing to draw: no policy is possible")
	}
	var pictures [][]byte
	for _, r := range results {
		var out bytes.Buffer
		title := fmt.Sprintf("%s: %.0f cycles", r.Policy, r.Cycles)
		if err := timeline.WriteTimelineSVG(&out, r, timeline.Options{Title: title, To: longest}); err != nil {
			return diag.Failed("drawing the timeline", err)
		}
		pictures = append(pictures, out.Bytes())
	}
	document, err := plot.Stack(fmt.Sprintf("%s, %d thread blocks", d.name, opt.Blocks), pictures)
	if err != nil {
		return diag.Failed("drawing the timeline", err)
	}
	return s.WriteOutput(file, document)
}
