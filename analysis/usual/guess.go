// Package usual guesses numbers that a program usually has where the text doesn't fix them. No proof rests on them.
package usual

import (
	"bytes"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/hostcode"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/operator"
	"github.com/smux-cuda/smux/analysis/values"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
)

// guess finds a number that an expression of the host code usually has, where evaluator finds none that it always
// has. A variable has what it begins with, else what is assigned to it; a parameter, of a template too, what the
// first call in view passes; a member of a class what its constructor gives it; of the two arms of a choice that is
// open the larger one counts, of a table of numbers the middle one.
type guess struct {
	kernel *analysis.Kernel
	busy   map[any]bool // under way, against cycles
	steps  int
}

// maxGuesses bounds the expressions that are looked at for one launch.
const maxGuesses = 2000

// guessScope is the scope in which names of an expression are looked up: a function, nil outside of all,
// of the program or of the sources beside it, and what a call passes for its parameters.
type guessScope struct {
	prog   *analysis.Program
	fn     *ir.Func
	file   *parser.File // where fn is nil
	caller *guessScope
	args   map[*ir.Var]*ir.Expr
}

func (s guessScope) in() *parser.File {
	if s.fn != nil {
		return s.fn.File
	}
	return s.file
}

// number returns the number that an expression usually has.
func (u *guess) number(s guessScope, e *ir.Expr) (int64, bool) {
	if e != nil && e.Op == ir.OpInt {
		return e.Int, true
	}
	if u.steps++; e == nil || u.steps > maxGuesses {
		return 0, false
	}
	switch e.Op {
	case ir.OpIdent:
		return u.first(u.variable(s, e), u.number)
	case ir.OpMember:
		return u.member(s, e)
	case ir.OpCast, ir.OpInitList:
		if len(e.Kids) == 1 && e.Type.Ptr == 0 {
			return u.number(s, e.Kids[0])
		}
	case ir.OpComma:
		return u.number(s, e.Kids[1])
	case ir.OpAssign:
		if e.Tok == "=" {
			return u.number(s, e.Kids[1])
		}
	case ir.OpUnary:
		if x, ok := u.number(s, e.Kids[0]); ok && (e.Tok == "-" || e.Tok == "+" || e.Tok == "!") {
			if v := values.Binary(map[string]string{"-": "-", "+": "+", "!": "=="}[e.Tok], values.Scalar(0), values.Scalar(x)); v.Uniform() {
				return v.S, true
			}
		}
	case ir.OpBinary:
		return u.operation(s, e.Tok, e.Kids[0], e.Kids[1])
	case ir.OpCond:
		if c, ok := u.number(s, e.Kids[0]); ok {
			return u.number(s, e.Kids[1+int(operator.Truth(c == 0))])
		}
		return u.larger(s, e.Kids[1], e.Kids[2])
	case ir.OpIndex:
		return u.element(s, e)
	case ir.OpSizeof:
		fn := s.fn
		if fn == nil {
			fn = &ir.Func{File: s.file}
		}
		if v := evaluate.NewEvaluator(s.prog, analysis.Shape{}).NewFrame(fn).Eval(e); v.Uniform() {
			return v.S, true
		}
		return usualSize, true
	case ir.OpCall:
		return u.call(s, e)
	}
	return 0, false
}

// element returns the middle one of the numbers that a table begins with, from which a program takes one:
// int sizes[] = {32, 64, 128}.
func (u *guess) element(s guessScope, e *ir.Expr) (int64, bool) {
	if e.Kids[0].Op != ir.OpIdent {
		return 0, false
	}
	for _, g := range u.variable(s, e.Kids[0]) {
		if g.expr.Op != ir.OpInitList || len(g.expr.Kids) == 0 {
			continue
		}
		var all []int64
		for _, k := range g.expr.Kids {
			n, ok := u.number(g.scope, k)
			if !ok {
				return 0, false
			}
			all = append(all, n)
		}
		slices.Sort(all)
		return all[len(all)/2], true
	}
	return 0, false
}

// usualSize is the size of a type that is not known, of a template's parameter say: of int and float.
const usualSize = 4

