package acc

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// C converts a void pointer to any other by itself, and takes a string for a pointer to
// characters that may be changed; C++ wants both written.

// convert writes a conversion that C does by itself before an expression, where its value goes
// to a pointer of another type.
func (t *translation) convert(n *parser.Node) {
	t.convertNumber(n)
	var given *variable
	switch n.Kind {
	case parser.KindCallExpression, parser.KindIdentifier, parser.KindSubscriptExpression, parser.KindFieldExpression, parser.KindCastExpression:
		given = t.typeOf(n)
		if given == nil || len(given.derived) == 0 || !given.isVoidPointer() && !given.isConst && !returnsConst[t.text(n.First)] {
			return
		}
	case parser.KindStringLiteral, parser.KindConcatenatedString:
	default:
		return
	}
	if !t.exact(int(n.Start), int(n.End)) || t.inCompute(n) || t.dropped(n) {
		return
	}
	to := t.target(n)
	if to == nil || len(to.derived) == 0 || !to.derived[0].pointer || to.isVoidPointer() {
		return
	}
	if isText := n.Kind == parser.KindStringLiteral || n.Kind == parser.KindConcatenatedString; isText && (to.isConst || len(to.derived) > 1 || to.resolved != "char") {
		return
	}
	if given != nil && !given.isVoidPointer() && (to.isConst || len(to.derived) != len(given.derived) || to.resolved != given.resolved) {
		return // what is const stays so, and other pointers are not to be mixed up
	}
	text := strings.TrimSpace(to.abstract())
	if to.isConst {
		text = "const " + text
	}
	from, _ := t.original(int(n.Start), int(n.End))
	t.edits.Insert(from, "("+text+")")
}

// isVoidPointer reports whether a type is void *.
func (v *variable) isVoidPointer() bool {
	return v != nil && v.resolved == "void" && len(v.derived) == 1 && v.derived[0].pointer
}

// element is the type of what a pointer leads to, or of an array's elements; nil for others.
func (v *variable) element() *variable {
	if v == nil || len(v.derived) == 0 {
		return nil
	}
	e := *v
	e.derived = v.derived[1:]
	return &e
}

// target is the type that the value of an expression is converted to, nil where nothing says it,
// or nothing needs to.
func (t *translation) target(n *parser.Node) *variable {
	p := n.Parent
	switch {
	case p == nil:
	case p.Kind == parser.KindParenthesizedExpression, p.Kind == parser.KindConditionalExpression && n.Field != parser.FieldCondition:
		return t.target(p)
	case p.Kind == parser.KindInitDeclarator && n.Field == parser.FieldValue:
		return t.declaredBy(p)
	case p.Kind == parser.KindAssignmentExpression && n.Field == parser.FieldRight && t.text(p.Child(parser.FieldOperator)) == "=":
		return t.typeOf(p.Child(parser.FieldLeft))
	case p.Kind == parser.KindReturnStatement:
		if f := n.Ancestor(parser.KindFunctionDefinition); f != nil {
			return t.returned(t.source, f)
		}
	case p.Kind == parser.KindArgumentList && p.Parent.Kind == parser.KindCallExpression:
		return t.parameterOf(p, n)
	case p.Kind == parser.KindInitializerList:
		i := 0
		for c := p.FirstNamed(); c != nil && c != n; c = c.NextNamed() {
			i++
		}
		return t.partOf(t.listType(p), i)
	case p.Kind == parser.KindInitializerPair && n.Field == parser.FieldValue:
		d := p.FirstNamed()
		whole := t.listType(p.Parent)
		if d == nil || whole == nil {
			return nil
		}
		if d.Kind == parser.KindSubscriptDesignator {
			return whole.element()
		}
		for _, f := range t.fieldsOf(whole) {
			if f.name == strings.TrimPrefix(t.text(d), ".") {
				return f
			}
		}
	}
	return nil
}

// listType is the type of what a list in braces initialises.
func (t *translation) listType(list *parser.Node) *variable {
	if p := list.Parent; p != nil && p.Kind == parser.KindCompoundLiteralExpression {
		return t.described(p.Child(parser.FieldType))
	}
	return t.target(list)
}

// partOf is the type of one part of an array or a structure.
func (t *translation) partOf(whole *variable, i int) *variable {
	if whole == nil {
		return nil
	}
	if len(whole.derived) > 0 {
		return whole.element()
	}
	if fields := t.fieldsOf(whole); i < len(fields) {
		return fields[i]
	}
	return nil
}

