// Package named finds the numbers that have names, and who sees them where.
package named

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/parser"
)

// Assigned reports whether a variable of a type can be declared first and be given its value by an assignment
// later, as far as the type is in view: a class needs a constructor without arguments, or none, no operator = of
// its own, and no members that stay as they are.
func Assigned(k *analysis.Kernel, fn *ir.Func, t ir.Type) bool {
	if t.Ptr > 0 {
		return true
	}
	name := t.Base
	for range analysis.MaxTypeDepth {
		means, ok := pointers.Meaning(k, fn, name)
		if !ok {
			break
		}
		name = means
	}
	name, _, _ = strings.Cut(name, "<")
	name = analysis.LastName(strings.TrimPrefix(strings.TrimSpace(name), "struct "))
	for _, f := range k.Prog.Unit(fn.File).Files {
		for _, c := range f.Classes {
			if c.Name == name && c.Body != nil && !assignedClass(f, c) {
				return false
			}
		}
	}
	return true
}

func assignedClass(f *parser.File, c *parser.Class) bool {
	made, plain := false, false // constructors, and one of them without arguments
	for n := c.Body.First; n != nil; n = n.Next {
		d := n.Child(parser.FieldDeclarator)
		switch {
		case d == nil, holdsToken(f, n, "static"), holdsToken(f, n, "constexpr") && d.Kind != parser.KindFunctionDeclarator:
			continue
		case d.Kind == parser.KindReferenceDeclarator && n.Kind == parser.KindFieldDeclaration, n.Kind == parser.KindFieldDeclaration && holdsToken(f, n, "const"):
			return false
		case d.Kind != parser.KindFunctionDeclarator:
			d = innerFunction(d)
		}
		if d == nil {
			continue
		}
		switch name := analysis.Text(f, d.Child(parser.FieldDeclarator)); name {
		case "operator=", "operator =":
			return false
		case c.Name:
			made = true
			plain = plain || withoutArguments(d.Child(parser.FieldParameters))
		}
	}
	return !made || plain
}

// innerFunction is the declarator of a function below those of what it returns, nil for none.
func innerFunction(d *parser.Node) *parser.Node {
	for d != nil && d.Kind != parser.KindFunctionDeclarator {
		if next := d.Child(parser.FieldDeclarator); next != nil {
			d = next
		} else {
			d = d.FirstNamed()
		}
	}
	return d
}

// withoutArguments reports whether a function with these parameters can be called without any.
func withoutArguments(list *parser.Node) bool {
	if list == nil {
		return false
	}
	for p := list.FirstNamed(); p != nil; p = p.NextNamed() {
		if p.Kind == parser.KindParameterDeclaration {
			return false
		}
	}
	return true
}

// holdsToken reports whether a declaration has a word of the language in front of its declarator.
func holdsToken(f *parser.File, n *parser.Node, word string) bool {
	for k := n.First; k != nil && k.Field != parser.FieldDeclarator; k = k.Next {
		if analysis.Text(f, k) == word {
			return true
		}
	}
	return false
}