// guessed is an expression with where it stands.
type guessed struct {
	scope guessScope
	expr  *ir.Expr
}

// first returns the first positive number among expressions.
func (u *guess) first(all []guessed, number func(guessScope, *ir.Expr) (int64, bool)) (int64, bool) {
	for _, g := range all {
		if u.busy[g.expr] {
			continue
		}
		u.busy[g.expr] = true
		n, ok := number(g.scope, g.expr)
		delete(u.busy, g.expr)
		if ok && n > 0 {
			return n, true
		}
	}
	return 0, false
}

// operation computes a binary operator. Of && and || whose answer is open nothing is known.
func (u *guess) operation(s guessScope, tok string, a, b *ir.Expr) (int64, bool) {
	x, okX := u.number(s, a)
	y, okY := u.number(s, b)
	if !okX || !okY {
		return 0, false
	}
	v := values.Binary(tok, values.Scalar(x), values.Scalar(y))
	return v.S, v.Uniform()
}

// larger returns the larger of two numbers, or the one that is known.
func (u *guess) larger(s guessScope, a, b *ir.Expr) (int64, bool) {
	x, okX := u.number(s, a)
	y, okY := u.number(s, b)
	if !okX || okY && y > x {
		return y, okY
	}
	return x, okX
}

// member returns what a member of an object usually has: a limit of the device, a component
// of a dim3, or what is given to a member of that name.
func (u *guess) member(s guessScope, e *ir.Expr) (int64, bool) {
	switch e.Name {
	case "maxThreadsPerBlock":
		return hardware.MaxThreadsPerBlock, true
	case "warpSize":
		return hardware.WarpSize, true
	}
	if d := strings.Index("xyz", e.Name); d >= 0 && len(e.Name) == 1 {
		if all, ok := u.extents(s, e.Kids[0]); ok {
			return int64(all[d]), true
		}
	}
	return u.first(u.memberValues(s.prog, e.Name), u.number)
}

// call returns what a call usually gives: one of min and max, or of a function in view, which
// is the first number that it returns.
func (u *guess) call(s guessScope, e *ir.Expr) (int64, bool) {
	args := e.Args()
	callee := s.callee(e)
	switch {
	case len(args) == 2 && (strings.EqualFold(e.Name, "min") || strings.EqualFold(e.Name, "max")): // whatever overload it is
		for _, a := range args {
			if a.Op == ir.OpInt && strings.EqualFold(e.Name, "min") {
				return a.Int, true // there is usually more to do
			}
		}
		x, okX := u.number(s, args[0])
		y, okY := u.number(s, args[1])
		if okX && okY && (x < y) == strings.EqualFold(e.Name, "min") || !okY {
			return x, okX
		}
		return y, okY
	case callee == nil || callee.Body == nil || s.depth() > launches.MaxHostCalls:
		return 0, false
	}
	within := s.enter(callee, e)
	var all []guessed
	for st := range callee.Body.All() {
		if st.Op == ir.StmtReturn && st.Expr != nil {
			all = append(all, guessed{within, st.Expr})
		}
	}
	return u.first(all, u.number)
}

// callee returns the function in view that an expression calls, a host function by its name alone, nil for none.
func (s guessScope) callee(e *ir.Expr) *ir.Func {
	if fn := s.prog.ResolveCall(s.in(), e); fn != nil {
		return fn
	}
	for _, f := range s.prog.Parsed.All() {
		for _, fn := range f.Functions {
			if fn.Name == e.Name && fn.Body != nil && !fn.IsKernel() && len(fn.Params) >= len(e.Args()) {
				return s.prog.WholeHost(f, fn)
			}
		}
	}
	return nil
}

func (s guessScope) depth() (n int) {
	for c := s.caller; c != nil; c = c.caller {
		n++
	}
	return n
}

// enter is the scope of a function that an expression of s calls.
func (s guessScope) enter(callee *ir.Func, call *ir.Expr) guessScope {
	within := guessScope{prog: s.prog, fn: callee, caller: &s, args: map[*ir.Var]*ir.Expr{}}
	for i, a := range call.Args() {
		if i < len(callee.Params) {
			within.args[callee.Params[i]] = a
		}
	}
	return within
}

