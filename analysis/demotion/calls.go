package demotion

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
)

// operand is the context of an operand of a unary operator, or of a binary one with another operand. Where both are
// numbers or pointers the operator is the language's; else it is a function, which must be in view with all of its
// overloads, and take its arguments by value.
func (w *walker) operand(e, self, other *ir.Expr) context {
	a, b := w.x.expr(w.fn, self), plainNumber
	if other != nil {
		b = w.x.expr(w.fn, other)
	}
	scalar := func(t valueType) bool { return t.kind == number || t.kind == pointer }
	if scalar(a) && scalar(b) {
		return context{}
	}
	if other == nil && e.Op == ir.OpDeref {
		return bad("* is applied to something whose type is not in view")
	}
	tok := e.Tok
	at, n := 0, 1
	if other != nil {
		n = 2
		if e.Kids[1] == self {
			at = 1
		}
	}
	return w.parameter(w.x.k.Prog.Named(w.fn.File, "operator"+tok), at, n, "operator"+tok)
}

// call walks a call.
func (w *walker) call(e *ir.Expr) {
	if len(e.Kids) == 0 {
		return
	}
	callee := e.Kids[0]
	for _, t := range e.TArgs {
		w.value(t, bad("it is a template argument"))
	}
	if callee.Op == ir.OpMember {
		obj := callee.Kids[0]
		if callee.Arrow && w.x.expr(w.fn, obj).kind == pointer {
			w.value(obj, context{notAsm: "-> is not an operator of a class that converts"})
		} else {
			w.value(obj, bad("a member function of it is called"))
		}
	} else if callee.Op != ir.OpIdent || callee.Var != nil {
		w.value(callee, bad("it is called"))
	}
	for i, a := range e.Args() {
		c := w.argument(e, i)
		if a.Op == ir.OpInitList {
			w.all(a, bad("it stands in a list of initialisers whose type is not in view"))
			continue
		}
		w.value(a, c)
	}
}

// argument is the context of the i-th argument of a call.
func (w *walker) argument(e *ir.Expr, i int) context {
	callee := e.Kids[0]
	if callee.Op != ir.OpIdent || callee.Var != nil {
		return bad("it is passed to %s, whose parameters are not in view", e.Name)
	}
	view := w.x.k.Prog.Named(w.fn.File, e.Name)
	if len(view) > 0 {
		if e.Qual != "" {
			return w.parameter(view, i, len(e.Args()), e.Name).and(deduced("it is passed to a function of a namespace"))
		}
		return w.parameter(view, i, len(e.Args()), e.Name)
	}
	for _, f := range w.x.k.Prog.View(w.fn.File) {
		for _, c := range f.Classes {
			if c.Name == e.Name {
				return bad("it is passed to a constructor of %s", e.Name)
			}
		}
	}
	switch known, r := analysis.ByValue(e.Name), e.Intrinsic(); {
	case r.Kind == intrinsic.Assumption && r.Result == intrinsic.NoResult:
		return bad("%s must not read memory that may change", e.Name)
	case !known || e.Qual != "" && (e.Qual != "std" || e.Name == "min" || e.Name == "max"):
		return bad("it is passed to %s, whose parameters are not in view", e.Name)
	case r.Params == intrinsic.Variadic:
		return deduced("it is passed to " + e.Name + ", which takes any type")
	case r.Params != intrinsic.Plain || r.Kind == intrinsic.Cast:
		return deduced("it is passed to " + e.Name + ", which may be a template")
	}
	return context{}
}

// parameter is the context of the i-th of n arguments of a function of which all overloads are in view.
func (w *walker) parameter(view []analysis.Definition, i, n int, name string) context {
	out, fits := context{}, false
	for _, d := range view {
		if d.Func.Class != "" && strings.HasPrefix(name, "operator") {
			return bad("an operator of class %s may take it", d.Func.Class)
		}
		if !effect.Takes(d.Func, n) {
			continue
		}
		if i >= len(d.Func.Params) {
			return bad("it is passed to %s, which takes any arguments", name)
		}
		q := d.Func.Params[i]
		text := d.File.Text(q.Node)
		t, bare := w.paramType(d, q)
		switch {
		case q.Variadic || strings.Contains(text, "&"):
			return bad("it is passed to %s by reference", name)
		case d.Func.IsTemplate && !bare:
			return bad("it is passed to %s, a template that smux does not follow", name)
		case d.Func.IsTemplate:
			out = out.and(deduced("it is passed to " + name + ", a template"))
		case t.kind == vector:
			out.vectors = append(out.vectors, t.name)
		case t.kind == unknown:
			return bad("it is passed to %s as a type that is not in view", name)
		}
		fits = true
	}
	if !fits {
		return bad("it is passed to %s, whose parameters are not in view", name)
	}
	if out.notAsm != "" {
		out.vectors = nil // a template does not deduce what it would of the vector
	}
	return out
}

// ParamType is the type of a parameter; bare says that it is known, or a template
// parameter alone, which is deduced without cv-qualifiers.
func (w *walker) paramType(d analysis.Definition, q parser.Param) (t valueType, bare bool) {
	n := q.Node.Child(parser.FieldType)
	if n == nil {
		return valueType{}, false
	}
	base := d.File.Text(n)
	stars := 0
	for k := q.Node.Child(parser.FieldDeclarator); k != nil; k = k.Child(parser.FieldDeclarator) {
		switch k.Kind {
		case parser.KindPointerDeclarator, parser.KindArrayDeclarator, parser.KindAbstractPointerDeclarator:
			stars++
		case parser.KindFunctionDeclarator:
			return valueType{}, false
		}
	}
	for _, tp := range d.Func.Template {
		if tp.Name == base {
			return valueType{}, true
		}
		if slices.Contains(parser.Words(base), tp.Name) {
			return valueType{}, false
		}
	}
	return w.x.typeOf(w.fn, ir.Type{Base: base, Ptr: stars}), true
}
