package judge

import (
	"cmp"
	"fmt"
	"slices"
)

type decision struct {
	*subject
	rules   Rules
	verdict Verdict
	least   float64 // ratio that is worth a change
	tries   int     // confirmations that were begun
	states  []confirmation
}

func decide(s *subject, r Rules) *decision {
	d := &decision{subject: s, rules: r, verdict: Verdict{Subject: s.about, Rows: []Row{}, Chosen: -1, Form: -1}}
	if s.about.Tuner != "" {
		d.report()
		return d
	}
	for _, v := range s.variants {
		d.verdict.Rows = append(d.verdict.Rows, d.row(v))
		d.tries = max(d.tries, v.try)
		if v.failure == nil && !r.enough(v.search) {
			d.verdict.Missing = append(d.verdict.Missing, v.about.Name+": "+d.lacks(v))
		}
	}
	d.floor()
	d.confirmAll()
	d.choose()
	d.findForm()
	return d
}

func (d *decision) lacks(v *variant) string {
	switch n := len(v.search); {
	case n == 0:
		return "not measured"
	case n < d.rules.MinPairs:
		return fmt.Sprintf("%d of at least %d pairs", n, d.rules.MinPairs)
	default:
		width := Estimate(v.search, d.rules.Confidence).Width()
		return fmt.Sprintf("its interval is %s wide after %d pairs, and not yet %s", percent(width), n, percent(d.rules.Precision))
	}
}

func (d *decision) row(v *variant) Row {
	var base, times []float64
	for _, s := range slices.Concat(v.search, v.confirm) {
		if s.Ratio() == 0 {
			continue
		}
		base, times = append(base, Median(s.Base)), append(times, Median(s.Variant))
	}
	row := Row{
		Key: v.key, MeasuredVariant: v.about, Base: Median(base), Time: Median(times),
		Search: Estimate(v.search, d.rules.Confidence), Checked: v.checked, Failure: v.failure,
	}
	switch {
	case v.failure != nil:
		row.Refused = v.failure.Text
	case len(v.search) > 0 && !v.original() && !row.Compared():
		row.Refused = "its outputs were not compared with the original's"
	}
	return row
}

// floor finds what gains the machine can't tell apart: those within the original's interval against itself, if 1 is outside of it.
func (d *decision) floor() {
	d.least = 1 + d.rules.MinGain/100
	if at := d.originalRow(); at >= 0 {
		if r := d.verdict.Rows[at].Search; r.Pairs >= Needs(d.rules.Confidence) && r.Excludes(1) {
			floor := max(r.High, 1/r.Low) - 1
			d.verdict.Floor = 100 * floor
			d.least = max(d.least, 1+floor)
		}
	}
}

func (d *decision) confirmAll() {
	d.states = make([]confirmation, len(d.variants))
	for i, v := range d.variants {
		confidence, n := d.rules.try(cmp.Or(v.try, d.tries+1))
		c := confirm(v.confirm, confidence, n, d.least)
		d.states[i] = c
		row := &d.verdict.Rows[i]
		row.Confirm = c.ratio
		if row.Refused == "" && c.state == refused {
			row.Refused = c.why
		}
	}
}

