package judge

// FirstRepetition compares the first repetition within each run with the others:
// the ratio by the first ones alone, and by the others alone. ok is false where
// no run was repeated. A variant may be fast at first because it finds
// something prepared, and slow from then on, or leave its work undone once it was
// done; what counts is the ratio behind.
func FirstRepetition(samples []Sample, o EstimateOptions) (first, behind Ratio, ok bool) {
	var firsts, others []Sample
	for _, s := range samples {
		if len(s.Base) < 2 || len(s.Variant) < 2 {
			continue
		}
		firsts = append(firsts, Sample{s.Base[:1], s.Variant[:1]})
		others = append(others, Sample{s.Base[1:], s.Variant[1:]})
	}
	if len(firsts) == 0 {
		return Ratio{}, Ratio{}, false
	}
	return Estimate(firsts, o), Estimate(others, o), true
}
