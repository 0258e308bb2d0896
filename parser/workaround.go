package parser

import (
	"bytes"
	"slices"
	"strings"
)

// workarounds walks over the tokens with the kind of block that they are in, and applies the small fixes for what the
// C++ grammar can't parse. Each one leaves a MarkFix: those named "loop-macro", "statement-macro" and "type-argument"
// change the shape of the tree.
func (o *overlay) workarounds() {
	w := walker{overlay: o, blocks: []openBlock{{blockNamespace, 0}}, statement: true}
	for i := 0; i < len(o.toks); i++ {
		switch o.toks[i].kind {
		case tokPunct:
			w.punctuation(i)
		case tokIdent:
			if last := w.identifier(i); last >= 0 {
				i = last
				continue
			}
			w.statement = o.is(i, "else") || o.is(i, "do")
		case tokLiteral:
			w.statement = false
			w.stringMacros(i)
		default:
			w.statement = false
		}
	}
}

// walker is the context of the walk.
type walker struct {
	*overlay
	blocks    []openBlock // enclosing blocks, outermost first
	head      int         // first token of the declaration or statement
	parens    []bool      // open parentheses and brackets: does a statement follow?
	statement bool        // a statement may begin at the next token
}

// openBlock is a '{' that is not closed yet, and where its head began.
type openBlock struct {
	kind blockKind
	head int
}

func (w *walker) block() blockKind { return w.blocks[len(w.blocks)-1].kind }

func (w *walker) punctuation(i int) {
	w.statement = false
	switch w.punct(i) {
	case '(':
		w.statementExpression(i)
		w.assignedFirst(i)
		w.forDeclaration(i)
		w.parens = append(w.parens, w.isControl(i-1))
	case '[':
		w.parens = append(w.parens, false)
	case ')', ']':
		if n := len(w.parens); n > 0 {
			w.statement = w.parens[n-1]
			w.parens = w.parens[:n-1]
		}
	case '=':
		w.emptyInitializer(i)
	case '*':
		w.packOfPointers(i)
	case '{':
		head := min(w.head, i)
		w.blocks = append(w.blocks, openBlock{w.classifyBlock(head, i, w.block()), head})
		w.begin(i + 1)
	case '}':
		closed := w.blocks[len(w.blocks)-1]
		if len(w.blocks) > 1 {
			w.blocks = w.blocks[:len(w.blocks)-1]
		}
		if closed.kind == blockClass || closed.kind == blockList {
			w.head = closed.head // the declaration goes on, at least to its ';'
		} else {
			w.begin(i + 1) // a ';' right here is a stray one
		}
	case ';':
		if len(w.parens) == 0 {
			if w.head == i {
				w.straySemicolon(i)
			}
			w.begin(i + 1)
		}
	case ':':
		w.statement = w.block() != blockList
		if w.block() == blockClass && i-1 == w.head {
			w.head = i + 1 // public:
		}
	}
}

func (w *walker) begin(i int) {
	w.head = i
	w.statement = w.block() != blockList
}

// isControl reports whether a statement follows the parentheses after token i.
func (w *walker) isControl(i int) bool {
	switch string(w.word(i)) {
	case "if", "for", "while", "switch":
		return true
	case "constexpr":
		return w.is(i-1, "if")
	}
	return false
}

// straySemicolon blanks a ';' after nothing, which the grammar allows inside functions only.
func (w *walker) straySemicolon(i int) {
	if w.block() == blockFunction || w.block() == blockList || len(w.parens) > 0 {
		return
	}
	if w.out[w.toks[i].start] == ' ' {
		return // done already
	}
	w.drop("stray-semicolon", i, i)
}

// identifier applies the fix that begins with the word at token i. Where that
// needs no further look, it returns its last token, otherwise -1.
func (w *walker) identifier(i int) int {
	word := w.word(i)
	switch string(word) {
	case "new":
		w.newPointerArray(i)
		return -1
	case "enum":
		w.enumBase(i)
		return -1
	case "template":
		w.classInstantiation(i)
		return -1
	case "typename":
		w.typenameCast(i)
		return -1
	case "typeid":
		w.typeidOfPrimitive(i)
		return -1
	case "va_arg":
		w.vaArg(i)
		return -1
	case "case":
		w.caseRange(i)
		return -1
	case "_Pragma":
		return w.pragma(i)
	case "asm", "__asm__", "__asm":
		if w.statement || w.is(i-1, "return") { // the frame of an expanded macro
			return w.inlineAsm(i)
		}
		return -1
	}
	if w.punct(i+1) == '(' {
		if w.isMacroName(i) {
			w.typeArguments(i)
			if w.statement {
				return w.statementMacro(i)
			}
		}
		return -1
	}
	if (w.statement || w.punct(i-1) == '>') && w.loneMacro(i) {
		return i
	}
	if w.statement && len(w.attrs.definitions(word)) > 0 {
		return w.bareStatementMacro(i)
	}
	return -1
}

