package merge

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/pointers"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// checkCopyUses proves that every use of a shared variable of which there are several sets means the same for a
// pointer as for an array. A use of a variable of slots, and of an address in it, must also lie in the region in
// which its name was bound.
func (p *mergeProof) checkCopyUses() {
	k := p.Kernel
	homes := map[*ir.Var]*analysis.Region{} // of local variables that hold addresses in slots
	for _, v := range slices.Concat(k.Func.Params, k.Func.Vars) {
		if slices.ContainsFunc(k.Shared, func(s *analysis.Shared) bool { return p.slotted(s) && pointers.MayPoint(k, v, s) }) {
			homes[v] = p.regionOf(v.Decl)
		}
		if v.Type.Base == "decltype" {
			p.Refuse(k.File, v.Range.Start, CodeSlots, "decltype can't be looked into: it may name a shared array")
		}
		if e := v.Init; e != nil && v.Type.Ref {
			if whole := p.wholeArray(e); whole != nil {
				p.Refuse(k.File, v.Range.Start, CodeSlots, "%s is a reference to the whole of %s", v.Name, whole.Name)
			}
		}
	}
	for s := range k.Func.Body.All() {
		home := p.regionOf(s)
		p.checkTypes(s)
		s.Exprs(func(e *ir.Expr) {
			p.copyUse(nil, e, func(e *ir.Expr) bool {
				if e.Op == ir.OpLambda {
					p.Refuse(k.File, e.Range.Start, CodeSlots, "a lambda can't be looked into: it may use a shared array")
				}
				if e.Op != ir.OpIdent || e.Var == nil {
					return false
				}
				sh := evaluate.SharedVar(k, k.Func, e)
				from, local := homes[e.Var]
				switch {
				case sh != nil && p.slotted(sh) && home == nil:
					p.Refuse(k.File, e.Range.Start, CodeSlots, "%s is used outside all regions, and has no set there", e.Name)
				case local && (home == nil || from != home):
					p.Refuse(k.File, e.Range.Start, CodeSlots, "%s may hold an address in a shared array, and is not of this region alone", e.Name)
				}
				return sh != nil && p.sets(sh) > 1
			})
		})
	}
}

// checkTypes refuses declarations whose type is written with the name of an array: what that is made of is not known.
func (p *mergeProof) checkTypes(s *ir.Stmt) {
	f := p.Kernel.File
	written := ""
	if s.Op == ir.StmtEmpty {
		written = kit.Text(f, s.Range) // a type alias, a static assertion
	}
	for _, v := range s.Vars {
		written += " " + v.Type.Base
	}
	words := parser.Words(written)
	for _, sh := range p.Kernel.Shared {
		if p.sets(sh) > 1 && slices.Contains(words, sh.Name) {
			p.Refuse(f, s.Range.Start, CodeSlots, "%s is part of a type or an assertion here", sh.Name)
		}
	}
}

// wholeArray returns the array that an expression is, nil if it is none.
func (p *mergeProof) wholeArray(e *ir.Expr) *ir.Expr {
	switch e.Op {
	case ir.OpIdent:
		if sh := evaluate.SharedVar(p.Kernel, p.Kernel.Func, e); sh != nil && p.sets(sh) > 1 && e.Var != nil && len(e.Var.Dims) > 0 {
			return e
		}
	case ir.OpComma, ir.OpCond:
		for _, kid := range e.Kids[1:] {
			if whole := p.wholeArray(kid); whole != nil {
				return whole
			}
		}
	}
	return nil
}

// copyUse goes through an expression. is says whether an operand names a shared variable of which there are several
// sets: it must then stand where a pointer does as well as an array, and a scalar changes.
func (p *mergeProof) copyUse(parent, e *ir.Expr, is func(*ir.Expr) bool) {
	if e == nil {
		return
	}
	if is(e) {
		p.copyOperand(parent, e)
	}
	if e.Op == ir.OpSizeof {
		for _, s := range p.Kernel.Shared {
			if p.sets(s) > 1 && e.Type.Base == s.Name { // C++ can't tell a name from a type there
				p.Refuse(p.Kernel.File, e.Range.Start, CodeSlots, "the size of %s is asked for", s.Name)
			}
		}
	}
	above := e
	if parent != nil && (e.Op == ir.OpCond || e.Op == ir.OpComma) {
		above = parent // they pass an array on as it is
	}
	for _, kid := range e.Kids {
		p.copyUse(above, kid, is)
	}
	for _, kid := range e.TArgs {
		p.copyUse(e, kid, is)
	}
}

func (p *mergeProof) copyOperand(parent, e *ir.Expr) {
	k := p.Kernel
	if len(e.Var.Dims) == 0 {
		if e.Macro {
			p.Refuse(k.File, e.Range.Start, kit.CodeMacro, "a use of %s inside a macro must change", e.Name)
			return
		}
		p.pointers = append(p.pointers, e)
		return
	}
	fine := parent == nil
	if parent != nil {
		switch parent.Op {
		case ir.OpIndex, ir.OpDeref, ir.OpBinary, ir.OpCond, ir.OpComma, ir.OpInitList:
			fine = true
		case ir.OpAssign:
			fine = parent.Kids[0] != e
		case ir.OpCast:
			fine = !parent.Type.Ref
		case ir.OpCall:
			fine = parent.Kids[0] != e && !p.byReference(parent, e)
		}
	}
	if !fine {
		p.Refuse(k.File, e.Range.Start, CodeSlots, "the whole array %s is used here, which a pointer to it can't stand for", e.Name)
	}
}

// byReference reports whether a call takes an argument by reference, or may.
func (p *mergeProof) byReference(call, arg *ir.Expr) bool {
	for i, a := range call.Args() {
		if a.Any(func(t *ir.Expr) bool { return t == arg }) && p.Kernel.MayBindReference(p.Kernel.Func, call, i) {
			return true
		}
	}
	return false
}