// declaredBy is the variable that a declarator with a value declares.
func (t *translation) declaredBy(n *parser.Node) (v *variable) {
	n.Child(parser.FieldDeclarator).Walk(func(c *parser.Node) bool {
		if v == nil && c.Kind == parser.KindIdentifier && t.declares(c) {
			v = t.variableOf(c)
		}
		return v == nil
	})
	return v
}

// typeOf is the type of an expression, as a variable; nil where it can't be told.
func (t *translation) typeOf(n *parser.Node) *variable {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case parser.KindIdentifier:
		if t.declares(n) {
			return nil
		}
		return t.plainVariable(n)
	case parser.KindParenthesizedExpression:
		return t.typeOf(n.FirstNamed())
	case parser.KindSubscriptExpression:
		return t.typeOf(n.First).element()
	case parser.KindPointerExpression:
		if t.text(n.First) == "*" {
			return t.typeOf(n.Child(parser.FieldArgument)).element()
		}
	case parser.KindFieldExpression:
		of := t.typeOf(n.First)
		if of == nil || n.Child(parser.FieldField) == nil {
			return nil
		}
		return t.fieldOf(of, t.text(n.Child(parser.FieldField)))
	case parser.KindCastExpression:
		return t.described(n.Child(parser.FieldType))
	case parser.KindCallExpression:
		name := t.text(n.Child(parser.FieldFunction))
		if returnsConst[name] {
			return &variable{base: "char", resolved: "char", derived: []derivation{{pointer: true}}, isConst: true}
		}
		if allocators[name] {
			return &variable{base: "void", resolved: "void", derived: []derivation{{pointer: true}}}
		}
		for _, s := range append([]*source{t.source}, t.headers...) {
			for _, f := range s.tree.Functions {
				if f.Name == name {
					return t.returned(s, f.Node)
				}
			}
		}
	}
	return nil
}

// returned is the type that a function returns.
func (t *translation) returned(s *source, f *parser.Node) *variable {
	v := &variable{src: s}
	for c := f.First; c != nil; c = c.Next {
		switch {
		case c.Field == parser.FieldType:
			v.base = bareType(s, c)
		case c.Kind == parser.KindTypeQualifier:
			v.isConst = v.isConst || s.text(c) == "const"
		}
	}
	d := f.Child(parser.FieldDeclarator)
	for d != nil && d.Kind == parser.KindPointerDeclarator {
		v.derived = append(v.derived, derivation{pointer: true})
		d = d.Child(parser.FieldDeclarator)
	}
	if d == nil || d.Kind != parser.KindFunctionDeclarator {
		return nil
	}
	return t.behindTypedef(v)
}

// behindTypedef fills in what a type is behind a typedef.
func (t *translation) behindTypedef(v *variable) *variable {
	v.resolved = v.base
	if named, ok := t.types[v.base]; ok {
		v.resolved = named.base
		if len(named.derived) > 0 {
			v.base, v.derived = named.base, append(v.derived[:len(v.derived):len(v.derived)], named.derived...)
		}
	}
	return v
}

// described is the type that a type descriptor describes, nil where it is no structure, array or pointer.
func (t *translation) described(n *parser.Node) *variable {
	if n == nil {
		return nil
	}
	v := &variable{src: t.source}
	kind := n
	if n.Kind == parser.KindTypeDescriptor {
		kind = n.Child(parser.FieldType)
		for d := n.Child(parser.FieldDeclarator); d != nil; d = d.Child(parser.FieldDeclarator) {
			v.derived = append(v.derived, derivation{pointer: d.Kind != parser.KindAbstractArrayDeclarator})
		}
	}
	if kind == nil {
		return nil
	}
	v.base = bareType(t.source, kind)
	return t.behindTypedef(v)
}

