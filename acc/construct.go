package acc

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

type construct struct {
	u       *unit
	pragma  *pragma
	kind    string // parallel, kernels or serial
	stmt    *parser.Node
	private map[*variable]bool  // that clauses name, of the construct or of a loop in it
	first   map[*variable]bool  // of them, those that begin with the host's value
	lengths map[*variable]int64 // in elements, of pointers that are private with what they lead to
	reduced map[*variable]bool  // that clauses of loops in it, or its own, reduce
	steps   []*step
	// moved are scalars that live on the device while the region runs.
	moved map[*variable]bool
	// back are those of them that come back to the host at the end.
	back map[*variable]bool
	// listed are scalars in data clauses: what comes of their values is reported.
	listed map[*variable]bool
	// implied are the reductions that no clause says.
	implied reductions
}

// step is a part of a construct, in the order of execution: a kernel, or a loop that the host runs, with kernels in its body.
type step struct {
	stmts   []*parser.Node // of a kernel
	nest    *kernelStep    // of it; nil for one thread
	repeats bool           // it is in a loop of the host
	loop    *loop          // of the host; nil for a kernel
	steps   []*step        // in it
}

// kernelStep is a nest of loops whose iterations are threads.
type kernelStep struct {
	nest []*loop // from the outermost
	body *parser.Node
	by   *pragma // the directive over the outermost, nil for none
	// reductions are the variables into which iterations are combined, in the order of clauses.
	reductions reductions
	// phases are the body of a nest whose iterations have a thread block each; lanes are the loops that its threads share.
	phases []*phase
	lanes  []*loop
	shared []*variable // arrays of an iteration, of which each thread block has one
	alone  string      // why there are none although a directive asks for them
}

// one reports whether a step is a kernel of one thread.
func (s *step) one() bool { return s.nest == nil && s.loop == nil }

type reduction struct {
	v        *variable
	op       string
	elements int // of an array, from its first; 0 for a variable
}

type reductions []reduction

func (rs reductions) have(v *variable) bool {
	return slices.ContainsFunc(rs, func(r reduction) bool { return r.v == v })
}

// clash reports whether another directive of the nest reduces a variable by another operator.
func (rs reductions) clash(r reduction) bool {
	return slices.ContainsFunc(rs, func(o reduction) bool { return o.v == r.v && o.op != r.op })
}

func (u *unit) variablesOf(p *pragma, clauses ...string) (out []*variable) {
	for _, a := range p.ArgsOf(clauses...) {
		if v := u.named(p, a); v != nil {
			out = append(out, v)
		}
	}
	return out
}

// named is the variable that an argument of a clause names, as seen from the directive.
func (u *unit) named(p *pragma, a directive.Arg) *variable {
	if of, _ := u.memberIn(p, a.Name); of != nil {
		return u.members[memberKey{of, a.Name}]
	}
	return u.lookup(a.Name, u.written(p.start))
}