// variable returns what a name may stand for, the likeliest first.
func (u *guess) variable(s guessScope, e *ir.Expr) (all []guessed) {
	v := e.Var
	if v == nil {
		if v = s.prog.Global(s.in(), e.Name); v == nil {
			return u.memberValues(s.prog, e.Name)
		}
		if v.Init != nil {
			all = append(all, guessed{guessScope{prog: s.prog, file: v.File}, v.Init})
		}
		return append(all, assigned(s.prog, e.Name)...)
	}
	switch v.Kind {
	case ir.VarParam:
		return u.passed(s, v)
	case ir.VarTemplateValue:
		return u.instantiated(s, v)
	}
	if v.Init != nil {
		all = append(all, guessed{s, v.Init})
	}
	for _, w := range slices.Backward(v.Writes) {
		if w.Op == ir.OpAssign && w.Tok == "=" {
			all = append(all, guessed{s, w.Kids[1]})
		}
	}
	if s.fn == nil || s.fn.Body == nil {
		return all // a constant at namespace scope, under another variable in its place
	}
	return append(all, u.handedOut(s, v)...)
}

// passed returns what calls pass for a parameter, then its default.
func (u *guess) passed(s guessScope, v *ir.Var) (all []guessed) {
	if a := s.args[v]; a != nil {
		return []guessed{{*s.caller, a}}
	}
	i := slices.Index(s.fn.Params, v)
	if s.fn.View == nil || i < 0 {
		return nil
	}
	u.callers(s, func(by guessScope, call *ir.Expr) {
		if i < len(call.Args()) {
			all = append(all, guessed{by, call.Args()[i]})
		}
	})
	if i < len(s.fn.View.Params) {
		if n := s.fn.View.Params[i].Node.Child(parser.FieldDefaultValue); n != nil {
			all = append(all, guessed{guessScope{prog: s.prog, file: s.fn.File}, ir.LowerValue(&s.prog.Cache, s.fn.File, n)})
		}
	}
	return all
}

// callers passes on the calls of a function by host functions.
func (u *guess) callers(s guessScope, each func(by guessScope, call *ir.Expr)) {
	name := s.fn.View.Name
	for _, prog := range []*analysis.Program{s.prog, s.prog.Beside()} {
		if prog == nil {
			continue
		}
		for _, c := range prog.CallsOf(name).At {
			if c.Fn == nil || c.Fn == s.fn.View || c.Fn.Body == nil || c.Fn.Quals&(parser.QualGlobal|parser.QualDevice) != 0 {
				continue
			}
			caller := prog.WholeHost(c.File, c.Fn)
			if e := hostcode.CallIn(caller, name, c.Node); e != nil {
				each(guessScope{prog: prog, fn: caller}, e)
			}
		}
	}
}

// instantiated returns what calls give for a template parameter that is a number, then its default.
func (u *guess) instantiated(s guessScope, v *ir.Var) (all []guessed) {
	i := slices.Index(s.fn.TParams, v)
	if s.fn.View == nil || i < 0 || i >= len(s.fn.View.Template) {
		return nil
	}
	u.callers(s, func(by guessScope, call *ir.Expr) {
		if i < len(call.TArgs) {
			all = append(all, guessed{by, call.TArgs[i]})
		}
	})
	if n := s.fn.View.Template[i].Default; n != nil {
		all = append(all, guessed{guessScope{prog: s.prog, file: s.fn.File}, ir.LowerValue(&s.prog.Cache, s.fn.File, n)})
	}
	return all
}

