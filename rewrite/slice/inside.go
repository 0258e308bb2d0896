package slice

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// slicedInside is a device function that exchanges are made inside of: whole ones, from
// the first write to the last read. It is called with the arrays, or declares them.
type slicedInside struct {
	fn     *ir.Func
	params map[*slicedArray]int // which stands for an array; one that it declares has none
}

// exchangesIn reports whether exchanges are made inside of a device function.
func (p *sliceProof) exchangesIn(fn *ir.Func) bool {
	return p.inside[fn] != nil && slices.ContainsFunc(p.exchanges, func(x *exchange) bool { return x.fn == fn })
}

// holder is the function that declares an array.
func (p *sliceProof) holder(a *analysis.Shared) *ir.Func {
	return lists.Find(p.Kernel.Functions, func(fn *ir.Func) bool { return slices.Contains(fn.Vars, a.Var) })
}

// insideOf returns a function that exchanges are made inside of, through an array that it
// declares (param is negative) or is called with, nil where there can't be any.
func (p *sliceProof) insideOf(fn *ir.Func, param int, a *slicedArray) *slicedInside {
	before := len(p.Reasons)
	refuse := func(format string, args ...any) {
		p.Refuse(fn.File, fn.View.Start, CodeSliceAccess, format, args...)
	}
	f := p.inside[fn]
	if f == nil {
		f = &slicedInside{fn: fn, params: map[*slicedArray]int{}}
	}
	switch calls, ours := p.callsOf(fn, param, a); {
	case p.byArray():
		p.Refuse(fn.File, fn.View.Start, CodeNoExchange, "%s is exchanged inside of %s, where smux makes no rounds of arrays or groups of rows", a.Name, fn.View.Name)
	case fn.View.Class != "" || fn.View.ParamList == nil || len(fn.TParams) > 0:
		refuse("%s is exchanged inside of a member function or template, %s", a.Name, fn.View.Name)
	case strings.ContainsAny(string(fn.File.Src[fn.View.Start:fn.View.ParamList.Start]), "&*") || strings.Contains(string(fn.File.Src[fn.View.Start:fn.View.ParamList.Start]), "decltype"):
		refuse("%s is exchanged inside of %s, which may return an address", a.Name, fn.View.Name)
	case slices.Contains(p.Kernel.Recursive, fn):
		refuse("%s is exchanged inside of %s, which calls itself", a.Name, fn.View.Name)
	case !ours:
		refuse("%s is exchanged inside of %s, which others than the kernel call as well, or it with something else", a.Name, fn.View.Name)
	case (param < 0 || p.byWindow()) && !kit.OnlyCalledAt(p.Kernel.Prog, fn, calls):
		refuse("%s is exchanged inside of %s, which stands for more than the calls of this kernel, and can't be told from what it becomes", a.Name, fn.View.Name)
	}
	for _, known := range f.params {
		if param >= 0 && known == param {
			refuse("%s is called with several arrays that are to be sliced, for the same parameter", fn.View.Name)
		}
	}
	if param >= 0 && len(p.Reasons) == before {
		p.checkParameter(fn, param, a)
		p.checkReferences(fn)
	}
	if len(p.Reasons) > before {
		return nil
	}
	if param >= 0 {
		f.params[a] = param
	}
	p.inside[fn] = f
	return f
}

// makesExchanges reports whether a function both writes and reads the elements of an array that it is called with.
func (p *sliceProof) makesExchanges(fn *ir.Func, param int, a *slicedArray) bool {
	stores, reads := false, false
	is := func(e *ir.Expr) bool { return e.Var == fn.Params[param] }
	for _, u := range (&sliceProof{Findings: kit.Findings{Kernel: p.Kernel, Variant: p.Variant}, forms: map[*ir.Func]*slicedFunc{}}).usesIn(fn, a, is, 1) {
		stores, reads = stores || u.store != nil, reads || u.reads()
	}
	return stores && reads
}

