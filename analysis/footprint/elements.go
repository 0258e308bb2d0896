package footprint

import "slices"

// Elements is a set of elements of one shared variable. all stands for every element of a variable whose size is not
// known. Beside the elements that have numbers there may be others of which only bounds are known: boxes that are
// defined for certain, and reads that stay in a box.
type Elements struct {
	all   bool
	bits  []uint64
	boxes []box
	reads []boundedRead
}

// Empty reports whether the set has no element.
func (e Elements) Empty() bool {
	if e.all || len(e.boxes) > 0 || len(e.reads) > 0 {
		return false
	}
	return !slices.ContainsFunc(e.bits, func(w uint64) bool { return w != 0 })
}

func (e *Elements) add(i int) {
	w := i / 64
	if w >= len(e.bits) {
		e.bits = append(e.bits, make([]uint64, w+1-len(e.bits))...)
	}
	e.bits[w] |= 1 << (i % 64)
}

func (e *Elements) union(o Elements) {
	for _, b := range o.boxes {
		e.addBox(b)
	}
	for _, r := range o.reads {
		e.addRead(r)
	}
	if len(o.bits) == 0 && !o.all {
		return
	}
	e.all = e.all || o.all
	if len(e.bits) < len(o.bits) {
		e.bits = append(e.bits, make([]uint64, len(o.bits)-len(e.bits))...)
	}
	for i, w := range o.bits {
		e.bits[i] |= w
	}
}

// minus returns e without o. Nothing can be taken out of "all": which elements there are is not known.
func (e Elements) minus(o Elements) Elements {
	if e.Empty() || o.Empty() {
		return e
	}
	out := Elements{all: e.all, bits: append([]uint64(nil), e.bits...), boxes: e.boxes, reads: e.readsWithout(o)}
	for i := range out.bits {
		if i < len(o.bits) {
			out.bits[i] &^= o.bits[i]
		}
	}
	return out
}

func (e Elements) intersect(o Elements) Elements {
	n := min(len(e.bits), len(o.bits))
	out := Elements{bits: make([]uint64, n)}
	for i := range n {
		out.bits[i] = e.bits[i] & o.bits[i]
	}
	for _, b := range e.boxes {
		if b.coveredBy(o.boxes) {
			out.addBox(b)
		}
	}
	return out
}

// fill returns the set of the first n elements, or all where n is not known.
func fill(n int) Elements {
	if n < 0 {
		return Elements{all: true}
	}
	var e Elements
	for i := 0; i < n; i += 64 {
		w := ^uint64(0)
		if n-i < 64 {
			w = 1<<(n-i) - 1
		}
		e.bits = append(e.bits, w)
	}
	return e
}

// Memory is one element set per shared variable, by Shared.index; nil is empty.
type Memory []Elements

// Empty reports whether no variable has an element.
func (m Memory) Empty() bool {
	for i := range m {
		if !m[i].Empty() {
			return false
		}
	}
	return true
}

// Clone returns a copy.
func (m Memory) Clone() Memory {
	if m == nil {
		return nil
	}
	out := make(Memory, len(m))
	for i := range m {
		out[i] = Elements{m[i].all, append([]uint64(nil), m[i].bits...), slices.Clone(m[i].boxes), slices.Clone(m[i].reads)}
	}
	return out
}

// Union adds o to m.
func (m *Memory) Union(o Memory) {
	if o == nil {
		return
	}
	if *m == nil {
		*m = make(Memory, len(o))
	}
	for i := range o {
		(*m)[i].union(o[i])
	}
}

// at returns the set of one variable, to be added to.
func (m *Memory) at(i, n int) *Elements {
	if *m == nil {
		*m = make(Memory, n)
	}
	return &(*m)[i]
}

// Minus returns the elements that are not in o.
func (m Memory) Minus(o Memory) Memory {
	if m == nil || o == nil {
		return m
	}
	out := make(Memory, len(m))
	for i := range m {
		out[i] = m[i].minus(o[i])
	}
	return out
}
