package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// Kernel is one kernel definition with everything the analyses found out
// about it.
type Kernel struct {
	Prog *Program
	File *parser.File
	View *parser.Function
	Func *ir.Func
	Name string

	Launches  []*Launch   // launches in view that reach this definition
	Indirect  []*Launch   // launches in view by another name than the kernel's
	Instances []*Instance // distinct block shapes, template arguments and dynamic bytes launched
	Functions []*ir.Func  // the kernel and the device functions that it reaches, kernel first
	Shared    []*Shared   // shared variables that any of them uses
	Barriers  []Barrier   // thread-block barriers in the kernel and the functions it reaches
	Exits     []Exit      // return statements of the kernel
	Regions   []*Region   // in source order
	Hazards   []diag.Message
	Recursive []*ir.Func // device functions that may reach themselves
	// Implicit are the functions that the kernel may run without a call that names them: constructors,
	// destructors, conversions, overloaded operators, what lambdas call, and what these call.
	Implicit []*ir.Func
	// Work counts the steps that the evaluation of expressions and the enumeration of threads and loops
	// have taken so far: it shows how their time grows with the kernel.
	Work int

	memo       Memo
	sharedOf   map[*ir.Var]*Shared
	alias      map[*ir.Var]arraySet
	uniformity map[*ir.Var]Uniformity
	calls      map[*ir.Expr][]*ir.Func
	barrierFns map[*ir.Func]bool
	guards     map[*ir.Stmt]bool      // around the rest of the kernel, with a barrier inside
	passed     map[*ir.Var][]argument // what calls pass for a parameter
	steps      int                    // that enumerations may still take, see maxSteps
	spent      bool                   // an enumeration took all steps that one may take
	abandoned  bool                   // nothing is known of the kernel

	// followed are the mentions that lead to Indirect, and to no other launch.
	followed map[*parser.Node]bool
}

// argument is an expression that a function passes to another.
type argument struct {
	fn   *ir.Func
	expr *ir.Expr
}

// Barrier is one use of a thread-block barrier.
type Barrier struct {
	Func    *ir.Func
	Expr    *ir.Expr
	Stmt    *ir.Stmt
	Control Uniformity // of the control in its own function
	// Among is Control as the threads see it that have not left: guards around the
	// rest of the kernel are left out.
	Among Uniformity
}

// Exit is a return statement of the kernel.
type Exit struct {
	Stmt    *ir.Stmt
	Control Uniformity
}

// Kernels returns every kernel definition in the program's files, in the
// order of the files and of the text.
func (p *Program) Kernels() []*Kernel {
	var out []*Kernel
	for _, f := range p.Parsed.Files {
		for _, fn := range f.Functions {
			if fn.IsKernel() && fn.Body != nil {
				out = append(out, p.Kernel(f, fn))
			}
		}
	}
	return out
}

// Kernel analyses one kernel definition of the program, once: the model, all rewriters
// and whoever rewrites it in two steps share it.
func (p *Program) Kernel(f *parser.File, fn *parser.Function) *Kernel {
	if k := p.once[fn]; k != nil {
		return k
	}
	k := p.analyse(f, fn)
	p.once[fn] = k
	return k
}

// Forget drops what was found of a kernel: whoever looks at one of thousands of kernels for a
// moment needs no memory for it afterwards. Kernel finds it anew.
func (p *Program) Forget(fn *parser.Function) {
	delete(p.once, fn)
	delete(p.lowered, fn)
}

func (p *Program) analyse(f *parser.File, fn *parser.Function) *Kernel {
	k := &Kernel{Prog: p, File: f, View: fn, Name: fn.Name}
	k.prepare()
	if fn.Error != nil {
		k.refuse(f, int(fn.Error.Start), CodeSyntax, "the function holds text that smux can't parse")
		k.Func = &ir.Func{File: f, View: fn, Body: &ir.Stmt{Op: ir.StmtCompound}}
		k.Functions = []*ir.Func{k.Func}
	}
	k.run()
	return k
}

// maxSteps bounds all enumerations of a kernel's threads and loops.
const maxSteps = 12 << 20

// prepare makes the caches of the passes.
func (k *Kernel) prepare() {
	k.calls = map[*ir.Expr][]*ir.Func{}
	k.barrierFns = map[*ir.Func]bool{}
	k.passed = map[*ir.Var][]argument{}
	k.steps = maxSteps
}

