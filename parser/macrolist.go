package parser

import "sort"

// All returns every macro definition in view of the file that may be compiled, by name and position.
func (m *Macros) All() []*Macro {
	if m == nil {
		return nil
	}
	var out []*Macro
	for _, n := range m.names {
		out = append(out, n.all...)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Name != out[j].Name {
			return out[i].Name < out[j].Name
		}
		return out[i].Pos < out[j].Pos
	})
	return out
}

// Named returns the definitions of a name that All has.
func (m *Macros) Named(name string) []*Macro {
	if m == nil || m.names[name] == nil {
		return nil
	}
	return m.names[name].all
}
