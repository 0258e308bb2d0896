package kit

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/barriers"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// Uses says which built-in variables a function uses whose value a merged
// block changes. threadIdx.x and .y, blockDim.x and .y keep theirs.
type Uses struct {
	BlockIdx, gridDim, ThreadIdx, BlockDim bool
	group                                  bool // asks the thread-block group for more than a barrier
}

// Any reports whether there is a use.
func (u Uses) Any() bool { return u.BlockIdx || u.gridDim || u.ThreadIdx || u.BlockDim || u.group }

// UsesOf reads the uses off the body of one function, calls not followed.
func UsesOf(k *analysis.Kernel, fn *ir.Func) Uses { return UsesIn(k, fn, fn.Body) }

// UsesIn returns the built-ins that a statement of a kernel's function uses.
func UsesIn(k *analysis.Kernel, fn *ir.Func, body *ir.Stmt) Uses {
	var u Uses
	whole := func(e *ir.Expr) {
		switch e.Name {
		case "threadIdx":
			u.ThreadIdx = true
		case "blockDim":
			u.BlockDim = true
		case "blockIdx":
			u.BlockIdx = true
		case "gridDim":
			u.gridDim = true
		}
	}
	builtin := func(e *ir.Expr) bool { return e.Op == ir.OpIdent && e.Var == nil }
	var visit func(e *ir.Expr) bool
	visit = func(e *ir.Expr) bool {
		switch {
		case e.Op == ir.OpMember && builtin(e.Kids[0]):
			switch base := e.Kids[0].Name; {
			case base == "blockIdx", base == "gridDim":
				whole(e.Kids[0])
			case (base == "threadIdx" || base == "blockDim") && e.Name == "z":
				whole(e.Kids[0])
			}
			return false
		case builtin(e):
			whole(e)
		case e.Op == ir.OpLambda && e.Lambda != nil:
			e.Lambda.WalkExprs(visit)
		case e.Op == ir.OpCall:
			if obj, ok := e.IsMemberCall(); ok && barriers.IsThreadBlock(k, fn, obj) && e.Name != "sync" || barriers.IsTileNumber(k, fn, e) {
				u.group = true
			}
		}
		return true
	}
	body.WalkExprs(visit)
	return u
}

// Shadows are the declarations that give the built-ins the values of the original launch. A name in the kernel's
// scope hides the built-in, in macros too, so that code that uses it needs no edit.
func Shadows(u Uses, vtb string) []string {
	var out []string
	if u.BlockIdx {
		out = append(out, "const uint3 blockIdx = "+vtb+".block;")
	}
	if u.gridDim {
		out = append(out, "const dim3 gridDim = "+vtb+".grid;")
	}
	if u.ThreadIdx {
		out = append(out, "const uint3 threadIdx = "+vtb+".thread;")
	}
	if u.BlockDim {
		out = append(out, "const dim3 blockDim = "+vtb+".dim;")
	}
	return out
}

// CheckShadows refuses code inside a kernel's or function's body that would see the shadowed built-ins but can't name
// local variables: lambdas, which may capture nothing, and members of local classes. It refuses ::blockIdx, too,
// which nothing shadows. changes says of which uses it is.
func (p *Findings) CheckShadows(changes func(Uses) bool) {
	k := p.Kernel
	for _, fn := range k.Functions {
		for e := range fn.Body.AllExprs() {
			if e.Op == ir.OpLambda && e.Lambda != nil && changes(UsesIn(k, fn, e.Lambda)) {
				p.Refuse(fn.File, e.Range.Start, analysis.CodeLambda, "a lambda that uses a built-in whose value changes")
			}
			if e.Op == ir.OpIdent && e.Var == nil && e.Qual == "::" && changes(UsesIn(k, fn, &ir.Stmt{Op: ir.StmtExpr, Expr: e})) {
				p.Refuse(fn.File, e.Range.Start, CodeIndex, "::%s is the built-in, whatever a declaration says: write %[1]s", e.Name)
			}
		}
		inner := fn.File.Functions
		first, _ := slices.BinarySearchFunc(inner, int(fn.View.Body.Start), func(f *parser.Function, at int) int { return f.Start - at })
		for _, member := range inner[first:] {
			if member.Start >= int(fn.View.Body.End) {
				break
			}
			if member != fn.View && member.Body != nil && member.Start > int(fn.View.Body.Start) && int(member.Body.End) < int(fn.View.Body.End) {
				p.Refuse(fn.File, member.Start, analysis.CodeLambda, "a class that is local to the function")
			}
		}
	}
}

// Axes are the dimensions in which a kernel, or a function that it calls, asks for a built-in variable: of blockIdx those in which blocks have numbers.
func Axes(k *analysis.Kernel, builtin string) map[string]bool {
	used := map[string]bool{}
	for _, fn := range k.Functions {
		for e := range fn.Body.AllExprs() {
			if e.Op == ir.OpMember && e.Kids[0].Op == ir.OpIdent && e.Kids[0].Var == nil && e.Kids[0].Name == builtin {
				used[e.Name] = true
			}
		}
	}
	return used
}

// CheckNames refuses a kernel in which a built-in variable that emitted code names is another variable, or a macro.
func (p *Findings) CheckNames(code diag.Code, names ...string) {
	k := p.Kernel
	for _, v := range slices.Concat(k.Func.Params, k.Func.Vars, k.Func.TParams) {
		if slices.Contains(names, v.Name) {
			p.Refuse(k.File, v.Range.Start, code, "the kernel has a %s of its own", v.Name)
		}
	}
	for _, name := range names {
		if _, macro := k.File.Macros.Lookup(name, int(k.View.Body.Start)); macro {
			p.Refuse(k.File, k.View.Start, code, "%s is a macro", name)
		}
	}
}
