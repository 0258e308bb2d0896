package effect

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Kind classifies types by who says what operations on their values do.
type Kind uint8

// The kinds of types. Operations on all but the last three are the language's, or a library's that is
// known to only compute.
const (
	Number    Kind = iota + 1 // of the language, enumerations included
	Vector                    // of CUDA: float4, half, cuComplex, dim3
	Library                   // a class of a library that smux knows
	Nothing                   // void
	Parameter                 // a type parameter whose arguments are not in view
	Object                    // a class of the program
	Foreign                   // a name that no file in view declares
)

// Type is the type of an expression. The zero value is the type that is not known.
type Type struct {
	Kind     Kind
	Base     string // the name of the number, vector or class; of a number that is one of several, the name of the parameter, macro or typedef
	Levels   int    // how often it can be dereferenced or subscripted
	Array    int    // how many of these levels, from the outermost on, are extents of an array
	Rows     int    // of a pointer to arrays: how many levels after the outermost are extents
	Class    *Class // of an Object
	Volatile bool   // it, or a part of it, is volatile
	Copied   bool   // of a Foreign class: it is copied as it is, byte for byte
}

// IsBuiltin reports whether what operations on values of the type do is the language's or CUDA's.
func (t Type) IsBuiltin() bool {
	return t.Levels > 0 || t.Kind == Number || t.Kind == Vector || t.Kind == Library || t.Kind == Nothing
}

// isObject reports whether a value is an object of a class of the program, or of one out of view.
func (t Type) isObject() bool { return t.Levels == 0 && (t.Kind == Object || t.Kind == Foreign) }

// element is the type of what one subscript leads to.
func (t Type) element() Type {
	t.Levels--
	if t.Array > 0 {
		t.Array--
	} else {
		t.Array, t.Rows = t.Rows, 0
	}
	return t
}

// decayed is the type of a value: of an array it is a pointer to the first element.
func (t Type) decayed() Type {
	if t.Array > 0 {
		t.Array, t.Rows = 0, t.Array-1
	}
	return t
}

// indexed returns the operand of a subscript, and the subscript: a[i] and i[a] are the same.
func (s *Scope) indexed(fn *ir.Func, e *ir.Expr) (of, at *ir.Expr) {
	if a := s.TypeOf(fn, e.Kids[0]); a.Levels == 0 && a.Kind == Number && s.TypeOf(fn, e.Kids[1]).Levels > 0 {
		return e.Kids[1], e.Kids[0]
	}
	return e.Kids[0], e.Kids[1]
}

// declared is the type of a variable.
func (s *Scope) declared(fn *ir.Func, v *ir.Var) Type {
	if v.Kind == ir.VarEnumerator {
		return Type{Kind: Number, Base: v.Type.Base}
	}
	if v.Type.Function {
		return Type{}
	}
	if v.Type.IsAuto() {
		if v.Init == nil || v.Type.Base == "decltype" {
			return extended(Type{Volatile: v.Type.Volatile}, v)
		}
		init := v.Init
		if init.Op == ir.OpInitList && len(init.Kids) == 1 {
			init = init.Kids[0]
		}
		if _, cyclic := s.types[init]; cyclic {
			return Type{}
		}
		s.types[init] = Type{}
		t := s.TypeOf(fn, init)
		delete(s.types, init)
		if !v.Type.Ref {
			t = t.decayed()
			t.Volatile = t.Volatile && t.Levels > 0
		}
		t.Volatile = t.Volatile || v.Type.Volatile
		return t
	}
	if v.Type.Record != nil && v.Type.Base != "" && len(s.classes[v.Type.Base]) == 0 {
		return extended(Type{Volatile: v.Type.Volatile}, v)
	}
	t := extended(s.named(fn, v.Type.Base), v)
	if v.Pack {
		return Type{}
	}
	t.Volatile = t.Volatile || v.Type.Volatile
	return t
}

