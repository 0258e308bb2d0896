package demotion

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/named"
	"github.com/smux-cuda/smux/diag"
)

// finder answers for one kernel which variables can move to shared memory.
type finder struct {
	k       *analysis.Kernel
	in      *analysis.Instance
	facts   *evaluate.Facts
	aliases map[string][]string // see aliasesOf
	walked  map[*ir.Func]*walker
	private map[*ir.Func]string  // see shared
	times   map[*ir.Func]float64 // see often
}

func newFinder(k *analysis.Kernel, in *analysis.Instance) *finder {
	if in == nil && len(k.Instances) > 0 {
		in = k.Instances[0]
	}
	return &finder{
		k: k, in: in, facts: evaluate.FactsOf(k, in),
		walked: map[*ir.Func]*walker{}, private: map[*ir.Func]string{}, times: map[*ir.Func]float64{},
	}
}

// findWords lists the words of the kernel and the device functions that it
// reaches, and refuses the other variables that are used more than once.
func (c *Candidates) findWords(k *analysis.Kernel, in *analysis.Instance) {
	x := newFinder(k, in)
	for _, fn := range k.Functions {
		for _, v := range fn.Vars {
			if v.Kind != ir.VarLocal || v.Static || v.Extern {
				continue
			}
			w, why := x.word(fn, v)
			switch {
			case why == nil:
				c.Words = append(c.Words, *w)
			case len(x.walk(fn).uses[v]) > 1:
				c.Refused = append(c.Refused, *why)
			}
		}
	}
	slices.SortStableFunc(c.Words, func(a, b Word) int {
		return cmp.Or(cmp.Compare(a.Weight(), b.Weight()), cmp.Compare(b.Words, a.Words))
	})
}

// WordOf proves that one variable can move to shared memory, or reports what stands in the way.
func WordOf(k *analysis.Kernel, in *analysis.Instance, fn *ir.Func, v *ir.Var) (*Word, *diag.Message) {
	return newFinder(k, in).word(fn, v)
}

// word is WordOf, without what the words of one kernel have in common.
func (x *finder) word(fn *ir.Func, v *ir.Var) (*Word, *diag.Message) {
	refuse := func(at int, code diag.Code, why string) (*Word, *diag.Message) {
		return nil, &diag.Message{Pos: fn.File.Position(at), Code: code, Text: v.Name + " can't move to shared memory: " + why}
	}
	w := &Word{Name: named.VariableName(x.k, fn, v), Func: fn, Var: v}
	if why := x.shared(fn); why != "" {
		return refuse(v.Range.Start, CodeWordFunction, why)
	}
	if why := x.place(fn, v); why != "" {
		return refuse(v.Range.Start, CodeWordPlace, why)
	}
	if why := x.setType(w); why != "" {
		return refuse(v.Range.Start, CodeWordType, why)
	}
	if at, why := x.hidden(fn, v); why != "" {
		return refuse(at, CodeWordUse, why)
	}
	for _, u := range x.walk(fn).uses[v] {
		if code, why := x.against(w, u); code != "" {
			return refuse(u.ident.Range.Start, code, why)
		}
		w.Uses = append(w.Uses, u.ident)
		w.NotAsm = cmp.Or(w.NotAsm, u.notAsm)
	}
	if v.AddrTaken && v.Type.Ptr == 0 {
		return refuse(v.Range.Start, CodeWordUse, "its address may be taken")
	}
	slices.SortStableFunc(w.Uses, func(a, b *ir.Expr) int { return cmp.Compare(a.Range.Start, b.Range.Start) })
	x.weigh(w)
	return w, nil
}

// walk returns the uses of a function's variables.
func (x *finder) walk(fn *ir.Func) *walker {
	w := x.walked[fn]
	if w == nil {
		w = &walker{x: x, fn: fn, uses: map[*ir.Var][]use{}}
		x.walked[fn] = w
		w.function()
	}
	return w
}

// against reports what one use has against a word.
func (x *finder) against(w *Word, u use) (diag.Code, string) {
	whole := u.field == "" && u.index == nil
	switch {
	case len(w.Fields) > 0 && whole:
		if u.code != "" {
			return u.code, u.why
		}
		if !u.store && !slices.Contains(u.vectors, w.Var.Type.Base) {
			return CodeWordUse, "it is used as a whole where it would not be converted"
		}
		return "", ""
	case len(w.Fields) > 0 && !slices.Contains(w.Fields, u.field):
		return CodeWordUse, "it is used other than by its components"
	case w.Count > 0 && whole:
		return CodeWordUse, "the array is used as a whole: it becomes a pointer"
	case w.Count > 0 && !x.steady(w, u):
		return CodeWordIndex, "the compiler can't tell which element " + text(w.Func, u.index) + " is: the array is in local memory as it is"
	case w.Count == 0 && len(w.Fields) == 0 && !whole:
		return CodeWordUse, "it is used as an array or an object"
	}
	return u.code, u.why
}

func text(fn *ir.Func, e *ir.Expr) string {
	return strings.Join(strings.Fields(string(fn.File.Src[e.Range.Start:e.Range.End])), " ")
}