// parameterOf is the type of the parameter that an argument of a call is for.
func (t *translation) parameterOf(arguments, n *parser.Node) *variable {
	i := 0
	for c := arguments.FirstNamed(); c != nil && c != n; c = c.NextNamed() {
		if c.Kind != parser.KindComment {
			i++
		}
	}
	name := t.text(arguments.Parent.Child(parser.FieldFunction))
	if f := t.functionNamed(name); f != nil && t.hasRows {
		p := f.ParamList.FirstNamed()
		for k := 0; p != nil && k < i; k++ {
			p = p.NextNamed()
		}
		if k := slices.IndexFunc(t.vars, func(v *variable) bool { return v.flat && v.decl == p }); k >= 0 {
			return t.vars[k]
		}
	}
	for _, s := range append([]*source{t.source}, t.headers...) {
		for _, f := range s.tree.Functions {
			if f.Name != name || f.ParamList == nil {
				continue
			}
			p := f.ParamList.FirstNamed()
			for k := 0; p != nil && k < i; k++ {
				p = p.NextNamed()
			}
			if p == nil || p.Kind != parser.KindParameterDeclaration {
				return nil
			}
			v := &variable{src: s}
			for c := p.First; c != nil; c = c.Next {
				switch {
				case c.Field == parser.FieldType:
					v.base = bareType(s, c)
				case c.Kind == parser.KindTypeQualifier:
					v.isConst = v.isConst || s.text(c) == "const"
				case c.Field == parser.FieldDeclarator:
					v.pointersOf(c)
				}
			}
			return t.behindTypedef(v)
		}
	}
	return nil
}

// pointersOf reads the pointers and arrays of a parameter's declarator, named or not.
func (v *variable) pointersOf(d *parser.Node) {
	for ; d != nil; d = d.Child(parser.FieldDeclarator) {
		switch d.Kind {
		case parser.KindPointerDeclarator, parser.KindAbstractPointerDeclarator:
			v.derived = append(v.derived, derivation{pointer: true})
		case parser.KindArrayDeclarator, parser.KindAbstractArrayDeclarator:
			v.derived = append([]derivation{{pointer: len(v.derived) == 0}}, v.derived...)
		case parser.KindIdentifier:
		default:
			v.derived = nil
			return
		}
	}
}

// returnsConst are functions of string.h that C++ has return a pointer to what may not be
// changed, as it takes one.
var returnsConst = map[string]bool{"strchr": true, "strrchr": true, "strstr": true, "strpbrk": true}

// convertNumber writes a conversion of numbers that C++ wants written: to an enumeration, and,
// in an initialiser in braces, to a type that does not hold all values.
func (t *translation) convertNumber(n *parser.Node) {
	switch n.Kind {
	case parser.KindNumberLiteral, parser.KindIdentifier, parser.KindCallExpression, parser.KindSubscriptExpression, parser.KindFieldExpression,
		parser.KindBinaryExpression, parser.KindUnaryExpression, parser.KindPointerExpression, parser.KindParenthesizedExpression:
	default:
		return
	}
	if n.Parent == nil || n.Kind == parser.KindIdentifier && t.declares(n) || !t.exact(int(n.Start), int(n.End)) || t.inCompute(n) || t.dropped(n) {
		return
	}
	inList := n.Parent.Kind == parser.KindInitializerList || n.Parent.Kind == parser.KindInitializerPair && n.Field == parser.FieldValue
	to := t.target(n)
	if to == nil || len(to.derived) > 0 {
		return
	}
	switch given := t.number(n); {
	case to.isEnum():
		if given == "" || given == to.resolved {
			return
		}
	case inList:
		if !narrows(given, canonical[to.resolved]) || t.fits(n, given, canonical[to.resolved]) {
			return
		}
	default:
		return
	}
	from, end := t.original(int(n.Start), int(n.End))
	open, shut := "("+to.base+")", ""
	if n.Kind == parser.KindBinaryExpression {
		open, shut = open+"(", ")"
	}
	t.edits.Insert(from, open)
	if shut != "" {
		t.edits.Insert(end, shut)
	}
}

// canonical are the types of numbers by one name each.
var canonical = map[string]string{
	"char": "char", "signed char": "char", "unsigned char": "unsigned char", "uint8_t": "unsigned char", "int8_t": "char",
	"short": "short", "unsigned short": "unsigned short", "int16_t": "short", "uint16_t": "unsigned short",
	"int": "int", "int32_t": "int", "unsigned": "unsigned", "unsigned int": "unsigned", "uint32_t": "unsigned",
	"long": "long", "long long": "long", "int64_t": "long", "ptrdiff_t": "long", "unsigned long": "unsigned long", "unsigned long long": "unsigned long",
	"size_t": "unsigned long", "uint64_t": "unsigned long", "float": "float", "double": "double", "bool": "bool",
}

