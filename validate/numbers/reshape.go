package numbers

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/linear"
)

// Reshaped judges a kernel that is launched in blocks with another extent along some axes: the launch has the same threads,
// and no extent of 2^31 threads or more (smux::reshape, which is trusted, sees to that). Along such an axis, with t, b, D and G for
// threadIdx, blockIdx, blockDim and gridDim, a thread has the same b·D + t and the same G·D as before. So nothing may depend
// on t, b, D and G but by these two, and threads do nothing together. It returns the kernel's file and function, nil if they are not in view.
func Reshaped(c *kit.Comparison, k *kit.Kernel, axes string) (*parser.File, *parser.Function) {
	for _, f := range c.NewNames.Prog.All() {
		for _, fn := range f.Functions {
			if !fn.IsKernel() || fn.Body == nil || fn.Name != k.Name || f.Position(min(fn.Start, int(fn.Outer.Start))) != k.Pos {
				continue
			}
			was := c.NewNames
			c.NewNames = kit.NewNames(was.Prog, was.Hide(f, fn))
			defer func() { c.NewNames = was; clear(c.Low) }()
			clear(c.Low)
			if k.State == nil {
				k.State = &kit.KernelState{Copies: map[string]*kit.CopySet{}, Aligned: map[*parser.Function]*kit.Alignment{}}
			}
			if k.Variant == kit.Same {
				k.Variant = "reshape"
			}
			low := c.NewNames.Lower(f, fn)
			al := kit.NewAlignment(c, k, nil, low)
			al.Obj.Kind, al.Obj.OfThreads, k.State.Main = kit.Renumbered, true, al
			c.ReachFrom(k, low)
			for _, g := range k.State.Reach {
				p := &places{al: al, fn: g, scope: al.Scope(g), axes: axes, algebra: linear.New(), inits: map[*ir.Expr]*ir.Var{}, values: map[*ir.Var]value{}}
				if len(g.Problems) > 0 {
					k.Doubt(kit.Erasure, g.File, g.View.Start, "%s can't be read", g.View.Name)
				}
				if !linear.Within(func() { p.function() }) {
					k.Doubt(kit.Builtins, g.File, g.View.Start, "%s computes more than can be followed", g.View.Name)
				}
			}
			if !k.Doubtful(kit.Builtins) {
				k.Show(kit.Builtins, "a thread asks for its number in the grid alone, and threads do nothing together", k.Pos)
			}
			return f, fn
		}
	}
	k.Doubt(kit.Launches, c.New.File, 0, "%s is not defined in view", k.Name)
	return nil, nil
}

// places looks at what a function makes of built-in variables.
type places struct {
	al      *kit.Alignment
	fn      *ir.Func
	scope   *effect.Scope
	axes    string // along which blocks have another extent: "x", "xy" or "xyz"
	algebra *linear.Algebra
	inits   map[*ir.Expr]*ir.Var
	values  map[*ir.Var]value // of variables that keep what they begin with
}

// value is a number as a sum of products of t, b, D, G and of what is the same in all shapes. Where it is whole it is the sum itself, and
// less than 2^31; elsewhere it is the sum modulo 2^32.
type value struct {
	sum   linear.Sum
	is    ir.Number
	free  bool // the same in all shapes
	whole bool
}

func (p *places) doubt(at int, format string, args ...any) {
	p.al.Kernel.Doubt(kit.Builtins, p.fn.File, at, format, args...)
}

func (p *places) function() {
	for _, v := range p.fn.Vars {
		if v.Kind == ir.VarShared || v.Static || v.Type.Volatile {
			p.doubt(v.Range.Start, "threads have %s in common", v.Name)
		}
		if v.Init != nil {
			p.inits[v.Init] = v
		}
	}
	p.statements(p.fn.Body)
}

