package footprint

import "github.com/smux-cuda/smux/analysis/values"

// Mask is a set of threads of the block: all, none, or as listed.
type Mask struct {
	None bool
	b    []bool // nil: all (or none)
}

// AllThreads and NoThreads are the sets that need no list.
var (
	AllThreads = Mask{}
	NoThreads  = Mask{None: true}
)

// Has reports whether thread i is in the set.
func (m Mask) Has(i int) bool {
	if m.None {
		return false
	}
	return m.b == nil || m.b[i]
}

func (m Mask) full() bool { return !m.None && m.b == nil }

// where keeps the threads for which keep is true.
func (m Mask) where(n int, keep func(i int) bool) Mask {
	if m.None {
		return m
	}
	out := make([]bool, n)
	some, all := false, true
	for i := range out {
		out[i] = m.Has(i) && keep(i)
		some = some || out[i]
		all = all && out[i]
	}
	switch {
	case !some:
		return NoThreads
	case all:
		return AllThreads
	}
	return Mask{b: out}
}

func (m Mask) and(n int, o Mask) Mask {
	switch {
	case m.full() || o.None:
		return o
	case o.full() || m.None:
		return m
	}
	return m.where(n, o.Has)
}

func (m Mask) or(n int, o Mask) Mask {
	switch {
	case m.full() || o.None:
		return m
	case o.full() || m.None:
		return o
	}
	return AllThreads.where(n, func(i int) bool { return m.Has(i) || o.Has(i) })
}

// Flow is the set of threads that reach a point: must for certain, may perhaps.
type Flow struct{ Must, May Mask }

// Split parts a flow at a condition.
func (f Flow) Split(n int, c values.Value) (yes, no Flow) {
	if !c.Known {
		return Flow{f.Must, f.May}, Flow{f.Must, f.May}
	}
	t := func(i int) bool { return c.At(i) != 0 }
	e := func(i int) bool { return c.At(i) == 0 }
	if c.V == nil {
		none := Flow{NoThreads, NoThreads}
		if c.S != 0 {
			return f, none
		}
		return none, f
	}
	return Flow{f.Must.where(n, t), f.May.where(n, t)}, Flow{f.Must.where(n, e), f.May.where(n, e)}
}