// run runs the passes. A kernel that is too much for one of them, or that one of
// them has a defect with, is left alone: the program's other kernels are none the
// worse for it.
func (k *Kernel) run() {
	defer func() {
		if v := recover(); v != nil {
			k.abandonIn(&ir.Func{File: k.File}, k.View.Start, CodeInternal, diag.Panicked(v))
		}
	}()
	if k.View.Error == nil {
		k.Func = k.Prog.Lower(k.File, k.View)
	}
	for _, pass := range k.Prog.passes {
		if len(k.Hazards) > 0 && pass.NeedsClean || k.abandoned {
			break
		}
		if (k.View.Error == nil || pass.Unparsed) && !slices.Contains(k.Prog.Skip, pass.Name) {
			pass.Run(k)
		}
	}
}

// Pass is one analysis of a kernel. A pass reads what the passes that it
// requires left in the Kernel and adds its own results.
type Pass struct {
	Name       string
	Doc        string
	Requires   []string
	NeedsClean bool // meaningless for a kernel that an earlier pass found a hazard in
	Unparsed   bool // runs for a kernel that can't be parsed, too
	Run        func(*Kernel)
}

// Passes are all analyses, in an order that respects Requires.
var Passes = []*Pass{
	{Name: "calls", Doc: "device functions that the kernel reaches", Run: (*Kernel).findFunctions},
	{Name: "size", Doc: "kernels that are too large or too deep for the other passes", Requires: []string{"calls"}, Run: (*Kernel).findSize},
	{Name: "launches", Doc: "launches in view and the block shapes they use", Unparsed: true, Run: (*Kernel).findLaunches},
	{Name: "shared", Doc: "shared variables and their sizes", Requires: []string{"calls", "launches"}, Run: (*Kernel).findShared},
	{Name: "hazards", Doc: "constructs that no rewrite may touch", Requires: []string{"calls"}, Run: (*Kernel).findHazards},
	{Name: "includer macros", Doc: "headers that are included under other macros", Requires: []string{"calls"}, Run: (*Kernel).findIncluderMacros},
	{Name: "implicit", Doc: "code that runs without a call: constructors, operators", Requires: []string{"calls", "launches"}, Run: (*Kernel).findImplicit},
	{Name: "aliases", Doc: "pointers and references into shared memory", Requires: []string{"shared"}, Run: (*Kernel).findAliases},
	{Name: "escapes", Doc: "shared addresses that leave smux's sight", Requires: []string{"aliases"}, Run: (*Kernel).findEscapes},
	{Name: "levels", Doc: "uniformity of values and control", Requires: []string{"calls", "launches", "shared"}, Run: (*Kernel).findLevels},
	{Name: "barriers", Doc: "thread-block barriers and exits with the control around them", Requires: []string{"levels"}, Run: (*Kernel).findBarriers},
	{Name: "waits", Doc: "recursion with barriers, and loops that wait for other thread blocks", Requires: []string{"aliases", "barriers", "implicit"}, Run: (*Kernel).findWaits},
	{Name: "regions", Doc: "stretches in which the shared variables are live", Requires: []string{"aliases", "levels"}, NeedsClean: true, Run: (*Kernel).findRegions},
}

func (k *Kernel) refuse(f *parser.File, at int, code diag.Code, text string) {
	k.Hazards = append(k.Hazards, diag.Message{Pos: f.Position(at), Code: code, Text: text})
}

// Callees returns the definitions that a call may reach, cached per call.
func (k *Kernel) Callees(fn *ir.Func, e *ir.Expr) []*ir.Func {
	if c, ok := k.calls[e]; ok {
		return c
	}
	var out []*ir.Func
	for _, d := range e.Targets {
		out = append(out, k.Prog.Lower(d.File, d.Fn))
	}
	if e.Op == ir.OpCall && !e.Implicit && len(e.Kids) > 0 && e.Name != "" && k.Prog.sharedClass(fn, e) == nil {
		obj, member := e.IsMemberCall()
		if member {
			out = k.Prog.members(fn, obj, e)
		} else if e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var == nil {
			out = k.Prog.candidates(fn.File, e.Name, e.CountArgs(), false)
		}
	}
	k.calls[e] = out
	return out
}

// findFunctions collects the device functions that the kernel reaches.
func (k *Kernel) findFunctions() {
	state := map[*ir.Func]int{} // 1 on the path, 2 done
	var visit func(fn *ir.Func)
	visit = func(fn *ir.Func) {
		state[fn] = 1
		k.Functions = append(k.Functions, fn)
		fn.Body.WalkExprs(func(e *ir.Expr) bool {
			if e.Op == ir.OpCall && !e.Implicit { // see Implicit
				for _, c := range k.Callees(fn, e) {
					for i, a := range e.Args() {
						if p := c.Param(i); p != nil {
							k.passed[p] = append(k.passed[p], argument{fn, a})
						}
					}
					switch state[c] {
					case 0:
						visit(c)
					case 1:
						k.Recursive = append(k.Recursive, c)
					}
				}
			}
			return true
		})
		state[fn] = 2
	}
	visit(k.Func)
}

