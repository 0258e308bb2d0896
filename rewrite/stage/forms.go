package stage

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/polynomial"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// indexForms writes the subscripts and conditions of a kernel as polynomials in
// threadIdx, counters of loops, and values that are the same for a block and stay so.
//
// A form is congruent to its expression modulo 2^32, as those of package analysis are:
// two subscripts of one form name the same element.
type indexForms struct {
	k       *analysis.Kernel
	shape   [3]int
	symbols map[any]*polynomial.Symbol // by variable, or by the name of a built-in's component
	vars    map[*polynomial.Symbol]*ir.Var
	builds  map[*polynomial.Symbol]*ir.Expr // macros whose definition the build chooses
	threads [3]*polynomial.Symbol
	counted map[*ir.Var]bool                  // counters of loops under way
	rounds  map[*ir.Var]polynomial.Polynomial // counters of loops in rounds, by the number of a block
	roundOf [3]*polynomial.Symbol             // that number along each dimension, nil where there is no such loop
	busy    map[*ir.Var]bool
	chosen  map[*ir.Expr]polynomial.Polynomial // of selections, in one alternative of a load
	read    map[*ir.Func]*ir.Expr              // what stands for what a function reads
	planes  bool                               // what iterations of one loop read is one pattern
}

func newIndexForms(k *analysis.Kernel, shape [3]int) *indexForms {
	f := &indexForms{
		k: k, shape: shape, symbols: map[any]*polynomial.Symbol{}, vars: map[*polynomial.Symbol]*ir.Var{}, builds: map[*polynomial.Symbol]*ir.Expr{},
		counted: map[*ir.Var]bool{}, rounds: map[*ir.Var]polynomial.Polynomial{}, busy: map[*ir.Var]bool{},
	}
	for d := range f.threads {
		// Without bounds: a thread beside the block stands for the elements of a halo.
		f.threads[d] = f.symbol("threadIdx."+"xyz"[d:d+1], "threadIdx."+"xyz"[d:d+1], polynomial.None)
	}
	return f
}

func (f *indexForms) symbol(key any, name string, least int64) *polynomial.Symbol {
	s := f.symbols[key]
	if s == nil {
		s = &polynomial.Symbol{Name: name, Min: least, Max: polynomial.None, Order: len(f.symbols)}
		f.symbols[key] = s
		if v, is := key.(*ir.Var); is {
			f.vars[s] = v
		}
	}
	return s
}

// counter gives a loop's counter a symbol.
func (f *indexForms) counter(v *ir.Var) {
	f.counted[v] = true
	f.symbol(v, v.Name, polynomial.None)
}

// constant is the number that an expression is for all threads of all launches.
func (f *indexForms) constant(e *ir.Expr) (n int64, ok bool) {
	return evaluate.ConstantAlike(f.k, f.k.Func, e)
}

// of is the form of an expression, lost where it has none.
func (f *indexForms) of(e *ir.Expr) polynomial.Polynomial {
	if e == nil {
		return polynomial.Lost()
	}
	if p, is := f.chosen[e]; is {
		return p
	}
	if n, ok := f.constant(e); ok {
		return polynomial.Number(n)
	}
	switch e.Op {
	case ir.OpCond:
		if e.IsBuildChoice() {
			return f.built(e)
		}
	case ir.OpIdent:
		return f.name(e.Var)
	case ir.OpMember:
		return f.builtin(e)
	case ir.OpCast:
		if len(e.Kids) == 1 && f.integer(e.Type) {
			return f.of(e.Kids[0])
		}
	case ir.OpUnary:
		switch a := f.of(e.Kids[0]); e.Tok {
		case "+":
			return a
		case "-":
			return polynomial.Number(0).Minus(a)
		}
	case ir.OpBinary:
		switch e.Tok {
		case "+":
			return f.of(e.Kids[0]).Plus(f.of(e.Kids[1]))
		case "-":
			return f.of(e.Kids[0]).Minus(f.of(e.Kids[1]))
		case "*":
			return f.of(e.Kids[0]).Times(f.of(e.Kids[1]))
		case "<<":
			if n, ok := f.constant(e.Kids[1]); ok && n >= 0 && n < 31 {
				return f.of(e.Kids[0]).Times(polynomial.Number(1 << n))
			}
		}
	}
	return polynomial.Lost()
}

// builtKey is the key of what a macro stands for whose definition the build chooses.
type builtKey struct{ text string }

// built is the form of a macro that is one of several numbers or parameters, as the build has it: the
// same wherever the kernel names it.
func (f *indexForms) built(e *ir.Expr) polynomial.Polynomial {
	fn := f.k.Func
	changes := func(t *ir.Expr) bool {
		_, number := f.constant(t)
		switch v := t.Var; {
		case number:
			return false
		case t.Op == ir.OpInt, t.Op == ir.OpUnary, t.Op == ir.OpBinary, t.IsBuildChoice():
			return false
		case t.Op != ir.OpIdent || v == nil:
			return true
		default:
			return !f.integer(v.Type) || len(v.Writes) > 0 || v.AddrTaken || v.Kind != ir.VarTemplateValue && !slices.Contains(fn.Params, v) ||
				slices.ContainsFunc(fn.Vars, func(w *ir.Var) bool { return w.Name == v.Name })
		}
	}
	if e.Any(changes) || hasDirectives(kit.Text(f.k.File, fn.Body.Range)) {
		return polynomial.Lost()
	}
	name := kit.Text(f.k.File, e.Range)
	s := f.symbol(builtKey{name}, name, polynomial.None)
	f.builds[s] = e
	return polynomial.Of(s)
}

