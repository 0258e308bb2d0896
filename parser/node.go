package parser

import "iter"

// Node is one node of the syntax tree: a Go copy of the tree-sitter node, made once per file (see convert.go). Start
// and End are byte offsets into the original source, whatever was masked on the way.
//
// Children are linked: First is the first child, Next the next sibling. Named
// grammar nodes and anonymous tokens are both present (Named tells).
type Node struct {
	Start, End uint32
	Kind       Kind
	Field      Field // field name of this node in its parent, FieldNone if none
	Flags      Flags

	Parent, First, Next *Node
}

// Flags are the per-node properties that tree-sitter reports.
type Flags uint8

// The node flags.
const (
	FlagNamed    Flags = 1 << iota // a named node, not an anonymous token
	FlagMissing                    // inserted by error recovery
	FlagHasError                   // it or a descendant is an ERROR or MISSING node
	FlagExtra                      // comments
)

// Named reports whether the node is a named grammar node.
func (n *Node) Named() bool { return n.Flags&FlagNamed != 0 }

// Child returns the first child stored under the field, or nil.
func (n *Node) Child(f Field) *Node {
	for c := n.First; c != nil; c = c.Next {
		if c.Field == f {
			return c
		}
	}
	return nil
}

// FirstNamed returns the first named child that is not a comment, or nil.
func (n *Node) FirstNamed() *Node { return nextNamed(n.First) }

// NextNamed returns the next named sibling that is not a comment, or nil.
func (n *Node) NextNamed() *Node { return nextNamed(n.Next) }

func nextNamed(n *Node) *Node {
	for ; n != nil; n = n.Next {
		if n.Named() && n.Kind != KindComment {
			return n
		}
	}
	return nil
}

// Ancestor returns the nearest proper ancestor of the kind, or nil.
func (n *Node) Ancestor(k Kind) *Node {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Kind == k {
			return p
		}
	}
	return nil
}

// Walk calls f for n and its descendants in source order; f returns false to
// skip a node's children. It is iterative: nesting depth costs no stack.
func (n *Node) Walk(f func(*Node) bool) {
	for c := n; c != nil; {
		c = n.after(c, f(c))
	}
}

// All yields n and its descendants in source order, nothing where n is nil.
func (n *Node) All() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for c := n; c != nil && yield(c); {
			c = n.after(c, true)
		}
	}
}

// Any reports whether f is true of n or of a descendant.
func (n *Node) Any(f func(*Node) bool) bool {
	for c := range n.All() {
		if f(c) {
			return true
		}
	}
	return false
}

// after is the node that comes after c in n, its first child if it is to be entered; nil for none.
func (n *Node) after(c *Node, enter bool) *Node {
	if enter && c.First != nil {
		return c.First
	}
	for c != n && c.Next == nil {
		c = c.Parent
	}
	if c == n {
		return nil
	}
	return c.Next
}

// String returns the grammar's name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// String returns the grammar's name of the field, "" for FieldNone.
func (f Field) String() string {
	if int(f) < len(fieldNames) {
		return fieldNames[f]
	}
	return "unknown"
}
