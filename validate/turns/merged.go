// Package turns judges kernels of merged thread blocks, and their launches; and kernels in which only loads moved, or
// whose compiler is told the shape of blocks.
package turns

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/moves"
	"github.com/smux-cuda/smux/validate/units"
)

// merged asks what holds of any kernel of merged blocks.
type merged struct{ *kit.Comparison }

// Merged judges a kernel of merged blocks that has an object.
func Merged(of *kit.Comparison, k *kit.Kernel, obj *kit.Object, a, b *parser.Function) {
	c := merged{of}
	us := c.New.Between(int(b.Body.Start), int(b.Body.End))
	obj.Turn, obj.Step = kit.Counter(us, "turn", obj.Merged), kit.Counter(us, "step", obj.Merged+1)
	for _, name := range []string{obj.Turn, obj.Step} {
		if units.Mentions(c.Old.Between(a.Start, int(a.Body.End)), name) || slices.ContainsFunc(c.Old.Units, func(u units.Unit) bool {
			return strings.HasPrefix(u.Text, "#") && slices.Contains(units.Words(u.Text), name)
		}) {
			k.Doubt(kit.Erasure, c.New.File, b.Start, "the original has the name %s for something else", name)
		}
	}
	obj.Plain = kit.TurnKinds[obj.Kind].Block && obj.Turn+obj.Step == ""
	k.Variant, k.Merged, k.Block = obj.Variant(), obj.Merged, obj.Block
	c.signature(k, obj, a, b)
	al := c.Align(k, obj, a, b)
	k.State.Main = al
	if len(al.Splits) > 0 {
		k.Variant = "co-" + k.Variant
	}
	if k.Doubtful(kit.Erasure) {
		return
	}
	k.Show(kit.Erasure, "unit by unit", k.Pos)
	t := turns{al}
	t.entry()
	al.Wholes()
	c.ReachFrom(k, al.New)
	c.forms(k)
	k.State.Taint(c.Comparison, k)
	t.calledInTurns()
	obj.Fits(k, c.Comparison)
	al.CopiesFit()
	moves.Fit(al)
	if !obj.Apart() {
		t.turnsFit()
	}
	t.uniformFit()
	if !obj.Apart() || len(al.InRows) > 0 {
		content.Fit(al)
	}
	c.waits(k)
	c.builtinsFit(k)
	c.lanesFit(k)
}

// Unmerged judges a kernel whose blocks stay what they are: loads may stand earlier in it, and the compiler may be
// told the shape of a block.
func Unmerged(of *kit.Comparison, k *kit.Kernel, a, b *parser.Function) {
	c := merged{of}
	obj := kit.Unmerged()
	k.Variant = "stage-loads"
	if obj.ToldShape(c.New.Between(int(b.Body.Start), int(b.Body.End))) {
		k.Variant = "assume-shape"
	}
	c.HeadFits(k, c.Head(c.Old, a), c.Head(c.New, b), b)
	al := c.Align(k, obj, a, b)
	k.State.Main = al
	if k.Doubtful(kit.Erasure) {
		return
	}
	k.Show(kit.Erasure, "unit by unit", k.Pos)
	c.ReachFrom(k, al.New)
	k.State.Taint(c.Comparison, k)
	moves.Fit(al)
	for s, r := range al.Roles {
		if r == kit.RoleAdded {
			k.Doubt(kit.Uniform, c.New.File, s.Range.Start, "the original has no barrier here")
		}
	}
	if k.Variant == "assume-shape" {
		c.shapeFits(k, obj)
	}
}

