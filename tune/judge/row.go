package judge

import "github.com/smux-cuda/smux/tune/record"

// Row holds the facts about one variant.
type Row struct {
	Key string `json:"key"`
	record.MeasuredVariant
	Base    float64 `json:"base"` // median times in milliseconds
	Time    float64 `json:"time"`
	Search  Ratio   `json:"search"`  // over the original, as it was searched
	Confirm Ratio   `json:"confirm"` // as it was confirmed, independent of Search
	// OverForm is the gain over the best original form, Verdict.Form: measured side by
	// side where that was needed, else the ratio of both ratios.
	OverForm Ratio `json:"overForm"`
	// Checked is the most that was compared with the original's outputs in one pair.
	Checked record.Evidence `json:"checked"`
	Failure *record.Failure `json:"failure,omitempty"`
	// Refused says in words why the row can't be chosen, "" where it can or if nothing
	// was found out yet.
	Refused string `json:"refused,omitempty"`
}

// Gain returns what is known best of the row's ratio over the original: as it was
// confirmed, or else as it was searched.
func (r Row) Gain() Ratio {
	if r.Confirm.Pairs > 0 {
		return r.Confirm
	}
	return r.Search
}

// Compared reports whether outputs were compared with the original's. What a program prints may
// have nothing to do with the device's memory, "done" say: it counts only where
// nothing else can be seen.
func (r Row) Compared() bool {
	return r.Checked.Bytes > 0 || r.Checked.Memory > 0 || r.Checked.Lines > 0 && r.Subject.Machine.On == "command"
}

// Correct is for a column of a table: "yes" where all compared outputs are the
// original's, "no", "not compared", or "-" where there are no outputs: those that the
// model makes up are not evidence, though a trial decides by them.
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
