package acc

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// claim says how much a directive promises of a loop's iterations.
type claim uint8

const (
	none     claim = iota // nothing: smux must show that they are independent
	implied               // it stands in a parallel construct, which says so unless seq or auto does not
	promised              // independent
)

// claimOf reads the directive over a loop; seq is set where it must run in order.
func (c *construct) claimOf(p *pragma) (of claim, seq bool) {
	switch {
	case p == nil || p.Has("auto"):
		return none, false
	case p.Has("seq"):
		return none, true
	case p.Has("independent"):
		return promised, false
	case c.kind == "parallel":
		return implied, false
	}
	return none, false
}

// nest is the nest of loops that begins with a statement, as far as its loops run in
// parallel; nil where the outermost does not.
func (c *construct) nest(s *parser.Node) *kernelStep {
	var k *kernelStep
	collapse := 0
	var by *pragma // the directive that collapses
	for {
		p := c.u.loopOver(s)
		if k == nil && p == nil && !c.hasLoops(s) {
			return nil // no directive speaks of it
		}
		says := p
		if p == nil && collapse > 0 {
			says = by // which is about this loop, too
		}
		l := c.parallel(s, says, k, false)
		if l == nil {
			if collapse > 0 {
				panic(refusal(c.u.place(s), CodeLoop, "a loop that collapse names can't run in parallel", "take it out of the collapse"))
			}
			break
		}
		if k != nil && !c.rectangular(k, l) {
			break
		}
		var all reductions
		if k == nil {
			k = &kernelStep{by: p}
			if p != c.pragma {
				all = filter(c.reductionsOf(c.pragma), func(r reduction) bool {
					return c.u.assigned(s, r.v) || r.elements != 0 && c.u.writesTo(s, r.v)
				})
			}
		}
		if p != nil {
			all = append(all, c.reductionsOf(p)...)
			if n, ok := c.u.collapseOf(p); ok {
				collapse, by = n, p
			}
		}
		for _, r := range all {
			c.checkReduction(r)
			if k.reductions.clash(r) {
				panic(refusal(c.u.at(c.pragma.Pos), CodeUnsupported, fmt.Sprintf("%s, which loops of one nest reduce by two operators", r.v.name), "reduce it by one of them, and combine the other in a variable of its own"))
			}
			if !k.reductions.have(r.v) {
				k.reductions = append(k.reductions, r)
			}
		}
		collapse--
		k.nest = append(k.nest, l)
		k.body = l.body
		inner := statementsOf(l.body)
		if len(inner) != 1 || inner[0].Kind != parser.KindForStatement || len(k.nest) == maxDimensions {
			if collapse > 0 {
				panic(refusal(c.u.at(p.Pos), CodeLoop, fmt.Sprintf("collapse names %d loops more than stand directly in one another", collapse), "take what stands between them out, or collapse fewer"))
			}
			break
		}
		s = inner[0]
		if next := c.u.loopOver(s); collapse <= 0 && next == nil && c.fixed(k.by) {
			break // the directive says which loops are for threads
		}
	}
	if k != nil {
		c.parted(k)
	}
	return k
}

// maxDimensions is the largest number of loops of a nest with a dimension of the grid.
const maxDimensions = 3

// fixed reports whether a directive says by itself which threads there are for a loop.
func (c *construct) fixed(p *pragma) bool {
	return p != nil && (p.Has("worker") || p.Has("vector"))
}

// collapseOf is the number of loops that a directive collapses, or parts into tiles.
func (u *unit) collapseOf(p *pragma) (int, bool) {
	if tile, ok := p.Clause("tile"); ok {
		return len(tile.Args), true
	}
	c, _ := p.Clause("collapse")
	value, ok := u.value(argument(c), p)
	n := int(min(value, 1<<20))
	if ok && c.Modifier == "force" { // others run in each thread
		n = directly(p.stmt, n)
	}
	return n, ok && n > 0
}

// reductionsOf are the reductions of a directive, with those of the construct that no clause says.
func (c *construct) reductionsOf(p *pragma) (out reductions) {
	if p == c.pragma {
		out = append(out, c.implied...)
	}
	for clause, a := range p.ArgsOf("reduction") {
		if v := c.u.named(p, a); v != nil {
			out = append(out, reduction{v, clause.Modifier, c.u.elementsOf(p, v, a)})
		}
	}
	return out
}

