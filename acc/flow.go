package acc

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// flow finds the scalars that live on the device: those that one kernel computes and another
// needs. What a region computes and drops although it is needed is refused.
func (c *construct) flow() error {
	for {
		parts := flatten(c.steps, false)
		for i, p := range parts {
			for _, v := range c.changedBy(p.stmts) {
				needed := p.repeats && c.useOf(p.stmts, v).reads
				for k, q := range parts {
					needed = needed || k != i && c.useOf(q.stmts, v).reads
				}
				if needed && p.nest == nil {
					c.moved[v] = true
				}
			}
		}
		if !c.headsRead(c.steps) {
			break
		}
		// What ends a loop of the host is on the device: one thread runs it all.
		c.steps = []step{&serialStep{stmts: c.statements()}}
	}
	for _, p := range flatten(c.steps, false) {
		for _, v := range c.changedBy(p.stmts) {
			if c.named(v) || !c.u.neededBehind(c.stmt, v) {
				continue
			}
			if p.nest != nil && p.nest.reduces(v) {
				continue
			}
			if (c.kind == "kernels" || c.reduced[v]) && p.nest == nil {
				c.moved[v], c.back[v] = true, true
				continue
			}
			return refusal(c.u.at(c.pragma.Pos), CodeLost, fmt.Sprintf("%s is read after the region, but what the region computes for it does not come back", v.name),
				fmt.Sprintf("name it in copy(%s) or in a reduction, or give it a value before it is read", v.name))
		}
	}
	return nil
}

// named reports whether a clause says what becomes of a variable's value.
func (c *construct) named(v *variable) bool {
	return c.listed[v] || c.private[v]
}

// part is one kernel of a construct.
type part struct {
	stmts   []*parser.Node
	nest    *kernelStep // nil for one thread
	repeats bool        // in a loop of the host
}

// flatten lists the kernels of steps.
func flatten(steps []step, repeats bool) (out []part) {
	for _, s := range steps {
		if h, ok := s.(*hostLoop); ok {
			out = append(out, flatten(h.steps, true)...)
			continue
		}
		k, _ := s.(*kernelStep)
		out = append(out, part{s.covers(), k, repeats})
	}
	return out
}

func (c *construct) changedBy(stmts []*parser.Node) (out []*variable) {
	for _, s := range stmts {
		for _, v := range c.declaredAt(s) {
			if v.isScalar() {
				out = append(out, v)
			}
		}
		for _, v := range c.u.changes(s) {
			if !c.u.localTo(v, c.stmt) || !c.u.localToAny(v, stmts) {
				out = append(out, v)
			}
		}
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
func (c *construct) headsRead(steps []step) bool {
	for _, s := range steps {
		if h, ok := s.(*hostLoop); ok && (!c.onHost(h.loop) || c.headsRead(h.steps)) {
			return true
		}
	}
	return false
}
