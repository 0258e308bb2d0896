package demotion

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
)

// kind says how operators treat a value; it matters whether they are the language's own.
type kind uint8

const (
	unknown kind = iota // a class, perhaps, with operators and conversions of its own
	number              // arithmetic, enumerators included
	pointer             // an array as well
	vector              // of CUDA: a struct of x, y, z, w without operators
)

// valueType is the type of an expression or a declaration.
type valueType struct {
	kind  kind
	bytes int    // of a number, or of a vector's component; of several types the most
	name  string // of a vector: "float3"
	scal  string // of a vector's component: "float"
	comps int    // of a vector
	// launched is set if it is a template's argument, read off the launches in view.
	launched bool
}

// builtin is the type of a name that CUDA has.
func builtin(name string) (valueType, bool) {
	name = strings.TrimPrefix(name, "std::")
	if n, ok := ir.NumberOf(name); ok && n.Name != "half" {
		return valueType{kind: number, bytes: n.Bytes}, true
	}
	if name == "cudaTextureObject_t" || name == "cudaSurfaceObject_t" {
		return valueType{kind: number, bytes: 8}, true
	}
	if name == "dim3" {
		return valueType{kind: vector, name: name, scal: ir.Uint.Name, bytes: ir.Uint.Bytes, comps: 3}, true
	}
	if of, n, ok := ir.VectorOf(name); ok && n > 1 && of.Bytes >= 4 {
		return valueType{kind: vector, name: name, scal: of.Name, bytes: of.Bytes, comps: n}, true
	}
	return valueType{}, false
}

// maxAliases bounds the typedefs and macros that are followed.
const maxAliases = 6

// TypeOf is the type of a declaration in fn, without its array dimensions.
func (x *finder) typeOf(fn *ir.Func, t ir.Type) valueType {
	if t.Function {
		return valueType{}
	}
	if t.Ptr > 0 {
		return valueType{kind: pointer, bytes: 8}
	}
	return x.named(fn, t.Base, 0)
}

// named is the type of a name in fn: a built-in one, or what a macro, a template parameter, typedefs and aliases in
// view say. Where there are several, in branches of an #if, they must all be numbers.
func (x *finder) named(fn *ir.Func, name string, depth int) valueType {
	name = strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimPrefix(name, "const "), "struct ")), " ")
	if depth > maxAliases || name == "" {
		return valueType{}
	}
	for _, tp := range fn.TParams {
		if tp.Name == name {
			return x.argument(fn, tp, depth)
		}
	}
	if m, ok := fn.File.Macros.Lookup(name, int(fn.View.Start)); ok {
		if m.FunctionLike || m.Ambiguous {
			return valueType{}
		}
		return x.named(fn, m.Body, depth+1)
	}
	if x.declaredIn(fn, name) {
		return valueType{}
	}
	aliases := x.aliasesOf(fn.File, name)
	if t, ok := builtin(name); ok && len(aliases) == 0 {
		return t
	}
	var out valueType
	for i, text := range aliases {
		t := valueType{}
		if base, stars := strings.TrimRight(text, "* "), strings.Count(text, "*"); strings.HasSuffix(text, strings.Repeat("*", stars)) {
			t = x.typeOf(fn, ir.Type{Base: base, Ptr: stars})
			if stars == 0 {
				t = x.named(fn, base, depth+1)
			}
		}
		switch {
		case i == 0:
			out = t
		case t.kind != number || out.kind != number:
			return valueType{}
		default:
			out.bytes = max(out.bytes, t.bytes)
			if t.bytes < 4 {
				return valueType{kind: number, bytes: t.bytes}
			}
		}
	}
	return out
}

// argument returns what the launches in view pass for a type parameter of the kernel.
func (x *finder) argument(fn *ir.Func, tp *ir.Var, depth int) valueType {
	if fn != x.k.Func || tp.Kind != ir.VarTemplateType || tp.Pack || x.instantiated() {
		return valueType{}
	}
	at := -1
	for i, o := range fn.TParams {
		if o.Pack {
			return valueType{}
		}
		if o == tp {
			at = i
		}
	}
	out := valueType{}
	for i, in := range x.k.Instances {
		_, name, ok := evaluate.TemplateArgument(x.k, in, at)
		if !ok || name == "" || name == tp.Name {
			return valueType{}
		}
		t := x.named(fn, name, depth+1)
		if t.kind != number || i > 0 && (t.bytes < 4) != (out.bytes < 4) {
			return valueType{}
		}
		t.bytes = max(t.bytes, out.bytes)
		out = t
	}
	out.launched = true
	return out
}

// instantiated reports whether the kernel's template is instantiated other than
// by launches in view: with what, nobody looks.
func (x *finder) instantiated() bool {
	return slices.ContainsFunc(x.k.Prog.Named(x.k.File, x.k.Name), func(d analysis.Definition) bool { return d.Func.Instantiation || d.Func.Specialization })
}

