package acc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
)

// tell says of each loop under a directive that it has no threads of its own, where that has not been said.
func (c *construct) tell() {
	nests := flattenNests(c.steps)
	for _, p := range c.directives() {
		p.takes(threading...)
		p.takes("reduction") // statements that one thread runs, and loops in order, add to the variable itself
		if !p.Loop() || p.Has("seq") || c.kind == "serial" {
			continue
		}
		at := c.u.place(p.stmt)
		said := slices.ContainsFunc(c.u.said, func(m diag.Message) bool { return m.Code == CodeSequential && m.Pos == at })
		inNest := func(k *kernelStep) bool {
			return slices.ContainsFunc(slices.Concat(k.nest, k.lanes), func(l *loop) bool { return l.node == p.stmt })
		}
		if said || slices.ContainsFunc(nests, inNest) {
			continue
		}
		why := "what stands around it runs in order"
		if i := slices.IndexFunc(nests, func(k *kernelStep) bool { return within(p.stmt, k.body) }); i >= 0 {
			why = "the iterations of the loop around it have a thread each, and each runs this loop"
			if nests[i].phases != nil {
				why = "its iterations stand in one of a thread's"
			} else if nests[i].alone != "" {
				why += " (" + nests[i].alone + ")"
			}
		}
		c.u.say(at, CodeSequential, "this loop runs in the order of the C program: "+why, "put it directly into the loop around it, with nothing else there, and it has threads, too")
	}
	several := slices.ContainsFunc(nests, func(k *kernelStep) bool { return len(k.nest) > 1 })
	clause, ok := c.pragma.Clause("num_gangs")
	switch n, _ := c.u.value(argument(clause), c.pragma); {
	case ok && several:
		c.notFollowed(clause.Pos, "num_gangs", inDimensions)
	case ok && n != 1 && c.kind == "parallel" && len(flatten(c.steps)) > len(nests):
		c.notFollowed(clause.Pos, "num_gangs", "outside of loops one thread runs each statement once")
	}
}

// inDimensions says why there is no number of gangs.
const inDimensions = "the nest of loops has a thread for each iteration, in blocks of several dimensions"

func (c *construct) directives() []*pragma { return directivesIn(c.u, c.pragma) }

// directivesIn are a compute construct's own directive and those over loops in it.
func directivesIn(u *unit, p *pragma) []*pragma {
	return lists.Filter(u.pragmas, func(q *pragma) bool { return q == p || q.Loop() && q.stmt != nil && within(q.stmt, p.stmt) })
}

func (c *construct) notFollowed(pos int, what, why string) {
	c.u.say(c.u.at(pos), CodeSizes, what+" is not followed: "+why, "nothing needs to be done")
}

// argument is the text of a clause's first argument, "" for none.
func argument(c directive.Clause) string {
	if len(c.Args) == 0 {
		return ""
	}
	return c.Args[0].Text
}

// tellWords says of words inside of clauses that they are not followed: none of them changes a result.
func (c *construct) tellWords() {
	for _, p := range c.directives() {
		several := slices.ContainsFunc(flattenNests(c.steps), func(k *kernelStep) bool { return k.by == p && len(k.nest) > 1 })
		for _, clause := range p.Clauses {
			switch {
			case clause.Name == "collapse" && clause.Modifier != "":
				c.u.say(c.u.at(clause.Pos), CodeNoEffect, "force changes nothing: loops that stand directly in one another are collapsed, others run in each thread", "nothing needs to be done")
			case clause.Name == "num_gangs" && len(clause.Args) > 1:
				c.notFollowed(clause.Pos, "num_gangs", "it has several numbers")
			}
			for _, a := range clause.Args {
				switch {
				case clause.Name != "gang":
				case a.Key == "static":
					c.notFollowed(a.Pos, "static", "which thread block has which iterations is smux's choice")
				case a.Key == "dim":
					c.notFollowed(a.Pos, "dim", "the loops of a nest have a dimension of the grid each")
				case several:
					c.notFollowed(a.Pos, "the number of gangs", inDimensions)
				}
			}
		}
	}
}

func flattenNests(steps []*step) (out []*kernelStep) {
	kernels := lists.Filter(flatten(steps), func(s *step) bool { return s.nest != nil })
	return lists.Map(kernels, func(s *step) *kernelStep { return s.nest })
}

// takes notes that the translation does what clauses ask for. What nothing takes is refused, so that no clause is dropped.
func (p *pragma) takes(names ...string) {
	if p.taken == nil {
		p.taken = map[string]bool{}
	}
	for _, name := range names {
		p.taken[name] = true
	}
}

// take returns the first clause of a name for what does what it asks for.
func (p *pragma) take(name string) (directive.Clause, bool) {
	p.takes(name)
	return p.Clause(name)
}

// threading are the clauses that say which loops have threads, and how many. They change no result.
var threading = []string{"gang", "worker", "vector", "seq", "independent", "auto", "collapse", "tile", "num_gangs", "num_workers", "vector_length"}

// atomicForms are the clauses of atomic, each of which one operation stands for.
var atomicForms = []string{"read", "write", "update", "capture", "if"}

// untaken refuses the clauses that nothing has done.
func untaken(u *unit) error {
	var errs []error
	for _, p := range u.pragmas {
		for _, c := range p.Clauses {
			if !p.taken[c.Name] {
				errs = append(errs, refusal(u.at(c.Pos), CodeUnsupported, fmt.Sprintf("the clause %s of %s here", c.Name, p.Name), "take it out, or move it to a directive that takes it").error)
			}
		}
	}
	return errors.Join(errs...)
}
