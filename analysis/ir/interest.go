package ir

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// interest is the set of names that matter in a host function: those in the
// configuration of its launches, and whatever flows into them. Macro uses that
// name none of them, in their arguments or in what they expand to, need not be
// expanded: error-checking macros around every runtime call would otherwise
// cost more than all the rest.
type interest map[string]bool

// hostInterest returns the interest of a host function, nil for one that runs
// on the device (where everything matters).
func hostInterest(f *parser.File, fn *parser.Function) interest {
	if fn.Quals&(parser.QualGlobal|parser.QualDevice) != 0 || fn.Body == nil {
		return nil
	}
	names := interest{}
	add := func(n *parser.Node) {
		n.Walk(func(k *parser.Node) bool {
			if isName(k) {
				names[string(f.Src[k.Start:k.End])] = true
			}
			return true
		})
	}
	for _, l := range f.Launches {
		if l.Function != fn {
			continue
		}
		for _, c := range l.Config {
			add(c)
		}
		if l.TemplateArgs != nil {
			add(l.TemplateArgs)
		}
	}
	// What is assigned to, or initialises, a name of interest is of interest.
	var flows []*parser.Node
	fn.Body.Walk(func(n *parser.Node) bool {
		switch n.Kind {
		case parser.KindInitDeclarator, parser.KindAssignmentExpression, parser.KindFunctionDeclarator:
			flows = append(flows, n)
		}
		return true
	})
	for changed := true; changed; {
		changed = false
		for i, n := range flows {
			if n == nil || !names[firstName(f, n)] {
				continue
			}
			before := len(names)
			add(n)
			flows[i] = nil
			changed = changed || len(names) > before
		}
	}
	return names
}

func isName(n *parser.Node) bool {
	return n.Kind == parser.KindIdentifier || n.Kind == parser.KindTypeIdentifier || n.Kind == parser.KindFieldIdentifier
}

// firstName is the first identifier below a node: what it declares or assigns.
func firstName(f *parser.File, n *parser.Node) string {
	name := ""
	n.Walk(func(k *parser.Node) bool {
		if name == "" && k.Kind == parser.KindIdentifier {
			name = string(f.Src[k.Start:k.End])
		}
		return name == ""
	})
	return name
}

// skips reports whether a macro use can be left alone: nothing that matters is
// named in it.
func (l *lowerer) skips(c *source, use *parser.Node) bool {
	if l.interest == nil || c.frag != nil || l.launchInside(c, use) {
		return false
	}
	name := use
	if use.Kind == parser.KindCallExpression {
		name = use.Child(parser.FieldFunction)
	}
	if name == nil || name.Kind != parser.KindIdentifier {
		return false
	}
	m, ok := c.file.Macros.Lookup(c.str(name), int(use.Start))
	if !ok {
		return false
	}
	named := false
	use.Walk(func(k *parser.Node) bool {
		named = named || k != name && isName(k) && l.interest[c.str(k)]
		return !named
	})
	return !named && !l.bodyNames(c, m, int(use.Start), 0)
}

// bodyNames reports whether a macro's expansion may name something of interest.
func (l *lowerer) bodyNames(c *source, m *parser.Macro, at, depth int) bool {
	if depth > 4 || m.Ambiguous || strings.Contains(m.Body, "##") {
		return true
	}
	key := m.Name
	if known, ok := l.bodies[key]; ok {
		return known
	}
	found := false
	for _, w := range strings.FieldsFunc(m.Body, notInName) {
		if l.interest[w] {
			found = true
		} else if inner, ok := c.file.Macros.Lookup(w, at); ok && w != m.Name {
			found = found || l.bodyNames(c, inner, at, depth+1)
		}
	}
	if l.bodies == nil {
		l.bodies = map[string]bool{}
	}
	l.bodies[key] = found
	return found
}

func notInName(c rune) bool {
	return c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
}