// declaredIn reports whether a type of that name is declared inside a function: it has no name at the function's top.
func (x *finder) declaredIn(fn *ir.Func, name string) bool {
	found := false
	fn.View.Body.Walk(func(n *parser.Node) bool {
		switch n.Kind {
		case parser.KindTypeDefinition:
			n.Walk(func(k *parser.Node) bool {
				found = found || k.Field == parser.FieldDeclarator && strings.Trim(fn.File.Text(k), "*&() ") == name
				return !found
			})
		case parser.KindAliasDeclaration, parser.KindStructSpecifier, parser.KindClassSpecifier, parser.KindEnumSpecifier, parser.KindUnionSpecifier:
			d := n.Child(parser.FieldName)
			found = found || d != nil && fn.File.Text(d) == name && (n.Kind == parser.KindAliasDeclaration || n.Child(parser.FieldBody) != nil)
		case parser.KindUsingDeclaration:
			found = found || strings.HasSuffix(strings.TrimRight(fn.File.Text(n), "; "), "::"+name)
		}
		return !found
	})
	return found
}

// aliasesOf returns what typedefs and aliases at namespace scope of the files in
// view say of a name, and "class" for a class or an enumeration.
func (x *finder) aliasesOf(f *parser.File, name string) []string {
	if x.aliases == nil {
		x.aliases = map[string][]string{}
		for _, file := range x.k.Prog.View(f) {
			x.collectAliases(file, file.Root)
		}
	}
	return x.aliases[name]
}

func (x *finder) collectAliases(f *parser.File, n *parser.Node) {
	add := func(name *parser.Node, text string) {
		if name == nil {
			return
		}
		if slices.Contains(x.aliases[f.Text(name)], text) {
			return
		}
		x.aliases[f.Text(name)] = append(x.aliases[f.Text(name)], text)
	}
	for k := n.First; k != nil; k = k.Next {
		switch k.Kind {
		case parser.KindTypeDefinition:
			t := k.Child(parser.FieldType)
			for d := k.First; d != nil; d = d.Next {
				if d.Field != parser.FieldDeclarator || t == nil {
					continue
				}
				text := strings.Join(strings.Fields(f.Text(t)), " ")
				if t.Child(parser.FieldBody) != nil {
					text = "class"
				}
				switch d.Kind {
				case parser.KindTypeIdentifier:
					add(d, text)
				case parser.KindPointerDeclarator:
					add(d.Child(parser.FieldDeclarator), text+"*")
				default:
					add(d.Child(parser.FieldDeclarator), "class")
				}
			}
		case parser.KindAliasDeclaration:
			if t := k.Child(parser.FieldType); t != nil {
				add(k.Child(parser.FieldName), strings.Join(strings.Fields(f.Text(t)), " "))
			}
		case parser.KindStructSpecifier, parser.KindClassSpecifier, parser.KindEnumSpecifier, parser.KindUnionSpecifier:
			add(k.Child(parser.FieldName), "class")
		case parser.KindDeclaration:
			if t := k.Child(parser.FieldType); t != nil && t.Child(parser.FieldBody) != nil {
				add(t.Child(parser.FieldName), "class")
			}
		case parser.KindTemplateDeclaration:
			x.collectAliases(f, k)
		case parser.KindNamespaceDefinition, parser.KindLinkageSpecification:
			if b := k.Child(parser.FieldBody); b != nil {
				x.collectAliases(f, b)
			}
		case parser.KindDeclarationList, parser.KindPreprocIfdef, parser.KindPreprocIf, parser.KindPreprocElse, parser.KindPreprocElif:
			x.collectAliases(f, k)
		}
	}
}

// returned is the type that a function in view returns, and whether it is a reference.
func (x *finder) returned(fn *ir.Func, d analysis.Definition) (valueType, bool) {
	n := d.Func.Node
	t := n.Child(parser.FieldType)
	if t == nil || d.Func.IsTemplate {
		return valueType{}, false
	}
	stars := 0
	for k := n.Child(parser.FieldDeclarator); k != nil; k = k.Child(parser.FieldDeclarator) {
		switch k.Kind {
		case parser.KindPointerDeclarator:
			stars++
		case parser.KindReferenceDeclarator:
			return valueType{}, true
		}
		if k.Kind == parser.KindFunctionDeclarator {
			break
		}
	}
	return x.typeOf(fn, ir.Type{Base: d.File.Text(t), Ptr: stars}), false
}

// plainNumber is the type of numbers of which nobody asks how large they are.
var plainNumber = valueType{kind: number, bytes: 4}

// expr is the kind of an expression of fn, of a vector also which one.
func (x *finder) expr(fn *ir.Func, e *ir.Expr) valueType {
	switch t := x.k.TypeOf(fn, e); {
	case t.Levels > 0:
		return valueType{kind: pointer}
	case t.Kind == effect.Number:
		return plainNumber
	case t.Kind == effect.Vector:
		v, _ := builtin(t.Base)
		return v
	}
	return valueType{}
}