// extended is the type of a variable, given that of what it points to or has as elements.
func extended(t Type, v *ir.Var) Type {
	n := len(v.Dims)
	t.Levels += v.Type.Ptr + n
	switch {
	case v.Type.Rows != nil: // a pointer to arrays
		t.Rows = len(v.Type.Rows.Extents)
	case v.Kind == ir.VarParam && !v.Type.Ref: // a pointer
	case v.Type.Ptr == 0:
		t.Array += n
	default:
		t.Array += min(n, 1) // what the elements of several extents are is not told
	}
	return t
}

// variable returns the variable that a name stands for in a function; nil
// if unknown. of is the class that it is a member of.
func (s *Scope) variable(fn *ir.Func, e *ir.Expr) (v *ir.Var, of *Class) {
	if e.Var != nil && e.Var.Kind != ir.VarGlobal {
		return e.Var, nil
	}
	if e.Qual == "" {
		for _, p := range fn.Params { // in what a constructor's members begin with
			if p.Name == e.Name && e.Var == nil {
				return p, nil
			}
		}
		if c := s.classOf(fn); c != nil {
			if m, of, _ := c.member(e.Name); m != nil {
				return m, of
			}
		}
	}
	if e.Var != nil {
		return e.Var, nil
	}
	return s.global(e.Name), nil
}

// inClass is the function as which the types of a class's members are read.
func (c *Class) inClass() *ir.Func {
	if c.inside == nil {
		c.inside = &ir.Func{File: c.file, View: &parser.Function{Class: c.Name, Node: c.view.Node, Start: int(c.view.Node.Start)}, Aliases: map[string]string{}}
		for _, fn := range c.file.Functions { // a class of a function's own sees the names that the function gives to types
			if fn.Body == nil || fn.Body.Start > c.view.Node.Start || fn.Body.End < c.view.Node.End {
				continue
			}
			fn.Body.Walk(func(n *parser.Node) bool {
				if n.Kind == parser.KindTypeDefinition || n.Kind == parser.KindAliasDeclaration {
					for d := n.First; d != nil; d = d.Next {
						if d.Field == parser.FieldDeclarator || d.Field == parser.FieldName {
							name, means := parser.AliasOf(d, c.file.Text(n.Child(parser.FieldType)), c.file.Text)
							c.inside.Aliases[name] = means
						}
					}
				}
				return true
			})
		}
	}
	return c.inside
}

// TypeOf deduces the type of an expression of a function.
func (s *Scope) TypeOf(fn *ir.Func, e *ir.Expr) Type {
	if k, ok := e.Known.(*known); ok && k.by == s {
		return k.Type
	}
	t := s.typeOf(fn, e)
	if t.Kind == 0 && len(s.cache.Hidden) > 0 {
		t = unknown(s, fn, e, t)
	}
	if len(s.types) == 0 { // else a cycle may have cut it short
		e.Known = &known{t, s}
	}
	return t
}

// unknown is the type of what decltype declares, or of a member of a hidden type, where some types are hidden: it may be one of them.
func unknown(s *Scope, fn *ir.Func, e *ir.Expr, t Type) Type {
	of := e.Op == ir.OpMember && len(e.Kids) > 0 && s.TypeOf(fn, e.Kids[0]).Kind == Foreign
	if !of && (e.Op != ir.OpIdent || e.Var == nil || e.Var.Type.Base != "decltype") {
		return t
	}
	if kind, copied := undeclared(s, fn, ""); kind == Foreign {
		t.Kind, t.Copied = kind, copied
	}
	return t
}

// known is the type of an expression in a scope.
type known struct {
	Type
	by *Scope
}

