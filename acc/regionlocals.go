package acc

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// A region's block may declare variables: several of its kernels, or the host, need them then.
// They are treated as variables that are declared right in front of the region, without a value
// of their own on the host.

// declaredAt are the variables that a statement of the region's block declares, if it is a
// declaration.
func (c *construct) declaredAt(s *parser.Node) (out []*variable) {
	if s.Kind != parser.KindDeclaration || s.Parent != c.stmt {
		return nil
	}
	for _, v := range c.u.vars {
		if v.src == c.u.source && v.decl == s {
			out = append(out, v)
		}
	}
	return out
}

// bare reports whether a statement declares variables and does nothing else: each kernel that
// needs them has its own.
func (c *construct) bare(s *parser.Node) bool {
	declared := c.declaredAt(s)
	for _, v := range declared {
		if !v.isScalar() || v.declarator.Kind == parser.KindInitDeclarator {
			return false
		}
	}
	return len(declared) > 0
}

// checkLocals refuses what several kernels would need to share and is no variable of one value.
func (c *construct) checkLocals() error {
	parts := flatten(c.steps, false)
	for _, s := range c.statements() {
		for _, v := range c.declaredAt(s) {
			uses := 0
			for _, p := range parts {
				for _, q := range p.stmts {
					if q != s && c.u.mentions(q, v) && !within(s, q) {
						uses++
						break
					}
				}
			}
			if alone := len(parts) == 1; !v.isScalar() && uses > 0 && !alone && !c.private[v] {
				return refusal(c.u.place(s), CodeUnsupported, fmt.Sprintf("%s, an array or a pointer of the region, which several kernels use", v.name), "declare it in front of the region, and name it in create")
			}
		}
	}
	return nil
}

// mentions reports whether a subtree names a variable.
func (u *unit) mentions(n *parser.Node, v *variable) bool {
	return n.Any(func(c *parser.Node) bool { return c.Kind == parser.KindIdentifier && u.variableOf(c) == v })
}

// isLocal reports whether the region's block declares a variable that kernels share, or the host
// has meanwhile.
func (c *construct) isLocal(v *variable) bool { return v.decl != nil && len(c.declaredAt(v.decl)) > 0 }

// assigned is a declaration of variables on the device as assignments; false where none is there.
func (e *emitter) assigned(p *printer, n *parser.Node) (string, bool) {
	var out []string
	moved := false
	for _, v := range e.declaredAt(n) {
		moved = moved || e.moved[v]
		if v.declarator.Kind != parser.KindInitDeclarator {
			continue
		}
		name := v.name
		if e.moved[v] {
			name = "(*" + name + ")"
		} else {
			name = v.base + " " + name
		}
		out = append(out, fmt.Sprintf("%s = %s;", name, p.print(v.declarator.Child(parser.FieldValue))))
	}
	return strings.Join(out, " "), moved
}

// onTheHost declares the variables of the region's block that the host has meanwhile.
func (e *emitter) onTheHost() string {
	out := &lines{}
	for _, s := range e.construct.statements() {
		for _, v := range e.declaredAt(s) {
			if e.hosted[v] {
				out.add(v.declaration() + ";")
			}
		}
	}
	return out.b.String()
}
