package parser

// blockKind is the kind of code that a pair of braces encloses.
type blockKind uint8

const (
	blockNamespace blockKind = iota // also the file itself, and extern "C"
	blockClass
	blockFunction // any compound statement
	blockList     // initializer or enumerators
)

// classifyBlock returns what the '{' at token i opens; its head begins at token head, inside a block of kind outer.
func (o *overlay) classifyBlock(head, i int, outer blockKind) blockKind {
	switch prev := string(o.word(i - 1)); prev {
	case "=", ",", "(", "return", "[", "?":
		return blockList
	case ")", "const", "noexcept", "override", "final", "mutable", "else", "do", "try":
		if o.headHas(head, i, '(') || prev == "else" || prev == "do" || prev == "try" {
			return blockFunction
		}
	}
	first := head
	if o.is(first, "inline") {
		first++
	}
	if o.is(first, "namespace") || o.is(i-2, "extern") && o.toks[i-1].kind == tokLiteral {
		return blockNamespace
	}
	switch o.classWord(head, i) {
	case "class", "struct", "union":
		return blockClass
	case "enum":
		return blockList
	}
	switch {
	case outer == blockList:
		return blockList
	case outer == blockFunction:
		if i-1 < head || o.punct(i-1) == ':' {
			return blockFunction // a plain block, or one after a label
		}
		return blockList
	case o.headHas(head, i, '('): // constructor initializers, trailing return type
		if next := o.closing(i) + 1; o.isIdent(i-1) && next > 0 && (o.punct(next) == ',' || o.punct(next) == '{') {
			return blockList // a(x), b{y} {
		}
		return blockFunction
	}
	return blockList
}

func (o *overlay) headHas(head, i int, c byte) bool {
	for ; head < i; head++ {
		if o.punct(head) == c {
			return true
		}
	}
	return false
}

// classWord returns the class, struct, union or enum of a head that is not a
// template parameter's, "" if there is none.
func (o *overlay) classWord(head, i int) string {
	angle := 0
	for ; head < i; head++ {
		switch o.punct(head) {
		case '<':
			angle++
		case '>':
			angle--
		case 0:
			if angle > 0 || !o.isIdent(head) {
				break
			}
			switch w := string(o.word(head)); w {
			case "class", "struct", "union", "enum":
				return w
			}
		}
	}
	return ""
}
