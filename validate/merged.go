package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// merged asks what holds of any kernel of merged blocks.
type merged struct{ *comparison }

// mergedFit judges a kernel of merged blocks that has an object.
func mergedFit(of *comparison, k *Kernel, obj *object, a, b *parser.Function) {
	c := merged{of}
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
	t := turns{al}
	t.entry()
	al.wholes()
	c.reachFrom(k, al.b)
	c.forms(k)
	k.state.taint(c.comparison, k)
	t.calledInTurns()
	obj.fits(k, c.comparison)
	al.copiesFit()
	movesFit(al)
	if !obj.apart() {
		t.turnsFit()
	}
	t.uniformFit()
	if !obj.apart() || len(al.inRows) > 0 {
		contentFits(al)
	}
	c.waits(k)
	c.builtinsFit(k)
}

// unmergedFit judges a kernel whose blocks stay what they are: loads may stand earlier in it, and the compiler may be
// told the shape of a block.
func unmergedFit(of *comparison, k *Kernel, a, b *parser.Function) {
	c := merged{of}
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
	k.state.taint(c.comparison, k)
	movesFit(al)
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
func (c merged) signature(k *Kernel, obj *object, a, b *parser.Function) {
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

// declared compares the declaration of a kernel that has its body elsewhere: it may have parameters more.
func declared(of *comparison, r *Result, a, b definition) {
	c := merged{of}
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

// bounds checks that launch bounds leave room for merged blocks.
func (c merged) bounds(k *Kernel, obj *object, a, b [][]unit, at int) {
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

// forms judges the device functions that are given the v-TB object.
func (c merged) forms(k *Kernel) {
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
				same := turns{k.state.main}.beside(g, g)
				same.b = g
				turns{same}.uniformFit()
			} else if hasRawBarrier(k.state, g) {
				k.doubt(Uniform, g.File, g.View.Start, "%s has a barrier of the launched block", g.View.Name)
			}
			continue
		}
		al := turns{k.state.main}.beside(c.namesA.lower(c.a.file, from), g)
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
	if !turnKinds[k.state.main.obj.kind].block && hasRawBarrier(k.state, k.state.main.b) {
		k.doubt(Uniform, c.b.file, int(k.state.main.b.View.Body.Start), "a barrier of the launched block is left")
	}
}
