package translate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

var elsewhere = regexp.MustCompile(`\bextern\s+(?:\w+\s+)*?__(?:device|constant|managed)__|\b__(?:device|constant|managed)__\s+(?:\w+\s+)*?extern\b`)

// OwnVariables reports whether each of several files has device variables of its own, as nvcc without -rdc makes them: none
// declares what another one defines.
func OwnVariables(prog *parser.Program) bool {
	return len(prog.Files) > 1 && !slices.ContainsFunc(prog.All(), func(f *parser.File) bool { return elsewhere.Match(f.Src) })
}

// deviceVariables makes device variables static that are the file's own, and tells the run-time of those in constant memory: after
//
//	__constant__ float a[4], b;
//
// comes, on its line,
//
//	static const ::smux_cpu::constant_memory smux_k1_a(a), smux_k1_b(b);
//
// Left out are those that a class or another name space declares, templates, and what a
// macro makes: writes to them are not found.
func (t *text) deviceVariables(s *stretch) {
	if s.macro != nil {
		return
	}
	own := -1 // the end of the last that was made static
	for i := range s.toks {
		constant := s.is(i, "__constant__")
		if !constant && (!t.own || !s.is(i, "__device__") && !s.is(i, "__managed__")) || t.scopeAt(s.toks[i].Start) != namespaceScope {
			continue
		}
		d := s.qualifiedDeclaration(i)
		if d.dynamic || d.last < 0 || s.is(d.first-1, ">") {
			continue
		}
		if t.own && i > own && len(d.storage) == 0 && len(d.variables) > 0 && !s.scope(d.variables[0].first-2) {
			own = d.last
			t.insert(s.toks[d.first].Start, "static ")
		}
		if !constant {
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
