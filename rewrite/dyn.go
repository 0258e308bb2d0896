package rewrite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
)

// checkDyn proves that a kernel can be merged N-fold with M sets of its shared
// arrays, of which each region takes one and gives it back: the software form of
// the hardware scheme that allocates shared memory at a region's begin (PACT'12
// §5). With M = 1 it is what vtb with a lock is. With more, the arrays get a
// leading dimension, and their names become pointers to the set that is held:
//
//	__shared__ float s[64];                 __shared__ float smux_s[2][64];
//	                                        auto s = smux_s[0];
//	                                        vtb.acquire();
//	s[t] = a[i];                  -->       s = smux_s[vtb.slot()];
//	                                        s[t] = a[i];
//	                                        …
//	                                        vtb.release();
func checkDyn(k *analysis.Kernel, opt Options) (*Plan, []diag.Message) {
	opt.Sync = "lock"
	if opt.Slots >= opt.Factor {
		at := k.File.Position(k.View.Start)
		return nil, []diag.Message{{Pos: at, Code: CodeSlots, Text: fmt.Sprintf("%d slots for %d virtual thread blocks: there would be nothing to wait for", opt.Slots, opt.Factor)}}
	}
	return check(k, "dyn", opt)
}

// slotted is a shared array of which there are M.
type slotted struct {
	v    *ir.Var
	name string // of the array of all
	// in is the region that declares it, nil where it is declared before all
	// regions that use it.
	in *analysis.Region
}

// planSlots gives the shared arrays a leading dimension of M.
func (p *Plan) planSlots() {
	if p.Slots < 2 {
		return
	}
	k := p.Kernel
	p.checkSlotUses()
	for _, s := range k.Shared {
		if p.checkSlotArray(s) {
			p.slotted = append(p.slotted, p.declareSlots(s))
		}
	}
}

// declareSlots edits a declaration: the name becomes that of all sets, and
// stands for one of them.
func (p *Plan) declareSlots(s *analysis.Shared) slotted {
	f, v := p.Kernel.File, s.Var
	a := slotted{v: v, name: p.fresh("smux_" + v.Name), in: p.regionOf(v.Decl)}
	p.buffer(f).Replace(v.Range.Start, v.Range.Start+len(v.Name), fmt.Sprintf("%s[%d]", a.name, p.Slots))
	slot := "0"
	if a.in != nil {
		slot = p.vtb + ".slot()"
	}
	p.insertAfter(f, stmtEnd(f, v.Decl), v.Decl.Outer.Start, fmt.Sprintf("auto %s = %s%s[%s];", v.Name, address(v), a.name, slot))
	return a
}

// address is the operator that makes a pointer of one set: arrays decay.
func address(v *ir.Var) string {
	if len(v.Dims) == 0 {
		return "&"
	}
	return ""
}

// bindSlots are the lines that let the names of a region's arrays stand for the
// set that the v-TB holds.
func (p *Plan) bindSlots(r *analysis.Region) []string {
	var lines []string
	for _, a := range p.slotted {
		for _, s := range r.Arrays {
			if s.Var == a.v && a.in != r {
				lines = append(lines, fmt.Sprintf("%s = %s%s[%s.slot()];", a.v.Name, address(a.v), a.name, p.vtb))
			}
		}
	}
	return lines
}

// regionOf is the region that a statement of the kernel lies in, nil for none.
func (p *Plan) regionOf(s *ir.Stmt) *analysis.Region {
	for _, r := range p.regions {
		for _, t := range r.Stmts {
			if s.Inside(t) {
				return r
			}
		}
	}
	return nil
}

// checkSlotArray proves that a declaration can be given a leading dimension.
func (p *Plan) checkSlotArray(s *analysis.Shared) bool {
	k, v := p.Kernel, s.Var
	refuse := func(format string, args ...any) bool {
		f, at := k.File, k.View.Start
		if v.File == nil || v.File == f {
			at = v.Range.Start
		}
		p.refuse(f, at, CodeSlots, format, args...)
		return false
	}
	switch {
	case s.Dynamic:
		return refuse("dynamic shared memory %s can't be had %d times", s.Name, p.Slots)
	case v.Decl == nil || v.Decl.Op != ir.StmtDecl || !v.Decl.Inside(k.Func.Body):
		return refuse("%s is not declared in the kernel itself: its name can't stand for one of %d", s.Name, p.Slots)
	case v.Macro || v.Decl.Macro || v.Decl.Parent == nil || v.Decl.Parent.Op != ir.StmtCompound:
		p.refuse(k.File, v.Range.Start, CodeMacro, "the declaration of %s inside a macro must change", s.Name)
		return false
	case v.Range.Start+len(v.Name) > len(k.File.Src) || string(k.File.Src[v.Range.Start:v.Range.Start+len(v.Name)]) != v.Name:
		return refuse("the declaration of %s is more than its name and dimensions", s.Name)
	case s.Bytes%16 != 0 && p.mindsAlignment(s):
		return refuse("the second %s would not be aligned as the first is", s.Name)
	}
	if r := p.regionOf(v.Decl); r == nil {
		for _, r := range p.regions {
			for _, o := range r.Arrays {
				if o.Var == v && !(v.Decl.Range.End <= r.Start() && r.List.Inside(v.Decl.Parent)) {
					return refuse("%s is declared behind the begin of a region that uses it", s.Name)
				}
			}
		}
	}
	return true
}

