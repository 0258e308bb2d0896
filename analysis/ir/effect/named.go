package effect

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// vectors are CUDA's types that are classes and behave as numbers do.
var vectors = map[string]bool{
	"half": true, "__half": true, "half2": true, "__half2": true, "__half_raw": true, "__half2_raw": true, "__nv_bfloat16": true, "nv_bfloat16": true, "__nv_bfloat162": true, "nv_bfloat162": true,
	"__nv_fp8_e4m3": true, "__nv_fp8_e5m2": true, "__nv_fp8x2_e4m3": true, "__nv_fp8x4_e4m3": true, "__nv_fp8_storage_t": true,
	"cuComplex": true, "cuFloatComplex": true, "cuDoubleComplex": true, "cufftComplex": true, "cufftDoubleComplex": true, "dim3": true,
}

// numbers are further names of numbers and handles that CUDA and C give.
var numbers = map[string]bool{
	"cufftReal": true, "cufftDoubleReal": true, "cudaTextureObject_t": true, "cudaSurfaceObject_t": true, "wchar_t": true, "char8_t": true, "char16_t": true, "char32_t": true,
	"__int128": true, "__int128_t": true, "__uint128_t": true, "int_fast8_t": true, "uint_fast8_t": true, "int_fast16_t": true, "uint_fast16_t": true, "int_fast32_t": true,
	"uint_fast32_t": true, "nullptr_t": true, "int_least8_t": true, "uint_least8_t": true, "int_least16_t": true, "uint_least16_t": true, "int_least32_t": true,
	"uint_least32_t": true, "u_int": true, "FILE": true, "long double": true,
}

func isVector(name string) bool {
	_, _, ok := ir.VectorOf(name)
	return ok || vectors[name] || isPrefixed(name) || strings.HasPrefix(name, "curandState") || strings.HasPrefix(name, "texture<")
}

// isPrefixed: by its prefix a name may be that of a type of CUDA's, and as well that of a function.
func isPrefixed(name string) bool {
	return !vectors[name] && (strings.HasPrefix(name, "__nv_") || strings.HasPrefix(name, "__half"))
}

// maxNames limits how many names for a type are followed.
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
			if n, ok := ir.NumberOf(name); ok {
				t.Base = n.Name
			}
			if t.Base == "half" {
				t.Kind = Vector
			}
			return t
		case isVector(name):
			if len(s.classes[name]) == 0 {
				t.Kind = Vector
				return t
			}
		case name == "void":
			t.Kind = Nothing
			return t
		case qualified && (intrinsic.LibraryOf(scope) != nil || scope == s.Trusted): // its operators only compute
			t.Kind = Library
			if strings.Contains(name, "<") { // what it does with values of its arguments is theirs
				if k, copied := undeclared(s, fn, name); k == Foreign {
					t.Kind, t.Copied = k, copied
					return t
				}
			}
			switch in := lastName(name); {
			case scope == "std" && (ir.IsNumber(in) || numbers[in]):
				t.Kind = Number
			case strings.HasPrefix(in, "atomic"): // its operators order other accesses
				t.Kind = Foreign
			}
			return t
		}
		means, ok := fn.Aliases[name]
		if !ok {
			if s.isTypeParameter(fn, name) {
				if t.Kind, t.Copied = undeclared(s, fn, name); t.Kind == Foreign {
					return t
				}
				if arg, known := s.argument(fn, name); known {
					arg.Levels, arg.Array, arg.Volatile = arg.Levels+t.Levels, arg.Array+t.Array, arg.Volatile || t.Volatile
					return arg
				}
				return t
			}
			if means, ok = s.macro(fn, name); ok && means == name {
				t.Kind = Number
				return t
			}
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
			declared := name
			if _, own := s.names.Means[class+"::"+name]; own {
				declared = class + "::" + name
			}
			if s.names.numbers[declared] {
				t.Kind = Number
				return t
			}
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
	case len(list) > 1:
		t.Kind, t.Class = Object, s.anyOf(last)
		t.Volatile = t.Volatile || t.Class.volatile
	case strings.Contains(t.Base, "::"): // of a class, or of a parameter
		if of := t.Base[:strings.LastIndex(t.Base, "::")]; s.named(fn, of).Kind == Library {
			t.Kind = Library
			return t
		}
		t.Kind, t.Copied = undeclared(s, fn, t.Base)
		if means, ok := s.names.Means[last]; ok && means != "" && means != t.Base {
			return s.leveled(s.named(fn, means), t.Levels)
		}
	case strings.Contains(t.Base, "("):
		return Type{}
	case ofStandard[last], s.names.Library(last).HasClass(last), strings.HasPrefix(last, "cuda"), last == "CUtensorMap":
		t.Kind = Library
	case !s.cache.Assumes, strings.Contains(t.Base, "<"):
		t.Kind = Foreign
	default:
		t.Kind, t.Copied = undeclared(s, fn, t.Base)
	}
	return t
}

