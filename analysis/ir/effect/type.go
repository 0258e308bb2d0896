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
	Base     string // the name of the number, vector or class
	Levels   int    // how often it can be dereferenced or subscripted
	Array    int    // how many of these levels, from the outermost on, are extents of an array
	Class    *Class // of an Object
	Volatile bool   // it, or a part of it, is volatile
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
	t.Array = max(0, t.Array-1)
	return t
}

// libraries are namespaces whose types are known to only compute: what their operators do to other
// threads and memory is what those of the language do.
var libraries = []string{"std", "thrust", "cuda", "cooperative_groups", "cg", "nvcuda", "cub", "wmma", "at", "torch", "c10"}

// vectors are CUDA's types that are classes and behave as numbers do.
var vectors = map[string]bool{
	"half": true, "__half": true, "half2": true, "__half2": true, "__half_raw": true, "__half2_raw": true, "__nv_bfloat16": true, "nv_bfloat16": true, "__nv_bfloat162": true, "nv_bfloat162": true,
	"__nv_fp8_e4m3": true, "__nv_fp8_e5m2": true, "__nv_fp8x2_e4m3": true, "__nv_fp8x4_e4m3": true, "__nv_fp8_storage_t": true,
	"cuComplex": true, "cuFloatComplex": true, "cuDoubleComplex": true, "cufftComplex": true, "cufftDoubleComplex": true, "dim3": true,
}

// numbers are further names of numbers and handles that CUDA and C give.
var numbers = map[string]bool{
	"cufftReal": true, "cufftDoubleReal": true, "cudaTextureObject_t": true, "cudaSurfaceObject_t": true, "intptr_t": true, "uintptr_t": true, "ptrdiff_t": true, "ssize_t": true,
	"ulong": true, "clock_t": true, "time_t": true, "wchar_t": true, "char8_t": true, "char16_t": true, "char32_t": true, "__int128": true, "__int128_t": true, "__uint128_t": true,
	"int_fast8_t": true, "uint_fast8_t": true, "int_fast16_t": true, "uint_fast16_t": true, "int_fast32_t": true, "uint_fast32_t": true, "nullptr_t": true,
	"int_least8_t": true, "uint_least8_t": true, "int_least16_t": true, "uint_least16_t": true, "int_least32_t": true, "uint_least32_t": true, "u_int": true, "FILE": true,
}

func isVector(name string) bool {
	n := len(name)
	if vectors[name] || strings.HasPrefix(name, "curandState") || strings.HasPrefix(name, "texture<") {
		return true
	}
	if n < 2 || name[n-1] < '1' || name[n-1] > '4' {
		return false
	}
	switch name[:n-1] {
	case "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong", "ulonglong", "float", "double":
		return true
	}
	return false
}

// maxNames is how many names for a type are followed.
const maxNames = 12

