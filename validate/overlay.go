package validate

import (
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Overlay gives shared arrays the same bytes. Its erasure:
//
//	__shared__ union { float a[64]; float b[64]; } smux_shared;      is nothing
//	auto &a = smux_shared.a;                                         is   __shared__ float a[64];
//	__syncthreads();                                                 is nothing, where the original has none
//
// What is left is judged as it would be if each array had bytes of its own again: the unions are undone in the text,
// and the conditions (phases.go) are looked up in what comes of it, with the barriers that were added.
type overlay struct {
	c      *comparison
	k      *Kernel
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

// overlaid judges a kernel in which arrays share bytes, and reports whether this is one.
func overlaid(c *comparison, k *Kernel, a, b *parser.Function) bool {
	lb := c.namesB.lower(c.b.file, b)
	o := &overlay{c: c, k: k, refs: map[*ir.Stmt]string{}, leaves: map[string]*leafOf{}, names: map[string]string{}}
	for _, s := range statements(lb.Body) {
		if us := c.unitsOf(s); s.Op == ir.StmtDecl && !s.Macro && len(us) > 5 && is(us[:3], "__shared__ union {") {
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
	lb.Body.Walk(func(s *ir.Stmt) bool {
		o.reference(s)
		return true
	})
	text, ok := o.undone(lb)
	if !ok {
		k.doubt(Erasure, c.b.file, o.unions[0].Range.Start, "it can't be told which arrays these bytes hold")
		return true
	}
	now := o.parsed(b, text)
	if now == nil {
		k.doubt(Erasure, c.b.file, o.unions[0].Range.Start, "without the union the text can't be read")
		return true
	}
	la := c.namesA.lower(c.a.file, a)
	added, at, met := now.sameBut(la)
	c.headFits(k, c.head(c.a, a), c.head(c.b, b), b)
	switch {
	case at >= 0 && met:
		k.doubt(Uniform, now.c.b.file, at, "a barrier that the original has is not here")
	case at >= 0:
		k.doubt(Erasure, now.c.b.file, at, "this is not what the original has here")
	}
	al := newAlignment(now.c, k, la, now.b)
	k.state.main = al
	if at >= 0 || k.doubtful(Erasure) {
		return true
	}
	k.shown(Erasure, "unit by unit, with arrays in bytes of their own", k.Pos)
	o.fits(al, added)
	return true
}

// union reads "__shared__ union { … } smux_shared;".
func (o *overlay) union(us []unit) bool {
	end := closing(us, 2)
	if end < 0 || len(us) != end+3 || us[end+2].text != ";" || !strings.HasPrefix(us[end+1].text, slotPrefix) {
		return false
	}
	return o.members(us[3:end], us[end+1].text, []string{"union " + us[end+1].text})
}

// members reads the members of a union or a structure.
func (o *overlay) members(us []unit, path string, above []string) bool {
	for len(us) > 0 {
		if kind := us[0].text; (kind == "union" || kind == "struct") && len(us) > 1 && us[1].text == "{" {
			end := closing(us, 1)
			if end < 0 || end+2 >= len(us) || us[end+2].text != ";" {
				return false
			}
			inner := path + "." + us[end+1].text
			if !o.members(us[2:end], inner, append(slices.Clone(above), kind+" "+inner)) {
				return false
			}
			us = us[end+3:]
			continue
		}
		end := indexOf(us, ";")
		if end < 2 || mentions(us[:end], "{") || mentions(us[:end], "=") || mentions(us[:end], ",") {
			return false
		}
		n := end - 1
		if i := slices.IndexFunc(us[:end], func(u unit) bool { return u.text == "[" }); i > 0 {
			n = i - 1
		}
		if n < 1 || !isWord(us[n].text) || o.leaves[path+"."+us[n].text] != nil {
			return false
		}
		words := text(us[:n]) + " ⟨name⟩ " + text(us[n+1:end+1])
		o.leaves[path+"."+us[n].text] = &leafOf{text: words, above: append(slices.Clone(above), path+"."+us[n].text)}
		us = us[end+1:]
	}
	return true
}

// reference reads "auto &a = smux_shared.a;".
func (o *overlay) reference(s *ir.Stmt) {
	if s.Op != ir.StmtDecl || s.Macro {
		return
	}
	us := o.c.unitsOf(s)
	b, rest, ok := match(us, "auto & $ =")
	if !ok || len(rest) < 4 {
		return
	}
	path := ""
	for _, u := range rest[:len(rest)-1] {
		path += u.text
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
	src := string(o.c.b.file.Src)
	type change struct {
		from, to int
		with     string
	}
	var changes []change
	body := o.c.b.between(fn.Body.Range.Start, fn.Body.Range.End)
	for _, s := range o.unions {
		us := o.c.unitsOf(s)
		name, n := us[len(us)-2].text, 0
		for path := range o.leaves {
			if strings.HasPrefix(path, name+".") {
				n++
			}
		}
		for _, u := range body {
			if u.text == name {
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
	c *comparison
	b *ir.Func
}

// parsed reads a text of the file in place of its own.
func (o *overlay) parsed(b *parser.Function, text string) *undoneKernel {
	prog, err := o.c.namesB.prog.WithTexts(map[string][]byte{o.c.b.file.Name: []byte(text)})
	if err != nil {
		return nil
	}
	i := slices.Index(o.c.b.file.Functions, b)
	for _, f := range prog.Files {
		if f.Name != o.c.b.file.Name || i >= len(f.Functions) || f.Functions[i].Name != b.Name || f.Functions[i].Body == nil {
			continue
		}
		c := *o.c
		c.b, c.namesB = newSource(f), &names{prog: prog}
		return &undoneKernel{&c, c.namesB.lower(f, f.Functions[i])}
	}
	return nil
}

// sameBut lays the kernel beside the original, and returns the places of the barriers that it has more, and of the
// first other difference, -1 for none. That the two differ in barriers alone is told by met.
func (n *undoneKernel) sameBut(a *ir.Func) (added []int, at int, met bool) {
	undo := map[*ir.Stmt][]unit{}
	for _, s := range statements(n.b.Body) {
		if isCheck(n.c.unitsOf(s)) && !s.Macro {
			undo[s] = nil
		}
	}
	pa := &plain{c: n.c, s: n.c.a, fn: a}
	pb := &plain{c: n.c, s: n.c.b, fn: n.b, undo: undo}
	ua, ub := pa.body(), pb.body()
	if pa.raw || pb.raw || len(a.Problems)+len(n.b.Problems) > 0 {
		return nil, n.b.Body.Range.Start, false
	}
	met = text(withoutBarriers(ua)) == text(withoutBarriers(ub))
	i := 0
	for j := 0; j < len(ub); {
		if i < len(ua) && ua[i].text == ub[j].text {
			i, j = i+1, j+1
			continue
		}
		if _, _, ok := match(ub[j:], "__syncthreads ( ) ;"); ok && (j == 0 || strings.Contains(";{}:", ub[j-1].text)) {
			added = append(added, ub[j].start)
			j += 4
			continue
		}
		for ; j < len(ub); j++ {
			if ub[j].start > 0 {
				return nil, ub[j].start, met
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
func withoutBarriers(us []unit) (out []unit) {
	for len(us) > 0 {
		if _, rest, ok := match(us, "__syncthreads ( ) ;"); ok && (len(out) == 0 || strings.Contains(";{}:", out[len(out)-1].text)) {
			us = rest
		} else if us[0].text == ";" && len(out) > 0 && strings.Contains(";{}", out[len(out)-1].text) {
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
