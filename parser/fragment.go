package parser

import (
	"errors"
)

// FragmentKind is the kind of text that a fragment must be.
type FragmentKind uint8

// The kinds of fragments.
const (
	FragmentExpression FragmentKind = iota // exactly one expression
	FragmentStatements                     // a list of complete statements
)

// Fragment is parsed text that stands in no file: an expanded macro.
type Fragment struct {
	// Src is the parsed text: the text inside the frame of a function, so that
	// each node has a parent. Nodes and marks are offsets into it.
	Src   []byte
	Nodes []*Node // the expression; or the statements, declarations and comments
	Marks []Mark
}

// maxFragmentBytes is the length of the longest expansion.
const maxFragmentBytes = maxExpandedBytes + 1

var (
	errFragmentText       = errors.New("text that can't stand in a function")
	errFragmentExpression = errors.New("text that is not a single expression")
	errFragmentStatements = errors.New("text that is not a list of complete statements")
)

// ParseFragment parses expanded macro text. It fails where the text is not
// exactly of that kind: a fragment never has an ERROR.
func ParseFragment(text string, kind FragmentKind) (*Fragment, error) {
	if len(text) > maxFragmentBytes {
		return nil, errFragmentText
	}
	before, after, wrong := "void f(){return ", "\n;}", errFragmentExpression
	if kind == FragmentStatements {
		before, after, wrong = "void f(){", "\n}", errFragmentStatements
	}
	src := make([]byte, 0, len(before)+len(text)+len(after))
	src = append(append(append(src, before...), text...), after...)
	sc := scanSource(src)
	if sc.tooDeep >= 0 || sc.unfinished >= 0 || sc.badUTF8 >= 0 || len(sc.directives) > 0 {
		return nil, errFragmentText
	}
	o := overlayText(src, sc, nil, nil)
	nodes, err := parseTree(o.out)
	if err != nil {
		return nil, err
	}
	applyMoves(nodes, o.moves)
	o.restoreStatements(nodes)
	body := fragmentBody(nodes, len(src))
	if body == nil {
		return nil, wrong
	}
	f := &Fragment{Src: src, Marks: o.marks}
	if kind == FragmentStatements {
		for c := body.First; c != nil; c = c.Next {
			if c.Named() {
				f.Nodes = append(f.Nodes, c)
			}
		}
		return f, nil
	}
	statement := body.FirstNamed()
	if statement == nil || statement.NextNamed() != nil || statement.Kind != KindReturnStatement ||
		int(statement.Start) != len(before)-len("return ") {
		return nil, wrong
	}
	expr := statement.FirstNamed()
	if expr == nil || expr.NextNamed() != nil || expr.Kind == KindInitializerList {
		return nil, wrong
	}
	f.Nodes = []*Node{expr}
	return f, nil
}

// fragmentBody returns the body of the frame, nil where the text broke out of it or did not parse.
func fragmentBody(nodes []Node, size int) *Node {
	root := &nodes[0]
	if root.Flags&FlagHasError != 0 || root.First == nil || root.First.Next != nil || root.First.Kind != KindFunctionDefinition {
		return nil
	}
	body := root.First.Child(FieldBody)
	if body == nil || int(body.End) != size || body.Start != uint32(len("void f()")) {
		return nil
	}
	return body
}