// FixCaseRange is the name of the MarkFix for the dots of "case 0 ... 3:".
const FixCaseRange = "case-range"

// caseRange makes an operator of two operands of the dots between the bounds of a case.
func (w *walker) caseRange(i int) {
	for j := i + 1; j < len(w.toks); j++ {
		switch w.punct(j) {
		case ':':
			if w.punct(j+1) != ':' && w.punct(j-1) != ':' {
				return
			}
		case ';', '{', '}':
			return
		case '.':
			if w.punct(j+1) == '.' && w.punct(j+2) == '.' && w.toks[j].start+2 == w.toks[j+2].start {
				copy(w.out[w.toks[j].start:], "|| ")
				w.fix(FixCaseRange, j, j+2)
				return
			}
		}
	}
}

// statementExpression masks ({ … }), an expression made of statements, as a lambda expression. Its first brackets must stand
// together, and a blank before its first word.
func (w *walker) statementExpression(i int) {
	if w.punct(i+1) != '{' || w.isIdent(i-1) && !w.is(i-1, "return") {
		return // what a macro is given, maybe
	}
	brace := w.closing(i + 1)
	if brace < 0 || w.punct(brace+1) != ')' {
		return
	}
	statements := false // and no list of values
	for j, depth := i+2, 0; j < brace; j++ {
		switch w.punct(j) {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ';':
			statements = statements || depth == 0
		}
	}
	open, inner := w.toks[i].start, w.toks[i+1].start+1
	for w.out[inner] == '\n' || w.out[inner] == '\r' {
		inner++
	}
	if !statements || w.toks[i+1].start != open+1 || w.out[inner] != ' ' && w.out[inner] != '\t' {
		return
	}
	copy(w.out[open:], "[]")
	w.out[inner] = '{'
	w.out[w.toks[brace].start], w.out[w.toks[brace+1].start] = ' ', '}'
	w.fix("statement-expression", i, brace+1)
	w.lambdas = append(w.lambdas, open)
}

// forDeclaration blanks the type in for (…; int w = a[i]; …), whose condition the grammar takes for an expression.
func (w *walker) forDeclaration(i int) {
	if !w.is(i-1, "for") {
		return
	}
	first := i + 1
	for depth := 0; first < len(w.toks) && (depth > 0 || w.punct(first) != ';'); first++ {
		switch w.punct(first) {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return
			}
		}
	}
	first++
	last := first
	for w.isIdent(last) || last > first && strings.IndexByte("*&:", w.punct(last)) >= 0 {
		last++
	}
	if last-1 > first && w.isIdent(last-1) && w.punct(last) == '=' && w.punct(last+1) != '=' {
		w.drop("for-declaration", first, last-2)
	}
}

// assignedFirst masks the assignment in (a = b, c), which the grammar takes for the beginning of a fold expression, as a | b.
func (w *walker) assignedFirst(i int) {
	if w.isIdent(i-1) && !w.is(i-1, "return") || w.punct(i-1) == ')' || w.punct(i-1) == ']' || w.punct(i-1) == '>' {
		return // of a call
	}
	at := -1
	for j, depth := i+1, 0; j < len(w.toks); j++ {
		switch c := w.punct(j); c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return
			}
		case ',':
			if depth == 0 && at > i+1 {
				first := at
				if w.toks[at-1].end == w.toks[at].start && strings.IndexByte("+-*/%^", w.punct(at-1)) >= 0 { // a += b
					first--
				}
				w.blankTokens(first, at)
				w.out[w.toks[first].start] = '|'
				w.assigned = append(w.assigned, w.toks[first].start)
				w.fix("comma-assignment", first, at)
			}
			if depth == 0 {
				return
			}
		case '=':
			if depth == 0 && at < 0 {
				at = j
				continue
			}
			fallthrough
		case '?', '|', '&', ';', '<', '>', '!':
			if depth == 0 {
				return // binds less than the mask does, or may
			}
		}
	}
}

// restoreStatements makes compound statements in parentheses of the lambda expressions that mask them, and assignments of operators.
func (o *overlay) restoreStatements(nodes []Node) {
	for i := range nodes {
		if n := &nodes[i]; n.Kind == KindBinaryExpression && len(o.assigned) > 0 {
			if op := n.Child(FieldOperator); op != nil && slices.Contains(o.assigned, op.Start) {
				n.Kind = KindAssignmentExpression
				op.End += uint32(bytes.IndexByte(o.src[op.Start:], '='))
			}
		}
		if n := &nodes[i]; n.Kind == KindLambdaExpression && slices.Contains(o.lambdas, n.Start) {
			n.Kind, n.First = KindParenthesizedExpression, n.Child(FieldBody)
			n.First.Field = FieldNone
		}
	}
}

