package acc

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// element is the type of what a pointer leads to, or of an array's elements; nil for others.
func (v *variable) element() *variable {
	if v == nil || len(v.derived) == 0 {
		return nil
	}
	e := *v
	e.derived = v.derived[1:]
	return &e
}

// target is the type that the value of an expression is converted to, nil if nothing says it.
func (u *unit) target(n *parser.Node) *variable {
	p := n.Parent
	switch {
	case p == nil:
	case p.Kind == parser.KindParenthesizedExpression, p.Kind == parser.KindConditionalExpression && n.Field != parser.FieldCondition:
		return u.target(p)
	case p.Kind == parser.KindInitDeclarator && n.Field == parser.FieldValue:
		return u.declaredBy(p)
	case p.Kind == parser.KindAssignmentExpression && n.Field == parser.FieldRight && u.op(p) == "=":
		return u.typeOf(p.Child(parser.FieldLeft))
	case p.Kind == parser.KindReturnStatement:
		if f := n.Ancestor(parser.KindFunctionDefinition); f != nil {
			return u.returned(u.source, f)
		}
	case callOf(n) != nil:
		return u.parameterOf(n)
	case p.Kind == parser.KindInitializerList:
		whole := u.listType(p)
		if whole == nil || len(whole.derived) > 0 {
			return whole.element()
		}
		if i, fields := indexOf(n), u.fieldsOf(whole); i < len(fields) {
			return fields[i]
		}
	case p.Kind == parser.KindInitializerPair && n.Field == parser.FieldValue:
		d, whole := p.FirstNamed(), u.listType(p.Parent)
		if whole == nil || d.Kind == parser.KindSubscriptDesignator {
			return whole.element()
		}
		return u.fieldOf(whole, strings.TrimPrefix(u.text(d), "."))
	}
	return nil
}

func (u *unit) listType(list *parser.Node) *variable {
	if p := list.Parent; p != nil && p.Kind == parser.KindCompoundLiteralExpression {
		return u.described(p.Child(parser.FieldType))
	}
	return u.target(list)
}

// indexOf counts the siblings before a node that are named, comments aside.
func indexOf(n *parser.Node) int { return slices.Index(parts(n.Parent), n) }

func (u *unit) declaredBy(n *parser.Node) *variable {
	return lists.Find(u.vars, func(v *variable) bool { return v.declarator == n })
}

// typeOf is the type of an expression, as a variable; nil if unknown.
func (u *unit) typeOf(n *parser.Node) *variable {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case parser.KindIdentifier:
		if !u.declares(n) {
			return u.plainVariable(n)
		}
	case parser.KindParenthesizedExpression:
		return u.typeOf(n.FirstNamed())
	case parser.KindSubscriptExpression:
		return u.typeOf(n.First).element()
	case parser.KindPointerExpression:
		if u.text(n.First) == "*" {
			return u.typeOf(n.Child(parser.FieldArgument)).element()
		}
	case parser.KindFieldExpression:
		if of := u.typeOf(n.First); of != nil {
			return u.fieldOf(of, u.text(n.Child(parser.FieldField)))
		}
	case parser.KindCastExpression:
		return u.described(n.Child(parser.FieldType))
	case parser.KindCallExpression:
		name := u.callee(n)
		if returnsConst[name] {
			return &variable{base: "char", resolved: "char", derived: []derivation{{pointer: true}}, isConst: true}
		}
		if allocators[name] {
			return &variable{base: "void", resolved: "void", derived: []derivation{{pointer: true}}}
		}
		if s, f := u.declaration(name); f != nil {
			return u.returned(s, f.Node)
		}
	}
	return nil
}

// declaration is the first declaration or definition of a function in the file, or in a header; nil for none.
func (u *unit) declaration(name string) (*source, *parser.Function) {
	for _, s := range u.sources() {
		if f := lists.Find(s.tree.Functions, func(f *parser.Function) bool { return f.Name == name }); f != nil {
			return s, f
		}
	}
	return nil, nil
}

