package analysis

// mask is a set of threads of the block: all, none, or as listed.
type mask struct {
	none bool
	b    []bool // nil: all (or none)
}

var (
	allThreads = mask{}
	noThreads  = mask{none: true}
)

func (m mask) has(i int) bool {
	if m.none {
		return false
	}
	return m.b == nil || m.b[i]
}

func (m mask) full() bool { return !m.none && m.b == nil }

// where keeps the threads for which keep is true.
func (m mask) where(n int, keep func(i int) bool) mask {
	if m.none {
		return m
	}
	out := make([]bool, n)
	some, all := false, true
	for i := range out {
		out[i] = m.has(i) && keep(i)
		some = some || out[i]
		all = all && out[i]
	}
	switch {
	case !some:
		return noThreads
	case all:
		return allThreads
	}
	return mask{b: out}
}

func (m mask) and(n int, o mask) mask {
	switch {
	case m.full() || o.none:
		return o
	case o.full() || m.none:
		return m
	}
	return m.where(n, o.has)
}

func (m mask) or(n int, o mask) mask {
	switch {
	case m.full() || o.none:
		return m
	case o.full() || m.none:
		return o
	}
	return allThreads.where(n, func(i int) bool { return m.has(i) || o.has(i) })
}

// flow is the set of threads that reach a point: must for certain, may perhaps.
type flow struct{ must, may mask }

// split parts a flow at a condition.
func (f flow) split(n int, c value) (yes, no flow) {
	if !c.known {
		return flow{f.must, f.may}, flow{f.must, f.may}
	}
	t := func(i int) bool { return c.at(i) != 0 }
	e := func(i int) bool { return c.at(i) == 0 }
	if c.v == nil {
		none := flow{noThreads, noThreads}
		if c.s != 0 {
			return f, none
		}
		return none, f
	}
	return flow{f.must.where(n, t), f.may.where(n, t)}, flow{f.must.where(n, e), f.may.where(n, e)}
}
