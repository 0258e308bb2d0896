package judge

import (
	"cmp"

	"github.com/smux-cuda/smux/tune/record"
)

type subject struct {
	about    record.Subject
	variants []*variant     // in the order in which they begin
	pairs    []*record.Pair // that have a ratio
}

// variant holds what the lines say of one variant. Pairs without a ratio are samples too, or a run might wait for ever.
type variant struct {
	key     string
	about   record.MeasuredVariant
	search  []Sample // over the original
	first   []bool   // of those in search: the variant ran first
	confirm []Sample
	direct  map[string][]Sample // confirming pairs against an original form, by its name
	// try is the how manieth variant this is, from 1, that was begun to be confirmed; 0 if it wasn't.
	try     int
	checked record.Evidence
	failure *record.Failure
}

func (v *variant) original() bool { return v.about.Candidate.IsOriginal() }

// collect returns what there is on a subject. A pair that stands in the record twice counts once.
func collect(of *record.Series) *subject {
	s, byKey := &subject{about: of.Subject}, map[string]*variant{}
	for _, m := range of.Variants {
		v := &variant{key: m.Key, about: *m.MeasuredVariant, direct: map[string][]Sample{}}
		s.variants = append(s.variants, v)
		byKey[m.Key] = v
	}
	seen, tries := make(map[pairID]bool, len(of.Lines)), 0
	for _, l := range of.Lines {
		v := byKey[l.Key]
		switch {
		case l.Failure != nil && v.failure == nil:
			v.failure = l.Failure
		case l.Pair != nil:
			p := l.Pair
			id := pairID{key: l.Key, phase: p.Phase, against: p.Against, turn: p.Turn, device: p.Device, seconds: l.Time.Unix(), nanoseconds: l.Time.Nanosecond()}
			if len(p.Base) > 0 && len(p.Variant) > 0 {
				id.base, id.variant = p.Base[0], p.Variant[0]
			}
			if seen[id] {
				continue
			}
			seen[id] = true
			if v.add(p) && v.try == 0 {
				tries++
				v.try = tries
			}
			if sample(p).Ratio() > 0 {
				s.pairs = append(s.pairs, p)
			}
		}
	}
	return s
}

// add takes a pair in, and reports whether it confirms the variant against the original.
func (v *variant) add(p *record.Pair) (confirms bool) {
	if a, b := v.checked, p.Checked; cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Memory, a.Memory), cmp.Compare(b.Lines, a.Lines)) > 0 {
		v.checked = b
	}
	switch {
	case p.Phase == record.Search && p.Against == "":
		v.search, v.first = append(v.search, sample(p)), append(v.first, p.VariantFirst)
	case p.Phase == record.Confirm && p.Against == "":
		v.confirm = append(v.confirm, sample(p))
		return true
	case p.Phase == record.Confirm:
		v.direct[p.Against] = append(v.direct[p.Against], sample(p))
	}
	return false
}

// pairID tells pairs apart: two measurements are never alike in all of this.
type pairID struct {
	key, phase, against string
	turn, device        int
	seconds             int64 // when it was made, and the nanoseconds
	nanoseconds         int
	base, variant       float64
}
