package analysis

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// mayBeAddress reports whether the value of an lvalue in shared memory, or of what a pointer into it
// leads to, may be an address: of a row, or a pointer. Elements are none.
func (k *Kernel) mayBeAddress(fn *ir.Func, e *ir.Expr) bool {
	n, exact := k.levels(fn, e)
	return n > 0 || !exact
}

// levels is how often a value can be dereferenced or subscripted (ir.Levels).
func (k *Kernel) levels(fn *ir.Func, e *ir.Expr) (n int, exact bool) {
	return e.Levels(ir.Levels{
		Var:    func(name *ir.Expr) *ir.Var { return k.variable(fn, name) },
		Named:  func(v *ir.Var) (int, bool) { return k.namedLevels(fn, v) },
		Member: func(m *ir.Expr) (int, bool) { return k.memberDims(fn, m), true },
		Call:   func(call *ir.Expr) (int, bool) { return k.returnedLevels(fn, call) },
	})
}

// namedLevels is the levels of the type that a declaration names. Those of a device function's type
// parameter follow from its calls; a kernel's stand for elements.
func (k *Kernel) namedLevels(fn *ir.Func, v *ir.Var) (int, bool) {
	base := v.Type.Base
	switch {
	case base == "", v.Type.IsAuto():
		return 0, false
	case isTypeParam(fn, base) && fn != k.Func:
		d := k.deduced[typeParam{fn, base}]
		return d.levels, d.known && !d.unclear
	case isTypeParam(fn, base), v.Type.Record != nil, classParameter(fn, base):
		return 0, true
	}
	return k.levelsOf(fn, base, 0)
}

// levelsOf is the levels of a type by its text, also through macros and other names for it. A name
// out of view is taken for a number's or a class's.
func (k *Kernel) levelsOf(fn *ir.Func, name string, depth int) (n int, exact bool) {
	name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "struct "), "typename ")
	if at := strings.IndexAny(name, "*[&"); at >= 0 {
		n, exact = k.levelsOf(fn, name[:at], depth+1)
		return n + strings.Count(name[at:], "*") + strings.Count(name[at:], "["), exact
	}
	switch {
	case depth > maxTypeDepth || name == "":
		return 0, false
	case ir.IsNumber(name), IsVector(name):
		return 0, true
	}
	if _, ok := fn.File.Macros.Lookup(name, int(fn.View.Start)); ok {
		texts, err := fn.File.Macros.Alternatives(name, int(fn.View.Start))
		exact = err == nil
		for i, text := range texts {
			m, one := 0, false
			if text != name {
				m, one = k.levelsOf(fn, text, depth+1)
			}
			exact = exact && one && (i == 0 || m == n)
			n = max(n, m)
		}
		return n, exact
	}
	means, ok := fn.Aliases[name]
	if !ok {
		means, ok = k.Prog.typeNames(fn.File).lookup(fn.View.Class, name)
	}
	if ok {
		return k.levelsOf(fn, means, depth+1)
	}
	return 0, true
}

// classParameter reports whether a name is a type parameter of the class template that a function
// is a member of: these stand for elements.
func classParameter(fn *ir.Func, name string) bool {
	for n := fn.View.Node.Parent; n != nil; n = n.Parent {
		list := n.Child(parser.FieldParameters)
		if n.Kind != parser.KindTemplateDeclaration || list == nil {
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

// returnedLevels is the levels of what a call returns, by the text in front of the functions' names.
func (k *Kernel) returnedLevels(fn *ir.Func, call *ir.Expr) (n int, exact bool) {
	exact = true
	callees := k.callees(fn, call)
	for _, c := range callees {
		if c.View.Declared == nil {
			return 0, false
		}
		head := string(c.File.Src[c.View.Start:c.View.Declared.Start])
		n, exact = max(n, strings.Count(head, "*")), exact && !strings.Contains(head, "auto")
	}
	return n, exact && len(callees) > 0
}

// typeParam is a type parameter of a device function.
type typeParam struct {
	fn   *ir.Func
	name string
}

// deduction is what a type parameter stands for, as levels.
type deduction struct {
	levels         int
	known, unclear bool
}

// deduce adds what the arguments of a call say of the type parameters of a function; it reports
// whether that was not known.
func (k *Kernel) deduce(fn *ir.Func, call *ir.Expr, callee *ir.Func) (changed bool) {
	for i, tp := range callee.TParams {
		if tp.Kind != ir.VarTemplateType {
			continue
		}
		now := deduction{unclear: true}
		for j, p := range callee.Params {
			if j >= len(call.Args()) || p.Type.Base != tp.Name {
				continue
			}
			if n, exact := k.levels(fn, call.Args()[j]); exact || n > p.Type.Ptr+len(p.Dims) {
				now = deduction{levels: max(0, n-p.Type.Ptr-len(p.Dims)), known: true}
				break
			}
		}
		if i < len(call.TArgs) && ir.IsNumber(call.TArgs[i].Name) {
			now = deduction{known: true}
		}
		at := typeParam{callee, tp.Name}
		old := k.deduced[at]
		now = deduction{max(old.levels, now.levels), old.known || now.known, old.unclear || now.unclear}
		k.deduced[at] = now
		changed = changed || now != old
	}
	return changed
}