func (u *unit) returned(s *source, f *parser.Node) *variable {
	v := headOf(s, f)
	if d := v.walk(s, f.Child(parser.FieldDeclarator)); d == nil || d.Kind != parser.KindFunctionDeclarator {
		return nil
	}
	return u.behindTypedef(v)
}

// headOf reads the part of a declaration before its declarators.
func headOf(s *source, declaration *parser.Node) *variable {
	v := &variable{src: s}
	for c := declaration.First; c != nil; c = c.Next {
		switch {
		case c.Field == parser.FieldType:
			v.base = bareType(s, c)
		case c.Kind == parser.KindStorageClassSpecifier:
			v.isStatic = v.isStatic || s.text(c) == "static"
		case c.Kind == parser.KindTypeQualifier:
			v.isConst = v.isConst || s.text(c) == "const"
		}
	}
	return v
}

// behindTypedef fills in what a type is behind a typedef.
func (u *unit) behindTypedef(v *variable) *variable {
	v.resolved = v.base
	if named := u.types[v.base]; named != nil {
		v.resolved = named.resolved
		if len(named.derived) > 0 { // the name of an array or a pointer
			v.base, v.derived = named.resolved, append(slices.Clip(v.derived), named.derived...)
		}
	}
	return v
}

// described is the type that a type descriptor describes, nil where it is no structure, array or pointer.
func (u *unit) described(n *parser.Node) *variable {
	if n == nil {
		return nil
	}
	if n.Kind != parser.KindTypeDescriptor {
		return u.behindTypedef(&variable{src: u.source, base: bareType(u.source, n)})
	}
	v := headOf(u.source, n)
	v.walk(u.source, n.Child(parser.FieldDeclarator))
	return u.behindTypedef(v)
}

// callOf is the call that a node is an argument of, nil for none.
func callOf(n *parser.Node) *parser.Node {
	if list := n.Parent; list != nil && list.Kind == parser.KindArgumentList && list.Parent.Kind == parser.KindCallExpression {
		return list.Parent
	}
	return nil
}

// parameterOf is the type of the parameter that an argument of a call is for; nil for other nodes.
func (u *unit) parameterOf(n *parser.Node) *variable {
	call := callOf(n)
	if call == nil {
		return nil
	}
	parameter := func(f *parser.Function) *parser.Node {
		if all, i := parts(f.ParamList), indexOf(n); i >= 0 && i < len(all) {
			return all[i]
		}
		return nil
	}
	name := u.callee(call)
	if f := u.functionNamed(name); f != nil && u.hasRows {
		p := parameter(f)
		if v := lists.Find(u.vars, func(v *variable) bool { return v.flat && v.decl == p }); v != nil {
			return v
		}
	}
	s, f := u.declaration(name)
	if f == nil || f.ParamList == nil || parameter(f) == nil || parameter(f).Kind != parser.KindParameterDeclaration {
		return nil
	}
	v := headOf(s, parameter(f))
	if v.walk(s, parameter(f).Child(parser.FieldDeclarator)) != nil {
		v.derived = nil // a pointer to a function
	} else if len(v.derived) > 0 {
		v.derived[0] = derivation{pointer: true}
	}
	return u.behindTypedef(v)
}

// returnsConst are functions of string.h that return a pointer to constants in C++.
var returnsConst = map[string]bool{"strchr": true, "strrchr": true, "strstr": true, "strpbrk": true}

// readCasts gives conversions by a typedef's name, (real)(x + 1), which the grammar takes for calls, their tree.
func (u *unit) readCasts() {
	for _, s := range u.sources() {
		for n := range s.tree.Root.All() {
			to, of := n.Child(parser.FieldFunction), n.Child(parser.FieldArguments)
			if n.Kind != parser.KindCallExpression || to == nil || of == nil || to.Kind != parser.KindParenthesizedExpression || len(parts(of)) != 1 || len(parts(to)) != 1 {
				continue
			}
			name := to.FirstNamed()
			if name.Kind != parser.KindIdentifier || u.types[s.text(name)] == nil || s == u.source && u.lookup(s.text(name), int(n.Start)) != nil {
				continue
			}
			n.Kind = parser.KindCastExpression
			to.Kind, to.Field = parser.KindTypeDescriptor, parser.FieldType
			name.Kind, name.Field = parser.KindTypeIdentifier, parser.FieldType
			of.Kind, of.Field = parser.KindParenthesizedExpression, parser.FieldValue
		}
	}
}