// findBarriers lists the thread-block barriers of all reachable functions and
// the kernel's exits.
func (k *Kernel) findBarriers() {
	k.findBarrierFunctions()
	k.findGuards()
	k.Barriers = k.barriersWhere((*Kernel).IsBarrier)
	k.Func.Body.Walk(func(s *ir.Stmt) bool {
		if s.Op == ir.StmtReturn {
			k.Exits = append(k.Exits, Exit{Stmt: s, Control: k.controlUniformity(k.Func, s, nil)})
		}
		return true
	})
}

// findBarrierFunctions marks the functions that hold a barrier or call one that
// does.
func (k *Kernel) findBarrierFunctions() {
	for changed := true; changed; {
		changed = false
		for _, fn := range k.Functions {
			if !k.barrierFns[fn] && k.BarrierIn(fn, fn.Body) {
				k.barrierFns[fn], changed = true, true
			}
		}
	}
}

// barriersWhere lists the expressions of all functions in reach that are barriers
// of a kind, with the control around each.
func (k *Kernel) barriersWhere(is func(*Kernel, *ir.Func, *ir.Expr) bool) []Barrier {
	var out []Barrier
	for _, fn := range k.Functions {
		fn.Body.Walk(func(s *ir.Stmt) bool {
			s.Exprs(func(top *ir.Expr) {
				conditionally(top, nil, func(e *ir.Expr, under []*ir.Expr) {
					if is(k, fn, e) {
						out = append(out, Barrier{Func: fn, Expr: e, Stmt: s, Control: k.controlOf(fn, s, under, nil), Among: k.controlOf(fn, s, under, k.guards)})
					}
				})
			})
			return true
		})
	}
	return out
}

// BarrierCalls returns the calls, in all functions in reach, of functions that
// hold a barrier, with the control around each.
func (k *Kernel) BarrierCalls() []Barrier {
	type key struct{}
	return Once(&k.memo, key{}, func() []Barrier { // each variant of the kernel asks
		return k.barriersWhere(func(_ *Kernel, fn *ir.Func, e *ir.Expr) bool {
			return e.Op == ir.OpCall && !k.IsBarrier(fn, e) && k.BarrierHere(fn, e)
		})
	})
}

// HasBarrier reports whether a function, or one that it calls, holds a
// thread-block barrier.
func (k *Kernel) HasBarrier(fn *ir.Func) bool { return k.barrierFns[fn] }

// BarrierIn reports whether a statement of fn holds or calls a barrier.
func (k *Kernel) BarrierIn(fn *ir.Func, s *ir.Stmt) bool {
	return s.AnyExpr(func(e *ir.Expr) bool { return k.BarrierHere(fn, e) })
}

// BarrierHere reports whether e itself is a barrier or a call that reaches one.
func (k *Kernel) BarrierHere(fn *ir.Func, e *ir.Expr) bool {
	if k.IsBarrier(fn, e) {
		return true
	}
	if e.Op == ir.OpCall {
		for _, c := range k.Callees(fn, e) {
			if k.barrierFns[c] {
				return true
			}
		}
	}
	return false
}

// Accesses reports whether a statement reads or writes shared memory.
func (k *Kernel) Accesses(fn *ir.Func, s *ir.Stmt) bool { return k.sharing().accesses(fn, s) }

// Touches reports whether an expression reads, writes or addresses shared memory.
func (k *Kernel) Touches(fn *ir.Func, e *ir.Expr) bool { return k.sharing().Touches(fn, e) }

func (k *Kernel) onStack(fn *ir.Func, f *frame) bool {
	for ; f != nil; f = f.caller {
		if f.fn == fn {
			return true
		}
	}
	return false
}

// frameFor returns a frame in which constants can be folded for fn, under the
// first instance of the kernel.
func (k *Kernel) frameFor(fn *ir.Func) *frame {
	if len(k.Instances) > 0 {
		return k.Instances[0].frame(k, fn)
	}
	ev := newEvaluator(k.Prog, shape{})
	ev.kernel = k
	return ev.newFrame(fn)
}

// IsVote reports whether e is a barrier of the whole thread block that combines a
// predicate of its threads. All other barriers do nothing but wait.
func (k *Kernel) IsVote(fn *ir.Func, e *ir.Expr) bool {
	return e.Op == ir.OpCall && intrinsic.Of(e.Name).Kind == intrinsic.Vote && k.IsBarrier(fn, e)
}
