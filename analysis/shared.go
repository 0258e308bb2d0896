package analysis

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Shared is one shared-memory variable that a kernel uses: an array, a scalar or a struct, declared in the kernel, in
// a device function that it calls, or at namespace scope. All extern __shared__ declarations name the same memory and
// are one Shared.
type Shared struct {
	Name    string
	Var     *ir.Var
	Type    string // element type
	Elem    int    // bytes per element, 0 if not known
	Dims    []int  // folded dimensions, nil for a scalar or where one is not known
	Count   int    // elements, -1 if not known
	Bytes   int    // bytes per thread block, -1 if not known
	Dynamic bool   // extern __shared__: the launch decides the size
	Index   int
	Record  *Layout // of a struct or union that the declaration writes out: its units are the elements
	Mixed   bool    // dynamic memory seen through several element types
	// PerInstance: each instantiation of a template has one of its own, so that
	// a definition in one says nothing of the others.
	PerInstance bool
}

// NamedShared returns the shared variable that a name stands for, or nil.
func (k *Kernel) NamedShared(fn *ir.Func, e *ir.Expr) *Shared {
	if e.Op != ir.OpIdent {
		return nil
	}
	if e.Var != nil {
		return k.SharedOf[e.Var]
	}
	if g := k.Prog.GlobalIn(fn, e.Name); g != nil {
		return k.SharedOf[g]
	}
	return nil
}

// SharedClass recognises the idiom of a class whose conversion operator or member function returns an extern
// __shared__ array, so that a template can use one of any type:
//
//	T *sdata = SharedMemory<T>();
//
// and returns that array's variable.
func (p *Program) SharedClass(fn *ir.Func, call *ir.Expr) *ir.Var {
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
	return p.Unit(fn.File).SharedClasses(p)[strings.TrimPrefix(class, "struct ")]
}

// SharedClasses maps the name of each class with a member function that holds
// an extern __shared__ declaration to that variable.
func (u *Unit) SharedClasses(p *Program) map[string]*ir.Var {
	if u.classes != nil {
		return u.classes
	}
	u.classes = map[string]*ir.Var{}
	for _, f := range u.Files {
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

// Layout describes how a struct or union that a declaration writes out lies in memory. Places in it are counted in
// units: the largest number of bytes that the sizes of all elements and all their places are multiples of. So an
// element of one member is the same units as one of another member of a union that shares its bytes, and what is
// written through the one is gone for the other.
type Layout struct {
	Unit    int // bytes; 0 where all elements are of one type whose size is not known: one unit each
	Units   int
	Align   int // bytes
	Members map[string]Member
}

// Member is a member of a struct or union: where it begins, its dimensions, and how many units an element takes.
type Member struct {
	Off, Step int
	Dims      []int
	Elem      ir.Type
	In        *Layout // of a member that is such a type itself
}

// Forget says that the bytes of units are not known.
func (l *Layout) Forget() {
	l.Unit = 0
	for _, m := range l.Members {
		if m.In != nil {
			m.In.Forget()
		}
	}
}

// Each calls f for each member, those of members included.
func (l *Layout) Each(f func(Member)) {
	for _, m := range l.Members {
		f(m)
		if m.In != nil {
			m.In.Each(f)
		}
	}
}

// Count makes a layout in bytes one in units.
func (l *Layout) Count(unit int) {
	l.Unit, l.Units = unit, l.Units/unit
	for name, m := range l.Members {
		m.Off, m.Step = m.Off/unit, m.Step/unit
		l.Members[name] = m
		if m.In != nil {
			m.In.Count(unit)
		}
	}
}

// ArraySet is a set of shared variables by Shared.index.
type ArraySet uint64

// MaxShared is the number of shared variables of one kernel that can be told apart.
const MaxShared = 64
