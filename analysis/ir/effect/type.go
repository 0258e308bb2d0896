package effect

import (
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
			for n := range fn.Body.All() {
				if n.Kind == parser.KindTypeDefinition || n.Kind == parser.KindAliasDeclaration {
					for d := n.First; d != nil; d = d.Next {
						if d.Field == parser.FieldDeclarator || d.Field == parser.FieldName {
							name, means := parser.AliasOf(d, c.file.Text(n.Child(parser.FieldType)), c.file.Text)
							c.inside.Aliases[name] = means
						}
					}
				}
			}
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
