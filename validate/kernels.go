package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// kernelGuarded judges a kernel; what the validator can't cope with is not shown.
func (c *comparison) kernelGuarded(k *Kernel, a, b *parser.Function) {
	defer func() {
		if v := recover(); v != nil {
			k.doubt(Erasure, c.b.file, b.Start, "%s", diag.Panicked(v))
		}
	}()
	c.kernel(k, a, b)
}

// kernel judges one kernel that differs from the original's.
func (c *comparison) kernel(k *Kernel, a, b *parser.Function) {
	body := c.namesB.lower(c.b.file, b)
	obj := c.prologue(body.Body)
	if obj == nil {
		if !c.overlaid(k, a, b) && !c.staged(k, a, b) && !c.demoted(k, a, b) {
			c.unmerged(k, a, b)
		}
		if k.doubtful(Erasure) && (k.Variant == "stage-loads" || k.Variant == "overlay") {
			c.sliced(k, a, b, false)
		}
		return
	}
	us := c.b.between(int(b.Body.Start), int(b.Body.End))
	obj.turn, obj.step = counter(us, "turn", obj.merged), counter(us, "step", obj.merged+1)
	for _, name := range []string{obj.turn, obj.step} {
		if mentions(c.a.between(a.Start, int(a.Body.End)), name) || slices.ContainsFunc(c.a.units, func(u unit) bool { return strings.HasPrefix(u.text, "#") && slices.Contains(words(u.text), name) }) {
			k.doubt(Erasure, c.b.file, b.Start, "the original has the name %s for something else", name)
		}
	}
	obj.plain = turnKinds[obj.kind].block && obj.turn+obj.step == ""
	k.Variant, k.Merged, k.Block = obj.variant(), obj.merged, obj.block
	c.signature(k, obj, a, b)
	al := c.align(k, obj, a, b)
	k.state.main = al
	if len(al.splits) > 0 {
		k.Variant = "co-" + k.Variant
	}
	if k.doubtful(Erasure) {
		return
	}
	k.shown(Erasure, "unit by unit", k.Pos)
	al.entry()
	al.wholes()
	c.reachFrom(k, al.b)
	c.forms(k)
	k.state.taint(c, k)
	al.calledInTurns()
	obj.fits(k, c)
	al.copiesFit()
	al.movesFit()
	if !obj.apart() {
		al.turnsFit()
	}
	al.uniformFit()
	if !obj.apart() || len(al.inRows) > 0 {
		al.contentFits()
	}
	c.waits(k)
	c.builtinsFit(k)
}

// unmerged judges a kernel whose blocks stay what they are: loads may stand earlier in it, and the compiler may be
// told the shape of a block.
func (c *comparison) unmerged(k *Kernel, a, b *parser.Function) {
	obj := unmerged()
	k.Variant = "stage-loads"
	if obj.told(c.b.between(int(b.Body.Start), int(b.Body.End))) {
		k.Variant = "assume-shape"
	}
	c.headFits(k, c.head(c.a, a), c.head(c.b, b), b)
	al := c.align(k, obj, a, b)
	k.state.main = al
	if k.doubtful(Erasure) {
		return
	}
	k.shown(Erasure, "unit by unit", k.Pos)
	c.reachFrom(k, al.b)
	k.state.taint(c, k)
	al.movesFit()
	for s, r := range al.roles {
		if r == roleAdded {
			k.doubt(Uniform, c.b.file, s.Range.Start, "the original has no barrier here")
		}
	}
	if k.Variant == "assume-shape" {
		c.shapeFits(k, obj)
	}
}

