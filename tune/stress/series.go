package stress

import "slices"

// Series is what was measured of one subject.
type Series struct {
	Subject
	Rows []Row // as they were recorded
}

// Curve returns the points of the rows that count. Where levels were run with the
// largest carve-out, those without don't belong to the same curve, and are left out.
func (s Series) Curve() []Point {
	carveout := slices.ContainsFunc(s.Rows, func(r Row) bool { return r.Level.Carveout && r.Failure == nil })
	var out []Point
	for _, r := range s.Rows {
		if r.Failure != nil || carveout && !r.Level.Carveout {
			continue
		}
		if p, ok := NewPoint(r.Blocks(), r.Level.Cap > 0, r.Milliseconds); ok {
			out = append(out, p)
		}
	}
	return out
}

// Flat returns from where on the curve of a series is flat.
func (s Series) Flat(tolerance float64) Flatness { return Flat(s.Curve(), tolerance) }

// For returns the series of a kernel on a GPU, the last of several; ok is false
// without any. An empty source or 0 threads stand for any.
func For(all []Series, source, kernel string, threads int, gpu string) (s Series, ok bool) {
	for _, s := range slices.Backward(all) {
		if s.Kernel == kernel && s.GPU == gpu && (source == "" || s.Source == source) && (threads == 0 || s.Threads == threads) {
			return s, true
		}
	}
	return Series{}, false
}
