package acc

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/parser"
)

// A pointer may lead elsewhere while a data region runs: programs swap the two arrays of a
// stencil. What is on the device belongs to the memory and not to the pointer, so kernels look
// it up when they are launched, and the region ends for the memory with which it began.

// moves reports whether a statement may let a pointer of the host lead elsewhere, from an offset
// of the written-out text on.
func (t *translation) moves(stmt *parser.Node, v *variable, from int) bool {
	if v.path != "" {
		return true // whoever has the structure may
	}
	if v.isScalar() || v.isArray() {
		return false
	}
	return t.movesIn(stmt, v, from, map[string]bool{})
}

func (t *translation) movesIn(stmt *parser.Node, v *variable, from int, seen map[string]bool) bool {
	return stmt.Any(func(n *parser.Node) bool {
		switch {
		case int(n.End) <= from:
		case n.Kind == parser.KindIdentifier && t.plainVariable(n) == v && !t.declares(n):
			p := n.Parent
			for p.Kind == parser.KindParenthesizedExpression {
				n, p = p, p.Parent
			}
			return p.Kind == parser.KindAssignmentExpression && n.Field == parser.FieldLeft || p.Kind == parser.KindUpdateExpression ||
				p.Kind == parser.KindPointerExpression && t.text(p.First) == "&"
		case n.Kind == parser.KindCallExpression && v.global:
			if f := t.function(n); f != nil && !seen[f.Name] {
				seen[f.Name] = true
				return t.movesIn(f.Body, v, 0, seen)
			}
		}
		return false
	})
}

// movingData reports whether pointers that clauses of a directive name move while its region
// runs.
func (t *translation) movingData(p *pragma) bool {
	stmt := p.stmt
	if p.Name == "declare" && p.fn != nil {
		stmt = p.fn.Body
	}
	if stmt == nil || p.Name != "data" && p.Name != "declare" {
		return false
	}
	for _, c := range p.Clauses {
		if _, ok := dataClauses[c.Name]; !ok || c.Name == "deviceptr" {
			continue
		}
		if slices.ContainsFunc(t.variablesOf(p, c.Name), func(v *variable) bool { return t.moves(stmt, v, t.written(p.start)) }) {
			return true
		}
	}
	return false
}

// checkSteady refuses a section that is measured by what the region changes: its end would be
// about other memory than its beginning.
func (t *translation) checkSteady(r *region, i *item, a directive.Arg) error {
	if r.stmt == nil || r.pragma.Compute() || i.v.isScalar() {
		return nil
	}
	for _, w := range identifier.FindAllString(i.lower+" "+i.length, -1) {
		v := t.lookup(w, t.written(r.pragma.start))
		if v == nil || !v.isScalar() {
			continue
		}
		if t.movesIn(r.stmt, v, t.written(r.pragma.start), map[string]bool{}) {
			return refusal(t.at(a.Pos), CodeShape, fmt.Sprintf("%s changes while the region runs, and the section %s is measured by it", w, a.Text), "measure it by a variable that stays")
		}
	}
	return nil
}