// signature compares what stands before the body: the new kernel may have parameters more, for the length of
// the grid and the bytes of a set, and its launch bounds are those of merged blocks.
func (c merged) signature(k *kit.Kernel, obj *kit.Object, a, b *parser.Function) {
	ua, boundsA := kit.WithoutBounds(c.Head(c.Old, a))
	ub, boundsB := kit.WithoutBounds(c.Head(c.New, b))
	for i := range ua {
		if _, _, ok := units.Match(ua[i:], "( void )"); ok {
			ua = append(append([]units.Unit(nil), ua[:i+1]...), ua[i+2:]...)
			break
		}
	}
	typed := "unsigned"
	if obj.Whole {
		typed = "uint3"
	}
	extra := 0
	for i := len(ub) - 1; i > 0; i-- {
		b, _, more := units.Match(ub[i:], ", $ $")
		first, _, alone := units.Match(ub[i:], "( $ $")
		switch {
		case more && (b[0] == typed && b[1] == obj.GridParam || b[0] == "unsigned" && strings.HasPrefix(b[1], kit.CopyPrefix)) && extra < 2:
			ub = slices.Delete(slices.Clone(ub), i, i+3)
			extra++
		case alone && first[0] == typed && first[1] == obj.GridParam && extra < 2:
			n := 2
			if i+3 < len(ub) && ub[i+3].Text == "," {
				n++
			}
			ub = slices.Delete(slices.Clone(ub), i+1, i+1+n)
			extra++
		}
	}
	k.State.Params = len(b.Params) - extra
	k.State.Extra = slices.IndexFunc(b.Params, func(p parser.Param) bool { return strings.HasSuffix(c.New.File.Text(p.Node), " "+obj.GridParam) })
	if behind := k.State.Extra + 1; extra < 1 || behind == 0 || extra > 1 && (behind == len(b.Params) || !strings.HasPrefix(c.New.File.Text(b.Params[behind].Node), "unsigned "+kit.CopyPrefix)) {
		k.Doubt(kit.Erasure, c.New.File, b.Start, "the kernel has no parameter for the length of the grid, or those that it has more do not follow one another")
	} else if extra > 1 {
		k.State.Bytes = strings.TrimPrefix(c.New.File.Text(b.Params[behind].Node), "unsigned ")
	}
	c.HeadFits(k, ua, ub, b)
	c.bounds(k, obj, boundsA, boundsB, int(b.Start))
}

// Declared compares the declaration of a kernel that has its body elsewhere: it may have parameters more.
func Declared(of *kit.Comparison, r *kit.Result, a, b kit.Definition) {
	c := merged{of}
	ua, boundsA := kit.WithoutBounds(c.Old.Between(a.Start, a.End))
	ub, boundsB := kit.WithoutBounds(c.New.Between(b.Start, b.End))
	if len(boundsA)+len(boundsB) > 0 {
		c.Hosts = append(c.Hosts, func() {
			ks := c.Changed[b.Fn.Name]
			if len(ks) == 0 || slices.ContainsFunc(ks, func(k *kit.Kernel) bool { return k.State.Main == nil }) {
				r.Doubt(kit.Numbers, c.New.File, b.Start, "these launch bounds are of a kernel that is not seen")
				return
			}
			for _, k := range ks { // of one name, and any of them may be declared
				c.bounds(k, k.State.Main.Obj, boundsA, boundsB, b.Start)
			}
		})
	}
	for len(ub) > len(ua) {
		cut := false
		for i := len(ub) - 1; i > 0 && !cut; i-- {
			n := 2
			if b, _, ok := units.Match(ub[i:], ", $"); !ok || b[0] != "unsigned" && b[0] != "uint3" || i+2 >= len(ub) {
				continue
			}
			if strings.HasPrefix(ub[i+2].Text, kit.CopyPrefix) {
				n = 3
			}
			ub, cut = append(append([]units.Unit(nil), ub[:i]...), ub[i+n:]...), true
		}
		if !cut {
			break
		}
	}
	if !units.Same(ua, ub) {
		r.Doubt(kit.Erasure, c.New.File, b.Start, "this declaration is not the original's")
	}
}

// bounds checks that launch bounds leave room for merged blocks.
func (c merged) bounds(k *kit.Kernel, obj *kit.Object, a, b [][]units.Unit, at int) {
	if len(b) == 0 {
		if len(a) > 0 {
			k.Doubt(kit.Numbers, c.New.File, at, "the launch bounds are gone")
		}
		return
	}
	if n := c.Product(b[0]); obj.Threads() > 0 && n >= obj.Threads()*obj.Merged || n >= 1024 {
		return
	}
	if len(a) > 0 {
		for _, form := range []string{units.Text(a[0]) + " * " + units.Itoa(obj.Merged), units.Itoa(obj.Merged) + " * " + units.Text(a[0]), "( " + units.Text(a[0]) + " ) * " + units.Itoa(obj.Merged)} {
			if units.Text(b[0]) == form || units.Text(b[0]) == "( "+form+" < 1024 ? "+form+" : 1024 )" {
				return // or as many as a block may have
			}
		}
	}
	k.Doubt(kit.Numbers, c.New.File, b[0][0].Start, "it is not known that these launch bounds leave room for %d merged blocks", obj.Merged)
}