// named is the type that a name stands for in a function.
func (s *Scope) named(fn *ir.Func, name string) Type {
	var t Type
	class := ""
	if fn.View != nil {
		class = fn.View.Class
	}
	for range maxNames {
		at := strings.IndexAny(name, "*[&")
		if at >= 0 && !strings.Contains(name, "<") {
			t.Levels += strings.Count(name[at:], "*") + strings.Count(name[at:], "[")
			name = name[:at]
		}
		words := strings.Fields(name)
		words = slices.DeleteFunc(words, func(w string) bool {
			t.Volatile = t.Volatile || w == "volatile"
			return slices.Contains([]string{"const", "volatile", "struct", "class", "union", "enum", "typename", "constexpr", "static", "inline", "__restrict__"}, w)
		})
		name = strings.TrimPrefix(strings.Join(words, " "), "::")
		t.Base = name
		t.Volatile = t.Volatile || s.names.volatile[name]
		switch scope, _, qualified := strings.Cut(name, "::"); {
		case name == "" || name == "auto" || name == "decltype" || strings.HasPrefix(name, "decltype("):
			return Type{Volatile: t.Volatile}
		case ir.IsNumber(name), numbers[name], isNumberName(name):
			t.Kind = Number
			return t
		case isVector(name):
			if len(s.classes[name]) == 0 {
				t.Kind = Vector
				return t
			}
		case name == "void":
			t.Kind = Nothing
			return t
		case qualified && (slices.Contains(libraries, scope) || scope == s.Trusted):
			t.Kind = Library
			if in := lastName(name); scope == "std" && (ir.IsNumber(in) || numbers[in]) {
				t.Kind = Number
			}
			return t
		}
		means, ok := fn.Aliases[name]
		if !ok {
			if s.isTypeParameter(fn, name) {
				if arg, known := s.argument(fn, name); known {
					arg.Levels, arg.Array, arg.Volatile = arg.Levels+t.Levels, arg.Array+t.Array, arg.Volatile || t.Volatile
					return arg
				}
				t.Kind = Parameter
				return t
			}
			means, ok = s.macro(fn, name)
		}
		if !ok && class != "" {
			means, ok = s.names.Lookup(class, name)
		}
		if !ok {
			means, ok = s.names.Means[name]
		}
		if ok && means != "" && means != name {
			name = means
			continue
		}
		if ok && means == "" && len(s.classes[name]) == 0 {
			return Type{Levels: t.Levels, Volatile: t.Volatile}
		}
		break
	}
	last := lastName(t.Base)
	list := s.classes[last]
	switch {
	case groups[last]:
		t.Kind = Library
	case len(list) == 1:
		t.Kind, t.Class = Object, list[0]
		list[0].look()
		t.Volatile = t.Volatile || list[0].volatile
	case len(list) > 1: // specialisations, or of several namespaces: each may be meant
		merged := &Class{Name: last, scope: s, file: list[0].file, view: list[0].view}
		merged.look()
		for _, c := range list {
			c.look()
			merged.volatile = merged.volatile || c.volatile
			merged.defaults = append(merged.defaults, c.defaults...)
			if c != list[0] && !slices.EqualFunc(c.vars, list[0].vars, func(a, b *ir.Var) bool { return a.Name == b.Name && a.Type.String() == b.Type.String() }) {
				merged.vars = nil
			}
		}
		t.Kind, t.Class, t.Volatile = Object, merged, t.Volatile || merged.volatile
	case strings.Contains(t.Base, "::"): // of a class, or of a parameter
		t.Kind = Parameter
		if means, ok := s.names.Means[last]; ok && means != "" && means != t.Base {
			return s.leveled(s.named(fn, means), t.Levels)
		}
	case strings.Contains(t.Base, "("):
		return Type{}
	case ofStandard[last]:
		t.Kind = Library
	default:
		t.Kind = Foreign
	}
	return t
}

func (s *Scope) leveled(t Type, levels int) Type {
	t.Levels += levels
	return t
}

// isNumberName reports whether a name is that of a number by the conventions of C and CUDA.
func isNumberName(name string) bool {
	return strings.HasPrefix(name, "cuda") && (strings.HasSuffix(name, "_t") || strings.HasPrefix(name, "cudaError")) || name == "CUstream" || name == "CUdeviceptr"
}

// groups are the cooperative groups, also where their header is in view.
var groups = map[string]bool{
	"thread_block": true, "thread_block_tile": true, "grid_group": true, "coalesced_group": true, "cluster_group": true, "tiled_group": true, "thread_group": true, "multi_grid_group": true,
}

// ofStandard are types of libraries that using makes visible.
var ofStandard = map[string]bool{
	"string": true, "vector": true, "complex": true, "numeric_limits": true, "fragment": true, "array": true, "tuple": true, "pair": true, "initializer_list": true,
	"BlockReduce": true, "BlockScan": true, "WarpReduce": true, "WarpScan": true,
}

// macro is the one text that an object-like macro stands for.
func (s *Scope) macro(fn *ir.Func, name string) (string, bool) {
	at := len(fn.File.Src)
	if fn.View != nil {
		at = int(fn.View.Start)
	}
	if m, ok := fn.File.Macros.Lookup(name, at); !ok || m.FunctionLike {
		return "", false
	}
	texts, err := fn.File.Macros.Alternatives(name, at)
	if err != nil || len(texts) == 0 {
		return "", true
	}
	for _, text := range texts[1:] { // numbers by any of them are numbers
		if s.named(&ir.Func{File: fn.File, Aliases: map[string]string{name: ""}}, text).Kind != Number {
			return "", true
		}
	}
	if texts[0] == name {
		return "", false
	}
	return texts[0], true
}