func (s *Scope) typeOf(fn *ir.Func, e *ir.Expr) Type {
	truth := Type{Kind: Number, Base: "bool"}
	switch e.Op {
	case ir.OpInt:
		return literalInt(e)
	case ir.OpSizeof:
		return Type{Kind: Number, Base: "size_t"}
	case ir.OpLiteral:
		return literal(e.Name)
	case ir.OpIdent:
		if e.Name == "this" && e.Var == nil {
			if c := s.classOf(fn); c != nil {
				return Type{Kind: Object, Base: c.Name, Class: c, Levels: 1, Volatile: c.volatile}
			}
			return Type{}
		}
		v, of := s.variable(fn, e)
		builtin := intrinsic.VariableOf(e.Name)
		switch {
		case v == nil && builtin != nil:
			return s.named(fn, builtin.Type)
		case v == nil && intrinsic.IsConstant(e.Name):
			return Type{Kind: Number}
		case v == nil && e.Qual != "":
			return memberOf(s, fn, s.named(fn, strings.TrimSuffix(e.Qual, "::")), "."+e.Name)
		case v == nil:
			return Type{}
		case of != nil:
			return s.declared(of.inClass(), v)
		}
		return s.declared(fn, v)
	case ir.OpUnary:
		t := s.TypeOf(fn, e.Kids[0])
		if e.Tok == "!" && (t.IsBuiltin() || t.Levels > 0) {
			return truth
		}
		if n, ok := ir.NumberOf(t.Base); ok && t.Kind == Number && t.Levels == 0 {
			return Type{Kind: Number, Base: n.Promoted().Name}
		}
		return s.resultOf(fn, e, "operator"+e.Tok, t)
	case ir.OpDeref:
		if t := s.TypeOf(fn, e.Kids[0]); t.Levels > 0 {
			return t.element()
		}
		return s.resultOf(fn, e, "operator*", memberOf(s, fn, s.TypeOf(fn, e.Kids[0]), "[0]"))
	case ir.OpIndex:
		of, _ := s.indexed(fn, e)
		if t := s.TypeOf(fn, of); t.Levels > 0 {
			return t.element()
		} else if t.Kind == Library {
			return Type{Kind: Library}
		}
		return s.resultOf(fn, e, "operator[]", memberOf(s, fn, s.TypeOf(fn, of), "[0]"))
	case ir.OpAddr:
		t := s.TypeOf(fn, e.Kids[0])
		if t.Kind == 0 {
			return t
		}
		t.Levels, t.Array, t.Rows = t.Levels+1, 0, t.Array
		return t
	case ir.OpIncDec, ir.OpAssign:
		return s.TypeOf(fn, e.Kids[0])
	case ir.OpComma:
		return s.TypeOf(fn, e.Kids[len(e.Kids)-1])
	case ir.OpCond:
		if a, b := s.TypeOf(fn, e.Kids[1]), s.TypeOf(fn, e.Kids[2]); a != b {
			return usual(a, b)
		} else {
			return a.decayed()
		}
	case ir.OpBinary:
		a, b := s.TypeOf(fn, e.Kids[0]), s.TypeOf(fn, e.Kids[1])
		built := Type{}
		switch e.Tok {
		case "<", ">", "<=", ">=", "==", "!=", "&&", "||":
			if a.IsBuiltin() && b.IsBuiltin() {
				built = truth
			}
		case "<<", ">>":
			if a.IsBuiltin() && b.IsBuiltin() {
				built = usual(a, a)
			}
		case "-":
			built = usual(a, b)
			if a.Levels > 0 && b.Levels > 0 {
				built = Type{Kind: Number, Base: "ptrdiff_t"}
			}
		default:
			built = usual(a, b)
		}
		return s.resultOf(fn, e, "operator"+e.Tok, built)
	case ir.OpCast:
		return s.declared(fn, &ir.Var{Type: e.Type})
	case ir.OpMember:
		return s.memberType(fn, e)
	case ir.OpCall:
		return s.returned(fn, e)
	}
	return Type{}
}

// resultOf is the type of an operation: the language's where no operand is an object, else what the operators
// of the program that it may be return.
func (s *Scope) resultOf(fn *ir.Func, e *ir.Expr, name string, built Type) Type {
	objects := slices.ContainsFunc(e.Kids, func(k *ir.Expr) bool { return !s.TypeOf(fn, k).IsBuiltin() })
	if !objects && built.Kind != Vector { // operators of CUDA's vectors are the program's
		return built
	}
	return s.commonResult(fn, s.operators(fn, name, e.Kids), e.Kids, built)
}