// forms judges the device functions that are given the v-TB object.
func (c merged) forms(k *kit.Kernel) {
	for _, g := range k.State.Reach {
		for _, v := range g.Vars {
			if k.State.Main.Obj.Stays && v.Static && v.Kind != ir.VarShared && !v.Type.Const {
				k.Doubt(kit.Moves, g.File, v.Range.Start, "%s keeps its value from one block to the next", v.Name)
			}
		}
	}
	for _, g := range k.State.Reach[1:] {
		from := c.Origin[g.View]
		if c.Apart[g.View] {
			k.Doubt(kit.Copies, g.File, g.View.Start, "%s is not the original's, and is given no v-TB object", g.View.Name)
			continue
		}
		if from == nil {
			if kit.TurnKinds[k.State.Main.Obj.Kind].Block {
				same := turns{k.State.Main}.beside(g, g)
				same.New = g
				turns{same}.uniformFit()
			} else if hasRawBarrier(k.State, g) {
				k.Doubt(kit.Uniform, g.File, g.View.Start, "%s has a barrier of the launched block", g.View.Name)
			}
			continue
		}
		al := turns{k.State.Main}.beside(c.OldNames.Lower(c.Old.File, from), g)
		p := c.New.Between(int(g.View.Params[0].Node.Start), int(g.View.Params[0].Node.End))
		given := units.Text(p)
		switch obj := al.Obj; {
		case obj.InBlockMode() && len(p) == 2 && p[0].Text == "bool" && !units.Mentions(c.Old.Between(int(from.Body.Start), int(from.Body.End)), p[1].Text):
			obj.Mine, obj.Name = p[1].Text, "⟨none⟩"
		case strings.HasPrefix(given, "const "+strings.TrimPrefix(obj.Type, "const ")+" &") && (!obj.InBlockMode() || !k.State.HasBarrier(g)):
			obj.Name = p[len(p)-1].Text
		default:
			k.Doubt(kit.Erasure, g.File, g.View.Start, "%s is given another object than the kernel's", g.View.Name)
			continue
		}
		c.HeadFits(k, c.Head(c.Old, from), kit.WithoutFirst(c.Head(c.New, g.View), g.View), g.View)
		al.Lists(al.Old.Body, al.New.Body)
		k.State.Aligned[g.View] = al
		if !kit.TurnKinds[k.State.Main.Obj.Kind].Block && hasRawBarrier(k.State, g) {
			k.Doubt(kit.Uniform, g.File, g.View.Start, "%s has a barrier of the launched block", g.View.Name)
		}
		for _, role := range al.Roles {
			if role != kit.RolePlain && role != kit.RoleErased && role != kit.RoleBarrier && role != kit.RoleMine && role != kit.RoleNotMine {
				k.Doubt(kit.Turns, g.File, g.View.Start, "turns begin or end inside %s, which is not followed", g.View.Name)
			}
		}
		if len(al.Temps)+len(al.Moved)+len(al.Dropped) > 0 {
			k.Doubt(kit.Moves, g.File, g.View.Start, "something moved inside %s, which is not followed", g.View.Name)
		}
	}
	if !kit.TurnKinds[k.State.Main.Obj.Kind].Block && hasRawBarrier(k.State, k.State.Main.New) {
		k.Doubt(kit.Uniform, c.New.File, int(k.State.Main.New.View.Body.Start), "a barrier of the launched block is left")
	}
}

// shapeFits checks that launches have the blocks that the compiler is told of.
func (c merged) shapeFits(k *kit.Kernel, o *kit.Object) {
	shapes, known := content.ShapesOf(c.Comparison, k.Name)
	for _, s := range shapes {
		for axis, n := range s {
			if n > 0 && (o.Block[axis] > 0 && n > o.Block[axis] || o.Exact[axis] > 0 && n != o.Exact[axis]) {
				k.Doubt(kit.Launches, c.New.File, k.State.Main.New.View.Start, "a launch has blocks of %dx%dx%d threads, and the compiler is told others", s[0], s[1], s[2])
				return
			}
		}
	}
	shown := k.Show(kit.Launches, "what the compiler is told of threadIdx and blockDim is so in every launch in view")
	if !known {
		most := " at most"
		if o.Exact != [3]int{} {
			most = ""
		}
		shown.Assumes = "every launch has blocks of" + most + " " + extents(o.Block) + " threads"
	}
}

// extents writes a shape of blocks as far as it is told: "16x16".
func extents(block [3]int) string {
	var out []string
	for _, n := range block {
		if n > 0 {
			out = append(out, units.Itoa(n))
		}
	}
	return strings.Join(out, "x")
}