func (u *unit) newConstruct(p *pragma, outer func(*variable) bool) *construct {
	c := &construct{
		u: u, pragma: p, kind: p.Construct(), stmt: p.stmt,
		private: map[*variable]bool{}, first: map[*variable]bool{}, lengths: map[*variable]int64{}, reduced: map[*variable]bool{}, moved: map[*variable]bool{}, back: map[*variable]bool{}, listed: map[*variable]bool{},
	}
	for _, q := range c.directives() {
		for clause, a := range q.ArgsOf("private", "firstprivate") {
			c.own(q, clause, a)
		}
		for _, a := range q.ArgsOf("reduction") {
			v := u.named(q, a)
			refuseIf(v == nil, u.at(a.Pos), CodeUnsupported, a.Text+" in a reduction", "reduce a variable, and store it after the loop")
			c.reduced[v] = true
		}
	}
	for _, q := range u.pragmas {
		refuseIf(q.stmt != nil && within(q.stmt, p.stmt) && q.start > p.start && (q.Compute() || q.Name == "data" || q.Name == "host_data"),
			u.at(q.Pos), CodeStatement, q.Name+" stands in a compute construct", "end the construct before it")
	}
	listed := lists.Filter(u.variablesOf(p, "copy", "copyin", "copyout", "create", "present"), func(v *variable) bool { return !c.reduced[v] }) // which the reduction brings back
	listed = append(listed, lists.Filter(u.variablesIn(p.stmt), func(v *variable) bool { return v.isScalar() && outer(v) && !c.first[v] })...)
	for _, v := range lists.Filter(listed, (*variable).isScalar) {
		c.moved[v], c.listed[v] = true, true
	}
	refuseIf(u.leaves(p.stmt), u.at(p.Pos), CodeStatement, "the region of "+p.Name+" is left before its end", "have return, goto and break lead to places in it")
	if i := slices.IndexFunc(c.statements(), u.leaps); i >= 0 && c.kind != "serial" {
		panic(refusal(u.place(c.statements()[i]), CodeStatement, "goto leads from one statement of the region to another", "have it stay in a loop, or write the region as serial"))
	}
	c.imply()
	c.steps = c.list(c.statements())
	c.checkLocals()
	c.flow()
	c.tell()
	c.tellWords()
	return c
}

// own notes what private and firstprivate name. Of a pointer with a section each thread has the elements, of others the pointer.
func (c *construct) own(q *pragma, clause directive.Clause, a directive.Arg) {
	u, at := c.u, c.u.at(a.Pos)
	v := u.named(q, a)
	q.takes(clause.Name)
	switch {
	case v == nil:
		panic(undeclared(at, a))
	case clause.Name == "firstprivate" && !v.isScalar() && u.writesTo(c.stmt, v):
		panic(refusal(at, CodeUnsupported, "the array "+v.name+" as firstprivate, which the region changes", "name it in copyin, and copy it in the loop"))
	case clause.Name == "firstprivate":
		c.first[v] = true
		return
	}
	c.private[v] = true
	if q != c.pragma {
		q.keeps(u, v, c.stmt, a)
	}
	named := func(n *parser.Node) bool { return n.Kind == parser.KindIdentifier && u.variableOf(n) != nil }
	measuredAtRun := func(d derivation) bool { return d.pointer || d.size == nil || d.size.Any(named) }
	repoints := func(a access) bool { return a.v == v && len(a.subs) == 0 }
	switch {
	case v.isScalar() || v.isArray() && !v.flat && !slices.ContainsFunc(v.derived, measuredAtRun):
		return
	case len(a.Sections) == 0 && v.isPointer() && !v.param && !c.useOf([]*parser.Node{q.stmt}, v).reads:
		return
	case len(a.Sections) == 1 && len(v.derived) == 1 && !slices.ContainsFunc(u.accessesOf(c.stmt), repoints):
		n, ok := u.sectionValue(a.Sections[0].Length, q)
		if first, known := u.sectionValue(cmp.Or(a.Sections[0].Lower, "0"), q); ok && n > 0 && known && first == 0 {
			c.lengths[v] = n
			return
		}
	}
	panic(refusal(at, CodeShape, fmt.Sprintf("how many elements of %s each has for itself is no constant", a.Text), fmt.Sprintf("write private(%s[0:8]) with a constant, or declare an array in the loop", v.name)))
}

// keeps refuses a private variable of a loop whose value from before is read after it: the kernel has one variable for both.
func (q *pragma) keeps(u *unit, v *variable, limit *parser.Node, a directive.Arg) {
	refuseIf(u.assigned(q.stmt, v) && u.readBehind(q.stmt, v, limit), u.at(a.Pos), CodeUnsupported,
		fmt.Sprintf("%s, which is private in the loop and keeps its value from before for what follows", v.name), "declare a variable of its own in the loop")
}

