package page

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/report"
)

const (
	livesColumns = 200 // of a picture; what is shorter than one is not shown
	livesRows    = 8   // virtual thread blocks of a picture
	livesBlocks  = 12  // thread blocks that are simulated, at least
)

// lives holds what the thread blocks on an SM do, as the model simulates them: the
// original, and the rewrite that is chosen or else ranked first, on the GPU where that
// one gains most.
type lives struct {
	GPU      string
	Columns  int
	Blocks   int
	Pictures []picture
}

// picture is one simulation. The pictures of a kernel share their time axis.
type picture struct {
	Title  string
	Cycles string
	Rows   []liveRow
	Hidden int // thread blocks that ran beside those of Rows
}

// liveRow is one virtual thread block.
type liveRow struct {
	Label string
	Runs  []run
}

// run is all the time that one kind of work takes in a row, as one path.
type run struct {
	Class string
	Path  string
}

// newLives is nil if nothing is ranked or the model has no time for it.
func newLives(s report.Kernel) *lives {
	places := s.Model.Places()
	first := shownWay(s.Model)
	if len(places) == 0 || first.Excluded != "" || len(first.Places) == 0 {
		return nil
	}
	at := 0 // where most is gained: there is something to see
	for i, p := range first.Places {
		if p.Ratio > first.Places[at].Ratio {
			at = i
		}
	}
	p, base := places[at], first.Places[at]
	l := &lives{GPU: p.GPU.String(), Columns: livesColumns, Blocks: max(livesBlocks, 2*base.Before.Blocks)}
	longest := 0.0
	var results []*sim.Result
	for _, w := range []struct {
		way selection.Variant
		as  selection.Resources
	}{{selection.Variant{}, base.Before.Resources}, {first.Variant, base.After.Resources}} {
		r, err := p.Lives(w.way, w.as, l.Blocks)
		if err != nil {
			return nil // the ranking shows what the model knows
		}
		results = append(results, r)
		longest = max(longest, r.Cycles)
	}
	for i, title := range []string{"original", first.Variant.String()} {
		pic := picture{Title: title, Cycles: grouped(results[i].Cycles)}
		pic.draw(results[i], longest)
		l.Pictures = append(l.Pictures, pic)
	}
	return l
}

// draw puts the first virtual thread blocks into rows.
func (p *picture) draw(r *sim.Result, longest float64) {
	vtbs := max(1, r.VTBs)
	slots := 0
	for _, s := range r.Timeline {
		slots = max(slots, s.Slot+1)
	}
	shown := min(slots, max(1, livesRows/vtbs))
	p.Hidden = (slots - shown) * vtbs
	cols := make([][][4]float64, shown*vtbs) // cycles of each kind, by row and column
	for i := range cols {
		cols[i] = make([][4]float64, livesColumns)
	}
	width := longest / livesColumns
	for _, s := range r.Timeline {
		if s.Slot >= shown || s.VTB >= vtbs || int(s.Kind) >= 4 {
			continue
		}
		row := cols[s.Slot*vtbs+s.VTB]
		for c := int(s.Start / width); c < livesColumns && float64(c)*width < s.End; c++ {
			row[c][s.Kind] += min(s.End, float64(c+1)*width) - max(s.Start, float64(c)*width)
		}
	}
	for i, row := range cols {
		label := fmt.Sprintf("slot %d", i/vtbs)
		if vtbs > 1 {
			label += fmt.Sprintf(" v-TB %d", i%vtbs)
		}
		p.Rows = append(p.Rows, liveRow{label, runs(row, width)})
	}
}

// runs joins columns in which most of the time goes to the same kind.
func runs(row [][4]float64, width float64) []run {
	kinds := []sim.SpanKind{sim.Compute, sim.Memory, sim.Region, sim.Wait}
	paths := make([]strings.Builder, len(kinds))
	most := func(c int) int {
		best, sum := 0, 0.0
		for k, t := range row[c] {
			sum += t
			if t > row[c][best] {
				best = k
			}
		}
		if sum < width/4 {
			return -1
		}
		return best
	}
	for c := 0; c < len(row); {
		kind, end := most(c), c+1
		for end < len(row) && most(end) == kind {
			end++
		}
		if kind >= 0 {
			fmt.Fprintf(&paths[kind], "M%d 0h%dv1h-%dz", c, end-c, end-c)
		}
		c = end
	}
	var out []run
	for k, b := range paths {
		if b.Len() > 0 {
			out = append(out, run{kinds[k].String(), b.String()})
		}
	}
	return out
}

// grouped writes a number with a thin space between each three digits.
func grouped(x float64) string {
	text := fmt.Sprintf("%.0f", x)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}