// newPointerArray blanks the '*' of new T*[n], and the const of new const T.
func (w *walker) newPointerArray(i int) {
	j := i + 1
	if w.is(j, "const") {
		w.drop("new-const", j, j)
		j++
	}
	for w.isIdent(j) || w.punct(j) == ':' {
		j++
	}
	star := j
	for w.punct(j) == '*' {
		j++
	}
	if j > star && star > i+1 && w.punct(j) == '[' {
		w.drop("new-pointer-array", star, j-1)
	}
}

// classInstantiation blanks the first word of "template class A<int>;".
func (w *walker) classInstantiation(i int) {
	if w.block() == blockNamespace && len(w.parens) == 0 && (w.is(i+1, "class") || w.is(i+1, "struct") || w.is(i+1, "union")) {
		w.drop("class-instantiation", i, i)
	}
}

// enumBase blanks the type of an enum without a name: "enum : int {".
func (w *walker) enumBase(i int) {
	if w.punct(i+1) != ':' {
		return
	}
	last := i + 1
	for w.isIdent(last+1) || w.punct(last+1) == ':' {
		last++
	}
	if w.punct(last+1) == '{' {
		w.drop("enum-base", i+1, last)
	}
}

// emptyInitializer makes a number of the braces in a default argument "= {}".
func (w *walker) emptyInitializer(i int) {
	if len(w.parens) == 0 || w.punct(i+1) != '{' || w.punct(i+2) != '}' || w.toks[i+1].end != w.toks[i+2].start {
		return
	}
	if c := w.punct(i + 3); c == ',' || c == ')' {
		copy(w.out[w.toks[i+1].start:], "00")
		w.fix("empty-initializer", i+1, i+2)
	}
}

// FixPackPointer is the name of the MarkFix for the '*' of a pack of pointers.
const FixPackPointer = "pack-pointer"

// packOfPointers blanks what makes a pointer of each parameter of a pack, Ts *...ps, Ts *const ...ps,
// and of a parameter that has no name: template <class T, T * = nullptr>.
func (w *walker) packOfPointers(i int) {
	last := i
	if w.punct(i+1) == '=' && w.toks[i].end < w.toks[i+1].start {
		w.drop("unnamed-pointer", i, i)
	}
	if len(w.parens) == 0 || !w.isIdent(i-1) && w.punct(i-1) != '>' {
		return
	}
	for w.punct(last+1) == '*' || w.is(last+1, "const") || w.is(last+1, "__restrict__") || w.is(last+1, "__restrict") {
		last++
	}
	if w.punct(last+1) == '.' && w.punct(last+2) == '.' && w.punct(last+3) == '.' && w.isIdent(last+4) {
		w.drop(FixPackPointer, i, last)
	}
}

// typeidOfPrimitive turns typeid(int) into an expression that the grammar knows to take a type.
func (w *walker) typeidOfPrimitive(i int) {
	if w.punct(i+1) == '(' && primitiveWords[string(w.word(i+2))] {
		copy(w.out[w.toks[i].start:], "sizeof")
		w.fix("typeid", i, i)
	}
}

// typenameCast blanks the first word of typename A<T>::type(x) in an expression.
func (w *walker) typenameCast(i int) {
	if w.statement {
		return // of a declaration
	}
	j, open := i+1, 0
	for open > 0 && j < len(w.toks) || w.isIdent(j) || w.punct(j) == ':' || w.punct(j) == '<' {
		switch w.punct(j) {
		case '<':
			open++
		case '>':
			open--
		case ';', '{', '}':
			return
		}
		j++
	}
	if w.punct(j) == '(' && w.punct(j-1) != '>' && w.punct(j+1) != '*' && w.punct(j+1) != '&' {
		w.drop("typename-cast", i, i)
	}
}

// vaArg blanks the type of va_arg(list, type).
func (w *walker) vaArg(i int) {
	if w.punct(i+1) != '(' {
		return
	}
	last := w.closing(i + 1)
	for j := i + 2; j < last; j++ {
		if w.punct(j) == ',' {
			w.drop("va_arg", j, last-1)
			return
		}
	}
}

// pragma blanks _Pragma("…"), which is a directive and may stand in front of a statement.
func (w *walker) pragma(i int) int {
	last := -1
	if w.punct(i+1) == '(' {
		last = w.closing(i + 1)
	}
	if last < 0 {
		return -1
	}
	w.drop("pragma", i, last)
	if w.statement {
		w.begin(last + 1)
	}
	return last
}

// stringMacros blanks user macros that stand for a string and follow the one at token i without a blank: the grammar
// takes "a"NAME for a literal with a suffix.
func (w *walker) stringMacros(i int) {
	if !w.isIdent(i+1) || w.toks[i].end != w.toks[i+1].start {
		return
	}
	for _, m := range w.attrs.definitions(w.word(i + 1)) {
		if len(m.Body) > 0 && m.Body[0] == '"' {
			w.drop("string-macro", i+1, i+1)
			return
		}
	}
}