// signature compares what stands before the body: the new kernel may have parameters more, for the length of
// the grid and the bytes of a set, and its launch bounds are those of merged blocks.
func (c *comparison) signature(k *Kernel, obj *object, a, b *parser.Function) {
	ua, boundsA := withoutBounds(c.head(c.a, a))
	ub, boundsB := withoutBounds(c.head(c.b, b))
	for i := range ua {
		if _, _, ok := match(ua[i:], "( void )"); ok {
			ua = append(append([]unit(nil), ua[:i+1]...), ua[i+2:]...)
			break
		}
	}
	typed := "unsigned"
	if obj.whole {
		typed = "uint3"
	}
	extra := 0
	for i := len(ub) - 1; i > 0; i-- {
		b, _, more := match(ub[i:], ", $ $")
		first, _, alone := match(ub[i:], "( $ $")
		switch {
		case more && (b[0] == typed && b[1] == obj.grid || b[0] == "unsigned" && strings.HasPrefix(b[1], copyPrefix)) && extra < 2:
			ub = slices.Delete(slices.Clone(ub), i, i+3)
			extra++
		case alone && first[0] == typed && first[1] == obj.grid && extra < 2:
			n := 2
			if i+3 < len(ub) && ub[i+3].text == "," {
				n++
			}
			ub = slices.Delete(slices.Clone(ub), i+1, i+1+n)
			extra++
		}
	}
	k.state.params = len(b.Params) - extra
	k.state.extra = slices.IndexFunc(b.Params, func(p parser.Param) bool { return strings.HasSuffix(c.b.file.Text(p.Node), " "+obj.grid) })
	if behind := k.state.extra + 1; extra < 1 || behind == 0 || extra > 1 && !strings.HasPrefix(c.b.file.Text(b.Params[behind].Node), "unsigned "+copyPrefix) {
		k.doubt(Erasure, c.b.file, b.Start, "the kernel has no parameter for the length of the grid, or those that it has more do not follow one another")
	} else if extra > 1 {
		k.state.bytes = strings.TrimPrefix(c.b.file.Text(b.Params[behind].Node), "unsigned ")
	}
	c.headFits(k, ua, ub, b)
	c.bounds(k, obj, boundsA, boundsB, int(b.Start))
}

// head returns the units of a function before its body.
func (c *comparison) head(s *source, fn *parser.Function) []unit {
	return s.between(min(fn.Start, int(fn.Outer.Start)), int(fn.Body.Start))
}

// headFits checks that what is left of a function's head is the original's.
func (c *comparison) headFits(k *Kernel, a, b []unit, fn *parser.Function) bool {
	at := differ(a, b, int(fn.Body.Start))
	if at >= 0 {
		k.doubt(Erasure, c.b.file, at, "the head of %s is not the original's", fn.Name)
	}
	return at < 0
}

// declared compares the declaration of a kernel that has its body elsewhere: it may have parameters more.
func (c *comparison) declared(r *Result, a, b definition) {
	ua, boundsA := withoutBounds(c.a.between(a.start, a.end))
	ub, boundsB := withoutBounds(c.b.between(b.start, b.end))
	if len(boundsA)+len(boundsB) > 0 {
		c.hosts = append(c.hosts, func() {
			if k := c.changed[b.fn.Name]; k != nil && k.state.main != nil {
				c.bounds(k, k.state.main.obj, boundsA, boundsB, b.start)
			} else {
				r.doubt(Numbers, c.b.file, b.start, "these launch bounds are of a kernel that is not seen")
			}
		})
	}
	for len(ub) > len(ua) {
		cut := false
		for i := len(ub) - 1; i > 0 && !cut; i-- {
			n := 2
			if b, _, ok := match(ub[i:], ", $"); !ok || b[0] != "unsigned" && b[0] != "uint3" || i+2 >= len(ub) {
				continue
			}
			if strings.HasPrefix(ub[i+2].text, copyPrefix) {
				n = 3
			}
			ub, cut = append(append([]unit(nil), ub[:i]...), ub[i+n:]...), true
		}
		if !cut {
			break
		}
	}
	if !same(ua, ub) {
		r.doubt(Erasure, c.b.file, b.start, "this declaration is not the original's")
	}
}