// anyOf is the class of a name that several have, specialisations or those of several namespaces: each may be meant.
func (s *Scope) anyOf(name string) *Class {
	if c := s.merged[name]; c != nil {
		return c
	}
	list := s.classes[name]
	merged := &Class{Name: name, scope: s, file: list[0].file, view: list[0].view, read: true, any: list}
	s.merged[name] = merged // members of the class may be of it
	for _, c := range list {
		c.look()
		merged.volatile = merged.volatile || c.volatile
		merged.defaults = append(merged.defaults, c.defaults...)
	}
	return merged
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

// macro is the one text that an object-like macro stands for, the macro's own name where that is one of several numbers.
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
	if len(texts) > 1 {
		if slices.ContainsFunc(texts, func(text string) bool {
			return s.named(&ir.Func{File: fn.File, Aliases: map[string]string{name: ""}}, text).Kind != Number
		}) {
			return "", true
		}
		return name, true
	}
	return texts[0], texts[0] != name
}

// isTypeParameter reports whether a name is a type parameter of a function or of the class around it.
func (s *Scope) isTypeParameter(fn *ir.Func, name string) bool {
	return isTemplateParameter(s, fn, name, true)
}

// isTemplateParameter reports the same of a type parameter or of a value parameter.
func isTemplateParameter(s *Scope, fn *ir.Func, name string, isType bool) bool {
	for _, tp := range fn.TParams {
		if tp.Name == name && (tp.Kind == ir.VarTemplateType) == isType {
			return true
		}
	}
	if fn.View == nil {
		return false
	}
	for n := fn.View.Node; n != nil; n = n.Parent {
		if n.Kind == parser.KindTemplateDeclaration && templateNames(fn.File, n, name, isType) {
			return true
		}
	}
	for _, c := range s.classes[fn.View.Class] {
		if n := c.view.Node.Parent; fn.View.Class != "" && n != nil && n.Kind == parser.KindTemplateDeclaration && templateNames(c.file, n, name, isType) {
			return true
		}
	}
	return false
}

func templateNames(f *parser.File, n *parser.Node, name string, isType bool) bool {
	return slices.ContainsFunc(f.TemplateParams(n), func(p parser.TemplateParam) bool { return p.IsType == isType && p.Name == name })
}

// undeclared is the kind of a type that no file in view declares, "" for one that is not known, and whether it is copied as it
// is: a Parameter, unless it is hidden that it is no class. That functions are called with such a type is not followed: with one hidden, all of theirs may be
// it.
func undeclared(s *Scope, fn *ir.Func, typ string) (kind Kind, copied bool) {
	kernel := fn.View != nil && fn.View.IsKernel()
	kind, copied = Parameter, true
	for h := range s.cache.Hidden {
		words := strings.SplitN(h, " ", 3)
		if len(words) != 3 || kernel && (words[1] != fn.View.Name || typ != "" && typ != words[2] && !hasArgument(typ, words[2]) && !isOfTemplate(s, fn, typ, true)) {
			continue
		}
		if kind = Foreign; h == ir.CopiesOf(words[1], words[2]) {
			copied = false
		}
	}
	return kind, copied && kind == Foreign
}

