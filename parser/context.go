package parser

import "slices"

// macroContext holds what is defined where a file is included: a kernel's file often has its sizes from the file that
// includes it. Where several includers differ, a name is ambiguous.
type macroContext struct {
	includers int
	cases     map[string][]possibility
	seen      map[string]int // in how many includers the name is known
	all       map[string][]*Macro
}

// add adds the state of an includer at the offset of its #include.
func (c *macroContext) add(m *Macros, at int) {
	if c.cases == nil {
		c.cases, c.seen, c.all = map[string][]possibility{}, map[string]int{}, map[string][]*Macro{}
	}
	under := m.pathAt(at)
	for name := range m.changes {
		cases := m.casesAt(name, at)
		if cases == nil {
			continue
		}
		c.seen[name]++
		for _, p := range feasible(cases, under) {
			// Assumptions mean nothing outside of the file that made them.
			c.cases[name] = appendCase(c.cases[name], possibility{macro: p.macro, external: p.external})
		}
	}
	for name, list := range m.all {
		c.all[name] = appendMacros(c.all[name], list)
	}
	c.includers++
}

// appendMacros adds definitions that are not there yet: what includes one another has most of them from the same headers.
func appendMacros(list, more []*Macro) []*Macro {
	out := list[:len(list):len(list)]
	for _, m := range more {
		if !slices.ContainsFunc(out, func(o *Macro) bool { return o == m || o.File == m.File && o.Pos == m.Pos && o.same(m) }) {
			out = append(out, m)
		}
	}
	return out
}

// appendCase adds a possibility that is not there yet.
func appendCase(list []possibility, p possibility) []possibility {
	for _, q := range list {
		if q.external == p.external && (q.macro == p.macro || q.macro != nil && p.macro != nil && q.macro.same(p.macro)) {
			return list
		}
	}
	return append(list, p)
}

// apply makes the context the state at the file's begin.
func (c *macroContext) apply(p *preprocessor) {
	for name, cases := range c.cases {
		if c.seen[name] < c.includers {
			cases = appendCase(cases, possibility{external: true})
		}
		p.set(name, cases, 0)
	}
	for name, list := range c.all {
		p.out.all[name] = appendMacros(list, p.out.all[name])
	}
}