// sectionValue is the number that a bound of a section has whenever the program comes there.
func (u *unit) sectionValue(text string, p *pragma) (int64, bool) {
	if v := u.lookup(text, u.written(p.start)); v != nil {
		n, ok := u.fixedValue(v)
		return n, ok && (!v.global || v.isStatic || v.isConst)
	}
	return u.value(text, p)
}

func (c *construct) statements() []*parser.Node {
	if c.stmt.Kind == parser.KindCompoundStatement && !c.pragma.Loop() {
		return statementsOf(c.stmt)
	}
	return []*parser.Node{c.stmt}
}

// statementsOf are the statements of a block, or the one that it is.
func statementsOf(n *parser.Node) (out []*parser.Node) {
	if n.Kind != parser.KindCompoundStatement {
		return []*parser.Node{n}
	}
	return parts(n)
}

// parts are the named children of a node, comments aside.
func parts(n *parser.Node) (out []*parser.Node) {
	for c := n.FirstNamed(); c != nil; c = c.NextNamed() {
		out = append(out, c)
	}
	return out
}

func (c *construct) list(stmts []*parser.Node) (out []*step) {
	for _, s := range stmts {
		if s.Kind == parser.KindExpressionStatement && s.FirstNamed() == nil || c.bare(s) {
			continue
		}
		for _, n := range c.plan(s) {
			if last := len(out) - 1; last >= 0 && n.one() && out[last].one() {
				out[last].stmts = append(out[last].stmts, n.stmts...)
			} else {
				out = append(out, n)
			}
		}
	}
	return out
}

func (c *construct) plan(s *parser.Node) []*step {
	alone := []*step{{stmts: []*parser.Node{s}}}
	if c.kind == "serial" {
		return alone
	}
	switch s.Kind {
	case parser.KindCompoundStatement:
		if !declaresAny(s) && !slices.ContainsFunc(statementsOf(s), c.u.leaps) {
			return c.list(statementsOf(s))
		}
	case parser.KindForStatement:
		if k := c.nest(s); k != nil {
			return []*step{{stmts: alone[0].stmts, nest: k}}
		}
		l, _ := c.u.counts(s)
		if !c.hasLoops(s) || l == nil || !c.onHost(l) || declaresAny(l.body) || continues(l.body) || slices.ContainsFunc(statementsOf(l.body), c.u.leaps) {
			return alone
		}
		if steps := c.list(statementsOf(l.body)); len(flattenNests(steps)) > 0 {
			for _, k := range flatten(steps) {
				k.repeats = true
			}
			return []*step{{loop: l, steps: steps}}
		}
	}
	return alone
}

func declaresAny(n *parser.Node) bool {
	return slices.ContainsFunc(statementsOf(n), func(s *parser.Node) bool { return s.Kind == parser.KindDeclaration })
}

// hasLoops reports whether loops in a statement may get threads: in a kernels construct all (OpenACC 3.3, section 2.9.7), else those under a directive.
func (c *construct) hasLoops(s *parser.Node) bool {
	return c.kind == "kernels" && has(s, parser.KindForStatement) || c.u.someIn(s, (*pragma).Loop)
}

// onHost reports whether the host can run a loop: its bounds read no memory of the device.
func (c *construct) onHost(l *loop) bool {
	return !c.moved[l.counter] && !hasCall(l.lower) && !hasCall(l.upper) && !slices.ContainsFunc(l.bounds(c.u), func(a access) bool {
		return !a.v.isScalar() || c.moved[a.v] || c.u.assigned(c.stmt, a.v) && c.u.counterAt(a.v, a.node) == nil
	})
}

// continues reports whether a loop's body goes on to the next iteration in its middle.
func continues(body *parser.Node) bool {
	found := false
	body.Walk(func(c *parser.Node) bool {
		found = found || c.Kind == parser.KindContinueStatement
		return !found && !isLoop(c)
	})
	return found
}
