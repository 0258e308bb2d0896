package judge

import "fmt"

// report says what stands in the record of another autotuner, and decides nothing: its
// configurations were not measured side by side, and can't be measured anew.
func (d *decision) report() {
	for _, v := range d.variants {
		row := d.row(v)
		if v.failure == nil {
			row.Refused = "it was measured by another tuner"
		}
		d.verdict.Rows = append(d.verdict.Rows, row)
	}
	d.verdict.Why = fmt.Sprintf("Nothing is decided: %s measured, each configuration by itself.", d.about.Tuner)
	at := d.fastest(func(r Row) bool { return r.Failure == nil })
	if at >= 0 && d.verdict.Rows[at].Search.Median > 1 {
		row := d.verdict.Rows[at]
		d.verdict.Why += fmt.Sprintf(" Its fastest is %s, with %.2fx over the first, %s.", row.Name, row.Search.Median, d.about.Base)
	} else {
		d.verdict.Why += fmt.Sprintf(" Its fastest is the first, %s.", d.about.Base)
	}
}
