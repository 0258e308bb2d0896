package cmd

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/reuse"
	"github.com/smux-cuda/smux/choose"
)

// reuseCandidate is an array that staging in shared memory may save loads of,
// with what tile sizes do on each GPU.
type reuseCandidate struct {
	reuse.Candidate
	Tilings []reuse.Tiling `json:"tilings"`
}

// reuseOf finds the candidates of a kernel as its first known launch runs it.
func reuseOf(k *analysis.Kernel, model *choose.Report) []reuseCandidate {
	out := []reuseCandidate{}
	if k.View.Error != nil {
		return out
	}
	in := firstKnown(k)
	for _, c := range reuse.Candidates(k, in) {
		rc := reuseCandidate{Candidate: c, Tilings: []reuse.Tiling{}}
		for _, p := range model.Places() {
			if p.Kernel != k || p.Instance != in || !c.Stageable() {
				continue
			}
			if t, err := c.Tile(p.GPU, p.Work); err == nil {
				t.GPU = p.GPU.String()
				rc.Tilings = append(rc.Tilings, t)
			}
		}
		out = append(out, rc)
	}
	return out
}

// firstKnown is the first instance whose block shape is known, else the first.
func firstKnown(k *analysis.Kernel) *analysis.Instance {
	for _, in := range k.Instances {
		if _, ok := in.BlockShape(); ok {
			return in
		}
	}
	if len(k.Instances) > 0 {
		return k.Instances[0]
	}
	return nil
}

// reuseRows describe each candidate, then the best tile on each GPU.
func (k analyzedKernel) reuseRows() reportSection {
	s := reportSection{label: "reuse"}
	for _, c := range k.Reuse {
		s.row(c.heading())
		s.row("  " + c.saving())
		for _, t := range c.Tilings {
			s.row("  " + tilingText(t))
		}
		for _, r := range c.Needs {
			s.row("  needs: " + r.String())
		}
		for _, r := range c.Refused {
			s.row("  not possible: " + r.String())
		}
	}
	return s
}

// heading is: vec: vector, read at 40:12 in the loop at line 38 (n iterations).
func (c reuseCandidate) heading() string {
	var places []string
	for _, p := range c.Places {
		places = append(places, fmt.Sprintf("%d:%d", p.Line, p.Column))
	}
	text := fmt.Sprintf("%s: %s, read at %s", c.Array, c.Kind, strings.Join(places, ", "))
	if c.Loop != nil {
		text += fmt.Sprintf(" in the loop at line %d", c.Loop.Pos.Line)
		if c.Loop.Trip != "" {
			text += fmt.Sprintf(" (%s iterations)", c.Loop.Trip)
		}
	}
	return text
}

// saving is what staging saves, for the tile that stands for the candidate.
func (c reuseCandidate) saving() string {
	t := c.Typical()
	text := ""
	if t.Tile > 0 {
		text = fmt.Sprintf("tile of %d: ", t.Tile)
	}
	return text + fmt.Sprintf("%s per thread block, each element used by %.4g threads, %d of %d sectors saved, %s of shared memory",
		count(t.Footprint, "byte"), t.Reuse(), t.Saved(), t.Before, count(t.Shared, "byte"))
}

// tilingText is the best tile on a GPU, with the occupancy before and after.
func tilingText(t reuse.Tiling) string {
	if t.Best < 0 {
		return fmt.Sprintf("%s: not expected to pay at any size (%s per SM)", t.GPU, count(t.Before.Blocks, "TB"))
	}
	best := t.Curve[t.Best]
	tile := ""
	if best.Tile > 0 {
		tile = fmt.Sprintf("tile of %d, ", best.Tile)
	}
	return fmt.Sprintf("%s: best %s%s, %d -> %d TBs per SM, predicted %.2fx", t.GPU, tile, count(best.Shared, "byte"), t.Before.Blocks, best.Blocks, t.Gain())
}
