package slice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// slicedFunc is a device function that is called with an array to be sliced, and does
// nothing but write it or read it. It gets a form with the round as an argument.
type slicedFunc struct {
	fn     *ir.Func
	param  int  // which stands for the array
	stores bool // or reads
	uses   []*sliceUse
	check  *roundsCheck // of its body
	typeAt ir.Range     // the array's element type in the parameter, by component
}

// formOf returns the form of a function that is called with an array as an argument, nil where it can't have one.
func (p *sliceProof) formOf(fn *ir.Func, param int, a *slicedArray) *slicedFunc {
	if f, seen := p.forms[fn]; seen {
		if f != nil && (f.param != param || a.Type != fn.Params[param].Type.Base) {
			p.Refuse(fn.File, fn.View.Start, CodeSliceAccess, "%s is called with arrays of several kinds that are to be sliced", fn.View.Name)
			return nil
		}
		return f
	}
	p.forms[fn] = nil
	f := &slicedFunc{fn: fn, param: param}
	before := len(p.Reasons)
	p.checkSignatureOf(f, a)
	f.uses = p.usesIn(fn, a, func(e *ir.Expr) bool { return e.Var == fn.Params[param] }, 1)
	for i, u := range f.uses {
		if stores := u.store != nil; i > 0 && stores != f.stores {
			p.Refuse(fn.File, u.name.Range.Start, CodeNoExchange, "%s writes %s and reads it: no round can be between", fn.View.Name, a.Name)
		} else {
			f.stores = stores
		}
	}
	if len(p.Reasons) == before {
		f.check = p.checkRounds(fn, fn.Body.List, f.uses, 0)
	}
	if len(p.Reasons) > before {
		return nil
	}
	p.forms[fn] = f
	return f
}

// checkSignatureOf proves that a function can get another parameter, and the one for the array another type.
func (p *sliceProof) checkSignatureOf(f *slicedFunc, a *slicedArray) {
	fn, k := f.fn, p.Kernel
	view, v := fn.View, fn.Params[f.param]
	refuse := func(format string, args ...any) {
		p.Refuse(fn.File, view.Start, CodeSliceAccess, format, args...)
	}
	t := v.Type
	switch {
	case view.ParamList == nil || view.Class != "" || strings.HasPrefix(view.Name, "operator") || view.Name == view.Class:
		refuse("member function %s uses %s, and can't be given another parameter", view.Name, a.Name)
	case t.Ptr != 1 || t.Ref || len(v.Dims) > 0 || t.Volatile || t.Base != a.Type || len(v.Writes) > 0 || v.AddrTaken:
		refuse("%s does not take %s as a pointer to its elements that stays as it is", view.Name, a.Name)
	case slices.Contains(k.Recursive, fn) || barriers.HasBarrier(k, fn):
		refuse("%s holds a barrier or calls itself: rounds can't be made of it", view.Name)
	case p.declaredElsewhere(fn):
		refuse("%s is declared more than once: the declarations would have to follow", view.Name)
	case !returnsNothing(fn):
		refuse("%s returns a value, and would be called once for each round", view.Name)
	}
	node := view.Params[f.param].Node
	from := int(node.Start)
	at := kit.WordOffsets(fn.File.Text(node), a.Type)
	if !p.byWindow() && len(at) != 1 {
		p.Refuse(fn.File, from, kit.CodeMacro, "the type of %s can't be found in its declaration", v.Name)
		return
	}
	if len(at) == 1 {
		f.typeAt = ir.Range{Start: from + at[0], End: from + at[0] + len(a.Type)}
	}
}

// returnsNothing reports whether a function's return type is void.
func returnsNothing(fn *ir.Func) bool {
	t := fn.View.Node.Child(parser.FieldType)
	return t != nil && fn.File.Text(t) == "void"
}

// declaredElsewhere reports whether a function of that name has a declaration that is not its definition.
func (p *sliceProof) declaredElsewhere(fn *ir.Func) bool {
	prog := p.Kernel.Prog
	declared := func(f *parser.File) bool {
		return prog.Related(f, fn.File) && slices.ContainsFunc(f.Functions, func(v *parser.Function) bool { return v.Name == fn.View.Name && v.Body == nil })
	}
	for _, h := range prog.Parsed.Headers {
		if declared(h) {
			return true
		}
	}
	return slices.ContainsFunc(prog.Parsed.Files, declared)
}

// formKey names the form of a function.
func (w *slicer) formKey(s *slicedFunc) kit.Form {
	return kit.Form{Fn: s.fn, Kind: kit.FormSliced, Told: fmt.Sprint(w.By, s.param)}
}

// formFor writes the form of a device function with the round as an argument.
func (w *slicer) formFor(s *slicedFunc) *kit.Clone {
	f := s.fn.File
	c := &kit.Clone{Form: w.formKey(s)}
	told := "int " + w.round + ", "
	if w.byWindow() {
		told += "int " + w.rows + ", "
	} else {
		c.Edits.Replace(s.typeAt.Start, s.typeAt.End, s.uses[0].array.parts[0].Type)
	}
	// In front of the array: forms for different arrays are overloads of each other.
	c.Edits.Insert(int(s.fn.View.Params[s.param].Node.Start), told)
	for _, u := range s.uses {
		switch {
		case w.byWindow():
			w.windowInForm(&c.Edits, f, u)
		case u.store != nil:
			v := u.store.Kids[1].Range
			if u.part >= 0 {
				w.guardInForm(&c.Edits, f, u)
				continue
			}
			c.Edits.Replace(v.Start, v.End, w.choice(u, kit.Text(f, v)))
		default:
			v := u.into.Range
			c.Edits.Replace(v.Start, v.End, "("+w.choice(u, kit.Text(f, v))+")")
		}
	}
	return c
}

// guardInForm has a component stored in its round alone.
func (w *slicer) guardInForm(b *edit.Buffer, f *parser.File, u *sliceUse) {
	b.Insert(u.stmt.Range.Start, fmt.Sprintf("{ if (%s == %d) ", w.round, u.part))
	b.Replace(u.elem.Range.End, u.whole.Range.End, "")
	b.Insert(kit.StmtEnd(f, u.stmt), " }")
}

// choice is the component of a value that a round is of.
func (w *slicer) choice(u *sliceUse, value string) string {
	parts := u.array.parts
	out := value + "." + parts[len(parts)-1].Name
	for i := len(parts) - 2; i >= 0; i-- {
		out = fmt.Sprintf("%s == %d ? %s.%s : %s", w.round, i, value, parts[i].Name, out)
	}
	return out
}

// windowInForm has an access made in the round of its window.
func (w *slicer) windowInForm(b *edit.Buffer, f *parser.File, u *sliceUse) {
	index := u.index()
	b.Insert(u.stmt.Range.Start, fmt.Sprintf("{ if (%s / %s == %s) ", factor(f, index), w.rows, w.round))
	move := w.moved(f, u, w.round+" * "+w.rows)
	b.Replace(move.Start, move.End, move.New)
	b.Insert(kit.StmtEnd(f, u.stmt), " }")
}
