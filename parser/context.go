package parser

import "slices"

// includedAt is one #include of a file, by its includer.
type includedAt struct {
	macros *Macros
	pos    int
}

// macroContext holds the places where a file is included: a kernel's file often has its sizes from the file that
// includes it. Where several includers differ, a name is ambiguous.
type macroContext []includedAt

// apply makes what is defined at those places the state at the file's begin.
func (c macroContext) apply(p *preprocessor) {
	for first, from := range c {
		for name := range from.macros.names {
			if !slices.ContainsFunc(c[:first], func(i includedAt) bool { return i.macros.names[name] != nil }) {
				c.set(p, name)
			}
		}
	}
}

// set gives a name the meanings that it has in the includers.
func (c macroContext) set(p *preprocessor, name string) {
	var cases []possibility
	var all []*Macro
	known := 0
	for _, i := range c {
		if n := i.macros.names[name]; n != nil {
			all = appendMacros(all, n.all...)
		}
		at := i.macros.casesAt(name, i.pos)
		if at == nil {
			continue
		}
		known++
		at = feasible(at, i.macros.pathAt(i.pos))
		if cases == nil && len(at) == 1 && at[0].under == nil {
			cases = at[:1:1]
			continue
		}
		for _, q := range at {
			// Assumptions mean nothing outside of the file that made them.
			cases = appendCase(cases, possibility{macro: q.macro, external: q.external})
		}
	}
	if cases != nil {
		if known < len(c) {
			cases = appendCase(cases, possibility{external: true})
		}
		p.set(name, cases, 0)
	}
	n := p.out.of(name)
	n.all = appendMacros(all, n.all...)
}

// appendMacros adds definitions that are not there yet: files that include one another have most of them from the same headers.
func appendMacros(list []*Macro, more ...*Macro) []*Macro {
	if len(list) == 0 {
		return more
	}
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
