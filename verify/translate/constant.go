package translate

import (
	"fmt"
	"strings"
)

// constantVariables tells the run-time of the variables in constant memory: after
//
//	__constant__ float a[4], b;
//
// comes, on its line,
//
//	static const ::smux_cpu::constant_memory smux_k1_a(a), smux_k1_b(b);
//
// Left out are those that a class or another name space declares, templates, and what a
// macro makes: writes to them are not found.
func (t *text) constantVariables(s *stretch) {
	if s.macro != nil {
		return
	}
	for i := range s.toks {
		if !s.is(i, "__constant__") || t.scopeAt(s.toks[i].Start) != namespaceScope {
			continue
		}
		d := s.qualifiedDeclaration(i)
		if d.dynamic || d.last < 0 || s.is(d.first-1, ">") {
			continue
		}
		t.numbers++
		var told []string
		for _, v := range d.variables {
			if name := s.line(v.first, v.last); !s.scope(v.first - 2) {
				told = append(told, fmt.Sprintf("smux_k%d_%s(%s)", t.numbers, name, name))
			}
		}
		if len(told) > 0 {
			t.insert(s.toks[d.last].End, " static const ::smux_cpu::constant_memory "+strings.Join(told, ", ")+";")
		}
	}
}