// withoutBounds parts units from a __launch_bounds__ among them, of which it returns the arguments.
func withoutBounds(us []unit) (rest []unit, bounds [][]unit) {
	for i := 0; i+1 < len(us); i++ {
		if us[i].text == "__launch_bounds__" && us[i+1].text == "(" {
			if end := closing(us, i+1); end > 0 {
				return append(append([]unit(nil), us[:i]...), us[end+1:]...), split(us[i+2 : end])
			}
		}
	}
	return us, nil
}

// bounds checks that launch bounds leave room for merged blocks.
func (c *comparison) bounds(k *Kernel, obj *object, a, b [][]unit, at int) {
	if len(b) == 0 {
		if len(a) > 0 {
			k.doubt(Numbers, c.b.file, at, "the launch bounds are gone")
		}
		return
	}
	if n := c.product(b[0]); obj.threads() > 0 && n >= obj.threads()*obj.merged || n >= 1024 {
		return
	}
	if len(a) > 0 {
		for _, form := range []string{text(a[0]) + " * " + itoa(obj.merged), itoa(obj.merged) + " * " + text(a[0]), "( " + text(a[0]) + " ) * " + itoa(obj.merged)} {
			if text(b[0]) == form || text(b[0]) == "( "+form+" < 1024 ? "+form+" : 1024 )" {
				return // or as many as a block may have
			}
		}
	}
	k.doubt(Numbers, c.b.file, b[0][0].start, "it is not known that these launch bounds leave room for %d merged blocks", obj.merged)
}

// product evaluates numbers, macros and constants that are multiplied; 0 for anything else.
func (c *comparison) product(us []unit) int {
	n := 1
	for i, u := range us {
		if i%2 == 1 {
			if u.text != "*" {
				return 0
			}
			continue
		}
		factor := number(u.text)
		if m, ok := c.b.file.Macros.Lookup(u.text, u.start); ok && factor == 0 && !m.FunctionLike {
			if texts, err := c.b.file.Macros.Alternatives(u.text, u.start); err == nil && len(texts) == 1 {
				factor = number(strings.Trim(strings.TrimSpace(texts[0]), "()"))
			}
		} else if v := c.namesB.globals(c.b.file)[u.text]; v != nil && v.Init != nil && v.Init.Op == ir.OpInt && (v.Type.Const || v.Kind == ir.VarEnumerator) {
			factor = int(v.Init.Int)
		}
		n *= factor
	}
	return n
}

// entry checks the head of a kernel: nothing happens before the object is there, and v-TBs that the grid has
// no block for leave at once. In a block that stays they leave the loop over groups, which is all that there is.
func (al *alignment) entry() {
	stage := 0
	for _, s := range al.b.Body.List {
		us := al.c.unitsOf(s)
		switch {
		case stage == 0 && parseObject(us) != nil:
			stage = 1
		case stage == 1 && al.roles[s] == roleActive && !al.obj.stays:
			return
		case stage == 1 && al.obj.stays && al.roles[s] == roleStart:
		case stage == 1 && al.roles[s] == roleGroups:
			stage = 2
			al.staysFit()
		case stage == 2 && al.roles[s] == roleFinish:
		case stage > 0, s.Op != ir.StmtDecl && s.Op != ir.StmtEmpty:
			al.k.doubt(Uniform, al.c.b.file, s.Range.Start, "a v-TB that the grid has no block for must leave before this")
			return
		}
	}
	if stage < 2 {
		al.k.doubt(Uniform, al.c.b.file, al.obj.at, "a v-TB that the grid has no block for never leaves")
	}
}

