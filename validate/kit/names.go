package kit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/parser"
)

// Names resolves what a function's own scopes don't: variables and enumerators at namespace scope.
type Names struct {
	Cache ir.Cache
	Prog  *parser.Program
	known map[*parser.File]map[string]*ir.Var

	types  map[*parser.File]*effect.TypeNames
	scopes map[*parser.File]*effect.Scope
	low    map[*parser.Function]*ir.Func // what scopes ask for
}

// NewNames resolves the names of a program, with what Hide returned hidden.
func NewNames(p *parser.Program, hidden map[string]*ir.Var) *Names {
	n := &Names{Prog: p, Cache: ir.Cache{Hidden: hidden, Assumes: true}, types: map[*parser.File]*effect.TypeNames{}}
	n.Cache.Arithmetic = n.arithmetic
	return n
}

// arithmetic returns the number's type that a name stands for in a member function of a class, "" for none; ok is false where it stands for
// none, or may be a function.
func (n *Names) arithmetic(f *parser.File, class, name string) (base string, ok bool) {
	t := n.types[f]
	if t == nil {
		t = effect.NewTypeNames(effect.Files(n.Prog, f))
		n.types[f] = t
	}
	for range maxTypeDepth {
		if number, ok := ir.NumberOf(name); ok && number.Name != "half" {
			return name, true
		}
		if name, ok = t.Lookup(class, name); !ok {
			break
		}
	}
	return "", false
}

// maxTypeDepth limits how many names for a type are followed.
const maxTypeDepth = 8

// Hide hides what the types that a kernel, or a function it may call, names and no file in view declares do if they are classes,
// but for those that a check at the top of the kernel says are none.
func (n *Names) Hide(f *parser.File, kernel *parser.Function) map[string]*ir.Var {
	out := map[string]*ir.Var{}
	checked := func(format, typ string) bool {
		text := fmt.Sprintf("static_assert("+format+", ", effect.Spelled(typ))
		ofAll := fmt.Sprintf("static_assert((("+format+") && ...), ", effect.Spelled(typ)) // the types of a pack
		for s := kernel.Body.FirstNamed(); s != nil; s = s.NextNamed() {
			if s.Kind == parser.KindStaticAssertDeclaration && (strings.HasPrefix(f.Text(s), text) || strings.HasPrefix(f.Text(s), ofAll)) {
				return true
			}
		}
		return false
	}
	seen := map[*parser.Function]bool{}
	var visit func(f *parser.File, fn *parser.Function)
	visit = func(f *parser.File, fn *parser.Function) {
		if seen[fn] || fn.Body == nil {
			return
		}
		seen[fn] = true
		for _, typ := range n.Effects(f).Undeclared(n.Lower(f, fn)) {
			const number = "!__is_class(%[1]s) && !__is_union(%[1]s) && !__is_enum(%[1]s)"
			if checked(number, typ) || !n.hasOperators() && slices.ContainsFunc(halves, func(or string) bool { return checked(number+or, typ) }) ||
				checked("std::is_arithmetic<%[1]s>::value || std::is_pointer<%[1]s>::value || std::is_array<%[1]s>::value", typ) {
				continue
			}
			out[ir.OperatorsOf(kernel.Name, typ)] = &ir.Var{Name: typ}
			if !checked("__is_trivially_copyable(%s)", typ) && !checked("std::is_trivially_copyable<%s>::value", typ) {
				out[ir.CopiesOf(kernel.Name, typ)] = &ir.Var{Name: typ}
			}
		}
		words := map[string]bool{}
		for at := range fn.Body.All() {
			if at.First == nil {
				words[f.Text(at)] = true
			}
		}
		for _, of := range n.Prog.Reach(f) {
			for _, callee := range of.Functions {
				if words[callee.Name] || strings.HasPrefix(callee.Name, "operator") || callee.Class != "" && words[callee.Class] {
					visit(of, callee)
				}
			}
		}
	}
	visit(f, kernel)
	return out
}

// halves have CUDA's classes of numbers, which a check may allow as well: their operators only compute, if the program has no others.
var halves = []string{" || __is_same(%[1]s, __half)", " || __is_same(%[1]s, __nv_bfloat16)", " || __is_same(%[1]s, __half) || __is_same(%[1]s, __nv_bfloat16)"}

