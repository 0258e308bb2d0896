package usual

import (
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/model/hardware"
)

// extents returns the extents that a dim3, or a number that converts to one, usually has.
func (u *guess) extents(s guessScope, e *ir.Expr) ([3]int, bool) {
	if u.steps++; e == nil || u.steps > maxGuesses {
		return [3]int{}, false
	}
	switch {
	case e.Op == ir.OpIdent && e.Var != nil:
		return u.ofVariable(s, e)
	case evaluate.MergedCall(e) != nil:
		return u.merged(s, evaluate.MergedCall(e))
	case evaluate.RuntimeCall(e) != nil && evaluate.RuntimeName(evaluate.RuntimeCall(e)) == "reshape":
		return u.reshaped(s, evaluate.RuntimeCall(e))
	case e.Op == ir.OpIdent || e.Op == ir.OpMember && e.Name != "x" && e.Name != "y" && e.Name != "z":
		if d, ok := u.firstExtents(u.givenTo(s, e)); ok {
			return d, true
		}
	case e.Op == ir.OpAssign && e.Tok == "=":
		return u.extents(s, e.Kids[1])
	case e.Op == ir.OpCall && (e.Name == "dim3" || e.Name == "make_uint3"):
		return u.parts(s, e.Args())
	case e.Op == ir.OpCast && e.Type.Base == "dim3", e.Op == ir.OpInitList:
		return u.parts(s, e.Kids)
	case e.Op == ir.OpCond:
		if d, ok := u.extents(s, e.Kids[1]); ok {
			return d, true
		}
		return u.extents(s, e.Kids[2])
	}
	return u.parts(s, []*ir.Expr{e})
}

// givenTo returns what a name, or a member of an object, may stand for.
func (u *guess) givenTo(s guessScope, e *ir.Expr) []guessed {
	if e.Op == ir.OpIdent {
		return u.variable(s, e)
	}
	return u.memberValues(s.prog, e.Name)
}

func (u *guess) firstExtents(all []guessed) (out [3]int, ok bool) {
	u.first(all, func(s guessScope, e *ir.Expr) (int64, bool) {
		out, ok = u.extents(s, e)
		return 1, ok
	})
	return out, ok
}

// parts returns the extents that one to three expressions give, the rest being 1.
func (u *guess) parts(s guessScope, parts []*ir.Expr) ([3]int, bool) {
	out := [3]int{1, 1, 1}
	if len(parts) == 1 && parts[0].Op != ir.OpInt && isExtents(parts[0]) {
		return u.extents(s, parts[0])
	}
	if len(parts) == 0 || len(parts) > 3 {
		return out, false
	}
	for i, x := range parts {
		n, ok := u.number(s, x)
		if !ok || n <= 0 || n > hardware.MaxThreadsPerBlock {
			return out, false
		}
		out[i] = int(n)
	}
	return out, true
}

// hasComponents are the types of extents that are no plain numbers.
var hasComponents = map[string]bool{"dim3": true, "uint3": true}

// isExtents reports whether an expression has such a type.
func isExtents(e *ir.Expr) bool {
	switch e.Op {
	case ir.OpIdent:
		return e.Var != nil && hasComponents[e.Var.Type.Base]
	case ir.OpCast:
		return hasComponents[e.Type.Base]
	case ir.OpCall:
		return e.Name == "dim3" || e.Name == "make_uint3"
	}
	return false
}

// ofVariable returns the extents that a variable usually has: what it begins with, and what is
// assigned to single components.
func (u *guess) ofVariable(s guessScope, e *ir.Expr) ([3]int, bool) {
	out, ok := u.firstExtents(u.variable(s, e))
	if !ok {
		out = [3]int{1, 1, 1}
	}
	if s.fn == nil || !hasComponents[e.Var.Type.Base] {
		return out, ok
	}
	for w := range s.fn.Body.AllExprs() {
		if w.Op != ir.OpAssign || w.Tok != "=" || w.Kids[0].Op != ir.OpMember || w.Kids[0].Kids[0].Var != e.Var {
			continue
		}
		d, known := map[string]int{"x": 0, "y": 1, "z": 2}[w.Kids[0].Name]
		if n, found := u.number(s, w.Kids[1]); known && found && n > 0 && n <= hardware.MaxThreadsPerBlock {
			out[d], ok = int(n), true
		}
	}
	return out, ok
}

// merged returns the extents of smux::merge<N>(g, b) and its kin, which stack N blocks along z.
func (u *guess) merged(s guessScope, call *ir.Expr) ([3]int, bool) {
	if len(call.TArgs) == 0 {
		return [3]int{}, false
	}
	n, known := u.number(s, call.TArgs[0])
	out, ok := u.extents(s, evaluate.MergedBlock(call))
	out[2] *= int(n)
	return out, known && ok
}

// reshaped returns the extents of smux::reshape<X, Y, Z>(k, g, b): those that are given, and b's, where a block can have as many threads.
func (u *guess) reshaped(s guessScope, call *ir.Expr) ([3]int, bool) {
	args := call.Args()
	if len(args) != 3 {
		return [3]int{}, false
	}
	block, ok := u.extents(s, args[2])
	out := block
	for i, t := range call.TArgs[:min(3, len(call.TArgs))] {
		if n, known := u.number(s, t); known && n > 0 {
			out[i] = int(n)
		}
	}
	if out[0]*out[1]*out[2] > hardware.MaxThreadsPerBlock {
		return block, ok
	}
	return out, ok
}