// commonResult is the type that all of some functions return, built where there are none.
func (s *Scope) commonResult(fn *ir.Func, list []ir.Definition, args []*ir.Expr, built Type) (t Type) {
	if len(list) == 0 {
		return built
	}
	for i, d := range list {
		one := s.result(fn, d, args)
		if i > 0 && (one.Kind != t.Kind || one.Class != t.Class || one.Levels != t.Levels) {
			return Type{}
		}
		t = one
	}
	return t
}

// result is the declared type that a function returns.
func (s *Scope) result(fn *ir.Func, d ir.Definition, args []*ir.Expr) Type {
	v := d.Fn
	in := &ir.Func{File: d.File, View: v}
	if conversion, ok := strings.CutPrefix(v.Name, "operator "); ok {
		t := s.named(in, conversion)
		if v.Declared != nil && strings.Contains(string(d.File.Src[v.Node.Start:v.Declared.Start]), "*") {
			t.Levels++
		}
		return t
	}
	typ := v.Node.Child(parser.FieldType)
	if v.Declared == nil || typ == nil || typ.End > v.Declared.Start {
		return Type{}
	}
	name, between := d.File.Text(typ), string(d.File.Src[typ.End:v.Declared.Start])
	if _, trailing, ok := strings.Cut(d.File.Text(v.Declared), "->"); ok && name == "auto" {
		name, between = trailing, ""
	}
	for _, tp := range v.Template {
		if tp.IsType && tp.Name == strings.TrimSpace(name) { // as an argument is
			for i, q := range v.Params {
				if q.Node != nil && i < len(args) && d.File.Text(q.Node.Child(parser.FieldType)) == tp.Name {
					t := s.TypeOf(fn, args[i])
					t = t.decayed()
					if t.Levels -= strings.Count(d.File.Text(q.Node), "*"); t.Levels < 0 {
						return Type{}
					}
					return s.leveled(t, strings.Count(between, "*"))
				}
			}
			return Type{}
		}
	}
	return s.leveled(s.named(in, name), strings.Count(between, "*"))
}

// memberType is the type of a member of an object.
func (s *Scope) memberType(fn *ir.Func, e *ir.Expr) Type {
	if len(e.Kids) == 0 {
		return Type{}
	}
	t := s.TypeOf(fn, e.Kids[0])
	if e.Arrow {
		if t.Levels > 0 {
			t = t.element()
		} else if t.Kind == Object {
			t = s.commonResult(fn, s.operators(fn, "operator->", e.Kids[:1]), nil, Type{})
			if t.Levels > 0 {
				t = t.element()
			}
		}
	}
	switch {
	case t.Levels > 0:
		return Type{}
	case t.Kind == Vector:
		of, _, _ := ir.VectorOf(t.Base)
		if t.Base == "dim3" {
			of.Name = "unsigned int"
		}
		return Type{Kind: Number, Base: of.Name, Volatile: t.Volatile}
	case t.Kind == Library:
		return Type{Kind: Library}
	case t.Kind == Parameter || t.Kind == Foreign:
		if e.Arrow {
			return memberOf(s, fn, t, "->"+e.Name)
		}
		return memberOf(s, fn, t, "."+e.Name)
	case t.Kind == 0 && e.Kids[0].Var != nil && e.Kids[0].Var.Type.Record != nil: // a struct without a name
		for _, m := range e.Kids[0].Var.Type.Record.Members {
			if m.Name == e.Name {
				return s.declared(fn, m)
			}
		}
		return Type{}
	case t.Kind != Object:
		return Type{}
	}
	m, of, _ := t.Class.member(e.Name)
	if m == nil {
		return Type{}
	}
	mt := s.declared(of.inClass(), m)
	if mt.Levels == 0 || mt.Array > 0 {
		mt.Volatile = mt.Volatile || t.Volatile && t.Class != nil && !t.Class.volatile
	}
	return mt
}

