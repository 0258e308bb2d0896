package acc

import (
	"errors"
	"maps"
	"slices"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// phase is a part of what a thread block does in an iteration of a gang's loops with loops for workers or lanes beside more.
type phase struct {
	by    runner
	stmts []*parser.Node // of everyone and one
	loop  *loop          // of shared, and of around
	// reductions are the variables into which the iterations of a shared loop are combined.
	reductions reductions
	head       *parser.Node // of shared, around and branch: the statement
	inner      []*phase     // of around, branch and block
	other      []*phase     // of branch: what stands after else
	touch      touched      // by it alone, not by inner and other
}

// runner says which threads of a block run a phase.
type runner uint8

const (
	everyone runner = iota // all do the same: statements that compute variables of the iteration
	one                    // the first: statements that write memory
	shared                 // a loop whose iterations the threads share
	around                 // a loop that all go through, with phases in its body
	branch                 // an if that all decide alike, with phases in it
	block                  // a block with phases in it
)

// parted finds the phases of a nest's body, for a thread block for each iteration. A nest that is not to have that, or can't, gets none.
func (c *construct) parted(k *kernelStep) {
	vector := func(l *loop) bool { p := c.u.loopOver(l.node); return p != nil && p.Has("vector") }
	if slices.ContainsFunc(k.nest, vector) || !c.hasLanes(k.body) {
		return
	}
	said := len(c.u.said)
	s := &parting{c: c, k: k}
	var phases []*phase
	err := stopped(func() {
		s.failIf(continues(k.body), "continue goes to the next iteration")
		s.failIf(slices.ContainsFunc(k.reductions, func(r reduction) bool { return r.elements != 0 }), "an iteration has an array of its own that is reduced")
		for _, v := range c.u.variablesIn(k.body) { // which directives give an iteration
			if c.private[v] && !v.isScalar() && !s.ofLanes(v) {
				s.share(v)
			}
		}
		phases = s.list(statementsOf(k.body))
	})
	switch {
	case err != nil:
		c.u.said, k.lanes, k.shared, k.alone = c.u.said[:said], nil, nil, err.Error()
	case len(k.lanes) > 0: // else the reason is reported already
		k.phases = phases
	}
}

// hasLanes reports whether a loop for workers or vector lanes stands in a statement, or is it.
func (c *construct) hasLanes(s *parser.Node) bool { return c.u.someIn(s, forLanes) }

// forLanes reports whether a directive shares its loop among workers or vector lanes.
func forLanes(p *pragma) bool {
	return p != nil && p.Loop() && p.stmt != nil && (p.Has("worker") || p.Has("vector")) && !p.Has("seq")
}

type parting struct {
	c *construct
	k *kernelStep
}

func (s *parting) list(stmts []*parser.Node) (out []*phase) {
	s.failIf(slices.ContainsFunc(stmts, s.c.u.leaps), "goto leads from one statement to another")
	for _, n := range stmts {
		p := s.phase(n)
		if last := len(out) - 1; last >= 0 && p.by == one && out[last].by == one {
			out[last].stmts = append(out[last].stmts, p.stmts...)
			out[last].touch.add(p.touch)
			continue
		}
		out = append(out, p)
	}
	return out
}

func (s *parting) phase(n *parser.Node) *phase {
	if d := s.c.u.loopOver(n); forLanes(d) {
		if p := s.lanes(n, d); p != nil {
			return p
		}
	}
	if !s.c.hasLanes(n) {
		return s.plain(n)
	}
	switch n.Kind {
	case parser.KindCompoundStatement:
		return &phase{by: block, inner: s.list(statementsOf(n))}
	case parser.KindForStatement:
		l, _ := s.c.u.counts(n)
		s.failIf(l == nil || continues(l.body) || !s.scalar(l.lower) || !s.scalar(l.upper), "a loop around it does not count to a bound that is a variable")
		return &phase{by: around, loop: l, head: n, inner: s.list(statementsOf(l.body))}
	case parser.KindIfStatement:
		condition := n.Child(parser.FieldCondition)
		p := &phase{by: branch, head: n, touch: s.touchOf(condition)}
		outer := func(v *variable) bool { return !s.c.u.localTo(v, condition) }
		s.failIf(len(p.touch.writes) > 0 || slices.ContainsFunc(s.c.u.changes(condition), outer) || s.calls(condition), "the condition around it changes something or calls a function")
		p.inner = s.list(statementsOf(n.Child(parser.FieldConsequence)))
		other := n.Child(parser.FieldAlternative)
		if other == nil {
			return p
		}
		if other.Kind == parser.KindElseClause && other.FirstNamed() != nil {
			p.other = s.list(statementsOf(other.FirstNamed()))
			return p
		}
	}
	panic(stop{errors.New("threads do not go through the statement around it together")})
}

func (s *parting) failIf(is bool, why string) {
	if is {
		panic(stop{errors.New(why)})
	}
}

// lanes is a loop whose iterations the threads of a block share; nil where they can't.
func (s *parting) lanes(n *parser.Node, d *pragma) *phase {
	u := s.c.u
	var l *loop
	s.failIf(stopped(func() { l = s.c.parallel(n, d, s.k, true) }) != nil, "its iterations are not independent")
	if l == nil {
		return nil
	}
	p := &phase{by: shared, loop: l, head: n, touch: s.touchOf(n)}
	for _, r := range append(s.c.reductionsOf(d), s.k.reductions...) {
		s.failIf(p.reductions.clash(r), "it reduces "+r.v.name+" in two ways")
		if !u.assigned(n, r.v) && r.elements == 0 || p.reductions.have(r.v) {
			continue
		}
		s.failIf(r.elements != 0 || stopped(func() { s.c.checkReduction(r) }) != nil, "threads of a block can't reduce "+r.v.name)
		p.reductions = append(p.reductions, r)
	}
	// What a thread leaves in a variable of the iteration is its own alone.
	for _, v := range u.changes(n) {
		s.failIf(!p.reductions.have(v) && s.readsBeside(n, v), "what an iteration of it leaves in "+v.name+" is needed after it")
	}
	for _, a := range u.accessesOf(n) {
		s.failIf(a.write && !u.localTo(a.v, n) && (a.v.isScalar() && len(a.subs) > 0 || repoints(a)), "it changes "+a.v.name+", of which each thread has its own")
	}
	if s.calls(n) { // of functions that may touch more than they are given
		p.touch.anything, p.touch.writes[nil] = true, true
	}
	s.failIf(s.readsBeside(n, l.counter) && !l.declares, "what it leaves in "+l.counter.name+" is needed after it")
	for _, bound := range []*parser.Node{l.lower, l.upper} {
		s.failIf(s.calls(bound), "a bound of it calls a function")
		changed := func(v *variable) bool { return p.touch.writes[v] || p.touch.anything }
		s.failIf(lists.Any(maps.Keys(s.touchOf(bound).reads), changed), "it may change what its bounds are read from") // before the last thread reads it
	}
	s.k.lanes = append(s.k.lanes, l)
	return p
}

// readsBeside reports whether the value that a statement leaves in a variable may be read in the body beside it.
func (s *parting) readsBeside(n *parser.Node, v *variable) bool {
	return s.c.u.neededBehind(n, v) && slices.ContainsFunc(s.c.u.accessesOf(s.k.body), func(a access) bool { return a.v == v && a.read && !within(a.node, n) })
}

// plain is a statement without loops for lanes.
func (s *parting) plain(n *parser.Node) *phase {
	p := &phase{by: everyone, stmts: []*parser.Node{n}, touch: s.touchOf(n)}
	declares := n.Kind == parser.KindDeclaration
	declared := lists.Filter(s.c.u.vars, func(v *variable) bool { return v.decl == n })
	beside := func(v *variable) bool {
		return !v.isArray() || v.isStatic || v.declarator.Kind == parser.KindInitDeclarator
	}
	for _, v := range lists.Filter(declared, (*variable).isArray) {
		s.failIf(slices.ContainsFunc(declared, beside), "the iteration's array "+v.name+" has a first value, or is declared beside something else")
		s.share(v)
	}
	s.failIf(s.calls(n), "a statement beside it calls a function of the program")
	s.failIf(slices.ContainsFunc(s.c.u.accessesOf(n), repoints), "a statement beside it gives a pointer another value")
	if len(p.touch.writes) > 0 { // which all threads need
		p.by = one
		passesOn := func(v *variable) bool { return s.k.reductions.have(v) || s.readsBeside(n, v) }
		s.failIf(declares || slices.ContainsFunc(s.c.u.changes(n), passesOn), "a statement beside it writes both memory and a variable of the iteration")
	} else {
		atomic := func(p *pragma) bool { return p.Name == "atomic" } // threads would not all see the same
		s.failIf(s.c.u.someIn(n, atomic), "a statement beside it reads what other thread blocks change meanwhile")
	}
	return p
}

// repoints reports whether an access gives a pointer another value.
func repoints(a access) bool {
	return a.write && !a.whole && !a.member && !a.v.isScalar() && len(a.subs) == 0
}

// scalar reports whether an expression reads nothing but variables.
func (s *parting) scalar(n *parser.Node) bool {
	return !hasCall(n) && !slices.ContainsFunc(s.c.u.accessesOf(n), func(a access) bool { return !a.v.isScalar() || a.write || a.whole })
}

// calls reports whether a statement calls a function of the program, which may do anything.
func (s *parting) calls(n *parser.Node) bool {
	return n.Any(func(c *parser.Node) bool {
		name := s.c.u.callee(c)
		return c.Kind == parser.KindCallExpression && (!onDevice(name) || s.c.u.functionNamed(name) != nil)
	})
}

type touched struct {
	reads, writes map[*variable]bool
	// anything is set if it reads or writes through a pointer of its own, whatever that is to.
	anything bool
}

// meets reports whether one of two phases writes what the other one touches.
func (a *phase) meets(b *phase) bool {
	x, y := a.touch, b.touch
	if a.by == one && b.by == one || len(x.reads)+len(x.writes) == 0 || len(y.reads)+len(y.writes) == 0 { // the same thread, or nothing
		return false
	}
	both := func(x, y map[*variable]bool) bool {
		return lists.Any(maps.Keys(x), func(v *variable) bool { return y[v] })
	}
	return (x.anything || y.anything) && len(x.writes)+len(y.writes) > 0 || both(x.writes, y.reads) || both(x.writes, y.writes) || both(x.reads, y.writes)
}

// touchOf are the arrays that a statement reads and writes, those that it declares left out.
func (s *parting) touchOf(n *parser.Node) touched {
	t := touched{reads: map[*variable]bool{}, writes: map[*variable]bool{}}
	u := s.c.u
	points := n.Kind == parser.KindDeclaration && !hasCall(n) // an address in it is of a pointer's first value
	for _, a := range u.accessesOf(n) {
		v := a.v
		if v.isScalar() && !a.whole || v.isArray() && u.localTo(v, n) || a.whole && points {
			continue
		}
		t.anything = t.anything || a.whole || u.localTo(v, s.k.body) && !v.isArray()
		if a.write {
			t.writes[v] = true
		}
		if a.read {
			t.reads[v] = true
		}
	}
	return t
}

func (t *touched) add(o touched) {
	maps.Copy(t.reads, o.reads)
	maps.Copy(t.writes, o.writes)
	t.anything = t.anything || o.anything
}
