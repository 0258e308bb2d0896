package analysis

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Shared is one shared-memory variable that a kernel uses: an array, a scalar
// or a struct, declared in the kernel, in a device function that it calls, or
// at namespace scope. All extern __shared__ declarations name the same memory
// and are one Shared.
type Shared struct {
	Name    string
	Var     *ir.Var
	Type    string // element type
	Elem    int    // bytes per element, 0 if not known
	Dims    []int  // folded dimensions, nil for a scalar or where one is not known
	Count   int    // elements, -1 if not known
	Bytes   int    // bytes per thread block, -1 if not known
	Dynamic bool   // extern __shared__: the launch decides the size
	index   int
	record  *layout // of a struct or union that the declaration writes out: its units are the elements
	mixed   bool    // dynamic memory seen through several element types
	// perInstance: each instantiation of a template has one of its own, so that
	// a definition in one says nothing of the others.
	perInstance bool
}

// sharedVars finds the shared variables of the kernel and of the device
// functions that it reaches.
func (k *Kernel) findShared() {
	k.sharedOf = map[*ir.Var]*Shared{}
	for _, fn := range k.Functions {
		for _, v := range fn.Vars {
			if v.Kind == ir.VarShared {
				k.addShared(fn, v)
			}
		}
		fn.Body.WalkExprs(func(e *ir.Expr) bool {
			if e.Op == ir.OpIdent && e.Var == nil {
				if g := k.Prog.globalIn(fn, e.Name); g != nil && g.Kind == ir.VarShared {
					k.addShared(fn, g)
				}
			}
			if e.Op == ir.OpCall {
				if v := k.Prog.sharedClass(fn, e); v != nil {
					k.addShared(fn, v)
				}
			}
			return true
		})
	}
	*k.foldings() = foldings{} // frames know the extents of shared arrays by instance
}

func (k *Kernel) addShared(fn *ir.Func, v *ir.Var) {
	if k.sharedOf[v] != nil {
		return
	}
	if v.Extern {
		for _, s := range k.Shared {
			if s.Dynamic {
				k.sharedOf[v] = s
				if s.Type != v.Type.Base {
					s.mixed = true
				}
				return
			}
		}
	}
	s := &Shared{Name: v.Name, Var: v, Type: v.Type.Base, Count: 1, Bytes: -1, Dynamic: v.Extern, index: len(k.Shared)}
	if v.Type.Ptr > 0 {
		s.Type += " " + strings.Repeat("*", v.Type.Ptr)
	}
	s.Elem = k.Prog.sizeOf(fn, v.Type)
	switch {
	case v.Extern:
		s.Count = -1
	default:
		x := k.frameFor(fn).extentOfShared(v)
		s.Dims, s.Count = x.dims, x.count
		if s.record = x.record; s.record != nil {
			s.Elem = s.record.unit
		}
		if s.Count > 0 && s.Elem > 0 {
			s.Bytes = s.Count * s.Elem
		}
	}
	s.perInstance = fn != k.Func && (len(fn.TParams) > 0 || fn.View.Node.Ancestor(parser.KindTemplateDeclaration) != nil)
	k.Shared = append(k.Shared, s)
	k.sharedOf[v] = s
}

// extent is the size of a shared variable: its dimensions, nil for a scalar or
// where one is not known, and its number of elements, -1 if not known.
type extent struct {
	dims   []int
	count  int
	record *layout // of a struct or union that the declaration writes out, whose units are the elements
}

// fold evaluates array dimensions.
func (f *frame) fold(dims []*ir.Expr) extent {
	x := extent{count: 1}
	for _, d := range dims {
		n := f.eval(d)
		if !n.uniform() || n.s <= 0 || n.s > 1<<20 {
			return extent{count: -1}
		}
		x.dims = append(x.dims, int(n.s))
		if x.count *= int(n.s); x.count > 1<<20 {
			return extent{count: -1}
		}
	}
	return x
}

// extent returns the size of a shared array in the instance under evaluation.
func (ev *evaluator) extent(s *Shared) extent {
	if x, ok := ev.extents[s]; ok {
		return x
	}
	return extent{s.Dims, s.Count, s.record}
}

// shared returns the shared variable that a name stands for, or nil.
func (k *Kernel) shared(fn *ir.Func, e *ir.Expr) *Shared {
	if e.Op != ir.OpIdent {
		return nil
	}
	if e.Var != nil {
		return k.sharedOf[e.Var]
	}
	if g := k.Prog.globalIn(fn, e.Name); g != nil {
		return k.sharedOf[g]
	}
	return nil
}

// sharedClass recognises the idiom of a class whose conversion operator or
// member function returns an extern __shared__ array, so that a template can
// use one of any type:
//
//	T *sdata = SharedMemory<T>();
//
// and returns that array's variable.
func (p *Program) sharedClass(fn *ir.Func, call *ir.Expr) *ir.Var {
	if obj, ok := call.IsMemberCall(); ok {
		if obj.Op != ir.OpIdent || obj.Var == nil {
			return nil
		}
		return p.classShared(fn, obj.Var.Type.Base)
	}
	if len(call.Args()) != 0 || call.Name == "" {
		return nil
	}
	return p.classShared(fn, call.Name)
}

func (p *Program) classShared(fn *ir.Func, class string) *ir.Var {
	if i := strings.IndexByte(class, '<'); i >= 0 {
		class = class[:i]
	}
	return p.unit(fn.File).sharedClasses(p)[strings.TrimPrefix(class, "struct ")]
}

// sharedClasses maps the name of each class with a member function that holds
// an extern __shared__ declaration to that variable.
func (u *unit) sharedClasses(p *Program) map[string]*ir.Var {
	if u.classes != nil {
		return u.classes
	}
	u.classes = map[string]*ir.Var{}
	for _, f := range u.files {
		for _, m := range f.Functions {
			if m.Class == "" || m.Body == nil || u.classes[m.Class] != nil || !holdsShared(f, m) {
				continue
			}
			for _, v := range p.Lower(f, m).Vars {
				if v.Kind == ir.VarShared && v.Extern {
					u.classes[m.Class] = v
					break
				}
			}
		}
	}
	return u.classes
}

func holdsShared(f *parser.File, fn *parser.Function) bool {
	return slices.ContainsFunc(f.MarksBetween(int(fn.Body.Start), int(fn.Body.End)), func(m parser.Mark) bool { return m.Name == "__shared__" })
}
