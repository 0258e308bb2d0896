// Package footprint executes code abstractly, for all threads of a block at once: which shared elements it
// reads and writes.
package footprint

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
)

// interval is the integers from low up to but not including end; none, where end is not above low.
type interval struct{ low, end polynomial.Polynomial }

// box is a set of elements of an array whose bounds need not be numbers: those
// whose subscripts lie in the intervals, one for each dimension.
type box []interval

func (b box) equal(o box) bool {
	return slices.EqualFunc(b, o, func(x, y interval) bool { return x.low.Equal(y.low) && x.end.Equal(y.end) })
}

func (b box) has(is func(*polynomial.Symbol) bool) bool {
	return slices.ContainsFunc(b, func(i interval) bool { return i.low.Has(is) || i.end.Has(is) })
}

// boundedRead is a read of elements that can't be listed, but lie in a box: in each of those of in, of which now this
// and now that may be the smallest. rest holds all elements that it may be of, as far as they have numbers; gone are
// boxes that have been defined before the read, none of which is enough.
type boundedRead struct {
	in   []box
	rest Elements
	gone []box
}

const (
	maxBoxes = 32
	maxReads = 32
)

// coveredBy reports whether every element of a box is in one of others, or, in
// one dimension, in several that follow each other without a gap.
func (b box) coveredBy(others []box) bool {
	for d := range b {
		// In the other dimensions each of them must be large enough by itself.
		var along []interval
		for _, o := range others {
			if len(o) != len(b) {
				continue
			}
			fits := true
			for i := range b {
				fits = fits && (i == d || o[i].low.AtMost(b[i].low) && b[i].end.AtMost(o[i].end))
			}
			if fits {
				along = append(along, o[d])
			}
		}
		if b[d].coveredBy(along) {
			return true
		}
	}
	return false
}

// coveredBy goes from the interval's low end upwards: what has been covered so
// far grows by an interval that begins in it or right after it.
func (i interval) coveredBy(others []interval) bool {
	left := slices.Clone(others)
	for at := i.low; !i.end.AtMost(at); {
		next := -1
		for n, o := range left {
			if !o.low.AtMost(at) {
				continue
			}
			if i.end.AtMost(o.end) {
				return true
			}
			if next < 0 && at.AtMost(o.end) {
				next = n
			}
		}
		if next < 0 {
			return false
		}
		at = left[next].end
		left = slices.Delete(left, next, next+1)
	}
	return true
}

// addBox adds a box of definitions; past the limit it is left out.
func (e *Elements) addBox(b box) {
	if len(e.boxes) < maxBoxes && !slices.ContainsFunc(e.boxes, b.equal) {
		e.boxes = append(e.boxes, b)
	}
}

// addRead adds a bounded read; past the limit it counts as a read of any element.
func (e *Elements) addRead(r boundedRead) {
	for i := range e.reads {
		if slices.EqualFunc(e.reads[i].in, r.in, box.equal) && slices.EqualFunc(e.reads[i].gone, r.gone, box.equal) {
			rest := Elements{}
			rest.union(e.reads[i].rest)
			rest.union(r.rest)
			e.reads[i].rest = rest
			return
		}
	}
	if len(e.reads) >= maxReads {
		e.union(r.rest)
		return
	}
	e.reads = append(e.reads, r)
}

// readsWithout returns the bounded reads that definitions leave over.
func (e Elements) readsWithout(o Elements) []boundedRead {
	var out []boundedRead
	for _, r := range e.reads {
		r.rest = r.rest.minus(Elements{bits: o.bits})
		if len(o.boxes) > 0 {
			r.gone = append(slices.Clone(r.gone), o.boxes...)
			r.gone = r.gone[max(0, len(r.gone)-maxBoxes):]
		}
		if !r.rest.Empty() && !slices.ContainsFunc(r.in, func(b box) bool { return b.coveredBy(r.gone) }) {
			out = append(out, r)
		}
	}
	return out
}

// leaving returns what remains of an effect when an iteration of a loop ends.
// Variables declared in the loop have other values in the next one: definitions
// of elements that are bounded by them are forgotten, and reads may be of any.
func (x *Execution) leaving(e MemoryEffect, loop *ir.Stmt) MemoryEffect {
	local := func(s *polynomial.Symbol) bool {
		info := x.Ev.Symbols.Info[s]
		return info.Kind == evaluate.SymbolCounter && info.Loop == loop ||
			info.Kind == evaluate.SymbolFixed && info.V != nil && info.V.Decl != nil && info.V.Decl.Inside(loop)
	}
	for i := range e.Def {
		e.Def[i].boxes = slices.DeleteFunc(slices.Clone(e.Def[i].boxes), func(b box) bool { return b.has(local) })
	}
	for i := range e.Use {
		reads := e.Use[i].reads
		e.Use[i].reads = nil
		for _, r := range reads {
			r.in = slices.DeleteFunc(slices.Clone(r.in), func(b box) bool { return b.has(local) })
			if len(r.in) == 0 {
				e.Use[i].union(r.rest)
				continue
			}
			r.gone = slices.DeleteFunc(slices.Clone(r.gone), func(b box) bool { return b.has(local) })
			e.Use[i].addRead(r)
		}
	}
	return e
}

// hulls returns intervals that each hold a polynomial, with no counters and no threads in their bounds: over all
// threads of the block that come here, and all iterations of the loops under way.
//
// A counter that may wrap around counts from below then: if it stands alone, with nothing positive added to it,
// negative numbers are not subscripts, and what it was before is within the bounds.
func (x *Execution) hulls(p polynomial.Polynomial) (out []interval) {
	highs := x.bounds(p, true)
	for _, low := range x.bounds(p, false) {
		for _, high := range highs {
			out = append(out, interval{low, high.Plus(polynomial.Number(1))})
		}
	}
	return out[:min(len(out), maxHolding)]
}
