package analysis

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// Kernel is one kernel definition with everything the analyses found out about it.
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

	Memo       Memo
	SharedOf   map[*ir.Var]*Shared
	Uniformity map[*ir.Var]Uniformity
	calls      map[*ir.Expr][]*ir.Func
	Passed     map[*ir.Var][]Argument // what calls pass for a parameter
	Budget     Budget
	abandoned  bool // nothing is known of the kernel
}

// Budget bounds the enumerations of a kernel's threads and loops.
type Budget struct {
	Steps int  // that enumerations may still take, see MaxSteps
	Spent bool // an enumeration took all steps that one may take
}

// Argument is an expression that a function passes to another.
type Argument struct {
	Fn   *ir.Func
	Expr *ir.Expr
}

// Barrier is one use of a thread-block barrier.
type Barrier struct {
	Func    *ir.Func
	Expr    *ir.Expr
	Stmt    *ir.Stmt
	Control Uniformity // of the control in its own function
	// Among is Control as the threads see it that have not left: guards around the rest of the kernel are left out.
	Among Uniformity
}

// Exit is a return statement of the kernel.
type Exit struct {
	Stmt    *ir.Stmt
	Control Uniformity
}

// Kernels returns every kernel definition in the program's files, in the order of the files and of the text.
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
		k.Refuse(f, int(fn.Error.Start), CodeSyntax, "the function holds text that smux can't parse")
		k.Func = &ir.Func{File: f, View: fn, Body: &ir.Stmt{Op: ir.StmtCompound}}
		k.Functions = []*ir.Func{k.Func}
	}
	k.run()
	return k
}

// MaxSteps bounds all enumerations of a kernel's threads and loops.
const MaxSteps = 12 << 20

// prepare makes the caches of the passes.
func (k *Kernel) prepare() {
	k.calls = map[*ir.Expr][]*ir.Func{}
	k.Passed = map[*ir.Var][]Argument{}
	k.Budget.Steps = MaxSteps
}

// run runs the passes. A kernel that is too much for one of them, or that one of them has a defect with, is left
// alone: the program's other kernels are none the worse for it.
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

// Refuse adds a hazard: no rewriter touches the kernel.
func (k *Kernel) Refuse(f *parser.File, at int, code diag.Code, text string) {
	k.Hazards = append(k.Hazards, diag.Message{Pos: f.Position(at), Code: code, Text: text})
}

// Callees returns the definitions that a call may reach, cached per call.
func (k *Kernel) Callees(fn *ir.Func, e *ir.Expr) []*ir.Func {
	if c, ok := k.calls[e]; ok {
		return c
	}
	out := lists.Map(e.Targets, func(d ir.Definition) *ir.Func { return k.Prog.Lower(d.File, d.Fn) })
	if e.Op == ir.OpCall && !e.Implicit && len(e.Kids) > 0 && e.Name != "" && k.Prog.SharedClass(fn, e) == nil {
		obj, member := e.IsMemberCall()
		if member {
			out = k.Prog.members(fn, obj, e)
		} else if e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var == nil {
			out = k.Prog.Candidates(fn.File, e.Name, e.CountArgs(), false)
		}
	}
	k.calls[e] = out
	return out
}

// FindFunctions collects the device functions that the kernel reaches.
func (k *Kernel) FindFunctions() {
	state := map[*ir.Func]int{} // 1 on the path, 2 done
	var visit func(fn *ir.Func)
	visit = func(fn *ir.Func) {
		state[fn] = 1
		k.Functions = append(k.Functions, fn)
		for e := range fn.Body.AllExprs() {
			if e.Op == ir.OpCall && !e.Implicit { // see Implicit
				for _, c := range k.Callees(fn, e) {
					for i, a := range e.Args() {
						if p := c.Param(i); p != nil {
							k.Passed[p] = append(k.Passed[p], Argument{fn, a})
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
		}
		state[fn] = 2
	}
	visit(k.Func)
}

// GiveUp leaves the kernel alone because analysing it would take too long.
func (k *Kernel) GiveUp(fn *ir.Func, at int, text string) {
	k.Hazards = nil // those of passes that were not finished say little
	k.abandonIn(fn, at, CodeGaveUp, text)
}

func (k *Kernel) abandonIn(fn *ir.Func, at int, code diag.Code, text string) {
	*k = Kernel{Prog: k.Prog, File: k.File, View: k.View, Name: k.Name, abandoned: true}
	k.prepare()
	k.Refuse(fn.File, at, code, text)
	k.Func = &ir.Func{File: k.File, View: k.View, Body: &ir.Stmt{Op: ir.StmtCompound}}
	k.Functions = []*ir.Func{k.Func}
}

// Unread reports whether nothing is known of what the kernel does: it can't be parsed, or analysing it was given up.
func (k *Kernel) Unread() bool { return k.View.Error != nil || k.abandoned }
