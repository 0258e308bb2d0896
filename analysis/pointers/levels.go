package pointers

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// mayBeAddress reports whether the value of an lvalue in shared memory, or of what a pointer into it
// leads to, may be an address: of a row, or a pointer. Elements are none.
func mayBeAddress(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) bool {
	n, exact := levels(k, fn, e)
	return n > 0 || !exact
}

// MayBeArray reports whether the type that the declaration of a variable names may be an array.
func MayBeArray(k *analysis.Kernel, fn *ir.Func, v *ir.Var) bool {
	n, exact := namedLevels(k, fn, v)
	return v.Type.Ptr == 0 && !v.Type.IsAuto() && (n > 0 || !exact)
}

// levels returns the number of times that a value can be dereferenced or subscripted (ir.Levels).
func levels(k *analysis.Kernel, fn *ir.Func, e *ir.Expr) (n int, exact bool) {
	return e.Levels(ir.Levels{
		Var:    func(name *ir.Expr) *ir.Var { return k.Variable(fn, name) },
		Named:  func(v *ir.Var) (int, bool) { return namedLevels(k, fn, v) },
		Member: func(m *ir.Expr) (int, bool) { return MemberDims(k, fn, m), true },
		Call:   func(call *ir.Expr) (int, bool) { return returnedLevels(k, fn, call) },
	})
}

// namedLevels is the levels of the type that a declaration names. Those of a device function's type
// parameter follow from its calls, those of a kernel's from its launches; those of classes stand for elements.
func namedLevels(k *analysis.Kernel, fn *ir.Func, v *ir.Var) (int, bool) {
	base := v.Type.Base
	switch {
	case base == "", v.Type.IsAuto():
		return 0, false
	case analysis.IsTypeParam(fn, base):
		d := deduced(k)[typeParam{fn, base}]
		return d.levels, d.known && !d.unclear
	case v.Type.Record != nil, classParameter(fn, base):
		return 0, true
	}
	return LevelsOf(k, fn, base, 0)
}

// LevelsOf is the levels of a type by its text, also through macros and other names for it. Of a name
// out of view nothing is known but what CUDA and the standard library give.
func LevelsOf(k *analysis.Kernel, fn *ir.Func, name string, depth int) (n int, exact bool) {
	name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "struct "), "typename ")
	if at := strings.IndexAny(name, "*[&"); at >= 0 {
		n, exact = LevelsOf(k, fn, name[:at], depth+1)
		return n + strings.Count(name[at:], "*") + strings.Count(name[at:], "["), exact
	}
	switch {
	case depth > analysis.MaxTypeDepth || name == "":
		return 0, false
	case ir.IsNumber(name), analysis.IsVector(name):
		return 0, true
	}
	if _, ok := fn.File.Macros.Lookup(name, int(fn.View.Start)); ok {
		texts, err := fn.File.Macros.Alternatives(name, int(fn.View.Start))
		exact = err == nil
		for i, text := range texts {
			m, one := 0, false
			if text != name {
				m, one = LevelsOf(k, fn, text, depth+1)
			}
			exact = exact && one && (i == 0 || m == n)
			n = max(n, m)
		}
		return n, exact
	}
	if means, ok := Meaning(k, fn, name); ok {
		return LevelsOf(k, fn, means, depth+1)
	}
	return 0, isClass(k, fn, name, 0)
}

// Meaning returns the text that a name stands for by a typedef or alias.
func Meaning(k *analysis.Kernel, fn *ir.Func, name string) (means string, ok bool) {
	if means, ok = fn.Aliases[name]; !ok {
		means, ok = k.Prog.TypeNames(fn.File).Lookup(fn.View.Class, name)
	}
	return means, ok
}

// isClass reports whether a type is known to be a class.
func isClass(k *analysis.Kernel, fn *ir.Func, name string, depth int) bool {
	name, _, _ = strings.Cut(name, "<")
	path := strings.Split(strings.ReplaceAll(name, " ", ""), "::")
	name = path[len(path)-1]
	if len(path) > 1 && intrinsic.LibraryOf(path[0]) != nil || analysis.IsVector(name) || len(path) == 1 && k.Prog.LibraryIncluded(fn.File, name).HasClass(name) {
		return true
	}
	if means, ok := Meaning(k, fn, path[0]); ok && len(path) > 1 && depth < analysis.MaxTypeDepth && isClass(k, fn, means, depth+1) {
		return true // one that a class of these libraries declares
	}
	return slices.ContainsFunc(k.Prog.Unit(fn.File).Files, func(f *parser.File) bool {
		return slices.ContainsFunc(f.Classes, func(c *parser.Class) bool { return c.Name == name })
	})
}

// classParameter reports whether a name is a type parameter of the class template that a function
// is a member of: these stand for elements.
func classParameter(fn *ir.Func, name string) bool {
	for n := fn.View.Node.Parent; n != nil; n = n.Parent {
		if n.Kind != parser.KindTemplateDeclaration { // a file has as many children as declarations
			continue
		}
		list := n.Child(parser.FieldParameters)
		if list == nil {
			continue
		}
		for p := list.FirstNamed(); p != nil; p = p.NextNamed() {
			if k := p.FirstNamed(); k != nil && k.Kind == parser.KindTypeIdentifier && fn.File.Text(k) == name {
				return true
			}
		}
	}
	return false
}

