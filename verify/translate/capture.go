package translate

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// A lambda uses a shared variable without capturing it, as it is static. The reference that takes its place would be
// captured: by [=] as a copy, by [] not at all. So the lambda gets to capture it by reference.

// captureShared adds a shared variable to the capture lists of the lambdas that use it.
func (t *text) captureShared(s *stretch, d declaration) {
	if s.macro != nil || t.scopeAt(s.toks[d.qualifier].Start) != functionScope {
		return
	}
	block := t.nodeAt(s.toks[d.qualifier].Start)
	for block != nil && block.Kind != parser.KindCompoundStatement {
		block = block.Parent
	}
	if block == nil {
		return
	}
	after := s.toks[d.qualifier].End
	for n := range block.All() {
		if n.Kind != parser.KindLambdaExpression || int(n.Start) < after {
			continue
		}
		list, body := n.Child(parser.FieldCaptures), n.Child(parser.FieldBody)
		if list == nil || body == nil {
			continue
		}
		captures := strings.TrimSpace(strings.Trim(t.file.Text(list), "[]"))
		for _, v := range d.variables {
			name := s.line(v.first, v.last)
			if capturesAll(captures) || !t.mentions(body, name) || t.mentions(n.Child(parser.FieldDeclarator), name) {
				continue
			}
			if captures == "" {
				t.insert(int(list.Start)+1, "&"+name)
				captures = "&" + name
				continue
			}
			t.insert(int(list.End)-1, ", &"+name)
		}
	}
}

// capturesAll reports whether a capture list begins with a lone '&'.
func capturesAll(captures string) bool {
	rest, found := strings.CutPrefix(captures, "&")
	rest = strings.TrimSpace(rest)
	return found && (rest == "" || rest[0] == ',')
}

// mentions reports whether an identifier occurs below a node.
func (t *text) mentions(n *parser.Node, name string) (found bool) {
	if n == nil {
		return false
	}
	n.Walk(func(m *parser.Node) bool {
		found = found || m.Kind == parser.KindIdentifier && t.file.Text(m) == name
		return !found
	})
	return found
}
