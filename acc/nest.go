package acc

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// nest is the nest of loops that begins with a statement, as far as they run in parallel; nil where the outermost does not.
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
			refuseIf(collapse > 0, c.u.place(s), CodeLoop, "a loop that collapse names can't run in parallel", "take it out of the collapse")
			break
		}
		counts := func(a access) bool {
			return slices.ContainsFunc(k.nest, func(outer *loop) bool { return a.v == outer.counter })
		}
		if k != nil && slices.ContainsFunc(l.bounds(c.u), counts) { // it is not rectangular
			break
		}
		var all reductions
		if k == nil {
			k = &kernelStep{by: p}
			if p != c.pragma {
				all = lists.Filter(c.reductionsOf(c.pragma), func(r reduction) bool {
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
			refuseIf(k.reductions.clash(r), c.u.at(c.pragma.Pos), CodeUnsupported, fmt.Sprintf("%s, which loops of one nest reduce by two operators", r.v.name), "reduce it by one of them, and combine the other in a variable of its own")
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
				panic(refusal(c.u.at(cmp.Or(p, by).Pos), CodeLoop, fmt.Sprintf("collapse names %d loops more than stand directly in one another", collapse), "take what stands between them out, or collapse fewer"))
			}
			break
		}
		s = inner[0]
		if collapse <= 0 && c.u.loopOver(s) == nil && k.by != nil && (k.by.Has("worker") || k.by.Has("vector")) {
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

// parallel is the loop of a for statement if its iterations can run side by side, nil if they can't; then the reason
// is reported already. Its iterations may be combined into what the nest around it, or the construct, reduces. Those
// that lanes of a thread block share have its arrays in common.
func (c *construct) parallel(s *parser.Node, p *pragma, around *kernelStep, lanes bool) *loop {
	u := c.u
	if p != nil && p.Has("seq") {
		return nil
	}
	promised := p != nil && p.Has("independent")
	independent := promised || p != nil && c.kind == "parallel" && !p.Has("auto") // as a parallel construct says of its loops
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
	switch { // the counter can't hold the numbers of threads beyond the last iteration
	case l.counter.isNarrow():
		return stays("its counter is smaller than an int")
	case l.step < 0 && l.counter.isUnsigned():
		return stays("its counter is unsigned and goes down")
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
		refuseIf(promised, at, CodeCarried, fmt.Sprintf("an iteration hands %s to the next one, but the loop is called independent", v.name),
			fmt.Sprintf("name it in reduction or private, or leave independent out: reduction(+:%s)", v.name))
		return stays(fmt.Sprintf("an iteration hands %s to the next one", v.name))
	}
	if v := lists.Find(u.changes(l.body), func(v *variable) bool { return c.moved[v] && !own(v) }); v != nil {
		return stays(fmt.Sprintf("its iterations write the variable %s", v.name))
	}
	m := u.meetings(l, own)
	switch {
	case m.relation == apart || m.relation == unknown && independent:
	case promised:
		u.say(at, CodeCarried, "the loop is called independent, but "+u.why(m), "smux verify tells whether that happens; without independent the loop runs in order")
	default:
		return stays(u.why(m))
	}
	// A value that the last iteration leaves behind is not there after a parallel loop. Where only what follows the region
	// needs it, it is lost in any case, but for a kernels construct, which brings it back.
	if v := lists.Find(u.changes(s), func(v *variable) bool {
		return v != l.counter && !own(v) && !u.counterOnly(v, s) && u.neededBehind(s, v) && (c.kind == "kernels" || u.readBehind(s, v, c.stmt))
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