// isTypeParameter reports whether a name is a type parameter of a function or of the class around it.
func (s *Scope) isTypeParameter(fn *ir.Func, name string) bool {
	for _, tp := range fn.TParams {
		if tp.Name == name && tp.Kind == ir.VarTemplateType {
			return true
		}
	}
	if fn.View == nil {
		return false
	}
	for n := fn.View.Node; n != nil; n = n.Parent {
		if n.Kind == parser.KindTemplateDeclaration && templateNames(fn.File, n, name) {
			return true
		}
	}
	for _, c := range s.classes[fn.View.Class] {
		if n := c.view.Node.Parent; fn.View.Class != "" && n != nil && n.Kind == parser.KindTemplateDeclaration && templateNames(c.file, n, name) {
			return true
		}
	}
	return false
}

func templateNames(f *parser.File, n *parser.Node, name string) bool {
	list := n.Child(parser.FieldParameters)
	if list == nil {
		return false
	}
	for p := list.FirstNamed(); p != nil; p = p.NextNamed() {
		if slices.Contains(strings.FieldsFunc(f.Text(p), func(r rune) bool { return r == ' ' || r == '=' || r == '.' || r == '\n' || r == '\t' }), name) {
			return true
		}
	}
	return false
}

// argument is what all launches in view give a kernel for a type parameter.
func (s *Scope) argument(fn *ir.Func, name string) (t Type, known bool) {
	if fn.View == nil || !fn.View.IsKernel() {
		return t, false
	}
	if s.launched[fn.View] == nil {
		s.launched[fn.View] = map[string]Type{}
		for i, tp := range fn.View.Template {
			if tp.IsType && !tp.Pack {
				if t, ok := s.argumentAt(fn, i); ok {
					s.launched[fn.View][tp.Name] = t
				}
			}
		}
	}
	t, known = s.launched[fn.View][name]
	return t, known
}

func (s *Scope) argumentAt(fn *ir.Func, i int) (t Type, known bool) {
	for _, f := range s.files {
		for _, l := range f.Launches {
			if l.Kernel != fn.View.Name {
				continue
			}
			if l.TemplateArgs == nil || l.Function == nil {
				return t, false
			}
			n := l.TemplateArgs.FirstNamed()
			for range i {
				if n != nil {
					n = n.NextNamed()
				}
			}
			if n == nil {
				return t, false
			}
			one := s.named(&ir.Func{File: f, View: l.Function}, f.Text(n))
			if one.Kind == 0 || one.Kind == Parameter || known && (one.Kind != t.Kind || one.Class != t.Class || one.Levels != t.Levels) {
				if known && one.IsBuiltin() && t.IsBuiltin() && one.Levels == t.Levels {
					continue // numbers and vectors alike
				}
				return Type{}, false
			}
			t, known = one, true
		}
	}
	return t, known
}

// declared is the type of a variable.
func (s *Scope) declared(fn *ir.Func, v *ir.Var) Type {
	if v.Kind == ir.VarEnumerator {
		return Type{Kind: Number, Base: "int"}
	}
	if v.Type.Function {
		return Type{}
	}
	if v.Type.IsAuto() {
		if v.Init == nil {
			return Type{Volatile: v.Type.Volatile}
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
			t.Array = 0
			t.Volatile = t.Volatile && t.Levels > 0
		}
		t.Volatile = t.Volatile || v.Type.Volatile
		return t
	}
	if v.Type.Record != nil && v.Type.Base != "" && len(s.classes[v.Type.Base]) == 0 {
		return Type{Levels: v.Type.Ptr + len(v.Dims), Array: len(v.Dims), Volatile: v.Type.Volatile}
	}
	t := s.named(fn, v.Type.Base)
	t.Levels += v.Type.Ptr + len(v.Dims)
	t.Array += len(v.Dims)
	if v.Pack {
		return Type{}
	}
	t.Volatile = t.Volatile || v.Type.Volatile
	return t
}

// variable is what a name stands for in a function, with the function in which its type is written; nil
// where that is not known. of is the class that it is a member of.
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
	if t, ok := s.typed[e]; ok {
		return t
	}
	t := s.typeOf(fn, e)
	if len(s.types) == 0 { // else a cycle may have cut it short
		s.typed[e] = t
	}
	return t
}

