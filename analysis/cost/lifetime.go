package cost

// lifetimes are noted along a walk: a compiler keeps each value in registers from its first place to its last use.
// Values are those that the walk tells apart by their identity. So a computation that stands twice is one
// value, a call's argument and its parameter are one, and what a branch assigns on both sides is one after it.
// Constants, literals and the kernel's parameters are none: instructions have them as operands.
type lifetimes struct {
	at    int     // the place reached: it grows by one per value made
	lines []place // of the source, by place
	of    map[int]*lifetime
	uses  []arrival    // where values are used for something else than a value: stored, compared
	stops []int        // places that nothing is moved over
	spans []stretch    // of values that were made anew, and of what has no identity
	pairs map[pair]int // addresses in global memory, by array and offset
	last  int          // identity of the last pair: they count down from 0
	fence [inConstant + 1]fence
}

// lifetime is the range in which a value is needed.
type lifetime struct {
	stretch
	ready int // the place where its operands are there
	// within is the innermost loop whose turns change the value, turn the turn in
	// which it was made: in another turn it is another value.
	within *loopState
	turn   int64
	counts *loopState // the loop by whose turns it moves by a constant

	loads   bool // it comes from memory
	folding bool // a product, or what a predicate selects
	fused   bool // its one user computes it
	literal bool // the compiler knows it
	folds   bool // it has no register: it is a part of the instructions that use it
	// parts are the values that a use of such a value uses: the index, of an index times 4.
	parts []int

	// of are the values that it is made of, and where it needs them, if it is needed
	// itself: operands where it is made, what two branches assign where these end.
	of     []arrival
	needed bool
}

// stretch is a run of places from which to which words are live; early is where they
// would be if all loads were made as soon as they can.
type stretch struct{ early, from, to, words int }

// arrival is a value at a place.
type arrival struct{ id, at int }

// pair names the address of a place in an array: two registers.
type pair struct {
	o  *object
	id int
}

func newLifetimes() *lifetimes {
	return &lifetimes{lines: make([]place, 1), of: map[int]*lifetime{}, pairs: map[pair]int{}}
}

// next is the place of the value that is made next: what is used now is needed to there,
// and its register is free for that value.
func (l *lifetimes) next() int { return l.at + 1 }

// step goes on to the next place, which stands for a line.
func (l *lifetimes) step(line place) {
	l.at++
	l.lines = append(l.lines, line)
}

// start begins a value's life at the next place.
func (l *lifetimes) start(v *lifetime, line place) {
	l.step(line)
	v.early, v.from, v.to, v.needed = l.at, l.at, l.at, false
	if v.within != nil {
		v.turn = v.within.turn
	}
}

// again begins the life of a value anew.
func (l *lifetimes) again(v *lifetime, line place) {
	if v.needed {
		l.spans = append(l.spans, v.stretch)
	}
	l.start(v, line)
}

// made is the place where a value is made.
func (l *lifetimes) made(id int) int {
	if v := l.of[id]; v != nil {
		return v.from
	}
	return 0
}

// use notes that a value is needed at a place.
func (l *lifetimes) use(id, at int) {
	v := l.of[id]
	if v == nil || v.folds && v.needed && v.to >= at {
		return
	}
	v.to = max(v.to, at)
	for _, p := range v.parts {
		l.use(p, at)
	}
	if !v.needed {
		v.needed = true
		for _, o := range v.of {
			l.use(o.id, o.at)
		}
	}
}

// address is the identity of the address of an offset in an array.
func (l *lifetimes) address(o *object, offset int) int {
	p := l.pairs[pair{o, offset}]
	if p == 0 {
		l.last--
		p = l.last
		l.pairs[pair{o, offset}] = p
	}
	return p
}

// live counts the words that are live at each place, with all loads where they stand or as
// early as they can be. A value that nothing uses is not computed.
func (l *lifetimes) live(early bool) []int {
	change := make([]int, l.at+2)
	add := func(s stretch) {
		from := s.from
		if early {
			from = s.early
		}
		if s.to > from {
			change[from] += s.words
			change[s.to] -= s.words
		}
	}
	for _, v := range l.of {
		if v.needed && !v.folds {
			add(v.stretch)
		}
	}
	for _, s := range l.spans {
		add(s)
	}
	out, now := make([]int, l.at+1), 0
	for i := range out {
		now += change[i]
		out[i] = now
	}
	return out
}

// stale reports whether a value was made in another turn of a loop that changes it. The
// compiler does not keep it from one to the other, unless a variable does.
func (v *lifetime) stale() bool {
	return v.within != nil && (v.within.over || v.within.turn != v.turn)
}

// literals reports whether the compiler computes what comes from these.
func (l *lifetimes) literals(operands []int) bool {
	for _, o := range operands {
		if p := l.of[o]; o != 0 && (p == nil || !p.literal) {
			return false
		}
	}
	return len(operands) > 0
}

// dependsOn notes what a value is made of here, the loop whose turns change it, and where it can be made.
func (l *lifetimes) dependsOn(v *lifetime, operands []int) {
	v.within, v.ready, v.of = nil, 0, nil
	for _, o := range operands {
		if !v.folds {
			v.of = append(v.of, arrival{o, l.next()})
		}
		p := l.of[o]
		if p == nil {
			continue
		}
		v.ready = max(v.ready, p.ready)
		if p.within != nil && (v.within == nil || p.within.level > v.within.level) {
			v.within = p.within
		}
	}
}
