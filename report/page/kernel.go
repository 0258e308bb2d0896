package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/pipeline/selection"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

type limit = occupancy.Limit

// kernel is one kernel of the page.
type kernel struct {
	ID, Name  string
	Pos       diag.Position
	Rewritten bool
	Verdict   string // "vtb named N=2", or the codes for which it is left alone
	Why       string // the model chose it, "" where a person did

	Cells     []cells // TBs, occupancy, registers and limiters; for all GPUs, then each
	Best      string  // the rewrite that is ranked first, "" for none
	Gain      float64 // that is predicted for it
	GainKey   float64 // to sort by
	Strip     *strip
	Charts    []chart
	Lives     *lives
	Ranking   *ranking
	Diff      *sideBySide
	Notes     []diag.Message
	Decided   []reason // why it is left alone
	Partly    []reason // what is against single rewrites
	Shared    []sharedRow
	Launches  []launchRow
	Rows      []resourceRow
	Evidence  []report.Evidence
	Judgement *report.Judgement // nil if nothing was rewritten
	Model     *selection.Report // nil where the model was not asked

	can      bool
	standing []*selection.Standing // by GPU, of its first launch; nil where not known
}

// cells are the columns of the table that differ between GPUs.
type cells struct {
	Limiters                  string
	Blocks, Occupancy, Regs   string
	BlocksN, OccupancyN, RegN float64 // to sort by
}

// resourceRow says how a kernel stands on a GPU.
type resourceRow struct {
	GPU, Block string
	GPUIndex   int // from 1
	selection.Standing
}

type sharedRow struct{ Name, Type, Size string }

type launchRow struct {
	Pos                  diag.Position
	Config, Block, Extra string
}

func newKernel(id string, s report.Kernel, t texts, gpus []string, diffs diffIndex) *kernel {
	k := &kernel{
		ID: id, Name: s.Name, Pos: s.Position, Evidence: s.Evidence, Judgement: s.Judgement,
		Strip: newStrip(s), Shared: sharedRows(s), Launches: launchRows(s),
		standing: make([]*selection.Standing, len(gpus)), GainKey: -1,
	}
	k.Name = cmp.Or(k.Name, "(no name)")
	k.can = rewrite.CanGain(s.Offers)
	k.Decided, k.Partly = newReasons(s, t)
	k.decide(s)
	if s.Model != nil {
		k.model(s, gpus)
	}
	k.Cells = k.table(gpus)
	if s.Result != nil && len(s.Fix) > 0 {
		k.Diff, k.Notes = newDiff(id, s, diffs)
	}
	return k
}

// decide reports what became of the kernel.
func (k *kernel) decide(s report.Kernel) {
	switch r := s.Result; {
	case r == nil:
		k.Verdict = "left alone"
	case r.Rewriter != "":
		k.Rewritten, k.Verdict = true, r.Variant.String()
		if s.Model != nil && s.Model.Choice != nil && *s.Model.Choice == r.Variant {
			k.Why = s.Model.Summary()
		}
	default:
		var codes []string
		for _, m := range r.Refused {
			if c := string(m.Code); !slices.Contains(codes, c) {
				codes = append(codes, c)
			}
		}
		k.Verdict = strings.Join(codes, ", ")
		k.Verdict = cmp.Or(k.Verdict, "left alone")
	}
}

// model takes over what the model predicts.
func (k *kernel) model(s report.Kernel, gpus []string) {
	k.Model = s.Model
	for i, o := range s.Model.Originals {
		g := slices.Index(gpus, o.GPU)
		if g < 0 {
			continue
		}
		if k.standing[g] == nil {
			k.standing[g] = &s.Model.Originals[i].Standing
		}
		k.Rows = append(k.Rows, resourceRow{o.GPU, o.Block, g + 1, o.Standing})
	}
	if len(s.Model.Ranking) > 0 {
		k.Ranking = newRanking(s.Model)
		if best := shownWay(s.Model); best.Excluded == "" && best.Gain > 0 {
			k.Best, k.Gain, k.GainKey = best.Variant.String(), best.Gain, best.Gain
		}
		k.Lives = newLives(s)
	}
	k.Charts = newCharts(s, gpus)
}

// shownWay returns the rewrite that a kernel's row is about: the one that is chosen, which
// need not be the first of those that gain as much, or else the first.
func shownWay(m *selection.Report) selection.RankedVariant {
	if m.Choice != nil {
		for _, r := range m.Ranking {
			if r.Variant == *m.Choice {
				return r
			}
		}
	}
	return m.Ranking[0]
}