// convertNumber writes a conversion that C++ wants written: to an enumeration, and, in braces, to a narrower type.
func (t *translation) convertNumber(n *parser.Node) {
	binary := n.Kind == parser.KindBinaryExpression
	if !isPrimary(n) && !binary && n.Kind != parser.KindUnaryExpression && n.Kind != parser.KindPointerExpression || n.Kind == parser.KindIdentifier && t.declares(n) {
		return
	}
	inList := n.Parent.Kind == parser.KindInitializerList || n.Parent.Kind == parser.KindInitializerPair && n.Field == parser.FieldValue
	to := t.target(n)
	if to == nil || len(to.derived) > 0 {
		return
	}
	given := t.number(n)
	toEnum := to.isEnum() && given.Name != "" && given.Name != to.resolved
	switch {
	case !toEnum && (to.isEnum() || !inList || !narrows(given, to.number()) || t.fits(n, given, to.number())):
	case binary:
		t.wrap(n, "("+to.base+")(", ")")
	default:
		t.wrap(n, "("+to.base+")", "")
	}
}

// isPrimary reports whether an expression binds as closely as any.
func isPrimary(n *parser.Node) bool {
	switch n.Kind {
	case parser.KindNumberLiteral, parser.KindIdentifier, parser.KindCallExpression, parser.KindSubscriptExpression, parser.KindFieldExpression, parser.KindParenthesizedExpression:
		return true
	}
	return false
}

// ranks are the types of numbers by what they hold: later ones hold more.
var ranks = []string{"bool", "char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long", "unsigned long", "float", "double"}

// notOfC are numbers of other headers than C's.
var notOfC = strings.Fields("uchar ushort uint ulong clock_t time_t")

// numberNamed is the one of ranks that a name is for, the zero value for other types.
func numberNamed(name string) ir.Number {
	n, ok := ir.NumberOf(strings.Replace(name, "_Bool", "bool", 1))
	if ok && !slices.Contains(notOfC, name) {
		for _, one := range ranks {
			if r, _ := ir.NumberOf(one); r.Bytes == n.Bytes && r.Unsigned == n.Unsigned && r.Float == n.Float && (one == "bool") == (n.Name == "bool") {
				return r
			}
		}
	}
	return ir.Number{}
}

// number is the type of numbers that a variable is of, the zero value where it is of none.
func (v *variable) number() ir.Number {
	if !v.isScalar() {
		return ir.Number{}
	}
	return numberNamed(v.resolved)
}

// isUnsigned reports whether arithmetic on the variable wraps.
func (v *variable) isUnsigned() bool { return wraps(numberNamed(v.resolved)) }
func wraps(n ir.Number) bool         { return n.Unsigned && n.Name != "bool" }

// isInteger reports whether the variable is of one of C's integers.
func (v *variable) isInteger() bool { n := v.number(); return n.Bytes > 0 && !n.Float }

// isNarrow reports whether the variable is, or leads to, an integer that is smaller than an int.
func (v *variable) isNarrow() bool { return v.isIntegerOf(1) || v.isIntegerOf(2) }

// isIntegerOf reports whether the variable is, or leads to, an integer of a size.
func (v *variable) isIntegerOf(bytes int) bool {
	n := numberNamed(v.resolved)
	return n.Bytes == bytes && !n.Float
}

