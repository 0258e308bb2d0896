package report

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/reuse"
	"github.com/smux-cuda/smux/internal/plural"
	"github.com/smux-cuda/smux/pipeline/selection"
)

// ReuseCandidate is an array that staging in shared memory may save loads of,
// with what tile sizes do on each GPU.
type ReuseCandidate struct {
	reuse.Candidate
	Tilings []reuse.Tiling `json:"tilings"`
}

// ReuseSet is candidates of one loop that are staged together: the rows and the
// columns of a matrix product.
type ReuseSet struct {
	Arrays  []string       `json:"arrays"`
	Tilings []reuse.Tiling `json:"tilings"`

	set reuse.Set
}

// reuseOf finds the candidates of a kernel as its first known launch runs it,
// and those that go together.
func reuseOf(k *analysis.Kernel, model *selection.Report) (single []ReuseCandidate, sets []ReuseSet) {
	single, sets = []ReuseCandidate{}, []ReuseSet{}
	if k.Unread() {
		return single, sets
	}
	in := firstKnown(k)
	found := reuse.Candidates(k, in)
	for _, c := range found {
		rc := ReuseCandidate{Candidate: c, Tilings: []reuse.Tiling{}}
		if c.Stageable() {
			rc.Tilings = tilings(reuse.Set{c}, k, in, model)
		}
		single = append(single, rc)
	}
	for _, set := range reuse.Sets(found) {
		rs := ReuseSet{Tilings: tilings(set, k, in, model), set: set}
		for _, c := range set {
			rs.Arrays = append(rs.Arrays, c.Array)
		}
		sets = append(sets, rs)
	}
	return single, sets
}

// tilings returns the effect of tile sizes on each GPU where the kernel can run.
func tilings(set reuse.Set, k *analysis.Kernel, in *analysis.Instance, model *selection.Report) []reuse.Tiling {
	out := []reuse.Tiling{}
	if model == nil {
		return out
	}
	for _, p := range model.Places() {
		if p.Kernel != k || p.Instance != in {
			continue
		}
		if t, err := set.Tile(p.GPU, p.Work); err == nil {
			t.GPU = p.GPU.String()
			out = append(out, t)
		}
	}
	return out
}

// firstKnown returns the first instance whose block shape is known, else the first.
func firstKnown(k *analysis.Kernel) *analysis.Instance {
	for _, in := range k.Counted() {
		if _, ok := in.BlockShape(); ok {
			return in
		}
	}
	if len(k.Instances) > 0 {
		return k.Counted()[0]
	}
	return nil
}

// reuseRows describe each candidate and its best tile on each GPU, then those
// that go together.
func (k Kernel) reuseRows() section {
	s := section{label: "reuse"}
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
	for _, r := range k.ReuseSets {
		s.row(fmt.Sprintf("%s together, in tiles of the loop at line %d", strings.Join(r.Arrays, " and "), r.set[0].Loop.Pos.Line))
		for _, t := range r.Tilings {
			s.row("  " + tilingText(t))
		}
	}
	return s
}

// heading is: vec: vector, read at 40:12 in the loop at line 38 (n iterations).
func (c ReuseCandidate) heading() string {
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

// saving returns what staging saves, for the tile that stands for the candidate.
func (c ReuseCandidate) saving() string {
	t := c.Typical()
	text := "per thread block"
	if t.Tile > 0 {
		text += fmt.Sprintf(" and tile of %s", plural.Count(t.Tile, "iteration"))
	}
	return text + fmt.Sprintf(": %s, each element read by %.3g threads; staged in %s of shared memory, %d of %d sectors (32 bytes) need not be loaded",
		plural.Count(t.Footprint, "byte"), t.Reuse(), plural.Count(t.Shared, "byte"), t.Saved(), t.Before)
}

// tilingText returns the best tile on a GPU, with the occupancy before and after, or
// why none is expected to pay.
func tilingText(t reuse.Tiling) string {
	if t.Best >= 0 {
		return fmt.Sprintf("%s: best with %s; predicted %.2fx", t.GPU, pointText(t, t.Curve[t.Best]), t.Gain())
	}
	if len(t.Curve) == 0 {
		return t.GPU + ": no tile fits into the shared memory that is left"
	}
	least := t.Curve[0]
	for _, p := range t.Curve {
		if p.Time.Total < least.Time.Total {
			least = p
		}
	}
	text := fmt.Sprintf("%s: not expected to pay; at best %.2fx, with %s", t.GPU, t.Before.Time.Total/least.Time.Total, pointText(t, least))
	if t.Before.Time.Comp >= t.Before.Time.Mem {
		text += "; instructions take longer than loads already"
	}
	return text
}

// pointText returns a tile, what it takes and the occupancy that it leaves.
func pointText(t reuse.Tiling, p reuse.Point) string {
	text := ""
	if p.Tile > 0 {
		text = fmt.Sprintf("a tile of %d: ", p.Tile)
	}
	return text + fmt.Sprintf("%s, %d -> %s per SM, occupancy %.0f %% -> %.0f %%",
		plural.Count(p.Shared, "byte"), t.Before.Blocks, plural.Count(p.Blocks, "TB"), 100*t.Before.Occupancy, 100*p.Occupancy)
}