// table returns the columns that differ between GPUs: first from the least to the most of all, then for each.
func (k *kernel) table(gpus []string) []cells {
	known := lists.Filter(k.standing, func(s *selection.Standing) bool { return s != nil })
	out := []cells{newCells(known)}
	if len(gpus) < 2 {
		return out
	}
	for _, s := range k.standing {
		if s == nil {
			out = append(out, newCells(nil))
			continue
		}
		out = append(out, newCells([]*selection.Standing{s}))
	}
	return out
}

func newCells(known []*selection.Standing) cells {
	if len(known) == 0 {
		return cells{Limiters: "not known", Blocks: "–", Occupancy: "–", Regs: "–", BlocksN: -1, OccupancyN: -1, RegN: -1}
	}
	by := func(key func(*selection.Standing) float64) (least, most *selection.Standing) {
		order := func(a, b *selection.Standing) int { return cmp.Compare(key(a), key(b)) }
		return slices.MinFunc(known, order), slices.MaxFunc(known, order)
	}
	var c cells
	a, b := by(func(s *selection.Standing) float64 { return float64(s.Blocks) })
	c.Blocks, c.BlocksN = span(fmt.Sprint(a.Blocks), fmt.Sprint(b.Blocks)), float64(a.Blocks)
	a, b = by(func(s *selection.Standing) float64 { return s.Occupancy })
	c.Occupancy, c.OccupancyN = span(fmt.Sprintf("%.0f", 100*a.Occupancy), fmt.Sprintf("%.0f", 100*b.Occupancy))+" %", a.Occupancy
	a, b = by(func(s *selection.Standing) float64 { return float64(s.Registers) })
	c.Regs, c.RegN = span(fmt.Sprint(a.Registers), fmt.Sprint(b.Registers)), float64(a.Registers)
	var all occupancy.Limits
	for _, s := range known {
		if s.Occupancy < 1 {
			all |= s.Limiters
		}
	}
	c.Limiters = all.String()
	if all == 0 {
		c.Limiters = "nothing, full"
	}
	return c
}

func sharedRows(s report.Kernel) []sharedRow {
	var out []sharedRow
	for _, v := range s.Shared {
		row := sharedRow{Name: v.Name, Type: v.Type, Size: "size not known"}
		for _, d := range v.Dims {
			row.Type += fmt.Sprintf("[%d]", d)
		}
		switch {
		case v.Dynamic:
			row.Type, row.Size = v.Type+"[]", "sized by the launch"
		case v.Bytes != nil:
			row.Size = prose.Count(*v.Bytes, "byte")
		}
		out = append(out, row)
	}
	return out
}

func launchRows(s report.Kernel) []launchRow {
	var out []launchRow
	for _, l := range s.Launches {
		row := launchRow{Pos: l.Position, Config: "<<<" + l.Grid + ", " + l.Block + ">>>", Block: "not known"}
		if l.Shape != nil {
			row.Block = analysis.ShapeText(*l.Shape)
		}
		if l.Assumed {
			row.Block += " assumed"
		}
		if l.DynamicBytes != nil {
			row.Extra = prose.Count(*l.DynamicBytes, "byte") + " of dynamic shared memory"
		}
		out = append(out, row)
	}
	return out
}

// mostPlaces is the largest number of columns of places in a ranking; where there are
// more, only the mean and the worst are shown.
const mostPlaces = 6

// mostTips is the number of rewrites that say more of a place where the pointer rests on it.
const mostTips = 3

// ranking is the rewrites of a kernel with what is expected of them.
type ranking struct {
	Heads []string // of the columns by place
	Ways  []rankedWay
	Out   []selection.Exclusion
}

type rankedWay struct {
	Way    string
	Gain   float64
	Chosen bool
	Cells  []rankedCell
	Worst  string
}

// rankedCell is a rewrite in a place.
type rankedCell struct {
	Ratio         float64
	Before, After int    // thread blocks of the original per SM
	Tip           string // what limits it, of the first ones
}

