package slice

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/motion"
	"github.com/smux-cuda/smux/analysis/named"
)

// stage is the place where a value waits between rounds: a register, or an array of registers
// with an element for each turn of the loops around.
type stage struct {
	loops []stagedLoop
}

type stagedLoop struct {
	loop        *ir.Stmt
	counter     *ir.Var
	count, step int
}

// maxStagedBytes bounds the registers per thread that one value waits in: those of analysis.Split.
const maxStagedBytes = 128

// readsInto says of each read whether it can be assigned in its round to what it is
// assigned to, or waits in a register until the last one: where that variable is one
// that a later round needs, or that a statement before uses which runs in the last one.
func (x *roundsCheck) readsInto() {
	into := map[*sliceUse]*ir.Var{}
	for _, u := range x.uses {
		if !u.reads() || u.call != nil {
			continue
		}
		if v := x.target(u); v != nil {
			into[u] = v
		} else {
			x.stage(u)
		}
	}
	x.keep()
	for again := true; again; {
		again = false
		for _, u := range x.uses {
			v := into[u]
			if v == nil {
				continue
			}
			_, mentioned := x.follows([]ir.Range{u.whole.Range}, x.mentions[v])
			if x.isNeeded(v) || mentioned || x.p.byWindow() && !x.assignsApart(u, into) {
				delete(into, u)
				x.stage(u)
				x.keep()
				again = true
			}
		}
	}
	for u, v := range into {
		x.changed.add(v, u.whole.Range)
	}
}

// assignsApart reports whether a read is assigned to what nothing else that is read in
// the run is: by window, an earlier assignment may be made in a later round.
func (x *roundsCheck) assignsApart(u *sliceUse, into map[*sliceUse]*ir.Var) bool {
	for o, v := range into {
		if o != u && v == into[u] {
			return false
		}
	}
	var subscripts []*ir.Var
	for e := u.into; e != nil && e.Op == ir.OpIndex; e = e.Kids[0] {
		subscripts = append(subscripts, e.Kids[1].Var)
	}
	for _, s := range x.run {
		for t := u.stmt.Parent; t != nil && u.stmt.Inside(s) && t.Inside(s); t = t.Parent {
			if t.IsLoop() && !slices.ContainsFunc(subscripts, func(v *ir.Var) bool { return v != nil && t.Post != nil && t.Post.Kids[0].Var == v }) {
				return false
			}
		}
	}
	return true
}

// isNeeded reports whether a later round needs the value that a variable has before.
func (x *roundsCheck) isNeeded(v *ir.Var) bool {
	return x.needs.has(v) || x.parts.has(v) && x.p.byWindow()
}

// target is the variable that a read can be assigned to in its round, nil for none.
func (x *roundsCheck) target(u *sliceUse) *ir.Var {
	if u.whole != u.elem {
		return nil
	}
	if v := u.decl; v != nil {
		known := v.Type.Base == u.array.Type || v.Type.Deduced() && !x.p.byWindow()
		if !known || v.Static || !x.p.alone(x.fn, v) || v.Type.Volatile || x.eachCall || !slices.Contains(x.run, u.stmt) {
			return nil
		}
		return v
	}
	if u.into == nil || !x.plain(u.into, u.array) || x.own[u.into.Root().Var] && !x.eachCall {
		return nil
	}
	for e := u.into; e.Op == ir.OpIndex; e = e.Kids[0] {
		x.need(e.Kids[1], u.round())
	}
	return u.into.Root().Var
}

// stage lets a value wait in registers, and refuses where there would be too many.
func (x *roundsCheck) stage(u *sliceUse) {
	x.staged[u] = stage{}
	at := u.whole.Range
	if u.store == nil { // the statement runs once
		for _, v := range u.stmt.Vars {
			x.others.add(v, v.Range)
		}
		u.stmt.Exprs(x.once)
	}
	k := x.p.Kernel
	switch {
	case x.eachCall:
		x.crosses(at, "%s would have to wait in registers here, inside of a device function", u.array.Name)
		return
	case u.store == nil && u.maybe:
		x.p.Refuse(x.fn.File, at.Start, CodeSliceAccess, "%s is read under a condition inside of an expression", u.array.Name)
		return
	}
	if !x.p.byComponent() && u.whole != u.elem && x.p.memberType(u) == "" {
		x.p.Refuse(x.fn.File, at.Start, CodeSliceAccess, "the type of a member that would have to wait in a register is not known")
		return
	}
	var s stage
	n := max(u.array.Elem, 4)
	for t := u.stmt.Parent; t != nil && t != x.run[0].Parent; t = t.Parent {
		if !t.IsLoop() {
			continue
		}
		l := stagedLoop{loop: t}
		_, ok := motion.Unrolled(k, t)
		if l.counter, l.count, l.step = motion.Regular(k, t); l.counter == nil || !ok || x.fn != k.Func && ofParameters(t.Cond) {
			x.crosses(at, "a value of %s must wait here for a later round, in a loop that is not unrolled, or whose turns are not counted", u.array.Name)
			return
		}
		n *= l.count
		s.loops = append([]stagedLoop{l}, s.loops...)
	}
	if n > maxStagedBytes {
		x.crosses(at, "%d bytes per thread would wait here for a later round, and %d are the most", n, maxStagedBytes)
	}
	x.staged[u] = s
}

// ofParameters reports whether an expression mentions a parameter of its function, which
// may be another value at each call.
func ofParameters(e *ir.Expr) bool {
	return e.Any(func(t *ir.Expr) bool { return t.Op == ir.OpIdent && t.Var != nil && t.Var.Kind == ir.VarParam })
}

// memberType is the type of the member that a use is of, "" if unknown.
func (p *sliceProof) memberType(u *sliceUse) string {
	for _, m := range named.Members(p.Kernel, p.Kernel.Func, u.array.Type) {
		if m.Name == u.whole.Name && u.whole.Kids[0] == u.elem {
			return m.Type
		}
	}
	return ""
}