// ranks are the types of numbers by what they hold: later ones hold more.
var ranks = []string{"bool", "char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "float", "double"}

// number is the type of an expression of numbers, an enumeration's for one of that, "" where it
// can't be told.
func (t *translation) number(n *parser.Node) string {
	if n == nil {
		return ""
	}
	switch n.Kind {
	case parser.KindNumberLiteral:
		text := strings.ToLower(t.text(n))
		switch hex := strings.HasPrefix(text, "0x"); {
		case !hex && strings.ContainsAny(text, ".e") && strings.HasSuffix(text, "f"):
			return "float"
		case !hex && strings.ContainsAny(text, ".e"):
			return "double"
		case strings.Contains(text, "l"):
			return "long"
		}
		return "int"
	case parser.KindParenthesizedExpression:
		return t.number(n.FirstNamed())
	case parser.KindUnaryExpression:
		if op := t.text(n.Child(parser.FieldOperator)); op == "!" {
			return "int"
		}
		return promoted(t.number(n.Child(parser.FieldArgument)))
	case parser.KindBinaryExpression:
		a, b := t.number(n.Child(parser.FieldLeft)), t.number(n.Child(parser.FieldRight))
		switch op := t.text(n.Child(parser.FieldOperator)); {
		case strings.ContainsAny(op, "<>=!&|") && len(op) == 2 && op != "<<" && op != ">>", op == "<", op == ">":
			return "int"
		case a == "" || b == "":
			return ""
		case op == "<<" || op == ">>":
			return promoted(a)
		}
		a, b = promoted(a), promoted(b)
		return ranks[max(slices.Index(ranks, a), slices.Index(ranks, b))]
	case parser.KindConditionalExpression:
		a, b := t.number(n.Child(parser.FieldConsequence)), t.number(n.Child(parser.FieldAlternative))
		if a == "" || b == "" {
			return ""
		}
		a, b = promoted(a), promoted(b)
		return ranks[max(slices.Index(ranks, a), slices.Index(ranks, b))]
	case parser.KindCallExpression:
		if name := t.text(n.Child(parser.FieldFunction)); strings.HasPrefix(mathArguments[name], "d") && t.functionNamed(name) == nil {
			switch {
			case name == "ilogb":
				return "int"
			case strings.HasPrefix(strings.TrimPrefix(name, "l"), "l"), strings.HasPrefix(name, "lr"):
				return "long"
			}
			return "double"
		}
	case parser.KindIdentifier:
		if v := t.plainVariable(n); v == nil {
			return t.enumOf(t.text(n))
		}
	}
	v := t.typeOf(n)
	switch {
	case v == nil || len(v.derived) > 0:
		return ""
	case v.isEnum():
		return v.resolved
	}
	return canonical[v.resolved]
}

// enumOf is the enumeration that has a constant of a name, "" for none.
func (t *translation) enumOf(name string) (found string) {
	for _, s := range append([]*source{t.source}, t.headers...) {
		s.tree.Root.Walk(func(n *parser.Node) bool {
			if n.Kind == parser.KindEnumerator && s.text(n.FirstNamed()) == name {
				if e := n.Ancestor(parser.KindEnumSpecifier); e != nil {
					found = bareType(s, e)
				}
			}
			return found == ""
		})
	}
	return found
}

// promoted is the type in which numbers of a type are computed.
func promoted(name string) string {
	if i := slices.Index(ranks, name); i >= 0 && i < slices.Index(ranks, "int") || strings.HasPrefix(name, "enum") {
		return "int"
	}
	return name
}

// narrows reports whether values of a type may not fit into another one.
func narrows(from, to string) bool {
	i, k := slices.Index(ranks, from), slices.Index(ranks, to)
	if i < 0 || k < 0 || from == to {
		return false
	}
	const long, single = "unsigned long", "float"
	signed := !strings.HasPrefix(from, "unsigned") && strings.HasPrefix(to, "unsigned") && i < slices.Index(ranks, single)
	return i > k || signed || i <= slices.Index(ranks, long) && i >= slices.Index(ranks, "int") && k >= slices.Index(ranks, single)
}

// fits reports whether a constant can be told to fit into a type.
func (t *translation) fits(n *parser.Node, from, to string) bool {
	c, ok := t.constant(n)
	if !ok {
		return n.Kind == parser.KindNumberLiteral && from == "double" && to == "float"
	}
	switch to {
	case "bool":
		return c == 0 || c == 1
	case "char":
		return c >= -128 && c < 128
	case "unsigned char":
		return c >= 0 && c < 256
	case "short":
		return c >= -1<<15 && c < 1<<15
	case "unsigned short":
		return c >= 0 && c < 1<<16
	case "int":
		return c >= -1<<31 && c < 1<<31
	case "float", "double":
		return c > -1<<24 && c < 1<<24
	}
	return c >= 0 || !strings.HasPrefix(to, "unsigned")
}
