package acc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// flow finds the scalars that live on the device, since kernels hand them on. It refuses what is lost although it is needed.
func (c *construct) flow() {
	for {
		parts := flatten(c.steps)
		for _, p := range parts {
			for _, v := range c.changedBy(p.stmts) {
				needs := func(q *step) bool { return (q != p || p.repeats) && c.useOf(q.stmts, v).reads }
				if p.nest == nil && slices.ContainsFunc(parts, needs) {
					c.moved[v] = true
				}
			}
		}
		if !c.headsRead(c.steps) && !c.handsOn(parts) {
			break
		}
		// What ends a loop of the host is on the device, or a kernel needs what is another one's own: one thread runs it all.
		c.steps = []*step{{stmts: c.statements()}}
	}
	for _, p := range flatten(c.steps) {
		for _, v := range c.changedBy(p.stmts) {
			if c.named(v) || !c.u.neededBehind(c.stmt, v) || p.nest != nil && p.nest.reductions.have(v) {
				continue
			}
			refuseIf(c.kind != "kernels" && !c.reduced[v] || p.nest != nil, c.u.at(c.pragma.Pos), CodeLost, fmt.Sprintf("%s is read after the region, but what the region computes for it does not come back", v.name),
				fmt.Sprintf("name it in copy(%s) or in a reduction, or give it a value before it is read", v.name))
			c.moved[v], c.back[v] = true, true
		}
	}
}

// handsOn reports whether what is private in a loop, or in the construct, goes from one kernel in it to another.
func (c *construct) handsOn(parts []*step) bool {
	return c.u.someIn(c.stmt, func(q *pragma) bool {
		return slices.ContainsFunc(c.u.variablesOf(q, "private"), func(v *variable) bool {
			kernels, reads := 0, false
			for _, p := range parts {
				if slices.ContainsFunc(p.stmts, func(s *parser.Node) bool { return within(s, q.stmt) && c.u.mentions(s, v) }) {
					kernels, reads = kernels+1, reads || c.useOf(p.stmts, v).reads
				}
			}
			return kernels > 1 && reads
		})
	})
}

// named reports whether a clause says what becomes of a variable's value.
func (c *construct) named(v *variable) bool {
	return c.listed[v] || c.private[v] || c.first[v]
}

func flatten(steps []*step) (out []*step) {
	for _, s := range steps {
		if s.loop == nil {
			out = append(out, s)
		}
		out = append(out, flatten(s.steps)...)
	}
	return out
}

func (c *construct) changedBy(stmts []*parser.Node) (out []*variable) {
	for _, s := range stmts {
		out = append(out, lists.Filter(c.declaredAt(s), (*variable).isScalar)...)
		out = append(out, lists.Filter(c.u.changes(s), func(v *variable) bool { return !c.u.localTo(v, c.stmt) || !c.u.localToAny(v, stmts) })...)
	}
	return out
}

func (u *unit) localToAny(v *variable, stmts []*parser.Node) bool {
	return slices.ContainsFunc(stmts, func(s *parser.Node) bool { return u.localTo(v, s) })
}

func (c *construct) useOf(stmts []*parser.Node, v *variable) (out use) {
	for _, s := range stmts {
		out = out.then(c.u.useOf(s, v))
	}
	return out
}

// headsRead reports whether a loop of the host reads a scalar that lives on the device.
func (c *construct) headsRead(steps []*step) bool {
	return slices.ContainsFunc(steps, func(s *step) bool { return s.loop != nil && (!c.onHost(s.loop) || c.headsRead(s.steps)) })
}

// Variables of a region's block are treated as if they were declared in front of the region, without a value on the host.

// declaredAt are the variables that a statement of the region's block declares, if it is a declaration.
func (c *construct) declaredAt(s *parser.Node) []*variable {
	if s.Kind != parser.KindDeclaration || s.Parent != c.stmt {
		return nil
	}
	return lists.Filter(c.u.vars, func(v *variable) bool { return v.src == c.u.source && v.decl == s })
}

func (c *construct) declared() (out []*variable) {
	for _, s := range c.statements() {
		out = append(out, c.declaredAt(s)...)
	}
	return out
}

// bare reports whether a statement declares variables and does nothing else.
func (c *construct) bare(s *parser.Node) bool {
	declared := c.declaredAt(s)
	return len(declared) > 0 && !slices.ContainsFunc(declared, func(v *variable) bool { return !v.isScalar() || v.declarator.Kind == parser.KindInitDeclarator })
}

// checkLocals refuses what several kernels would need to share and is no variable of one value.
func (c *construct) checkLocals() {
	parts := flatten(c.steps)
	for _, v := range c.declared() {
		used := slices.ContainsFunc(parts, func(p *step) bool {
			return slices.ContainsFunc(p.stmts, func(q *parser.Node) bool { return q != v.decl && c.u.mentions(q, v) && !within(v.decl, q) })
		})
		refuseIf(!v.isScalar() && used && len(parts) != 1 && !c.private[v], c.u.place(v.decl), CodeUnsupported,
			fmt.Sprintf("%s, an array or a pointer of the region, which several kernels use", v.name), "declare it in front of the region, and name it in create")
	}
}

func (u *unit) mentions(n *parser.Node, v *variable) bool {
	return n.Any(func(c *parser.Node) bool { return c.Kind == parser.KindIdentifier && u.variableOf(c) == v })
}

// isLocal reports whether the region's block declares a variable that kernels share, or the host has meanwhile.
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
