package record

type Series struct {
	Subject  Subject
	Lines    []Line
	Variants []*Measured // in the order in which they begin
}

type Measured struct {
	*MeasuredVariant // as the last line about it has it: what was found out later is more
	Key              string
	Lines            []Line // its pairs and failures
}

// BySubject sorts lines by subject and variant, in the order in which they begin. It leaves out those of unknown variants.
func BySubject(lines []Line) (out []*Series) {
	type place struct {
		in *Series
		of *Measured
	}
	bySubject, byKey := map[string]*Series{}, map[string]place{}
	for _, l := range lines {
		p, known := byKey[l.Key]
		switch {
		case l.Variant != nil && !known:
			key := l.Variant.Subject.Key()
			if p.in = bySubject[key]; p.in == nil {
				p.in = &Series{Subject: l.Variant.Subject}
				bySubject[key] = p.in
				out = append(out, p.in)
			}
			p.of = &Measured{l.Variant, l.Key, nil}
			p.in.Variants = append(p.in.Variants, p.of)
			byKey[l.Key] = p
		case l.Variant != nil:
			p.of.MeasuredVariant = l.Variant
		case known && (l.Pair != nil || l.Failure != nil):
			p.of.Lines = append(p.of.Lines, l)
		}
		if p.in != nil {
			p.in.Lines = append(p.in.Lines, l)
		}
	}
	return out
}