// hasOperators reports whether the program has an operator that is no member of a class and may take one of these, or a class of such a name.
func (n *Names) hasOperators() bool {
	return slices.ContainsFunc(n.Prog.All(), func(f *parser.File) bool {
		return slices.ContainsFunc(f.Functions, func(fn *parser.Function) bool { return strings.HasPrefix(fn.Name, "operator") && fn.Class == "" }) ||
			slices.ContainsFunc(f.Classes, func(c *parser.Class) bool { return strings.HasPrefix(c.Name, "__") })
	})
}

// Effects returns the scope of a file, which answers what its functions do.
func (n *Names) Effects(f *parser.File) *effect.Scope {
	if s := n.scopes[f]; s != nil {
		return s
	}
	if n.scopes == nil {
		n.scopes, n.low = map[*parser.File]*effect.Scope{}, map[*parser.Function]*ir.Func{}
	}
	files := effect.Files(n.Prog, f)
	lower := func(f *parser.File, fn *parser.Function) *ir.Func {
		if n.low[fn] == nil {
			n.low[fn] = n.bound(f, fn)
			n.scopes[f].Resolve(n.low[fn])
		}
		return n.low[fn]
	}
	globals := n.Globals(f)
	s := effect.NewScope(files, &n.Cache, effect.NewTypeNames(files), lower, func(name string) *ir.Var { return globals[name] })
	s.Trusted = "smux" // trusted.go looks at its text
	for _, file := range files {
		if n.scopes[file] == nil {
			n.scopes[file] = s
		}
	}
	for _, v := range globals {
		s.Mark(v)
	}
	return s
}

// Lower reads a function, with names at namespace scope resolved, and what operators call.
func (n *Names) Lower(f *parser.File, fn *parser.Function) *ir.Func {
	out := n.bound(f, fn)
	n.Effects(f).Resolve(out)
	return out
}

func (n *Names) bound(f *parser.File, fn *parser.Function) *ir.Func {
	out := ir.Lower(&n.Cache, f, fn)
	globals := n.Globals(f)
	if fn.Class != "" {
		globals = n.notMembers(f, globals)
	}
	Walk(out.Body, func(e *ir.Expr) bool { bind(e, globals); return true })
	for _, v := range out.Vars {
		for _, d := range v.Dims {
			bindAll(d, globals)
		}
	}
	return out
}

// notMembers are the names at namespace scope that no class declares: in a member function another one may stand for
// a member.
func (n *Names) notMembers(f *parser.File, globals map[string]*ir.Var) map[string]*ir.Var {
	out := maps.Clone(globals)
	for _, file := range n.Prog.Reach(f) {
		for _, c := range file.Classes {
			maps.DeleteFunc(out, func(name string, _ *ir.Var) bool { return c.Declares(file, name) })
		}
	}
	return out
}

// Globals returns what a file sees at namespace scope. A name that two files declare has no value.
func (n *Names) Globals(f *parser.File) map[string]*ir.Var {
	if g := n.known[f]; g != nil {
		return g
	}
	all := map[string]*ir.Var{}
	for _, file := range n.Prog.Reach(f) {
		for name, v := range ir.LowerGlobals(&n.Cache, file) {
			if old := all[name]; old != nil && old.Init != nil {
				v.Init, v.Redeclared = nil, true
			}
			all[name] = v
		}
	}
	for _, v := range all {
		bindAll(v.Init, all)
		for _, d := range v.Dims {
			bindAll(d, all)
		}
	}
	if n.known == nil {
		n.known = map[*parser.File]map[string]*ir.Var{}
	}
	n.known[f] = all
	return all
}

func bindAll(e *ir.Expr, globals map[string]*ir.Var) {
	for t := range e.All() {
		bind(t, globals)
	}
}

func bind(e *ir.Expr, globals map[string]*ir.Var) {
	if e.Op == ir.OpIdent && e.Var == nil && e.Qual == "" {
		e.Var = globals[e.Name]
	}
}

// elsewhere reports whether a name is a variable that is not in view: no variable that is known, no built-in
// one and no function that is called.
func elsewhere(e *ir.Expr) bool {
	if e.Op != ir.OpIdent || e.Var != nil {
		return false
	}
	switch e.Name {
	case "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "true", "false", "nullptr":
		return false
	}
	return true
}

// operands are the parts of an expression that are evaluated: not the name of what is called.
func operands(e *ir.Expr) []*ir.Expr {
	if e.Op == ir.OpCall && len(e.Kids) > 0 && e.Kids[0].Op == ir.OpIdent {
		return e.Kids[1:]
	}
	return e.Kids
}