// ranking returns the variants whose gain in the search is worth a change, the fastest first, equal ones as listed.
func (d *decision) ranking() []int {
	var out []int
	for i, row := range d.verdict.Rows {
		usable := row.Refused == "" || d.states[i].state == refused && row.Failure == nil && row.Compared()
		if usable && !d.variants[i].original() && row.Search.Pairs > 0 && row.Search.Median >= d.least {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int {
		return cmp.Compare(d.verdict.Rows[b].Search.Median, d.verdict.Rows[a].Search.Median)
	})
	return out
}

// choose goes through the ranking: the first variant that is confirmed is chosen, unless a simpler one does as well.
func (d *decision) choose() {
	if at := d.originalRow(); at >= 0 && d.verdict.Rows[at].Failure != nil {
		d.verdict.Why = "Keep the original: it can't be measured: " + d.verdict.Rows[at].Failure.Text + "."
		return
	}
	failed := 0
	for _, i := range d.ranking() {
		switch c := d.states[i]; {
		case c.state == confirmed:
			d.overForms(i)
			return
		case c.state == refused:
			failed++
		case failed < d.rules.Finalists:
			d.wait(i, "", c)
			return
		}
	}
	d.keep()
}

func (d *decision) wait(i int, against string, c confirmation) {
	d.verdict.Waits = &Task{Key: d.variants[i].key, Against: against, Pairs: c.left}
	d.verdict.Why = fmt.Sprintf("Not decided yet: %s waits for %d more pairs against %s.", d.variants[i].about.Name, c.left, cmp.Or(against, "the original"))
}

// originalRow returns the row of the original measured against itself, -1 for none.
func (d *decision) originalRow() int {
	return slices.IndexFunc(d.variants, func(v *variant) bool { return v.original() })
}

// report tells of another autotuner's record, and decides nothing: its configurations were not measured side by side.
func (d *decision) report() {
	for _, v := range d.variants {
		row := d.row(v)
		if v.failure == nil {
			row.Refused = "it was measured by another tuner"
		}
		d.verdict.Rows = append(d.verdict.Rows, row)
	}
	d.verdict.Why = fmt.Sprintf("Nothing is decided: %s measured, each configuration by itself.", d.about.Tuner)
	fastest := "the first"
	if at := d.fastest(func(r Row) bool { return r.Failure == nil && r.Search.Median > 1 }); at >= 0 {
		row := d.verdict.Rows[at]
		fastest = fmt.Sprintf("%s, with %.2fx over the first", row.Name, row.Search.Median)
	}
	d.verdict.Why += fmt.Sprintf(" Its fastest is %s, %s.", fastest, d.about.Base)
}

type state int

const (
	pending   state = iota // more pairs are needed
	confirmed              // it holds
	refused                // it doesn't
)

// confirmation holds what the fresh pairs say of a gain.
type confirmation struct {
	state state
	ratio Ratio  // zero as long as there are no pairs
	left  int    // pairs, while it is pending
	why   string // it is refused, in words
}

// confirm looks at the first n pairs only. The gain holds where their interval is above 1 and the ratio at least the least one that
// counts. A pair without a ratio is not faster. If so many are no faster that the rest can't matter, it needs no more.
func confirm(samples []Sample, confidence float64, n int, least float64) confirmation {
	if len(samples) == 0 {
		return confirmation{left: n}
	}
	samples = samples[:min(n, len(samples))]
	c := confirmation{ratio: Estimate(samples, confidence), left: n - len(samples)}
	if c.left > 0 {
		slower := 0
		for _, s := range samples {
			if s.Ratio() <= 1 {
				slower++
			}
		}
		if slower >= Rank(n, confidence) {
			c.state, c.left = refused, 0
			c.why = fmt.Sprintf("%d of %d fresh pairs are no faster", slower, len(samples))
		}
		return c
	}
	c.state = refused
	switch {
	case c.ratio.Pairs < Needs(confidence):
		c.why = fmt.Sprintf("only %d of %d fresh pairs have times that can be compared", c.ratio.Pairs, n)
	case c.ratio.Low <= 1:
		c.why = fmt.Sprintf("%d fresh pairs give %s, which holds 1", c.ratio.Pairs, spoken(c.ratio))
	case c.ratio.Median < least:
		c.why = fmt.Sprintf("%d fresh pairs give %s, a gain under %s", c.ratio.Pairs, spoken(c.ratio), percent(least-1))
	default:
		c.state = confirmed
		if first, behind, ok := FirstRepetition(samples, confidence); ok && (behind.Low <= 1 || behind.Median < least) {
			c.state = refused
			c.why = fmt.Sprintf("only the first repetition of its runs is faster: %s, and after it %s", spoken(first), spoken(behind))
		}
	}
	return c
}

func spoken(r Ratio) string {
	if !r.Known() {
		return fmt.Sprintf("%.3f", r.Median)
	}
	return fmt.Sprintf("%.3f (%.3f to %.3f)", r.Median, r.Low, r.High)
}

func percent(part float64) string { return fmt.Sprintf("%.3g %%", 100*part) }

// overForms decides between a confirmed variant and the original forms, which are simpler. The variant has to be faster than
// a form that was worth a change in the search, beyond noise: by their ratios over the original, or else by pairs side
// by side. If it isn't, the form is chosen, as soon as it is confirmed itself.
func (d *decision) overForms(chosen int) {
	row := &d.verdict.Rows[chosen]
	if d.variants[chosen].about.Candidate.IsForm() {
		d.take(chosen, "")
		return
	}
	failed := 0
	for _, form := range d.ranking() {
		name := d.variants[form].about.Name
		switch {
		case !d.variants[form].about.Candidate.IsForm():
			continue
		case d.states[form].state == refused:
			failed++
			continue
		case failed >= d.rules.Finalists:
			continue
		}
		over := d.sideBySide(chosen, form)
		row.OverForm = over.ratio
		switch {
		case over.state == pending:
			d.wait(chosen, name, over)
		case over.state == confirmed:
			d.take(chosen, fmt.Sprintf(", and %s over the best original form, %s", spoken(over.ratio), name))
		case d.states[form].state == pending:
			d.wait(form, "", d.states[form])
		default:
			row.Refused = fmt.Sprintf("not faster than the original form %s beyond noise: %s", name, spoken(over.ratio))
			d.take(form, fmt.Sprintf("; %s, which merges thread blocks, is not faster than that beyond noise: %s", row.Name, spoken(over.ratio)))
		}
		return
	}
	d.take(chosen, "")
}

func (d *decision) sideBySide(chosen, form int) confirmation {
	n := max(d.rules.Confirm, Needs(d.rules.Sure))
	direct := d.variants[chosen].direct[d.variants[form].about.Name]
	if len(direct) > 0 {
		return confirm(direct, d.rules.Sure, n, 1)
	}
	over := d.verdict.Rows[chosen].Confirm.Over(d.verdict.Rows[form].Gain())
	switch {
	case over.Low > 1:
		return confirmation{state: confirmed, ratio: over}
	case over.High < 1:
		return confirmation{state: refused, ratio: over}
	}
	return confirmation{ratio: over, left: n}
}

// findForm compares all rows with the best original form, which must gain beyond noise, or as much as is worth a change.
func (d *decision) findForm() {
	d.verdict.Form = d.originalRow()
	best := 1.0
	for i, row := range d.verdict.Rows {
		gain := row.Gain()
		if !d.variants[i].about.Candidate.IsForm() || d.variants[i].original() || row.Refused != "" || gain.Median <= best {
			continue
		}
		if gain.Low > 1 || gain.Median >= d.least {
			d.verdict.Form, best = i, gain.Median
		}
	}
	for i := range d.verdict.Rows {
		row := &d.verdict.Rows[i]
		switch {
		case i == d.verdict.Form || row.OverForm.Pairs > 0:
		case d.verdict.Form < 0 || d.variants[d.verdict.Form].original():
			row.OverForm = row.Gain()
		default:
			row.OverForm = row.Gain().Over(d.verdict.Rows[d.verdict.Form].Gain())
		}
	}
}
