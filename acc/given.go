package acc

import (
	"fmt"
	"slices"
)

// tellGiven says of macros of the command line that regions use them: their names stay in the
// result, whose grids rest on the values.
func (t *translation) tellGiven() {
	for _, name := range t.options.Given {
		for _, p := range t.pieces {
			if p.verbatim || !t.inRegion(p.at) || !t.expandsTo(identifier.FindString(string(t.file.Src[p.from:p.to])), p.from, name, 8) {
				continue
			}
			t.say(t.at(p.from), CodeGiven, fmt.Sprintf("the value of %s is that of the command line: what was decided rests on it", name),
				fmt.Sprintf("compile the result with the same -D %s=…", name))
			break
		}
	}
}

// inRegion reports whether an offset of the written-out text is in a compute construct.
func (t *translation) inRegion(at int) bool {
	return slices.ContainsFunc(t.pragmas, func(p *pragma) bool {
		return p.Compute() && int(p.stmt.Start) <= at && at < int(p.stmt.End)
	})
}

// expandsTo reports whether a macro is another one, or is written by it, so many steps deep.
func (s *source) expandsTo(macro string, at int, name string, depth int) bool {
	if macro == name || depth == 0 {
		return macro == name
	}
	m, ok := s.file.Macros.Lookup(macro, at)
	if !ok {
		return false
	}
	for _, w := range identifier.FindAllString(m.Body, -1) {
		if s.expandsTo(w, at, name, depth-1) {
			return true
		}
	}
	return false
}
