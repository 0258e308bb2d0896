package judge

import (
	"fmt"
)

// overForms decides between a variant that is confirmed and the original forms,
// which merge no thread blocks and are simpler.
//
// A form that in the search was worth a change stands in for the original: the
// variant has to be faster than the form, too, beyond noise. Where their ratios over the
// original tell them apart that is enough; else both are run side by side, in as
// many pairs as a confirmation takes. If the variant isn't faster the form is
// chosen, as soon as it is confirmed itself.
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

// sideBySide compares a variant with an original form.
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

// findForm names the best original form, and compares all rows with it. A form
// takes the original's place where it is faster beyond noise, or by as much as is
// worth a change: else the fastest of many would only be the luckiest.
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