// returnedLevels is the levels of what a call returns. What a function deduces, or says after its
// parameters, is not known.
func returnedLevels(k *analysis.Kernel, fn *ir.Func, call *ir.Expr) (n int, exact bool) {
	exact = true
	callees := called(k, fn, call)
	for _, c := range callees {
		typ := c.View.Node.Child(parser.FieldType)
		if c.View.Declared == nil || typ == nil || typ.End > c.View.Declared.Start {
			return 0, false
		}
		of, one := namedLevels(k, c, &ir.Var{Type: ir.Type{Base: strings.Join(strings.Fields(c.File.Text(typ)), " ")}})
		n, exact = max(n, of+strings.Count(string(c.File.Src[typ.End:c.View.Declared.Start]), "*")), exact && one
	}
	return n, exact && len(callees) > 0
}

// typeParam is a type parameter of a device function.
type typeParam struct {
	fn   *ir.Func
	name string
}

// deduction holds the levels of what a type parameter stands for.
type deduction struct {
	levels         int
	known, unclear bool
}

// maxDeductions bounds the deductions of type parameters from those of callers.
const maxDeductions = 16

func deduced(k *analysis.Kernel) map[typeParam]deduction {
	type key struct{}
	return analysis.Table[typeParam, deduction](&k.Memo, key{})
}

// deduceAll finds what type parameters stand for: those of the kernel, then, as far as that tells, those of
// the functions that are called with values of these types, and so on.
func deduceAll(k *analysis.Kernel) {
	found := deduced(k)
	deduceKernel(k)
	own := maps.Clone(found)
	for range maxDeductions {
		next := maps.Clone(own)
		for _, fn := range k.Functions {
			for e := range fn.Body.AllExprs() {
				if e.Op == ir.OpCall {
					for _, callee := range k.Callees(fn, e) {
						deduce(k, next, fn, e, callee)
					}
				}
			}
		}
		if maps.Equal(next, found) {
			return
		}
		clear(found)
		maps.Copy(found, next)
	}
	for at, d := range found {
		d.unclear = true
		found[at] = d
	}
}

// deduce adds what the arguments of a call say of the type parameters of a function.
func deduce(k *analysis.Kernel, all map[typeParam]deduction, fn *ir.Func, call *ir.Expr, callee *ir.Func) {
	for i, tp := range callee.TParams {
		if tp.Kind != ir.VarTemplateType {
			continue
		}
		now := deduction{unclear: true}
		for j, p := range callee.Params {
			if j >= len(call.Args()) || p.Type.Base != tp.Name {
				continue
			}
			if n, exact := levels(k, fn, call.Args()[j]); exact || n > p.Type.Ptr+len(p.Dims) {
				now = deduction{levels: max(0, n-p.Type.Ptr-len(p.Dims)), known: true}
				break
			}
		}
		if i < len(call.TArgs) && ir.IsNumber(call.TArgs[i].Name) {
			now = deduction{known: true}
		}
		at := typeParam{callee, tp.Name}
		old := all[at]
		all[at] = deduction{max(old.levels, now.levels), old.known || now.known, old.unclear || now.unclear}
	}
}

// deduceKernel is deduce for the type parameters of the kernel: what its launches say.
func deduceKernel(k *analysis.Kernel) {
	for i, tp := range k.Func.TParams {
		if tp.Kind != ir.VarTemplateType {
			continue
		}
		d := deduction{known: len(k.Launches) > 0, unclear: len(k.Launches) == 0}
		for _, l := range k.Launches {
			n, exact := launchedLevels(k, l, i)
			d.levels, d.unclear = max(d.levels, n), d.unclear || !exact
		}
		deduced(k)[typeParam{k.Func, tp.Name}] = d
	}
}

// pointsToArray matches a declaration of a pointer or reference to an array.
var pointsToArray = regexp.MustCompile(`\(\s*[*&][^()]*\)\s*\[`)

// launchedLevels is the levels of what a launch gives the kernel for its i-th template parameter. What
// follows from the arguments' types are elements, unless there are names for arrays or pointers to some.
func launchedLevels(k *analysis.Kernel, l *analysis.Launch, i int) (n int, exact bool) {
	e, host := hostcode.Expr(l, k.Prog)
	switch {
	case e == nil:
		return 0, false
	case i < len(e.TArgs):
		at := e.TArgs[i].Range
		if e.TArgs[i].Macro {
			return 0, false
		}
		return hostLevels(k, host, &ir.Var{Type: ir.Type{Base: strings.TrimPrefix(string(host.File.Src[at.Start:at.End]), "const ")}})
	}
	text := host.File.Src[host.View.Start:host.View.Body.End]
	for name, means := range k.Prog.TypeNames(host.File).Means {
		if strings.Contains(means, "[") && analysis.Mentions(text, name[strings.LastIndex(name, ":")+1:]) {
			return 0, false
		}
	}
	return 0, !pointsToArray.Match(text)
}

// hostLevels is namedLevels in a host function, whose own type parameters stand for elements.
func hostLevels(k *analysis.Kernel, host *ir.Func, v *ir.Var) (n int, exact bool) {
	if analysis.IsTypeParam(host, v.Type.Base) || classParameter(host, v.Type.Base) {
		return 0, true
	}
	return namedLevels(k, host, v)
}
