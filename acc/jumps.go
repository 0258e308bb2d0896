package acc

import (
	"github.com/smux-cuda/smux/parser"
	"slices"
)

// Jumps over initialisers, which C++ does not take.

// jumpedOver is an initialised declaration that a goto leaves out on its way forward.
func (t *translation) jumpedOver(jump *parser.Node) *parser.Node {
	f := jump.Ancestor(parser.KindFunctionDefinition)
	if f == nil || jump.FirstNamed() == nil {
		return nil
	}
	var label *parser.Node
	for n, gotos := range t.labelsOf(f) {
		if slices.Contains(gotos, jump) {
			label = n
		}
	}
	for n := label; n != nil && n != f; n = n.Parent {
		if n.Parent.Kind != parser.KindCompoundStatement {
			continue
		}
		for s := n.Parent.FirstNamed(); s != nil && s != n; s = s.NextNamed() {
			if s.Start > jump.Start || !within(jump, n.Parent) {
				if s.Kind == parser.KindDeclaration && initialises(s) {
					return s
				}
			}
		}
		if within(jump, n.Parent) {
			break
		}
	}
	return nil
}

// jumpedIn is an initialised declaration of a switch with a case after it.
func jumpedIn(body *parser.Node) (found *parser.Node) {
	if body == nil {
		return nil
	}
	for s := body.FirstNamed(); s != nil; s = s.NextNamed() {
		if s.Kind != parser.KindCaseStatement {
			continue
		}
		if found != nil {
			return found
		}
		for c := s.FirstNamed(); c != nil; c = c.NextNamed() {
			if c.Kind == parser.KindDeclaration && initialises(c) {
				found = c
			}
		}
	}
	return nil
}

func initialises(d *parser.Node) bool {
	for c := d.First; c != nil; c = c.Next {
		if c.Kind == parser.KindInitDeclarator {
			return true
		}
	}
	return false
}