// parallel is the loop of a for statement if its iterations can run side by side, nil if they
// can't; then the reason is reported already.
// Its iterations may be combined into what the nest around it, or the construct, reduces. Those that
// lanes of a thread block share have its arrays in common.
func (c *construct) parallel(s *parser.Node, p *pragma, around *kernelStep, lanes bool) *loop {
	u := c.u
	of, seq := c.claimOf(p)
	if seq {
		return nil
	}
	at := u.place(s)
	stays := func(why string) *loop {
		if p != nil || c.kind == "kernels" && around == nil {
			u.say(at, CodeSequential, "this loop runs in the order of the C program: "+why, "nothing needs to be done; its iterations run one after the other")
		}
		return nil
	}
	l, why := u.counts(s)
	if l == nil {
		if p == nil {
			return nil
		}
		panic(refusal(at, CodeLoop, "the loop does not count: "+why, "write for (i = first; i < last; i += step) with an integer that nothing else changes"))
	}
	if why := l.narrow(); why != "" {
		return stays(why)
	}
	combined := c.reductionsOf(c.pragma)
	if around != nil {
		combined = append(combined, around.reductions...)
	}
	if p != nil {
		combined = append(combined, c.reductionsOf(p)...)
	}
	own := func(v *variable) bool {
		named := func(p *pragma) bool { return slices.Contains(u.variablesOf(p, "private"), v) }
		elsewhere := func(a access) bool { return a.v == v && !u.isAtomic(a.node) } // than in atomic operations
		return c.private[v] && (v.isScalar() || !lanes || u.someIn(s, named)) || combined.have(v) || c.moved[v] && !slices.ContainsFunc(u.accessesOf(l.body), elsewhere)
	}
	if v := u.carried(l, own); v != nil {
		if of == promised {
			panic(refusal(at, CodeCarried, fmt.Sprintf("an iteration hands %s to the next one, but the loop is called independent", v.name),
				fmt.Sprintf("name it in reduction or private, or leave independent out: reduction(+:%s)", v.name)))
		}
		return stays(fmt.Sprintf("an iteration hands %s to the next one", v.name))
	}
	if v := find(u.changes(l.body), func(v *variable) bool { return c.moved[v] && !own(v) }); v != nil {
		return stays(fmt.Sprintf("its iterations write the variable %s", v.name))
	}
	m := u.meetings(l, own)
	switch {
	case m.relation == apart || m.relation == unknown && of != none:
	case of == promised:
		u.say(at, CodeCarried, "the loop is called independent, but "+u.why(m), "smux verify tells whether that happens; without independent the loop runs in order")
	default:
		return stays(u.why(m))
	}
	// A value that the last iteration leaves behind is not there after a parallel loop.
	if v := find(u.changes(s), func(v *variable) bool {
		return v != l.counter && !own(v) && !u.counterOnly(v, s) && c.neededInside(s, v)
	}); v != nil {
		return stays(fmt.Sprintf("what its last iteration leaves in %s is needed after it", v.name))
	}
	return l
}

// counterOnly reports whether a variable is nothing but the counter of loops in a statement.
func (u *unit) counterOnly(v *variable, s *parser.Node) bool {
	return !s.Any(func(n *parser.Node) bool {
		return n.Kind == parser.KindAssignmentExpression && u.names(n.Child(parser.FieldLeft), v) && n.Field != parser.FieldInitializer && n.Field != parser.FieldUpdate
	})
}

// neededInside reports whether what a statement leaves in a variable is read after it, in
// the region or, where a kernels construct brings it back, on the host.
func (c *construct) neededInside(s *parser.Node, v *variable) bool {
	// Where only what follows the region needs it, it is lost in any case.
	return c.u.neededBehind(s, v) && (c.kind == "kernels" || c.u.readBehind(s, v, c.stmt))
}

// rectangular reports whether the bounds of a loop don't depend on the counters around it.
func (c *construct) rectangular(k *kernelStep, l *loop) bool {
	return !slices.ContainsFunc(l.bounds(c.u), func(a access) bool {
		return slices.ContainsFunc(k.nest, func(outer *loop) bool { return a.v == outer.counter })
	})
}

// narrow says why a counter can't hold the numbers of threads beyond the last iteration, ""
// where it can.
func (l *loop) narrow() string {
	switch {
	case l.counter.isNarrow():
		return "its counter is smaller than an int"
	case l.step < 0 && l.counter.isUnsigned():
		return "its counter is unsigned and goes down"
	}
	return ""
}