func newRanking(r *selection.Report) *ranking {
	out := &ranking{Out: r.Exclusions()}
	for _, w := range r.Ranking {
		if w.Excluded != "" {
			continue
		}
		row := rankedWay{Way: w.Variant.String(), Gain: w.Gain, Chosen: r.Choice != nil && *r.Choice == w.Variant}
		for _, p := range w.Places {
			c := rankedCell{Ratio: p.Ratio, Before: p.Before.Blocks, After: p.After.Blocks}
			if len(out.Ways) < mostTips || row.Chosen {
				c.Tip = fmt.Sprintf("limited by %s; %d → %d registers", p.After.Limiters, p.Before.Registers, p.After.Registers)
			}
			row.Cells = append(row.Cells, c)
		}
		if len(out.Heads) == 0 {
			out.Heads = heads(w.Places)
		}
		out.Ways = append(out.Ways, row)
	}
	if len(out.Heads) > mostPlaces {
		out.narrow(r)
	}
	return out
}

// heads returns the GPUs of some places, with the block where there are several.
func heads(places []selection.Prediction) []string {
	several := slices.ContainsFunc(places, func(p selection.Prediction) bool { return p.Block != places[0].Block })
	var out []string
	for _, p := range places {
		head := p.GPU
		if several {
			head += ", block " + p.Block
		}
		out = append(out, head)
	}
	return out
}

// narrow leaves of many places the worst.
func (k *ranking) narrow(r *selection.Report) {
	k.Heads = []string{"worst place"}
	i := 0
	for _, w := range r.Ranking {
		if w.Excluded != "" {
			continue
		}
		at := 0
		for j, p := range w.Places {
			if p.Ratio < w.Places[at].Ratio {
				at = j
			}
		}
		row := &k.Ways[i]
		if len(w.Places) > 0 {
			row.Cells = row.Cells[at : at+1]
			row.Worst = w.Places[at].GPU + ", block " + w.Places[at].Block
		}
		i++
	}
}

// strip shows where in a kernel's lines its regions, barriers and exits are: a
// lane each, from its first line to its last.
type strip struct {
	First, Last int
	Lines       int
	Lanes       []lane
	Regions     []regionRow
	Share       *float64 // of the kernel's work that regions take, nil where not known
	NotLooked   bool     // hazards kept the kernel from being cut
}

// lane is the bars of one kind, in lines from the first.
type lane struct {
	Name, Class string
	Bars        []bar
}

type bar struct {
	At, Length int
	Text       string
}

type regionRow struct {
	Lines, Arrays, Control, Inside string
}

// newStrip is nil where the kernel's lines are not known.
func newStrip(s report.Kernel) *strip {
	st := &strip{First: s.Position.Line, Last: s.End.Line, Share: s.RegionShareEstimate, NotLooked: s.Regions == nil}
	st.Lines = st.Last - st.First + 1
	if st.First < 1 || st.Lines < 1 || s.End.File != s.Position.File {
		return nil
	}
	regions, barriers, exits := lane{Name: "regions", Class: "region"}, lane{Name: "barriers", Class: "barrier"}, lane{Name: "exits", Class: "exit"}
	if len(s.Regions) == 0 {
		st.Share = nil
	}
	for _, g := range s.Regions {
		row := regionRow{Lines: lineSpan(g.StartLine, g.EndLine), Arrays: strings.Join(g.Arrays, ", "), Control: g.Control}
		inside := []string{prose.Count(g.Barriers, "barrier")}
		if g.Loops > 0 {
			inside = append(inside, "in "+prose.Count(g.Loops, "loop"))
		}
		inside = append(inside, report.Inside(g)...)
		row.Inside = strings.Join(inside, ", ")
		st.Regions = append(st.Regions, row)
		st.add(&regions, s.Position.File, diag.Position{File: g.First.File, Line: g.StartLine}, g.EndLine, "region of "+row.Arrays)
	}
	for _, b := range s.Barriers {
		text := b.Call + ", " + b.Control
		if b.Function != "" {
			text += ", in " + b.Function
		}
		st.add(&barriers, s.Position.File, b.Position, b.Position.Line, text)
	}
	for _, x := range s.Exits {
		st.add(&exits, s.Position.File, x.Position, x.Position.Line, "return, "+x.Control)
	}
	for _, l := range []lane{regions, barriers, exits} {
		if len(l.Bars) > 0 {
			st.Lanes = append(st.Lanes, l)
		}
	}
	return st
}

// add puts a bar into a lane, unless it is out of the kernel's lines: barriers may be in device functions.
func (st *strip) add(l *lane, file string, from diag.Position, last int, text string) {
	if from.File != file || from.Line < st.First || last > st.Last {
		return
	}
	where := lineSpan(from.Line, last)
	l.Bars = append(l.Bars, bar{from.Line - st.First, last - from.Line + 1, where + ": " + text})
}

// lineSpan is "line 7" or "lines 7–12".
func lineSpan(first, last int) string {
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d–%d", first, last)
}