// hasArgument reports whether a type has another one in it; members of types are types of their own.
func hasArgument(typ, of string) bool {
	if !strings.Contains(typ, "<") {
		return !strings.Contains(typ, "::") && slices.Contains(parser.Words(typ), of)
	}
	return slices.Contains(parser.Words(typ), of) || strings.Contains(of, "::") && strings.Contains(typ, of)
}

// isOfTemplate reports whether a type, or a value, is a parameter of a template, whose argument the function says elsewhere.
func isOfTemplate(s *Scope, fn *ir.Func, name string, isType bool) bool {
	for _, list := range s.functions {
		for _, d := range list {
			if slices.ContainsFunc(d.Fn.Template, func(p parser.TemplateParam) bool { return p.IsType == isType && p.Name == name }) {
				return !s.isTypeParameter(fn, name)
			}
		}
	}
	for _, list := range s.classes {
		for _, c := range list {
			if n := c.view.Node.Parent; n != nil && n.Kind == parser.KindTemplateDeclaration && templateNames(c.file, n, name, isType) {
				return !s.isTypeParameter(fn, name)
			}
		}
	}
	return false
}

// typeName matches a name in the arguments of a template, what follows a template's own, and a character.
var typeName = regexp.MustCompile(`'[^']*'|>::\w+|[A-Za-z_]\w*(::\w+)*`)

// Spelled is a type as text can name it anywhere.
func Spelled(typ string) string {
	if strings.HasPrefix(typ, "decltype(") { // of a member, and a reference to an element of one
		return "typename std::remove_reference<" + typ + ">::type"
	} else if strings.Contains(typ, "::") {
		return "typename " + typ
	}
	return typ
}