// handedOut returns what functions that get a variable's address or a reference to it assign to it.
func (u *guess) handedOut(s guessScope, v *ir.Var) (all []guessed) {
	for call := range s.fn.Body.AllExprs() {
		if call.Op != ir.OpCall {
			continue
		}
		for i, a := range call.Args() {
			if a.Op == ir.OpAddr {
				a = a.Kids[0]
			}
			if a.Op != ir.OpIdent || a.Var != v {
				continue
			}
			if strings.HasPrefix(call.Name, "cudaOccupancyMaxPotentialBlockSize") && i == 1 {
				all = append(all, guessed{s, &ir.Expr{Op: ir.OpInt, Int: mostThreads(u.kernel)}})
				continue
			}
			callee := s.callee(call)
			if callee == nil || callee.Body == nil || i >= len(callee.Params) || s.depth() > launches.MaxHostCalls {
				continue
			}
			within, p := s.enter(callee, call), callee.Params[i]
			for w := range callee.Body.AllExprs() {
				if w.Op == ir.OpAssign && w.Tok == "=" {
					t := w.Kids[0]
					if t.Op == ir.OpDeref {
						t = t.Kids[0]
					}
					if t.Op == ir.OpIdent && t.Var == p {
						all = append(all, guessed{within, w.Kids[1]})
					}
				}
			}
		}
	}
	return all
}

// mostThreads returns the largest number of threads in a block of the kernel.
func mostThreads(k *analysis.Kernel) int64 {
	if n, ok := evaluate.MaxThreads(k, nil); ok && n > 0 {
		return int64(n)
	}
	return hardware.MaxThreadsPerBlock
}

// memberValues returns what is given to members of that name: by their declaration, by constructors, by assignments.
func (u *guess) memberValues(prog *analysis.Program, name string) (all []guessed) {
	if all = memberValues(prog, name); len(all) == 0 && prog.Beside() != nil {
		all = memberValues(prog.Beside(), name)
	}
	return all
}

func memberValues(p *analysis.Program, name string) []guessed {
	type key struct{ member string }
	return analysis.Once(&p.Memo, key{name}, func() []guessed { return findMemberValues(p, name) })
}

func findMemberValues(p *analysis.Program, name string) (all []guessed) {
	for _, f := range p.Parsed.All() {
		if !bytes.Contains(f.Src, []byte(name)) {
			continue
		}
		for n := range f.Root.All() {
			switch n.Kind {
			case parser.KindFieldDeclaration:
				if d, x := n.Child(parser.FieldDeclarator), n.Child(parser.FieldDefaultValue); d != nil && x != nil && f.Text(d) == name {
					all = append(all, guessed{guessScope{prog: p, file: f}, ir.LowerValue(&p.Cache, f, x)})
				}
			case parser.KindEnumerator: // of an enumeration in a function or a class
				if d, x := n.Child(parser.FieldName), n.Child(parser.FieldValue); d != nil && x != nil && f.Text(d) == name {
					all = append(all, guessed{guessScope{prog: p, file: f}, ir.LowerValue(&p.Cache, f, x)})
				}
			case parser.KindFieldInitializer:
				if m := n.FirstNamed(); m != nil && f.Text(m) == name && m.NextNamed() != nil && m.NextNamed().FirstNamed() != nil {
					all = append(all, guessed{guessScope{prog: p, file: f}, ir.LowerValue(&p.Cache, f, m.NextNamed().FirstNamed())})
				}
			}
		}
	}
	return append(all, assigned(p, name)...)
}

// assigned returns what functions assign to a global variable or a member of that name.
func assigned(p *analysis.Program, name string) (all []guessed) {
	for _, f := range p.Parsed.All() {
		for _, fn := range f.Functions {
			if fn.Body == nil || fn.Quals&(parser.QualGlobal|parser.QualDevice) != 0 || !bytes.Contains(f.Src[fn.Body.Start:fn.Body.End], []byte(name)) {
				continue
			}
			host := p.WholeHost(f, fn)
			for w := range host.Body.AllExprs() {
				if w.Op == ir.OpAssign && w.Tok == "=" && w.Kids[0].Name == name && (w.Kids[0].Op == ir.OpMember || w.Kids[0].Op == ir.OpIdent && w.Kids[0].Var == nil) {
					all = append(all, guessed{guessScope{prog: p, fn: host}, w.Kids[1]})
				}
			}
		}
	}
	return all
}
