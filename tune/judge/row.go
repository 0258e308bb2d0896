package judge

import "github.com/smux-cuda/smux/tune/record"

type Row struct {
	Key string `json:"key"`
	record.MeasuredVariant
	Base    float64 `json:"base"` // median times in milliseconds
	Time    float64 `json:"time"`
	Search  Ratio   `json:"search"`  // over the original, as it was searched
	Confirm Ratio   `json:"confirm"` // as it was confirmed, independent of Search
	// OverForm is the gain over Verdict.Form: measured side by side where that was needed, else the ratio of both ratios.
	OverForm Ratio `json:"overForm"`
	// Checked is the most that was compared with the original's outputs in one pair.
	Checked record.Evidence `json:"checked"`
	Failure *record.Failure `json:"failure,omitempty"`
	// Refused says in words why the row can't be chosen, "" where it can or if nothing was found out yet.
	Refused string `json:"refused,omitempty"`
}

// Gain returns what is known best of the row's ratio over the original: as confirmed, or else as searched.
func (r Row) Gain() Ratio {
	if r.Confirm.Pairs > 0 {
		return r.Confirm
	}
	return r.Search
}

// Compared reports whether outputs were compared with the original's. Printed lines count only if nothing else is seen.
func (r Row) Compared() bool {
	return r.Checked.Bytes > 0 || r.Checked.Memory > 0 || r.Checked.Lines > 0 && r.Subject.Machine.On == "command"
}

// Correct returns the cell of a table: "yes", "no", "not compared", or "-" without outputs, such as those of the model.
func (r Row) Correct() string {
	switch {
	case r.Failure != nil && r.Failure.Kind == record.FailedOutput:
		return "no"
	case r.Failure != nil || r.Search.Pairs+r.Confirm.Pairs == 0 || !r.Subject.Machine.Runs():
		return "-"
	case r.Compared():
		return "yes"
	}
	return "not compared"
}
