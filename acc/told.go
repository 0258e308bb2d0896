package acc

import "slices"

// tell says of each loop under a directive of a construct that it has no threads of its own,
// where that has not been said.
func (c *construct) tell() {
	nests := flattenNests(c.steps)
	for _, p := range c.u.pragmas {
		if !p.Loop() || p.stmt == nil || !within(p.stmt, c.stmt) || p.Has("seq") || c.kind == "serial" {
			continue
		}
		at := c.u.place(p.stmt)
		said := false
		for _, m := range c.u.said {
			said = said || m.Code == CodeSequential && m.Pos == at
		}
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
	for _, k := range nests {
		if clause, ok := c.pragma.Clause("num_gangs"); ok && len(k.nest) > 1 {
			c.u.say(c.u.at(clause.Pos), CodeSizes, "num_gangs is not followed: the nest of loops has a thread for each iteration, in blocks of several dimensions", "nothing needs to be done")
			break
		}
	}
}

func flattenNests(steps []step) (out []*kernelStep) {
	for _, s := range steps {
		switch s := s.(type) {
		case *kernelStep:
			out = append(out, s)
		case *hostLoop:
			out = append(out, flattenNests(s.steps)...)
		}
	}
	return out
}