func (s *Scope) typeOf(fn *ir.Func, e *ir.Expr) Type {
	number := Type{Kind: Number, Base: "int"}
	switch e.Op {
	case ir.OpInt, ir.OpSizeof:
		return number
	case ir.OpLiteral:
		if strings.HasSuffix(e.Name, `"`) {
			return Type{Kind: Number, Base: "char", Levels: 1}
		}
		return Type{Kind: Number, Base: "double"}
	case ir.OpIdent:
		if e.Name == "this" && e.Var == nil {
			if c := s.classOf(fn); c != nil {
				return Type{Kind: Object, Base: c.Name, Class: c, Levels: 1, Volatile: c.volatile}
			}
			return Type{}
		}
		v, of := s.variable(fn, e)
		switch {
		case v == nil && intrinsic.VariableOf(e.Name) != nil:
			return Type{Kind: Vector, Base: "uint3"}
		case v == nil:
			return Type{}
		case of != nil:
			return s.declared(of.inClass(), v)
		}
		return s.declared(fn, v)
	case ir.OpUnary:
		t := s.TypeOf(fn, e.Kids[0])
		if e.Tok == "!" && (t.IsBuiltin() || t.Levels > 0) {
			return number
		}
		return s.resultOf(fn, e, "operator"+e.Tok, t)
	case ir.OpDeref:
		if t := s.TypeOf(fn, e.Kids[0]); t.Levels > 0 {
			return t.element()
		}
		return s.resultOf(fn, e, "operator*", Type{})
	case ir.OpIndex:
		if t := s.TypeOf(fn, e.Kids[0]); t.Levels > 0 {
			return t.element()
		} else if t.Kind == Library {
			return Type{Kind: Library, Base: t.Base}
		}
		return s.resultOf(fn, e, "operator[]", Type{})
	case ir.OpAddr:
		t := s.TypeOf(fn, e.Kids[0])
		if t.Kind == 0 {
			return t
		}
		t.Levels, t.Array = t.Levels+1, 0
		return t
	case ir.OpIncDec, ir.OpAssign:
		return s.TypeOf(fn, e.Kids[0])
	case ir.OpComma:
		return s.TypeOf(fn, e.Kids[len(e.Kids)-1])
	case ir.OpCond:
		return usual(s.TypeOf(fn, e.Kids[1]), s.TypeOf(fn, e.Kids[2]))
	case ir.OpBinary:
		a, b := s.TypeOf(fn, e.Kids[0]), s.TypeOf(fn, e.Kids[1])
		built := Type{}
		switch e.Tok {
		case "<", ">", "<=", ">=", "==", "!=", "&&", "||":
			if a.IsBuiltin() && b.IsBuiltin() {
				built = number
			}
		case "-":
			built = usual(a, b)
			if a.Levels > 0 && b.Levels > 0 {
				built = number
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

// usual is the type of an operation of the language on two operands.
func usual(a, b Type) Type {
	switch {
	case a.Levels > 0 || a == b:
		return a
	case b.Levels > 0:
		return b
	case a.Kind == Vector || a.Kind == Library:
		if b.IsBuiltin() {
			return a
		}
	case b.Kind == Vector || b.Kind == Library:
		if a.IsBuiltin() {
			return b
		}
	case a.Kind == Number && b.Kind == Number:
		if rank(b.Base) > rank(a.Base) {
			a = b
		}
		a.Volatile, a.Array = false, 0
		return a
	}
	return Type{}
}

// rank orders numbers as the usual arithmetic conversions do.
func rank(base string) int {
	switch base {
	case "double":
		return 4
	case "float":
		return 3
	case "int", "short", "char", "bool", "signed char", "unsigned char", "unsigned short", "int32_t", "int16_t", "int8_t", "uint16_t", "uint8_t":
		return 0
	case "unsigned", "unsigned int", "uint", "uint32_t":
		return 1
	}
	return 2
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
					t.Array = 0
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
		return Type{Kind: Number, Base: strings.TrimPrefix(strings.TrimRight(t.Base, "1234"), "u"), Volatile: t.Volatile}
	case t.Kind == Library:
		return Type{Kind: Library, Base: t.Base}
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
			return Type{Kind: Library, Base: t.Base}
		}
		return Type{}
	}
	if len(s.classes[e.Name]) > 0 {
		return s.named(fn, e.Name)
	}
	if slices.Contains(libraries, strings.Split(e.Qual, "::")[0]) && !intrinsic.Of(e.Name).Known() {
		return Type{Kind: Library, Base: e.Name}
	}
	args := e.Args()
	switch r := intrinsic.Of(e.Name); r.Type {
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
	case intrinsic.Int:
		return Type{Kind: Number, Base: "int"}
	case intrinsic.Long:
		return Type{Kind: Number, Base: "long long"}
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
			return Type{Kind: Number, Base: "int"}
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