// staysFit checks that a kernel's body can be run again for another block: nothing is left of the one before.
// What v-TBs take turns with they ask for anew; what each has for itself some threads may still use while others
// go on, but for a barrier.
func (al *alignment) staysFit() {
	for _, v := range al.b.Params {
		if len(v.Writes) > 0 || v.AddrTaken || v.Type.Ptr == 0 && !plainValue(v.Type.Base) && !v.Type.Const {
			al.k.doubt(Moves, al.c.b.file, v.Range.Start, "%s may change, and the next block would begin with what is left", v.Name)
		}
	}
	al.b.Body.Walk(func(s *ir.Stmt) bool {
		if s.Op == ir.StmtReturn {
			al.k.doubt(Turns, al.c.b.file, s.Range.Start, "this leaves out the blocks that come next")
		}
		return true
	})
	for _, cp := range al.k.state.copies {
		if !cp.slot && !al.obj.meets {
			al.k.doubt(Copies, al.c.b.file, cp.at, "the next block may write to %s while this one still reads", cp.array)
		}
	}
}

// deviceForm notes a device function that differs from the original's. One that is given the v-TB object is judged
// with the kernels that call it.
func (c *comparison) deviceForm(r *Result, a, b *parser.Function) {
	c.origin[b] = a
	switch {
	case a.Body == nil && b.Body == nil && len(b.Params) > 0 && strings.HasPrefix(c.b.file.Text(b.Params[0].Node), "const smux::"):
		// Its definition is judged with the kernels.
		given := func(g *parser.Function) bool {
			return len(g.Params) > 0 && strings.HasPrefix(c.fileOf[g].Text(g.Params[0].Node), "const smux::")
		}
		if !same(c.a.between(min(a.Start, int(a.Outer.Start)), int(a.Outer.End)), withoutFirst(c.b.between(min(b.Start, int(b.Outer.Start)), int(b.Outer.End)), b)) || !slices.ContainsFunc(c.devices[b.Name], given) {
			r.doubt(Erasure, c.b.file, b.Start, "this declaration of %s is not the original's", b.Name)
		}
	case b.Body == nil:
		r.doubt(Erasure, c.b.file, b.Start, "the device function %s is not the original's", b.Name)
	case len(b.Params) == 0 || !strings.Contains(c.b.file.Text(b.Params[0].Node), "smux::") && !(len(b.Params) > len(a.Params) && strings.HasPrefix(c.b.file.Text(b.Params[0].Node), "bool ")):
		c.apart[b] = true
		c.inner = append(c.inner, func() { c.demotedFunction(r, a, b) })
	}
}

// forms judges the device functions that are given the v-TB object.
func (c *comparison) forms(k *Kernel) {
	for _, g := range k.state.reach {
		for _, v := range g.Vars {
			if k.state.main.obj.stays && v.Static && v.Kind != ir.VarShared && !v.Type.Const {
				k.doubt(Moves, g.File, v.Range.Start, "%s keeps its value from one block to the next", v.Name)
			}
		}
	}
	for _, g := range k.state.reach[1:] {
		from := c.origin[g.View]
		if c.apart[g.View] {
			k.doubt(Copies, g.File, g.View.Start, "%s is not the original's, and is given no v-TB object", g.View.Name)
			continue
		}
		if from == nil {
			if turnKinds[k.state.main.obj.kind].block {
				same := k.state.main.beside(g, g)
				same.b = g
				same.uniformFit()
			} else if k.state.hasRawBarrier(g) {
				k.doubt(Uniform, g.File, g.View.Start, "%s has a barrier of the launched block", g.View.Name)
			}
			continue
		}
		al := k.state.main.beside(c.namesA.lower(c.a.file, from), g)
		p := c.b.between(int(g.View.Params[0].Node.Start), int(g.View.Params[0].Node.End))
		given := text(p)
		switch obj := al.obj; {
		case obj.inBlockMode() && len(p) == 2 && p[0].text == "bool" && !mentions(c.a.between(int(from.Body.Start), int(from.Body.End)), p[1].text):
			obj.mine, obj.name = p[1].text, "⟨none⟩"
		case strings.HasPrefix(given, "const "+strings.TrimPrefix(obj.type_, "const ")+" &") && (!obj.inBlockMode() || !k.state.hasBarrier(g)):
			obj.name = p[len(p)-1].text
		default:
			k.doubt(Erasure, g.File, g.View.Start, "%s is given another object than the kernel's", g.View.Name)
			continue
		}
		c.headFits(k, c.head(c.a, from), withoutFirst(c.head(c.b, g.View), g.View), g.View)
		al.lists(al.a.Body, al.b.Body)
		k.state.aligned[g.View] = al
		for _, role := range al.roles {
			if role != rolePlain && role != roleErased && role != roleBarrier && role != roleMine && role != roleNotMine {
				k.doubt(Turns, g.File, g.View.Start, "turns begin or end inside %s, which is not followed", g.View.Name)
			}
		}
		if len(al.temps)+len(al.moved)+len(al.dropped) > 0 {
			k.doubt(Moves, g.File, g.View.Start, "something moved inside %s, which is not followed", g.View.Name)
		}
	}
	if !turnKinds[k.state.main.obj.kind].block && k.state.hasRawBarrier(k.state.main.b) {
		k.doubt(Uniform, c.b.file, int(k.state.main.b.View.Body.Start), "a barrier of the launched block is left")
	}
}