// number is the type of an expression of numbers; one of no bytes has an enumeration's name, and none where it can't be told.
func (t *translation) number(n *parser.Node) ir.Number {
	if n == nil {
		return ir.Number{}
	}
	switch n.Kind {
	case parser.KindNumberLiteral:
		text := strings.ToLower(t.text(n))
		switch float := !strings.HasPrefix(text, "0x") && strings.ContainsAny(text, ".e"); {
		case float && strings.HasSuffix(text, "f"):
			return numberNamed("float")
		case float:
			return numberNamed("double")
		case strings.Contains(text, "l"):
			return numberNamed("long")
		}
		return ir.Int
	case parser.KindParenthesizedExpression:
		return t.number(n.FirstNamed())
	case parser.KindUnaryExpression:
		if t.op(n) != "!" {
			return promoted(t.number(n.Child(parser.FieldArgument)))
		}
		return ir.Int
	case parser.KindBinaryExpression:
		a, b := t.number(n.Child(parser.FieldLeft)), t.number(n.Child(parser.FieldRight))
		switch op := t.op(n); {
		case strings.ContainsAny(op, "<>=!&|") && len(op) == 2 && op != "<<" && op != ">>", op == "<", op == ">":
			return ir.Int
		case (op == "<<" || op == ">>") && b.Name != "":
			return promoted(a)
		}
		return usual(a, b)
	case parser.KindConditionalExpression:
		return usual(t.number(n.Child(parser.FieldConsequence)), t.number(n.Child(parser.FieldAlternative)))
	case parser.KindCallExpression:
		if name := t.callee(n); strings.HasPrefix(mathArguments[name], "d") && t.functionNamed(name) == nil {
			switch {
			case name == "ilogb":
				return ir.Int
			case strings.HasPrefix(strings.TrimPrefix(name, "l"), "l"), strings.HasPrefix(name, "lr"):
				return numberNamed("long")
			}
			return numberNamed("double")
		}
	case parser.KindIdentifier:
		if t.plainVariable(n) == nil {
			return ir.Number{Name: t.enumOf(t.text(n))}
		}
	}
	v := t.typeOf(n)
	if v == nil || v.isEnum() {
		return ir.Number{Name: cmp.Or(v, &variable{}).resolved}
	}
	return v.number()
}

// enumOf is the enumeration that has a constant of a name, "" for none.
func (u *unit) enumOf(name string) string {
	for _, s := range u.sources() {
		for n := range s.tree.Root.All() {
			if n.Kind == parser.KindEnumerator && s.text(n.FirstNamed()) == name {
				return bareType(s, n.Ancestor(parser.KindEnumSpecifier))
			}
		}
	}
	return ""
}

// promoted is the type in which numbers of a type are computed.
func promoted(n ir.Number) ir.Number { return usual(n, n) }

// usual is the type in which two numbers are computed, the zero value where one is unknown.
func usual(a, b ir.Number) ir.Number {
	if a.Name == "" || b.Name == "" {
		return ir.Number{}
	}
	return ir.Usual(a, b)
}

// narrows reports whether values of a type may not fit into another one.
func narrows(from, to ir.Number) bool {
	return from.Bytes > 0 && to.Bytes > 0 && from != to && (slices.Index(ranks, from.Name) > slices.Index(ranks, to.Name) ||
		!from.Float && !wraps(from) && wraps(to) || !from.Float && from.Bytes >= ir.Int.Bytes && to.Float)
}

// fits reports whether a constant can be told to fit into a type.
func (t *translation) fits(n *parser.Node, from, to ir.Number) bool {
	c, ok := t.constant(n)
	switch {
	case !ok:
		return n.Kind == parser.KindNumberLiteral && from.Name == "double" && to.Name == "float"
	case to.Name == "bool":
		return c == 0 || c == 1
	case to.Float:
		return c > -1<<24 && c < 1<<24
	case to.Unsigned:
		return c >= 0 && (to.Bytes >= ir.Int.Bytes || c < 1<<(8*to.Bytes))
	}
	most := int64(1)<<(8*to.Bytes-1) - 1
	return c >= -most-1 && c <= most
}
