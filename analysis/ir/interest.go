package ir

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// interest is the set of names that matter in a host function: those in the configuration of its launches, and
// whatever flows into them. Macro uses that name none of them, in their arguments or in what they expand to, need not
// be expanded: error-checking macros around every runtime call would otherwise cost more than all the rest.
type interest map[string]bool

// LowerFor lowers a host function as Lower does, with what flows into some more nodes of it, such as arguments that
// it passes: only what they and launch configurations depend on is lowered, whether or not it has launches.
func LowerFor(cache *Cache, file *parser.File, fn *parser.Function, also []*parser.Node) *Func {
	return lower(cache, file, fn, flowingInto(file, fn, also))
}

// hostInterest returns the interest of a host function with launches; nil for any other, where everything matters.
func hostInterest(f *parser.File, fn *parser.Function) interest {
	if fn.Quals&(parser.QualGlobal|parser.QualDevice) != 0 || fn.Body == nil {
		return nil
	}
	for _, l := range f.Launches {
		if l.Function == fn {
			return flowingInto(f, fn, nil)
		}
	}
	return nil // a function that others call: all of it matters
}

// flowingInto returns the names in the configurations of a host function's
// launches and in some more nodes of it, and all that flows into those.
func flowingInto(f *parser.File, fn *parser.Function, also []*parser.Node) interest {
	names := interest{}
	add := func(n *parser.Node) {
		for k := range n.All() {
			if isName(k) {
				names[string(f.Src[k.Start:k.End])] = true
			}
		}
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
	for _, n := range also {
		add(n)
	}
	// What is assigned to, or initialises, a name of interest is of interest.
	var flows []*parser.Node
	for n := range fn.Body.All() {
		switch n.Kind {
		case parser.KindInitDeclarator, parser.KindAssignmentExpression, parser.KindFunctionDeclarator:
			flows = append(flows, n)
		}
	}
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
	for _, w := range parser.Words(m.Body) {
		if l.interest[w] {
			found = true
		} else if inner, ok := l.cache.Macros(c.file).Lookup(w, at); ok && w != m.Name {
			found = found || l.bodyNames(c, inner, at, depth+1)
		}
	}
	if l.bodies == nil {
		l.bodies = map[string]bool{}
	}
	l.bodies[key] = found
	return found
}

// matters reports whether a statement of a host function names anything of interest or holds a launch.
func (l *lowerer) matters(c *source, n *parser.Node) bool {
	if l.interest == nil || c.frag != nil || l.launchInside(n) {
		return true
	}
	found := false
	n.Walk(func(k *parser.Node) bool {
		if !found && isName(k) {
			name := c.str(k)
			found = l.interest[name]
			if !found && k.Kind == parser.KindIdentifier {
				if m, ok := l.cache.Macros(c.file).Lookup(name, int(k.Start)); ok {
					found = l.bodyNames(c, m, int(k.Start), 0)
				}
			}
		}
		return !found
	})
	return found
}
