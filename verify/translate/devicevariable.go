package translate

import (
	"regexp"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

var elsewhere = regexp.MustCompile(`\bextern\s+(?:\w+\s+)*?__(?:device|constant|managed)__|\b__(?:device|constant|managed)__\s+(?:\w+\s+)*?extern\b`)

// OwnVariables reports whether each of several files has device variables of its own, as nvcc without -rdc makes them: none
// declares what another one defines.
func OwnVariables(prog *parser.Program) bool {
	return len(prog.Files) > 1 && !slices.ContainsFunc(prog.All(), func(f *parser.File) bool { return elsewhere.Match(f.Src) })
}

// ownVariables makes the device variables of a file static.
func (t *text) ownVariables(s *stretch) {
	if !t.own || s.macro != nil {
		return
	}
	done := -1
	for i := range s.toks {
		if !s.is(i, "__device__") && !s.is(i, "__constant__") && !s.is(i, "__managed__") || i <= done || t.scopeAt(s.toks[i].Start) != namespaceScope {
			continue
		}
		d := s.qualifiedDeclaration(i)
		if len(d.storage) > 0 || d.last < 0 || len(d.variables) == 0 || s.is(d.first-1, ">") || s.scope(d.variables[0].first-2) {
			continue
		}
		done = d.last
		t.insert(s.toks[d.first].Start, "static ")
	}
}