// memberOf is the type of a part of a type that no file in view declares.
func memberOf(s *Scope, fn *ir.Func, t Type, part string) (m Type) {
	if t.Kind != Parameter && t.Kind != Foreign || t.Levels > 0 || t.Base == "" || strings.Contains(t.Base, "<") {
		return m
	}
	if of, member := strings.CutPrefix(t.Base, "decltype("); member {
		m.Base = "decltype(" + strings.TrimSuffix(of, ")") + part + ")"
	} else if name := strings.TrimLeft(part, ".->"); !strings.HasPrefix(part, "[") {
		m.Base = "decltype(" + t.Base + "::" + name + ")"
	} else {
		return m
	}
	m.Kind, m.Copied = undeclared(s, fn, m.Base)
	return m
}

// returned is the type that a call returns.
func (s *Scope) returned(fn *ir.Func, e *ir.Expr) Type {
	if e.Implicit {
		return s.implicitType(fn, e)
	}
	if list, known := s.called(fn, e); len(list) > 0 {
		if known {
			for _, d := range list {
				if d.Fn.Name == d.Fn.Class {
					return s.named(fn, d.Fn.Class)
				}
			}
			return s.commonResult(fn, list, e.Args(), Type{})
		}
		return Type{}
	}
	if obj, member := e.IsMemberCall(); member {
		if t := s.TypeOf(fn, obj); t.Kind == Library || t.Kind == Vector {
			return Type{Kind: Library}
		}
		return Type{}
	}
	if len(s.classes[e.Name]) > 0 {
		return s.named(fn, e.Name)
	}
	if l := intrinsic.LibraryOf(e.Qual); l.HasClass(e.Name) {
		return Type{Kind: Library, Base: strings.TrimPrefix(e.Qual, "::") + "::" + e.Name}
	} else if l != nil && !e.Intrinsic().Known() {
		return Type{Kind: Library} // of which class is not said
	} else if s.names.Library(e.Name).HasClass(e.Name) {
		return Type{Kind: Library, Base: e.Name}
	}
	args := e.Args()
	switch r := e.Intrinsic(); r.Type {
	case intrinsic.NoType:
		if r.Known() {
			return Type{Kind: Nothing}
		}
	case intrinsic.Arguments, intrinsic.Floating:
		t := Type{}
		for i, a := range args {
			if i == 0 {
				t = s.TypeOf(fn, a)
			} else {
				t = usual(t, s.TypeOf(fn, a))
			}
		}
		return t
	case intrinsic.Int, intrinsic.Long:
		return Type{Kind: Number} // with a sign or without
	case intrinsic.Float:
		return Type{Kind: Number, Base: "float"}
	case intrinsic.Double:
		return Type{Kind: Number, Base: "double"}
	case intrinsic.Half:
		return Type{Kind: Vector, Base: "half"}
	case intrinsic.Named:
		if name, made := strings.CutPrefix(e.Name, "make_"); made || r.Kind == intrinsic.Cast || r.Kind == intrinsic.Value {
			return s.named(fn, name)
		}
		return Type{Kind: Library, Base: e.Name}
	case intrinsic.Pointee, intrinsic.Operand:
		if len(args) > 0 {
			if t := s.TypeOf(fn, args[0]); t.Levels > 0 {
				return t.element()
			}
		}
		if r.Type == intrinsic.Operand {
			return Type{Kind: Number}
		}
	case intrinsic.Element:
		if len(e.TArgs) > 0 && e.TArgs[0].Op == ir.OpIdent {
			return s.named(fn, e.TArgs[0].Name)
		}
		return Type{Kind: Vector, Base: "float4"}
	}
	return Type{}
}

// implicitType is the type of what a call that was found returns.
func (s *Scope) implicitType(fn *ir.Func, e *ir.Expr) Type {
	if e.Type.Base != "" {
		return s.declared(fn, &ir.Var{Type: e.Type})
	}
	return s.commonResult(fn, e.Targets, e.Args(), Type{})
}