// calledInTurns judges the device functions that are told whose turn it is; none but these are.
func (al *alignment) calledInTurns() {
	all := []*alignment{al}
	for _, g := range al.k.state.reach[1:] {
		if form := al.k.state.aligned[g.View]; form != nil && form.obj.mine != "" {
			form.formFit()
			form.uniformFit()
			all = append(all, form)
		}
	}
	for _, caller := range all {
		walk(caller.b.Body, func(e *ir.Expr) bool {
			if args := e.Args(); al.obj.inBlockMode() && len(args) > 0 && caller.givesTurn(args[0]) {
				if len(al.k.state.calls[e]) == 0 {
					al.k.doubt(Erasure, al.c.b.file, e.Range.Start, "%s is told whose turn it is, and is not in view", e.Name)
				}
				for _, g := range al.k.state.calls[e] {
					if form := al.k.state.aligned[g.View]; form == nil || form.obj.mine == "" {
						al.k.doubt(Erasure, al.c.b.file, e.Range.Start, "%s is told whose turn it is, and was not before", e.Name)
					}
				}
			}
			return true
		})
	}
}

// beside returns an alignment of two functions that a kernel's two forms call, with the kernel's object.
func (al *alignment) beside(a, b *ir.Func) *alignment {
	out := newAlignment(al.c, al.k, a, b)
	obj := *al.obj
	obj.at = -1
	out.obj = &obj
	return out
}

// withoutFirst leaves out a function's first parameter.
func withoutFirst(us []unit, fn *parser.Function) (kept []unit) {
	first := fn.Params[0].Node
	end := int(first.End)
	if len(fn.Params) > 1 {
		end = int(fn.Params[1].Node.Start)
	}
	for _, u := range us {
		if u.start < int(first.Start) || u.start >= end {
			kept = append(kept, u)
		}
	}
	return kept
}

// hasRawBarrier reports whether a function meets a barrier of the launched block itself.
func (st *kernelState) hasRawBarrier(fn *ir.Func) bool {
	return some(fn.Body, func(e *ir.Expr) bool {
		if _, mine := st.main.obj.own(e); mine || !isBarrierCall(e) {
			return false
		}
		obj, member := e.IsMemberCall()
		al := st.aligned[fn.View]
		ofForm := al != nil && member && obj.Op == ir.OpIdent && obj.Name == al.obj.name
		tile := member && called(e) == "sync" && obj.Op == ir.OpIdent && obj.Var != nil && strings.Contains(obj.Var.Type.Base, "tile")
		return !ofForm && !tile
	})
}