// Undeclared returns the types of a function's variables and expressions that no file in view declares, a kernel's type
// parameters among them. Those of other functions are what their callers give, and those that the function declares in its body
// can't be named outside of it.
func (s *Scope) Undeclared(fn *ir.Func) (out []string) {
	if fn.View == nil || fn.View.Node == nil {
		return nil
	}
	kernel, seen := fn.View.IsKernel(), map[*Class]bool{}
	var note func(in *ir.Func, t Type, own bool)            // a type that is named in a function or class; own: by a name that is known there
	arguments := func(in *ir.Func, text string, own bool) { // of templates: the types that a text names
		if s.Trusted != "" && fn.View.Class != "" { // of a class's value parameters nothing is told here
			return
		}
		value := func(name string) bool {
			return s.global(name) != nil || len(s.functions[name]) > 0 || name == "true" || name == "false" || name == "sizeof" || name[0] == '>' || name[0] == '\'' || isTemplateParameter(s, in, name, false) ||
				!own && isOfTemplate(s, in, name, false) || slices.ContainsFunc(slices.Concat(in.Params, in.Vars), func(v *ir.Var) bool { return v.Name == name })
		}
		for _, name := range typeName.FindAllString(text, -1) {
			if value(name) {
				continue
			}
			t := s.named(in, name)
			if at := typeName.FindStringIndex(t.Base); t.Base == "" || at != nil && at[0] == 0 && !value(t.Base) { // and no number that a macro stands for
				note(in, t, own)
			}
		}
	}
	defaults := func(in *ir.Func) {
		if n := in.View.Node.Parent; n != nil && n.Kind == parser.KindTemplateDeclaration {
			for _, p := range in.File.TemplateParams(n) {
				if p.IsType && p.Default != nil {
					arguments(in, in.File.Text(p.Default), true)
				}
			}
		}
	}
	note = func(in *ir.Func, t Type, own bool) {
		if _, given, ok := strings.Cut(t.Base, "<"); ok {
			arguments(in, given, own)
		}
		if t.Class != nil && !seen[t.Class] {
			seen[t.Class] = true
			names, _ := t.Class.ancestry()
			for _, name := range names {
				for _, c := range s.classes[name] {
					c.look()
					for _, v := range c.vars {
						note(c.inClass(), s.declared(c.inClass(), v), !v.Type.IsAuto())
					}
					defaults(c.inClass())
				}
			}
		}
		if t.Kind != Parameter || t.Base == "" || strings.Contains(t.Base, "{") || slices.Contains(out, t.Base) {
			return
		}
		given := !in.View.IsKernel() && slices.ContainsFunc(parser.Words(t.Base), func(w string) bool { return s.isTypeParameter(in, w) })
		if !given && (own || !isOfTemplate(s, in, t.Base, true)) {
			out = append(out, t.Base)
		}
	}
	for _, tp := range fn.TParams {
		if tp.Kind == ir.VarTemplateType && kernel {
			out = append(out, tp.Name) // the launches in view may all give numbers
		}
	}
	for _, v := range slices.Concat(fn.Params, fn.Vars) {
		note(fn, s.declared(fn, v), !v.Type.IsAuto())
	}
	callees := map[*ir.Expr]bool{}
	for e := range fn.Body.AllExprs() {
		if !callees[e] {
			note(fn, s.TypeOf(fn, e), false)
		}
		switch e.Op {
		case ir.OpCast:
			note(fn, s.declared(fn, &ir.Var{Type: e.Type}), true)
		case ir.OpCall:
			if len(e.Kids) > 0 {
				callees[e.Kids[0]] = true
			}
		}
	}
	defaults(fn)
	for n := range fn.View.Node.All() {
		if n.Kind == parser.KindTemplateArgumentList {
			arguments(fn, fn.File.Text(n), true)
		}
	}
	for n := range fn.View.Node.All() {
		switch n.Kind {
		case parser.KindEnumSpecifier, parser.KindStructSpecifier, parser.KindClassSpecifier, parser.KindUnionSpecifier:
			if name := n.Child(parser.FieldName); name != nil && n.Child(parser.FieldBody) != nil {
				out = slices.DeleteFunc(out, func(t string) bool { return t == fn.File.Text(name) })
			}
		}
	}
	return out
}

// argument returns the type that all launches in view give a kernel for a type parameter: numbers, of which it is not told
// which, or pointers. Another program may launch the kernel with others, and whether these are a certain class is
// nothing that a rewritten kernel checks.
func (s *Scope) argument(fn *ir.Func, name string) (t Type, known bool) {
	if fn.View == nil || !fn.View.IsKernel() || s.cache.HidesType(name) {
		return t, false
	}
	if s.launched[fn.View] == nil {
		s.launched[fn.View] = map[string]Type{}
		for i, tp := range fn.View.Template {
			if tp.IsType && !tp.Pack {
				if t, ok := s.argumentAt(fn, i); ok {
					if t.Kind == Number {
						t.Base = tp.Name
					}
					if t.Kind == Number || t.Levels > 0 {
						s.launched[fn.View][tp.Name] = t
					}
				}
			}
		}
	}
	t, known = s.launched[fn.View][name]
	return t, known
}

func (s *Scope) argumentAt(fn *ir.Func, i int) (t Type, known bool) {
	if slices.ContainsFunc(s.functions[fn.View.Name], func(d ir.Definition) bool { return d.Fn.Instantiation }) {
		return t, false // with what, nobody looks
	}
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
			if one.Kind == 0 || one.Kind == Parameter || known && (one.Kind != t.Kind || one.Kind != Number && one.Base != t.Base || one.Class != t.Class || one.Levels != t.Levels) {
				return Type{}, false
			}
			t, known = one, true
		}
	}
	return t, known
}
