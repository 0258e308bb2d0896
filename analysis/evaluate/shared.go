package evaluate

import (
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// sharedVars finds the shared variables of the kernel and of the device functions that it reaches.
func FindShared(k *analysis.Kernel) {
	k.SharedOf = map[*ir.Var]*analysis.Shared{}
	for _, fn := range k.Functions {
		for _, v := range fn.Vars {
			if v.Kind == ir.VarShared {
				addShared(k, fn, v)
			}
		}
		for e := range fn.Body.AllExprs() {
			if e.Op == ir.OpIdent && e.Var == nil {
				if g := k.Prog.GlobalIn(fn, e.Name); g != nil && g.Kind == ir.VarShared {
					addShared(k, fn, g)
				}
			}
			if e.Op == ir.OpCall {
				if v := k.Prog.SharedClass(fn, e); v != nil {
					addShared(k, fn, v)
				}
			}
		}
	}
	*foldingsOf(k) = foldings{} // frames know the extents of shared arrays by instance
}

func addShared(k *analysis.Kernel, fn *ir.Func, v *ir.Var) {
	if k.SharedOf[v] != nil {
		return
	}
	if v.Extern {
		for _, s := range k.Shared {
			if s.Dynamic {
				k.SharedOf[v] = s
				if s.Type != v.Type.Base {
					s.Mixed = true
				}
				return
			}
		}
	}
	s := &analysis.Shared{Name: v.Name, Var: v, Type: v.Type.Base, Count: 1, Bytes: -1, Dynamic: v.Extern, Index: len(k.Shared)}
	if v.Type.Ptr > 0 {
		s.Type += " " + strings.Repeat("*", v.Type.Ptr)
	}
	s.Elem = k.Prog.SizeOf(fn, v.Type)
	switch {
	case v.Extern:
		s.Count = -1
	default:
		x := FrameFor(k, fn).extentOfShared(v)
		s.Dims, s.Count = x.Dims, x.Count
		if s.Record = x.Record; s.Record != nil {
			s.Elem = s.Record.Unit
		}
		if s.Count > 0 && s.Elem > 0 {
			s.Bytes = s.Count * s.Elem
		}
	}
	s.PerInstance = fn != k.Func && (len(fn.TParams) > 0 || fn.View.Node.Ancestor(parser.KindTemplateDeclaration) != nil)
	k.Shared = append(k.Shared, s)
	k.SharedOf[v] = s
}

// extent is the size of a shared variable: its dimensions, nil for a scalar or
// where one is not known, and its number of elements, -1 if not known.
type extent struct {
	Dims   []int
	Count  int
	Record *analysis.Layout // of a struct or union that the declaration writes out, whose units are the elements
}

// fold evaluates array dimensions.
func (f *Frame) fold(dims []*ir.Expr) extent {
	x := extent{Count: 1}
	for _, d := range dims {
		n := f.Eval(d)
		if !n.Uniform() || n.S <= 0 || n.S > 1<<20 {
			return extent{Count: -1}
		}
		x.Dims = append(x.Dims, int(n.S))
		if x.Count *= int(n.S); x.Count > 1<<20 {
			return extent{Count: -1}
		}
	}
	return x
}

// Extent returns the size of a shared array in the instance under evaluation.
func (ev *Evaluator) Extent(s *analysis.Shared) extent {
	if x, ok := ev.extents[s]; ok {
		return x
	}
	return extent{s.Dims, s.Count, s.Record}
}
