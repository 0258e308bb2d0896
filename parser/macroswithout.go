package parser

import "maps"

// Without returns the macros of a file but for those of some names: these stand for themselves.
// Conditions of the preprocessor stay decided as they are.
func (m *Macros) Without(hidden func(name string) bool) *Macros {
	if m == nil {
		return nil
	}
	out := *m
	out.names = maps.Clone(m.names)
	for name, n := range m.names {
		if hidden(name) {
			out.names[name] = &meanings{all: n.all}
		}
	}
	return &out
}
