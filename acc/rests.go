package acc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// A translation may rest on numbers that macros stand for: on a step that a loop counts by, or on a distance that
// keeps iterations apart. The macro stays in the result, where an edit or -D gives it another value, so
// the result checks it. Which macros a translation rests on is found by making it without their values:
// where the text comes out the same, it holds for all values.

// restsOn returns the macros that each construct rests on, by the places of their directives.
func (t *translation) restsOn(translated func(hidden []string) *translation) map[int][]string {
	hidden, rests := splitNames(nil, t.numberMacros(), func(hidden []string) bool {
		other := translated(hidden)
		return other != nil && bytes.Equal(other.Text, t.Text) && bytes.Equal(other.KernelText, t.KernelText)
	})
	if len(rests) == 0 {
		return nil
	}
	out, outside := map[int][]string{}, rests
	for p := range t.constructs {
		_, out[p] = splitNames(hidden, rests, func(hidden []string) bool {
			other := translated(hidden)
			return other != nil && other.constructs[p] == t.constructs[p]
		})
		outside = lists.Filter(outside, func(name string) bool { return !slices.Contains(out[p], name) })
	}
	for p := range t.constructs {
		out[p] = append(out[p], outside...)
	}
	return out
}

// splitNames adds to the hidden names those of others with which it still holds, and returns the rest.
func splitNames(hidden, names []string, holds func(hidden []string) bool) (out, rests []string) {
	if all := slices.Concat(hidden, names); len(names) == 0 || holds(all) {
		return all, nil
	}
	for _, name := range names {
		if tried := append(hidden[:len(hidden):len(hidden)], name); holds(tried) {
			hidden = tried
		} else {
			rests = append(rests, name)
		}
	}
	return hidden, rests
}

// numberMacros returns the macros with integer values that the file and its headers use.
func (t *translation) numberMacros() (names []string) {
	for _, s := range t.sources() {
		for _, k := range s.file.Tokens() {
			name := string(s.file.Src[k.Start:k.End])
			if k.Kind != parser.TokenIdent || slices.Contains(names, name) || s.file.Macros.Dead(k.Start) {
				continue
			}
			if _, ok := s.macroNumber(name, k.Start); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

// macroNumber is the integer that a macro stands for at an offset of the original.
func (s *source) macroNumber(name string, at int) (int64, bool) {
	m, ok := s.file.Macros.Lookup(name, at)
	if !ok || m.FunctionLike || m.Ambiguous {
		return 0, false
	}
	return numberOf(s.file.Macros, name, at)
}

// numberOf is the value of a constant expression whose macros are those in force at an offset.
func numberOf(macros *parser.Macros, text string, at int) (int64, bool) {
	expanded, err := macros.Expand(text, at)
	if err != nil {
		return 0, false
	}
	f, err := parser.ParseFragment(expanded, parser.FragmentExpression)
	if err != nil {
		return 0, false
	}
	fragment := unit{source: &source{tree: &parser.File{Src: f.Src}}}
	return fragment.constant(f.Nodes[0])
}

// macros are those of the file whose values may be used.
func (s *source) macros() *parser.Macros {
	if len(s.hidden) == 0 {
		return s.file.Macros
	}
	return s.file.Macros.Without(func(name string) bool { return slices.Contains(s.hidden, name) })
}

func (s *source) used(p piece) string { return identifier.FindString(string(s.file.Src[p.from:p.to])) }

// hides reports whether a piece comes from a macro that is hidden, or written by one that is.
func (s *source) hides(p piece) bool {
	return !p.verbatim && slices.ContainsFunc(s.hidden, func(name string) bool { return s.expandsTo(s.used(p), p.from, name, 8) })
}

// isHidden reports whether a node comes from a hidden macro, which is returned where the node is all that it stands for.
func (s *source) isHidden(n *parser.Node) (*parser.Macro, bool) {
	if len(s.hidden) == 0 || !s.hides(s.pieceAt(int(n.Start))) {
		return nil, false
	}
	p := s.pieceAt(int(n.Start))
	m, ok := s.file.Macros.Lookup(string(s.file.Src[p.from:p.to]), p.from)
	if !ok || strings.Trim(string(s.tree.Src[p.at:p.end]), "() ") != s.text(n) {
		return nil, true
	}
	return m, true
}

// assertions are lines that stop the compilation where a macro is another number than a construct rests on.
func (t *translation) assertions(p *pragma) []string {
	var is, says []string
	for _, name := range t.options.asserted[p.start] {
		if n, ok := t.macroNumber(name, p.start); ok {
			is, says = append(is, fmt.Sprintf("%s == %d", name, n)), append(says, fmt.Sprintf("%s = %d", name, n))
		}
	}
	if len(is) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("static_assert(%s, \"smux translated this for %s\");", strings.Join(is, " && "), strings.Join(says, ", "))}
}

// tellGiven says of macros of the command line that regions use them: the result rests on the values.
func (t *translation) tellGiven() {
	for _, name := range t.options.Given {
		for _, p := range t.pieces {
			inRegion := func(q *pragma) bool { return int(q.stmt.Start) <= p.at && p.at < int(q.stmt.End) }
			if !p.verbatim && slices.ContainsFunc(computing(t.pragmas), inRegion) && t.expandsTo(t.used(p), p.from, name, 8) {
				t.say(t.at(p.from), CodeGiven, fmt.Sprintf("the value of %s comes from the command line, and the translation depends on it", name),
					fmt.Sprintf("compile the result with the same -D %s=…", name))
				break
			}
		}
	}
}

// expandsTo reports whether a macro is another one, or is written by it, so many steps deep.
func (s *source) expandsTo(macro string, at int, name string, depth int) bool {
	if macro == name || depth == 0 {
		return macro == name
	}
	m, ok := s.file.Macros.Lookup(macro, at)
	return ok && slices.ContainsFunc(parser.Names(m.Body), func(w string) bool { return s.expandsTo(w, at, name, depth-1) })
}