func (p *places) statements(body *ir.Stmt) {
	for s := range body.All() {
		s.Exprs(func(e *ir.Expr) {
			if v := p.inits[e]; v == nil || v.Kind != ir.VarLocal || v.Type.Ref || v.Type.Ptr > 0 || v.AddrTaken || len(v.Writes)+len(v.Dims) > 0 {
				p.need(e)
			} else if n, known := ir.NumberOf(v.Type.Base); known {
				p.values[v] = p.as(p.of(e), n, e)
			} else if p.values[v] = p.of(e); !v.Type.IsAuto() && !p.values[v].free {
				p.need(e)
			}
		})
	}
}

// need doubts an expression whose value depends on the shape.
func (p *places) need(e *ir.Expr) {
	if v := p.of(e); !v.free {
		p.doubt(e.Range.Start, "this depends on the shape of a block by more than the thread's number in the grid")
	}
}

// atoms are the built-in variables, by the letter that a sum has for each.
var atoms = map[string]string{"threadIdx": "t", "blockIdx": "b", "blockDim": "D", "gridDim": "G"}

func (p *places) atom(name, axis string) linear.Sum {
	sum, _ := p.algebra.Of(name + axis)
	return sum
}

// of returns the value of an expression, of which all parts were looked at.
func (p *places) of(e *ir.Expr) value {
	free := value{free: true, is: p.number(e)}
	p.alone(e)
	switch base := e.Root(); {
	case e.Op == ir.OpMember && !e.Arrow && e.Kids[0] == base && base.Var == nil && atoms[base.Name] != "":
		if _, macro := p.fn.File.Macros.Lookup(base.Name, base.Range.Start); macro || p.fn.View.Class != "" || base.Qual != "" {
			p.doubt(e.Range.Start, "%s may be another one here", base.Name)
		}
		if !strings.Contains(p.axes, e.Name) {
			return value{free: true, is: ir.Uint}
		}
		return value{sum: p.atom(atoms[base.Name], e.Name), is: ir.Uint, whole: true}
	case e.Op == ir.OpIdent && e.Var == nil && atoms[e.Name] != "":
		return value{}
	case e.Op == ir.OpIdent && e.Var != nil:
		if v, kept := p.values[e.Var]; kept {
			return v
		}
		return free
	case e.Op == ir.OpCast && len(e.Kids) == 1:
		return p.as(p.of(e.Kids[0]), free.is, e)
	case e.Op == ir.OpBinary && (e.Tok == "+" || e.Tok == "-" || e.Tok == "*"):
		a, b := p.of(e.Kids[0]), p.of(e.Kids[1])
		if a.free && b.free {
			return free
		}
		return p.computed(e, ir.Usual(a.is, b.is), a, b)
	case e.Intrinsic().Op == "*" && len(e.Args()) == 2 && len(p.al.Kernel.State.Calls[e]) == 0: // __mul24
		a, b, out := p.of(e.Args()[0]), p.of(e.Args()[1]), free
		if !a.free || !b.free {
			if out = p.computed(e, ir.Int, a, b); !out.whole {
				p.doubt(e.Range.Start, "this may need more than 24 bits in some shapes")
			}
		}
		return out
	}
	if e.Lambda != nil {
		p.statements(e.Lambda)
	}
	for i, kid := range e.Kids {
		if i > 0 || e.Op != ir.OpCall || kid.Op != ir.OpIdent {
			p.need(kid)
		}
	}
	return free
}

// number is the type of an expression, zero for what is no number.
func (p *places) number(e *ir.Expr) ir.Number {
	t := p.scope.TypeOf(p.fn, e)
	if n, ok := ir.NumberOf(t.Base); ok && t.Levels == 0 {
		return n
	}
	return ir.Number{}
}

// as converts a value to a type of numbers.
func (p *places) as(v value, to ir.Number, at *ir.Expr) value {
	switch {
	case v.free:
	case to.Float || to.Bytes < 4 || v.is.Bytes < 4 || to.Bytes > 4 && !v.whole:
		p.doubt(at.Range.Start, "this depends on the shape of a block by more than the thread's number in the grid")
		v.free = true
	}
	v.is = to
	return v
}