// hasDirectives reports whether a text may define macros.
func hasDirectives(s string) bool {
	return strings.Contains(s, "define") || strings.Contains(s, "undef") || strings.Contains(s, "include") || strings.Contains(s, "pragma pop_macro") || strings.Contains(s, "_Pragma")
}

// integer reports whether a type is an integer of at least 32 bits, or deduced.
func (f *indexForms) integer(t ir.Type) bool {
	if t.Ptr > 0 || t.Ref || t.Volatile {
		return false
	}
	return t.Base == "auto" || analysis.IsArithmetic(t.Base) && t.Base != "float" && t.Base != "double" && evaluate.SizeOf(f.k, f.k.Func, t) >= 4
}

// settled reports whether a variable keeps the value that its initialiser gives it.
func settled(v *ir.Var) bool {
	return v.Kind == ir.VarLocal && v.Init != nil && len(v.Writes) == 0 && !v.AddrTaken && !v.Static && !v.Extern && len(v.Dims) == 0
}

func (f *indexForms) name(v *ir.Var) polynomial.Polynomial {
	switch {
	case v == nil || !f.integer(v.Type) || f.busy[v]:
	case f.counted[v]:
		return polynomial.Of(f.symbols[v])
	case f.isRound(v):
		return f.rounds[v]
	case v.Kind == ir.VarParam || v.Kind == ir.VarTemplateValue:
		if len(v.Writes) == 0 && !v.AddrTaken && slices.Contains(f.k.Func.Params, v) || v.Kind == ir.VarTemplateValue {
			return polynomial.Of(f.symbol(v, v.Name, polynomial.None))
		}
	case settled(v):
		f.busy[v] = true
		p := f.of(v.Init)
		f.busy[v] = false
		if p.IsLost() && evaluate.VarUniformity(f.k, v) <= analysis.BlockUniform && !inLoop(v.Decl) {
			return polynomial.Of(f.symbol(v, v.Name, polynomial.None))
		}
		return p
	}
	return polynomial.Lost()
}

func inLoop(s *ir.Stmt) bool {
	for ; s != nil; s = s.Parent {
		if s.IsLoop() {
			return true
		}
	}
	return false
}

func (f *indexForms) builtin(e *ir.Expr) polynomial.Polynomial {
	name, d := builtinOf(e)
	switch name {
	case "threadIdx":
		if f.shape[d] == 1 {
			return polynomial.Number(0)
		}
		return polynomial.Of(f.threads[d])
	case "blockDim":
		return polynomial.Number(int64(f.shape[d]))
	case "blockIdx", "gridDim":
		least := int64(0)
		if name == "gridDim" {
			least = 1
		}
		full := name + "." + e.Name
		return polynomial.Of(f.symbol(full, full, least))
	}
	return polynomial.Lost()
}

// builtinOf is the built-in variable of which an expression names a component, and which.
func builtinOf(e *ir.Expr) (name string, dim int) {
	if e.Op != ir.OpMember || e.Arrow || e.Kids[0].Op != ir.OpIdent || e.Kids[0].Var != nil {
		return "", 0
	}
	d := slices.Index([]string{"x", "y", "z"}, e.Name)
	if d < 0 {
		return "", 0
	}
	return e.Kids[0].Name, d
}

// isSigned reports whether an expression is computed in signed integers alone, so that it
// compares as the number that its form is.
func isSigned(e *ir.Expr) bool {
	return !e.Any(func(t *ir.Expr) bool {
		switch t.Op {
		case ir.OpInt:
			return t.Tok == "u"
		case ir.OpIdent:
			return t.Var == nil || t.Var.Type.Ptr > 0 || !isSignedType(t.Var.Type.Base)
		case ir.OpCast:
			return !isSignedType(t.Type.Base)
		case ir.OpUnary, ir.OpBinary:
			return false
		}
		return !t.IsBuildChoice()
	})
}

// isSignedType reports whether a type is one of integers with a sign.
func isSignedType(base string) bool {
	n, ok := ir.NumberOf(base)
	return ok && !n.Float && !n.Unsigned
}

// isUnsignedType reports whether a type is one of integers without a sign, of at least 32 bits.
func isUnsignedType(base string) bool {
	n, ok := ir.NumberOf(base)
	return ok && !n.Float && n.Unsigned && n.Bytes >= ir.Int.Bytes
}

// isShort reports whether a type is one of numbers that are computed in another.
func isShort(base string) bool {
	n, ok := ir.NumberOf(base)
	return ok && n != n.Promoted()
}

func isSymbol(s *polynomial.Symbol) func(*polynomial.Symbol) bool {
	return func(o *polynomial.Symbol) bool { return o == s }
}

// isCounter reports whether a symbol is a loop's counter.
func (f *indexForms) isCounter(l *countedLoop) func(*polynomial.Symbol) bool {
	return isSymbol(f.symbols[l.v])
}