// callsOf says where a function is called, and whether the kernel itself makes all calls,
// each with the same array for a parameter; param is negative for none.
func (p *sliceProof) callsOf(fn *ir.Func, param int, a *slicedArray) (at map[int]bool, ours bool) {
	at, ours = map[int]bool{}, true
	for _, in := range p.Kernel.Functions {
		for e := range in.Body.AllExprs() {
			callees := p.Kernel.Callees(in, e)
			if e.Op == ir.OpCall && slices.Contains(callees, fn) {
				at[e.Range.Start] = true
				ours = ours && in == p.Kernel.Func && in.File == fn.File && len(callees) == 1 && !e.Macro
				ours = ours && (param < 0 || param < len(e.Args()) && evaluate.SharedVar(p.Kernel, in, e.Args()[param]) == a.Shared)
			}
		}
	}
	return at, ours
}

// checkParameter proves that a parameter can get another type.
func (p *sliceProof) checkParameter(fn *ir.Func, param int, a *slicedArray) {
	v := fn.Params[param]
	switch t := v.Type; {
	case t.Ptr != 1 || t.Ref || len(v.Dims) > 0 || t.Volatile || t.Base != a.Type || len(v.Writes) > 0 || v.AddrTaken:
		p.Refuse(fn.File, fn.View.Start, CodeSliceAccess, "%s does not take %s as a pointer to its elements that stays as it is", fn.View.Name, a.Name)
	case !p.byWindow() && p.declaredElsewhere(fn):
		p.Refuse(fn.File, fn.View.Start, CodeSliceAccess, "%s is declared more than once: the declarations would have to follow", fn.View.Name)
	case !p.byWindow() && parameterType(fn, param, a).End == 0:
		p.Refuse(fn.File, int(fn.View.Params[param].Node.Start), kit.CodeMacro, "the type of %s can't be found in its declaration", v.Name)
	}
}

// parameterType finds the element type of an array in a parameter, empty where it can't be told.
func parameterType(fn *ir.Func, param int, a *slicedArray) ir.Range {
	node := fn.View.Params[param].Node
	at := kit.WordOffsets(fn.File.Text(node), a.Type)
	if len(at) != 1 {
		return ir.Range{}
	}
	from := int(node.Start) + at[0]
	return ir.Range{Start: from, End: from + len(a.Type)}
}

// checkReferences proves that what a function is called with by reference are variables in
// registers, another one for each parameter: then these can be looked at as its own.
func (p *sliceProof) checkReferences(fn *ir.Func) {
	k := p.Kernel
	for e := range k.Func.Body.AllExprs() {
		if e.Op != ir.OpCall || !slices.Contains(k.Callees(k.Func, e), fn) {
			continue
		}
		seen := map[*ir.Var]bool{}
		for i, arg := range e.Args() {
			if i >= len(fn.Params) || !fn.Params[i].Type.Ref {
				continue
			}
			if v := arg.Var; arg.Op != ir.OpIdent || v == nil || v.Kind != ir.VarLocal || v.Type.Ref || v.Type.Volatile || v.Static || seen[v] || !p.alone(k.Func, v) {
				p.Refuse(k.File, arg.Range.Start, CodeSliceAccess, "a reference passed along with an array is not to a variable in registers, or is passed twice")
			} else {
				seen[v] = true
			}
		}
	}
}

// emitInside writes the rounds inside of a device function, and returns its new form.
func (w *slicer) emitInside(f *slicedInside) *kit.Clone {
	inner := *w
	inner.Edits = map[*parser.File]*edit.Buffer{}
	b := inner.Buffer(f.fn.File)
	var told []string
	for _, a := range w.arrays {
		if param, called := f.params[a]; called {
			told = append(told, fmt.Sprint(param))
			if !w.byWindow() {
				at := parameterType(f.fn, param, a)
				b.Replace(at.Start, at.End, a.parts[0].Type)
			}
		} else if w.holder(a.Shared) == f.fn {
			inner.declare(a)
		}
	}
	for _, x := range w.exchanges {
		if x.fn == f.fn {
			inner.exchange(x)
		}
	}
	w.Temp = inner.Temp
	c := &kit.Clone{Form: kit.Form{Fn: f.fn, Kind: kit.FormSliced, Told: fmt.Sprint(w.By, " inside, ", strings.Join(told, " "))}}
	c.Edits.Append(b.Edits())
	calls, _ := w.callsOf(f.fn, -1, nil)
	for _, at := range slices.Sorted(maps.Keys(calls)) {
		w.calls = append(w.calls, kit.CallSite{At: at, Fn: w.Kernel.Func, Form: c.Form})
	}
	return c
}