// computed returns a sum or product of which a part depends on the shape.
func (p *places) computed(e *ir.Expr, is ir.Number, a, b value) value {
	if a.is.Bytes == 0 || b.is.Bytes == 0 {
		p.doubt(e.Range.Start, "this is no number, and depends on the shape of a block")
		return value{free: true}
	}
	for _, v := range []*value{&a, &b} {
		if *v = p.as(*v, is, e); v.free && v.sum == nil {
			v.sum, _ = p.algebra.Of("same", linear.Number(int64(e.Range.Start)), linear.Number(int64(len(p.algebra.Atoms))))
		}
	}
	out := value{is: is}
	switch e.Tok {
	case "+":
		out.sum = a.sum.Plus(b.sum, 1)
	case "-":
		out.sum = a.sum.Plus(b.sum, -1)
	default: // a product
		out.sum = p.algebra.Product(a.sum, b.sum)
	}
	out.free, out.whole = p.same(out.sum), a.whole && b.whole && p.small(out.sum)
	if !out.whole && !(is.Unsigned && is.Bytes == 4) {
		p.doubt(e.Range.Start, "this may leave the numbers of its type in some shapes")
	}
	if out.free {
		out.sum = nil
	}
	return out
}

// small reports whether a sum is one of t, b, D, G, b·D, b·D + t and G·D: none is 2^31 or more.
func (p *places) small(s linear.Sum) bool {
	for _, axis := range p.axes {
		of := func(name string) linear.Sum { return p.atom(name, string(axis)) }
		first := p.algebra.Product(of("b"), of("D"))
		for _, one := range []linear.Sum{of("t"), of("b"), of("D"), of("G"), first, first.Plus(of("t"), 1), p.algebra.Product(of("G"), of("D"))} {
			if s.Key() == one.Key() {
				return true
			}
		}
	}
	return false
}

// same reports whether a sum is the same in all shapes: with i - b·D for t it has no b, and as many G as D in each product.
func (p *places) same(s linear.Sum) bool {
	for _, axis := range p.axes {
		of := func(name string) linear.Sum { return p.atom(name, string(axis)) }
		s = p.algebra.With(s, p.algebra.Single(of("t")), of("i").Plus(p.algebra.Product(of("b"), of("D")), -1))
		count := func(mono int, name string) (n int) {
			for _, a := range p.algebra.Monos[mono] {
				if a == p.algebra.Single(of(name)) {
					n++
				}
			}
			return n
		}
		for _, part := range s {
			if count(part.Mono, "b") > 0 || count(part.Mono, "D") != count(part.Mono, "G") {
				return false
			}
		}
	}
	return true
}

// alone doubts what threads of a block or a warp do together, and what is not known.
func (p *places) alone(e *ir.Expr) {
	st, does, row := p.al.Kernel.State, p.scope.Step(p.fn, e), e.Intrinsic()
	known := row.Computes() || row.IsReadOnly() || row.Known() && does.IsKnown() && !does.Synchronizes() && does.Flags&effect.Varies == 0 && !e.Calls("printf") || row.IsAtomic() && !strings.HasSuffix(e.Name, "_block") && !strings.HasPrefix(e.Name, "__nv_atomic") || e.Calls("assert") || e.Calls("__trap")
	switch call := e.Op == ir.OpCall; {
	case st.Joint(e), st.MeetsBarrier(e), call && !e.Implicit && !known && len(st.Calls[e]) == 0:
		p.doubt(e.Range.Start, "threads of a block or a warp may rely on each other here")
	case e.Op == ir.OpIdent && e.Var != nil && e.Var.Kind == ir.VarShared:
		p.doubt(e.Range.Start, "threads have %s in common", e.Name)
	case call && known && len(st.Calls[e]) == 0:
	case !does.IsKnown() && (!call || e.Implicit), does.Flags&effect.Volatile != 0, call && p.scope.Elsewhere(p.fn, e):
		p.doubt(e.Range.Start, "it is not known what this does")
	}
}
