package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// Span is the values that an integer expression takes over the threads that may
// evaluate it and the iterations of the loops around it.
type Span struct {
	Known    bool // else it may be anything
	Min, Max int64
}

// within reports whether all values are known and lie in [0, n).
func (s Span) within(n int) bool { return s.Known && s.Min >= 0 && s.Max < int64(n) }

// Subscripts holds the values of the subscripts of one access, one span for each.
// It holds for all instances of the kernel.
type Subscripts []Span

// Subscripts lists, for every access of the kernel to an element of s by its
// name and with all its subscripts, what they may be: by enumeration of threads
// and loop counters, as regions are found. Accesses that no
// thread makes are not in it.
func (k *Kernel) Subscripts(s *Shared) map[*ir.Expr]Subscripts {
	type key struct{}
	return Once(&k.memo, key{}, func() map[*Shared]map[*ir.Expr]Subscripts { return k.enumerateSubscripts() })[s]
}

// enumerateSubscripts lists those of all arrays at once.
func (k *Kernel) enumerateSubscripts() map[*Shared]map[*ir.Expr]Subscripts {
	out := map[*Shared]map[*ir.Expr]Subscripts{}
	for _, s := range k.Shared {
		out[s] = map[*ir.Expr]Subscripts{}
	}
	for _, in := range k.Instances {
		x := k.execution(in.frame(k, k.Func))
		x.watch = func(e *ir.Expr, in flow) {
			if s := k.elementOf(e); s != nil && !in.may.none {
				out[s][e] = out[s][e].join(x.subscripts(e, in))
			}
		}
		x.stmt(k.Func.Body, flow{allThreads, allThreads})
		if x.ev.spent() {
			return map[*Shared]map[*ir.Expr]Subscripts{} // not all values were seen
		}
	}
	return out
}

// isElement reports whether an expression of the kernel names an element of s
// with all its subscripts.
func (k *Kernel) isElement(s *Shared, e *ir.Expr) bool { return k.elementOf(e) == s }

// elementOf is the shared array of which an expression of the kernel names an element with
// all its subscripts, nil for none.
func (k *Kernel) elementOf(e *ir.Expr) *Shared {
	n := depth(e)
	if n == 0 {
		return nil
	}
	for e.Op == ir.OpIndex {
		e = e.Kids[0]
	}
	if e.Op != ir.OpIdent {
		return nil
	}
	if s := k.shared(k.Func, e); s != nil && n == len(s.Var.Dims) {
		return s
	}
	return nil
}

// subscriptsOf are the subscripts of an element, the first dimension's first.
func subscriptsOf(e *ir.Expr) []*ir.Expr {
	var out []*ir.Expr
	for ; e.Op == ir.OpIndex; e = e.Kids[0] {
		out = append(out, e.Kids[1])
	}
	slices.Reverse(out)
	return out
}

func (x *execution) subscripts(e *ir.Expr, in flow) Subscripts {
	var out Subscripts
	for _, sub := range subscriptsOf(e) {
		out = append(out, span(x.eval(sub), in.may))
	}
	return out
}

// span is the span of a value over some threads.
func span(v value, threads mask) Span {
	if !v.known {
		return Span{}
	}
	if v.v == nil {
		return Span{true, v.s, v.s}
	}
	var out Span
	for i, n := range v.v {
		if threads.has(i) {
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
func (k *Kernel) Extents(s *Shared) []int {
	var dims []int
	for i, in := range k.Instances {
		x := k.folding(in, k.Func).ev.extent(s)
		if x.count < 0 || i > 0 && !slices.Equal(dims, x.dims) {
			return nil
		}
		dims = x.dims
	}
	return dims
}
