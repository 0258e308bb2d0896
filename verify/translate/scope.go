package translate

import "github.com/smux-cuda/smux/parser"

// scopeKind is the kind of block that an offset is in.
type scopeKind int

const (
	namespaceScope scopeKind = iota
	functionScope
	classScope
)

func (t *text) scopeAt(offset int) scopeKind {
	fault := false
	for n := t.nodeAt(offset); n != nil; n = n.Parent {
		switch n.Kind {
		case parser.KindCompoundStatement, parser.KindLambdaExpression:
			return functionScope
		case parser.KindFieldDeclarationList:
			return classScope
		case parser.KindError:
			fault = true
		}
	}
	if fault && t.braces(offset) > 0 {
		return functionScope // most likely
	}
	return namespaceScope
}

// nodeAt returns the smallest node around an offset.
func (t *text) nodeAt(offset int) *parser.Node {
	n := t.file.Root
	for c := n.First; c != nil; {
		if int(c.Start) <= offset && offset < int(c.End) {
			n, c = c, c.First
			continue
		}
		c = c.Next
	}
	return n
}

// braces counts the braces that are open at an offset.
func (t *text) braces(offset int) (depth int) {
	for _, tok := range t.file.Tokens() {
		if tok.Start >= offset {
			break
		}
		if tok.Kind == parser.TokenPunct {
			switch t.file.Src[tok.Start] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
	}
	return depth
}
