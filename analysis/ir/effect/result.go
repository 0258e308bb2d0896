package effect

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

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
