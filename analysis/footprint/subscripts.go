package footprint

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/analysis/values"
)

// Span is the values that an integer expression takes over the threads that may
// evaluate it and the iterations of the loops around it.
type Span struct {
	Known    bool // else it may be anything
	Min, Max int64
}

// Within reports whether all values are known and lie in [0, n).
func (s Span) Within(n int) bool { return s.Known && s.Min >= 0 && s.Max < int64(n) }

// Subscripts holds the values of the subscripts of one access, one span for each.
// It holds for all instances of the kernel.
type Subscripts []Span

// SubscriptsIn lists, for every access of the kernel to an element of s by its name and with all its subscripts, what
// they may be: by enumeration of threads and loop counters, as regions are found. Accesses that no thread makes are
// not in it.
func SubscriptsIn(k *analysis.Kernel, s *analysis.Shared) map[*ir.Expr]Subscripts {
	type key struct{}
	return analysis.Once(&k.Memo, key{}, func() map[*analysis.Shared]map[*ir.Expr]Subscripts { return enumerateSubscripts(k) })[s]
}

// enumerateSubscripts lists those of all arrays at once.
func enumerateSubscripts(k *analysis.Kernel) map[*analysis.Shared]map[*ir.Expr]Subscripts {
	out := map[*analysis.Shared]map[*ir.Expr]Subscripts{}
	for _, s := range k.Shared {
		out[s] = map[*ir.Expr]Subscripts{}
	}
	for _, in := range k.Instances {
		x := New(k, evaluate.FrameUnder(in, k, k.Func))
		x.Watch = func(e *ir.Expr, in Flow) {
			if s := ElementOf(k, e); s != nil && !in.May.None {
				out[s][e] = out[s][e].join(x.subscripts(e, in))
			}
		}
		x.Stmt(k.Func.Body, Flow{AllThreads, AllThreads})
		if x.Ev.Spent() {
			return map[*analysis.Shared]map[*ir.Expr]Subscripts{} // not all values were seen
		}
	}
	return out
}

// IsElement reports whether an expression of the kernel names an element of s with all its subscripts.
func IsElement(k *analysis.Kernel, s *analysis.Shared, e *ir.Expr) bool { return ElementOf(k, e) == s }

// ElementOf is the shared array of which an expression of the kernel names an element with
// all its subscripts, nil for none.
func ElementOf(k *analysis.Kernel, e *ir.Expr) *analysis.Shared {
	n := pointers.Depth(e)
	if n == 0 {
		return nil
	}
	for e.Op == ir.OpIndex {
		e = e.Kids[0]
	}
	if e.Op != ir.OpIdent {
		return nil
	}
	if s := k.NamedShared(k.Func, e); s != nil && n == len(s.Var.Dims) {
		return s
	}
	return nil
}

// SubscriptsOf are the subscripts of an element, the first dimension's first.
func SubscriptsOf(e *ir.Expr) []*ir.Expr {
	var out []*ir.Expr
	for ; e.Op == ir.OpIndex; e = e.Kids[0] {
		out = append(out, e.Kids[1])
	}
	slices.Reverse(out)
	return out
}

func (x *Execution) subscripts(e *ir.Expr, in Flow) Subscripts {
	var out Subscripts
	for _, sub := range SubscriptsOf(e) {
		out = append(out, span(x.Eval(sub), in.May))
	}
	return out
}

// span is the span of a value over some threads.
func span(v values.Value, threads Mask) Span {
	if !v.Known {
		return Span{}
	}
	if v.V == nil {
		return Span{true, v.S, v.S}
	}
	var out Span
	for i, n := range v.V {
		if threads.Has(i) {
			out = out.join(Span{true, n, n}, !out.Known)
		}
	}
	return out
}

func (s Span) join(o Span, first bool) Span {
	switch {
	case first:
		return o
	case !s.Known || !o.Known:
		return Span{}
	}
	return Span{true, min(s.Min, o.Min), max(s.Max, o.Max)}
}

func (s Subscripts) join(o Subscripts) Subscripts {
	if s == nil {
		return o
	}
	out := make(Subscripts, len(s))
	for i := range s {
		out[i] = s[i].join(o[i], false)
	}
	return out
}

// Extents returns the dimensions of a shared array where they are the same in
// all instances of the kernel, nil where they are not, or not known.
func Extents(k *analysis.Kernel, s *analysis.Shared) []int {
	var dims []int
	for i, in := range k.Instances {
		x := evaluate.Folding(k, in, k.Func).Ev.Extent(s)
		if x.Count < 0 || i > 0 && !slices.Equal(dims, x.Dims) {
			return nil
		}
		dims = x.Dims
	}
	return dims
}
