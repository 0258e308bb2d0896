package acc

import (
	"slices"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/diag"
)

// tell says of each loop under a directive of a construct that it has no threads of its own,
// where that has not been said.
func (c *construct) tell() {
	nests := flattenNests(c.steps)
	c.pragma.takes(threading...)
	c.pragma.takes("reduction") // statements that one thread runs, and loops in order, add to the variable itself
	for _, p := range c.u.pragmas {
		if p.Loop() && p.stmt != nil && within(p.stmt, c.stmt) {
			p.takes(threading...)
			p.takes("reduction")
		}
		if !p.Loop() || p.stmt == nil || !within(p.stmt, c.stmt) || p.Has("seq") || c.kind == "serial" {
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
	clause, ok := c.pragma.Clause("num_gangs")
	switch n, _ := c.u.value(argument(clause), c.pragma); {
	case !ok:
	case slices.ContainsFunc(nests, func(k *kernelStep) bool { return len(k.nest) > 1 }):
		c.u.say(c.u.at(clause.Pos), CodeSizes, "num_gangs is not followed: the nest of loops has a thread for each iteration, in blocks of several dimensions", "nothing needs to be done")
	case n != 1 && c.kind == "parallel" && len(flatten(c.steps, false)) > len(nests):
		c.u.say(c.u.at(clause.Pos), CodeSizes, "num_gangs is not followed outside of loops: one thread runs each statement there once", "put what is to be done several times into a loop")
	}
}

// argument is the text of a clause's first argument, "" for none.
func argument(c directive.Clause) string {
	if len(c.Args) == 0 {
		return ""
	}
	return c.Args[0].Text
}

// tellWords says of words inside of clauses that they are not followed: none of them changes a
// result.
func (c *construct) tellWords() {
	nests := flattenNests(c.steps)
	for _, p := range c.u.pragmas {
		if p != c.pragma && (!p.Loop() || p.stmt == nil || !within(p.stmt, c.stmt)) {
			continue
		}
		for _, clause := range p.Clauses {
			at := c.u.at(clause.Pos)
			if clause.Name == "collapse" && clause.Modifier != "" {
				c.u.say(at, CodeNoEffect, "force changes nothing: the loops stand directly in one another", "nothing needs to be done")
			}
			if clause.Name == "num_gangs" && len(clause.Args) > 1 {
				c.u.say(at, CodeSizes, "num_gangs is not followed: it has several numbers", "nothing needs to be done")
			}
			if clause.Name != "gang" {
				continue
			}
			for _, a := range clause.Args {
				several := slices.ContainsFunc(nests, func(k *kernelStep) bool { return k.by == p && len(k.nest) > 1 })
				switch {
				case a.Key == "static":
					c.u.say(c.u.at(a.Pos), CodeSizes, "static is not followed: which thread block has which iterations is smux's choice", "nothing needs to be done")
				case a.Key == "dim":
					c.u.say(c.u.at(a.Pos), CodeSizes, "dim is not followed: the loops of a nest have a dimension of the grid each", "nothing needs to be done")
				case several:
					c.u.say(c.u.at(a.Pos), CodeSizes, "the number of gangs is not followed: the nest of loops has a thread for each iteration, in blocks of several dimensions", "nothing needs to be done")
				}
			}
		}
	}
}

func flattenNests(steps []step) (out []*kernelStep) {
	for _, p := range flatten(steps, false) {
		if p.nest != nil {
			out = append(out, p.nest)
		}
	}
	return out
}
