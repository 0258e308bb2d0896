// Package overlay judges kernels in which shared arrays have the same bytes.
package overlay

import (
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// overlay gives shared arrays the same bytes. Its erasure:
//
//	__shared__ union { float a[64]; float b[64]; } smux_shared;      is nothing
//	auto &a = smux_shared.a;                                         is   __shared__ float a[64];
//	__syncthreads();                                                 is nothing, where the original has none
//
// What is left is judged as it would be if each array had bytes of its own again: the unions are undone in the text,
// and the conditions (phases.go) are looked up in what comes of it, with the barriers that were added.
type overlay struct {
	c      *kit.Comparison
	k      *kit.Kernel
	unions []*ir.Stmt
	refs   map[*ir.Stmt]string // what stands for a reference: the declaration of the array
	leaves map[string]*leafOf  // members that are arrays, by their paths: "smux_shared.together.a"
	names  map[string]string   // the path of an array, by its name
}

// leafOf is a member of a union, or of a structure or union in it.
type leafOf struct {
	text  string   // its declaration, with "⟨name⟩" for its name
	above []string // from the union on, which structures ("struct") and unions ("union") it lies in, each with its number
	used  bool
}

// Judge judges a kernel in which arrays share bytes, and reports whether this is one.
func Judge(c *kit.Comparison, k *kit.Kernel, a, b *parser.Function) bool {
	lb := c.NewNames.Lower(c.New.File, b)
	o := &overlay{c: c, k: k, refs: map[*ir.Stmt]string{}, leaves: map[string]*leafOf{}, names: map[string]string{}}
	for _, s := range kit.Statements(lb.Body) {
		if us := c.UnitsOf(s); s.Op == ir.StmtDecl && !s.Macro && len(us) > 5 && units.Is(us[:3], "__shared__ union {") {
			if !o.union(us) {
				return false
			}
			o.unions = append(o.unions, s)
		}
	}
	if len(o.unions) == 0 {
		return false
	}
	k.Variant = "overlay"
	for s := range lb.Body.All() {
		o.reference(s)
	}
	text, ok := o.undone(lb)
	if !ok {
		k.Doubt(kit.Erasure, c.New.File, o.unions[0].Range.Start, "it can't be told which arrays these bytes hold")
		return true
	}
	now := o.parsed(b, text)
	if now == nil {
		k.Doubt(kit.Erasure, c.New.File, o.unions[0].Range.Start, "without the union the text can't be read")
		return true
	}
	la := c.OldNames.Lower(c.Old.File, a)
	added, at, met := now.sameBut(la)
	c.HeadFits(k, c.Head(c.Old, a), c.Head(c.New, b), b)
	switch {
	case at >= 0 && met:
		k.Doubt(kit.Uniform, now.c.New.File, at, "a barrier that the original has is not here")
	case at >= 0:
		k.Doubt(kit.Erasure, now.c.New.File, at, "this differs from the original")
	}
	al := kit.NewAlignment(now.c, k, la, now.b)
	k.State.Main = al
	if at >= 0 || k.Doubtful(kit.Erasure) {
		return true
	}
	k.Show(kit.Erasure, "unit by unit, with arrays in bytes of their own", k.Pos)
	o.fits(al, added)
	return true
}

// union reads "__shared__ union { … } smux_shared;".
func (o *overlay) union(us []units.Unit) bool {
	end := units.Closing(us, 2)
	if end < 0 || len(us) != end+3 || us[end+2].Text != ";" || !strings.HasPrefix(us[end+1].Text, kit.SlotPrefix) {
		return false
	}
	return o.members(us[3:end], us[end+1].Text, []string{"union " + us[end+1].Text})
}

// members reads the members of a union or a structure.
func (o *overlay) members(us []units.Unit, path string, above []string) bool {
	for len(us) > 0 {
		if kind := us[0].Text; (kind == "union" || kind == "struct") && len(us) > 1 && us[1].Text == "{" {
			end := units.Closing(us, 1)
			if end < 0 || end+2 >= len(us) || us[end+2].Text != ";" {
				return false
			}
			inner := path + "." + us[end+1].Text
			if !o.members(us[2:end], inner, append(slices.Clone(above), kind+" "+inner)) {
				return false
			}
			us = us[end+3:]
			continue
		}
		end := units.IndexOf(us, ";")
		if end < 2 || units.Mentions(us[:end], "{") || units.Mentions(us[:end], "=") || units.Mentions(us[:end], ",") {
			return false
		}
		n := end - 1
		if i := slices.IndexFunc(us[:end], func(u units.Unit) bool { return u.Text == "[" }); i > 0 {
			n = i - 1
		}
		if n < 1 || !units.IsWord(us[n].Text) || o.leaves[path+"."+us[n].Text] != nil {
			return false
		}
		words := units.Text(us[:n]) + " ⟨name⟩ " + units.Text(us[n+1:end+1])
		o.leaves[path+"."+us[n].Text] = &leafOf{text: words, above: append(slices.Clone(above), path+"."+us[n].Text)}
		us = us[end+1:]
	}
	return true
}

// reference reads "auto &a = smux_shared.a;".
func (o *overlay) reference(s *ir.Stmt) {
	if s.Op != ir.StmtDecl || s.Macro {
		return
	}
	us := o.c.UnitsOf(s)
	b, rest, ok := units.Match(us, "auto & $ =")
	if !ok || len(rest) < 4 {
		return
	}
	path := ""
	for _, u := range rest[:len(rest)-1] {
		path += u.Text
	}
	l := o.leaves[path]
	if l == nil || l.used || o.names[b[0]] != "" {
		return
	}
	l.used = true
	o.names[b[0]] = path
	o.refs[s] = "__shared__ " + strings.Replace(l.text, "⟨name⟩", b[0], 1)
}

// undone returns the file's text with arrays that have bytes of their own, line by line.
func (o *overlay) undone(fn *ir.Func) (string, bool) {
	for _, l := range o.leaves {
		if !l.used {
			return "", false
		}
	}
	src := string(o.c.New.File.Src)
	type change struct {
		from, to int
		with     string
	}
	var changes []change
	body := o.c.New.Between(fn.Body.Range.Start, fn.Body.Range.End)
	for _, s := range o.unions {
		us := o.c.UnitsOf(s)
		name, n := us[len(us)-2].Text, 0
		for path := range o.leaves {
			if strings.HasPrefix(path, name+".") {
				n++
			}
		}
		for _, u := range body {
			if u.Text == name {
				n--
			}
		}
		if n != -1 { // the union itself
			return "", false
		}
		changes = append(changes, change{s.Range.Start, s.Range.End, strings.Repeat("\n", strings.Count(src[s.Range.Start:s.Range.End], "\n"))})
	}
	for s, with := range o.refs {
		changes = append(changes, change{s.Range.Start, s.Range.End, with + strings.Repeat("\n", strings.Count(src[s.Range.Start:s.Range.End], "\n"))})
	}
	slices.SortFunc(changes, func(a, b change) int { return b.from - a.from })
	for _, e := range changes {
		src = src[:e.from] + e.with + src[e.to:]
	}
	return src, true
}

// undoneKernel is the kernel with the unions undone.
type undoneKernel struct {
	c *kit.Comparison
	b *ir.Func
}

// parsed reads a text of the file in place of its own.
func (o *overlay) parsed(b *parser.Function, text string) *undoneKernel {
	prog, err := o.c.NewNames.Prog.WithTexts(map[string][]byte{o.c.New.File.Name: []byte(text)})
	if err != nil {
		return nil
	}
	i := slices.Index(o.c.New.File.Functions, b)
	for _, f := range prog.Files {
		if f.Name != o.c.New.File.Name || i >= len(f.Functions) || f.Functions[i].Name != b.Name || f.Functions[i].Body == nil {
			continue
		}
		c := *o.c
		c.New, c.NewNames = units.NewSource(f), kit.NewNames(prog, o.c.NewNames.Cache.Hidden)
		return &undoneKernel{&c, c.NewNames.Lower(f, f.Functions[i])}
	}
	return nil
}

// sameBut lays the kernel beside the original, and returns the places of the barriers that it has more, and of the
// first other difference, -1 for none. That the two differ in barriers alone is told by met.
func (n *undoneKernel) sameBut(a *ir.Func) (added []int, at int, met bool) {
	undo := map[*ir.Stmt][]units.Unit{}
	for _, s := range kit.Statements(n.b.Body) {
		if kit.IsCheck(n.c.UnitsOf(s)) && !s.Macro {
			undo[s] = nil
		}
	}
	pa := &content.Plain{Texts: n.c, Source: n.c.Old, Fn: a}
	pb := &content.Plain{Texts: n.c, Source: n.c.New, Fn: n.b, Undo: undo}
	ua, ub := pa.Body(), pb.Body()
	if pa.Raw || pb.Raw || len(a.Problems)+len(n.b.Problems) > 0 {
		return nil, n.b.Body.Range.Start, false
	}
	met = units.Text(withoutBarriers(ua)) == units.Text(withoutBarriers(ub))
	i := 0
	for j := 0; j < len(ub); {
		if i < len(ua) && ua[i].Text == ub[j].Text {
			i, j = i+1, j+1
			continue
		}
		if _, _, ok := units.Match(ub[j:], "__syncthreads ( ) ;"); ok && (j == 0 || strings.Contains(";{}:", ub[j-1].Text)) {
			added = append(added, ub[j].Start)
			j += 4
			continue
		}
		for ; j < len(ub); j++ {
			if ub[j].Start > 0 {
				return nil, ub[j].Start, met
			}
		}
		return nil, n.b.Body.Range.End - 1, met
	}
	if i < len(ua) {
		return nil, n.b.Body.Range.End - 1, met
	}
	return added, -1, met
}

// withoutBarriers leaves out barriers of the block, and statements that are empty.
func withoutBarriers(us []units.Unit) (out []units.Unit) {
	for len(us) > 0 {
		if _, rest, ok := units.Match(us, "__syncthreads ( ) ;"); ok && (len(out) == 0 || strings.Contains(";{}:", out[len(out)-1].Text)) {
			us = rest
		} else if us[0].Text == ";" && len(out) > 0 && strings.Contains(";{}", out[len(out)-1].Text) {
			us = us[1:]
		} else {
			out, us = append(out, us[0]), us[1:]
		}
	}
	return out
}

// overlaps returns for each array those that have bytes in common with it: they part at a union.
func (o *overlay) overlaps(fn *ir.Func) map[*ir.Var][]*ir.Var {
	out := map[*ir.Var][]*ir.Var{}
	for _, name := range slices.Sorted(maps.Keys(o.names)) {
		for _, other := range slices.Sorted(maps.Keys(o.names)) {
			p, q := o.leaves[o.names[name]].above, o.leaves[o.names[other]].above
			n := 0
			for n < len(p) && n < len(q) && p[n] == q[n] {
				n++
			}
			if name == other || n == 0 || !strings.HasPrefix(p[n-1], "union ") {
				continue
			}
			v, w := sharedOf(fn, name), sharedOf(fn, other)
			if v != nil && w != nil {
				out[v] = append(out[v], w)
			}
		}
	}
	return out
}

// sharedOf returns the shared variable of a name, nil where there are several or none.
func sharedOf(fn *ir.Func, name string) (found *ir.Var) {
	for _, v := range fn.Vars {
		if v.Name == name {
			if found != nil || v.Kind != ir.VarShared {
				return nil
			}
			found = v
		}
	}
	return found
}
