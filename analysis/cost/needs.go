package cost

// noting reports whether lifetimes are noted of what is walked.
func (x *walk) noting() bool { return x.compiling && x.mute == 0 }

// made notes that a value of some words comes from operands. One that is there already
// costs nothing, unless it was made in another turn of a loop that changes it.
func (x *walk) made(id, words int, operands ...int) {
	if !x.noting() || id == 0 {
		return
	}
	l := x.lives
	v := l.of[id]
	switch {
	case v == nil && l.literals(operands):
		l.of[id] = &lifetime{folds: true, literal: true}
		return
	case v != nil && (v.folds || !v.stale()):
		return
	}
	if v != nil {
		l.dependsOn(v, operands)
		l.again(v, x.line)
		return
	}
	v = &lifetime{stretch: stretch{words: words}}
	l.of[id] = v
	l.dependsOn(v, operands)
	l.start(v, x.line)
}

// folded notes a value that is a part of the instructions that use it.
func (x *walk) folded(id int, parts ...int) {
	if !x.noting() || id == 0 || x.lives.of[id] != nil {
		return
	}
	v := &lifetime{folds: true, parts: parts}
	x.lives.dependsOn(v, parts)
	x.lives.of[id] = v
	x.shifts(id, parts...)
}

// appears notes a value that comes from nowhere that can be told: another one in each turn of the loop around it.
func (x *walk) appears(id, words int) {
	if !x.noting() || id == 0 {
		return
	}
	v := &lifetime{stretch: stretch{words: words}, within: x.innermost()}
	x.lives.start(v, x.line)
	v.ready = x.lives.at
	x.lives.of[id] = v
}

// meets notes a value that is one of two, by the branch that was taken.
func (x *walk) meets(id, words int, a, b arrival) {
	x.appears(id, words)
	if v := x.lives.of[id]; v != nil {
		v.of, v.folding = []arrival{a, b}, true
	}
}

// needs notes that values are used here.
func (x *walk) needs(values ...value) {
	if !x.noting() {
		return
	}
	for _, v := range values {
		if x.lives.of[v.id] == nil {
			x.made(v.id, v.words())
		}
		x.lives.use(v.id, x.lives.next())
		x.lives.uses = append(x.lives.uses, arrival{v.id, x.lives.next()})
	}
}

// needsAll notes that any element of a local array may be used here: that it is computed, and stored.
func (x *walk) needsAll(o *object) {
	if !x.noting() || o.home == nil {
		return
	}
	for c, v := range o.home.cells {
		if c.v == o.v {
			x.lives.use(v.id, x.lives.made(v.id)+1)
		}
	}
}

// takes notes words that an operation on operands needs on the way to its result.
func (x *walk) takes(words int, operands ...int) {
	l := x.lives
	if words > 0 && x.noting() && !l.literals(operands) {
		l.step(x.line)
		l.spans = append(l.spans, stretch{l.at, l.at, l.at + 1, words})
	}
}

// reached is the address of l, for an access. One in global memory is a pair of registers for each array and offset;
// constant offsets are a part of the instruction, and so is the place of a shared array: 0 if nothing else is left.
func (x *walk) reached(l lvalue) int {
	id, o := l.to.id, l.to.obj
	if !x.noting() || id == 0 {
		return 0
	}
	if v := x.lives.of[id]; o.space == inGlobal && o.v != nil && (v == nil || v.words < 2) {
		id = x.lives.address(o, l.to.id)
		x.made(id, 2, l.to.id)
		if v := x.lives.of[id]; v.from == x.lives.at && !x.counted(l.to.id) {
			x.everyTurn(v)
		}
	}
	if x.lives.of[id] == nil {
		x.made(id, value{typ: l.typ.pointer(), obj: o}.words())
	}
	return id
}

// reloads notes that a value that registers may hold of memory is read again. In
// another turn of a loop it is loaded again.
func (x *walk) reloads(l lvalue, v value) {
	if n := x.lives.of[v.id]; x.noting() && n != nil && !n.folds && n.stale() {
		x.lives.dependsOn(n, []int{x.reached(l)})
		x.lives.again(n, x.line)
	}
}

// words returns how many registers a value takes.
func (a value) words() int {
	switch {
	case a.isConstant():
		return 0
	case a.typ.ptr > 0 && a.obj != nil && a.obj.space != inGlobal:
		return 1 // an offset in the window of its memory
	}
	return a.typ.words()
}