// mindsAlignment reports whether an array may be accessed in larger units than
// its elements, which only the first of several sets need be aligned for.
func (p *Plan) mindsAlignment(s *analysis.Shared) bool {
	decl := text(p.Kernel.File, s.Var.Decl.Outer)
	if strings.Contains(decl, "align") || s.Elem == 0 {
		return true
	}
	found := false
	for _, fn := range p.Kernel.Functions {
		fn.Body.WalkExprs(func(e *ir.Expr) bool {
			found = found || e.Op == ir.OpAsm || e.Op == ir.OpCast && (e.Type.Ptr > 0 || e.Type.Ref)
			return !found
		})
	}
	return found
}

// checkSlotUses proves that every use of a shared array, and of an address in
// it, lies in the region in which its name was bound, and in an expression that
// means the same for a pointer as for an array.
func (p *Plan) checkSlotUses() {
	k := p.Kernel
	homes := map[*ir.Var]*analysis.Region{} // of local variables that hold addresses
	for _, v := range slices.Concat(k.Func.Params, k.Func.Vars) {
		if k.MayPoint(v) {
			homes[v] = p.regionOf(v.Decl)
		}
		if v.Type.Base == "decltype" {
			p.refuse(k.File, v.Range.Start, CodeSlots, "decltype can't be looked into: it may name a shared array")
		}
		if e := v.Init; e != nil && v.Type.Ref && e.Op == ir.OpIdent && e.Var != nil && len(e.Var.Dims) > 0 && k.SharedVar(k.Func, e) != nil {
			p.refuse(k.File, v.Range.Start, CodeSlots, "%s is a reference to the whole of %s", v.Name, e.Name)
		}
	}
	k.Func.Body.Walk(func(s *ir.Stmt) bool {
		home := p.regionOf(s)
		s.Exprs(func(e *ir.Expr) {
			p.slotUse(nil, e, func(e *ir.Expr) bool {
				if e.Op == ir.OpLambda {
					p.refuse(k.File, e.Range.Start, CodeSlots, "a lambda can't be looked into: it may use a shared array")
				}
				if e.Op != ir.OpIdent || e.Var == nil {
					return false
				}
				sh := k.SharedVar(k.Func, e)
				from, local := homes[e.Var]
				switch {
				case sh != nil && home == nil:
					p.refuse(k.File, e.Range.Start, CodeSlots, "%s is named outside of all regions, where it stands for no set", e.Name)
				case local && (home == nil || from != home):
					p.refuse(k.File, e.Range.Start, CodeSlots, "%s may hold an address in a shared array, and is not of this region alone", e.Name)
				}
				return sh != nil
			})
		})
		return true
	})
}

// slotUse goes through an expression. is says whether an operand names a shared
// variable: it must then stand where a pointer does as well as an array, and a
// scalar is edited.
func (p *Plan) slotUse(parent, e *ir.Expr, is func(*ir.Expr) bool) {
	if e == nil {
		return
	}
	if is(e) {
		p.slotOperand(parent, e)
	}
	if e.Op == ir.OpSizeof {
		for _, s := range p.Kernel.Shared {
			if e.Type.Base == s.Name { // C++ can't tell a name from a type there
				p.refuse(p.Kernel.File, e.Range.Start, CodeSlots, "the size of %s is asked for", s.Name)
			}
		}
	}
	for _, kid := range e.Kids {
		p.slotUse(e, kid, is)
	}
	for _, kid := range e.TArgs {
		p.slotUse(e, kid, is)
	}
}

func (p *Plan) slotOperand(parent, e *ir.Expr) {
	k := p.Kernel
	if len(e.Var.Dims) == 0 {
		if e.Macro {
			p.refuse(k.File, e.Range.Start, CodeMacro, "a use of %s inside a macro must change", e.Name)
			return
		}
		p.buffer(k.File).Replace(e.Range.Start, e.Range.End, "(*"+e.Name+")")
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
		p.refuse(k.File, e.Range.Start, CodeSlots, "the whole array %s is used here, which a pointer to it can't stand for", e.Name)
	}
}

// byReference reports whether a call takes an argument by reference, or may.
func (p *Plan) byReference(call, arg *ir.Expr) bool {
	for _, callee := range p.Kernel.Callees(p.Kernel.Func, call) {
		for i, a := range call.Args() {
			if a == arg && (i >= len(callee.Params) || callee.Params[i].Type.Ref) {
				return true
			}
		}
	}
	return false
}
