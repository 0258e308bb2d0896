package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// plain writes the body of a function in the one way in which rewrites are compared that leave thread blocks what
// they are: bodies of loops and branches in braces, each variable declared by itself, pragmas that unroll left out,
// which mean nothing; and of the new text what the rewrite added undone. Every unit of the body is written, or
// belongs to a statement that is undone.
type plain struct {
	c  *comparison
	s  *source
	fn *ir.Func

	torn  map[string]bool     // variables that are declared first and set then
	loose map[string]bool     // variables that need not be const
	undo  map[*ir.Stmt][]unit // statements of the rewrite, and what stands for each
	raw   bool                // something can't be written so
	out   []unit
}

// body returns the units of the function's body.
func (p *plain) body() []unit {
	p.out, p.raw = nil, false
	p.block(p.fn.Body)
	return p.out
}

// put writes words that are nowhere in the text, and units those of a range.
func (p *plain) put(words ...string) {
	for _, w := range words {
		p.out = append(p.out, unit{text: w})
	}
}

func (p *plain) units(from, to int) {
	us := p.s.between(from, to)
	for i := 0; i < len(us); i++ {
		if b, _, ok := match(us[i:], "_Pragma ( $ )"); ok && unrolls(strings.Trim(b[0], `"`)) {
			i += 3
			continue
		}
		if what, ok := strings.CutPrefix(us[i].text, "# pragma "); !ok || !unrolls(what) {
			p.out = append(p.out, us[i])
		}
	}
}

// unrolls reports whether a pragma only says how often a loop is unrolled.
func unrolls(pragma string) bool {
	return strings.HasPrefix(pragma, "unroll") || strings.HasPrefix(pragma, "GCC unroll") || pragma == "nounroll"
}

// kept are the statements of a compound that are not undone to nothing.
func (p *plain) kept(s *ir.Stmt) (out []*ir.Stmt) {
	for _, t := range s.List {
		if us, undone := p.undo[t]; !undone || len(us) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// block writes the body of a function, a loop or a branch: in braces, of which one pair is enough.
func (p *plain) block(s *ir.Stmt) {
	if s.Op != ir.StmtCompound || s.NoScope || s.Macro {
		p.put("{")
		p.stmt(s)
		p.put("}")
		return
	}
	if kept := p.kept(s); len(kept) == 1 && kept[0].Op == ir.StmtCompound && !kept[0].NoScope && !kept[0].Macro && !p.directives(s, kept[0]) {
		p.block(kept[0])
		return
	}
	p.stmt(s)
}

// directives reports whether a directive stands in a compound outside of one of its statements.
func (p *plain) directives(s, inner *ir.Stmt) bool {
	outside := append(slices.Clone(p.s.between(s.Range.Start, inner.Range.Start)), p.s.between(inner.Range.End, s.Range.End)...)
	return slices.ContainsFunc(outside, func(u unit) bool { return strings.HasPrefix(u.text, "#") })
}

// stmt writes a statement with the pragmas before it.
func (p *plain) stmt(s *ir.Stmt) {
	if us, ok := p.undo[s]; ok {
		p.out = append(p.out, us...)
		return
	}
	if leaf(s) {
		p.units(s.Outer.Start, s.Range.Start)
		if s.Op != ir.StmtDecl || s.Macro || !p.declaration(s) {
			p.units(s.Range.Start, s.Outer.End)
		}
		return
	}
	at := s.Outer.Start
	var last *ir.Stmt
	for _, t := range branches(s) {
		if last != nil && t.Macro && last.Macro && t.Range == last.Range {
			continue // of the same use of a macro
		}
		last = t
		if t.Outer.Start < at {
			p.raw = true
			return
		}
		p.units(at, t.Outer.Start)
		at = t.Outer.End
		switch {
		case t == s.Init:
			p.units(t.Outer.Start, t.Outer.End)
		case t == s.Body, t == s.Else:
			p.block(t)
		case t.Op == ir.StmtCompound && p.splices(t):
			for _, u := range p.kept(t) {
				p.stmt(u)
			}
		default:
			p.stmt(t)
		}
	}
	p.units(at, s.Outer.End)
}

// splices reports whether the braces of a compound among other statements mean nothing: nothing is declared in them.
func (p *plain) splices(s *ir.Stmt) bool {
	if s.NoScope || s.Macro {
		return false
	}
	at := s.Range.Start
	for _, t := range s.List {
		if t.Op == ir.StmtDecl || t.Macro || t.Preproc || t.NoScope || t.Op == ir.StmtCase || t.Op == ir.StmtLabel || t.Outer.Start < at {
			return false
		}
		at = t.Outer.End
	}
	inside := 0
	for _, u := range p.s.between(s.Range.Start, s.Range.End) {
		if !slices.ContainsFunc(s.List, func(t *ir.Stmt) bool { return t.Outer.Start <= u.start && u.start < t.Outer.End }) {
			inside++
		}
	}
	return inside == 2 // the braces
}

// declaration writes each variable of a declaration by itself, and reports whether it can be.
func (p *plain) declaration(s *ir.Stmt) bool {
	vs := s.Vars
	if len(vs) == 0 || len(vs) == 1 && !p.torn[vs[0].Name] && !p.loose[vs[0].Name] {
		return false
	}
	spec := p.s.between(s.Range.Start, vs[0].Range.Start)
	if mentions(spec, "{") || len(spec) == 0 {
		return false
	}
	for i, v := range vs {
		end, sep := s.Range.End, ";"
		if i+1 < len(vs) {
			end, sep = vs[i+1].Range.Start, ","
		}
		us := p.s.between(v.Range.Start, v.Range.End)
		if v.Macro || text(p.s.between(v.Range.End, end)) != sep || !mentions(us, v.Name) {
			return false
		}
		if list := v.Init != nil && v.Init.Op == ir.OpInitList; p.torn[v.Name] && len(v.Dims) > 0 && (len(v.Dims) > 1 || v.Init != nil && !list || p.extent(v) == 0) {
			return false
		}
	}
	for _, v := range vs {
		p.variable(spec, v)
	}
	return true
}

// extent is that of an array of one dimension, 0 for one that is not known.
func (p *plain) extent(v *ir.Var) int {
	if v.Dims[0] == nil {
		return 0
	}
	n, _ := intOf(p.c, v.Dims[0])
	return n
}

// variable writes one variable of a declaration.
func (p *plain) variable(spec []unit, v *ir.Var) {
	us := p.s.between(v.Range.Start, v.Range.End)
	n := indexOf(us, v.Name)
	head, init := us[:n], us[n+1:]
	if p.loose[v.Name] {
		if v.Type.Ptr > 0 {
			head = slices.DeleteFunc(slices.Clone(head), func(u unit) bool { return u.text == "const" })
		} else {
			spec = slices.DeleteFunc(slices.Clone(spec), func(u unit) bool { return u.text == "const" })
		}
	}
	name := func() { p.out = append(p.out, us[n]) }
	p.out = append(append(p.out, spec...), head...)
	if !p.torn[v.Name] {
		name()
		p.out = append(p.out, init...)
		p.put(";")
		return
	}
	if len(v.Dims) > 0 {
		size := p.extent(v)
		name()
		p.put("[", itoa(size), "]", ";")
		if v.Init == nil {
			return
		}
		for i := range size {
			p.put(v.Name, "[", itoa(i), "]", "=")
			switch {
			case i >= len(v.Init.Kids):
				p.put("0")
			case v.Init.Kids[i].Op == ir.OpComma:
				p.put("(")
				p.units(v.Init.Kids[i].Range.Start, v.Init.Kids[i].Range.End)
				p.put(")")
			default:
				p.units(v.Init.Kids[i].Range.Start, v.Init.Kids[i].Range.End)
			}
			p.put(";")
		}
		return
	}
	name()
	p.put(";")
	switch {
	case len(init) == 0:
	case init[0].text == "=":
		name()
		p.out = append(p.out, init...)
		p.put(";")
	default:
		// What initialises may convert where an assignment would not.
		p.out = append(append(p.out, spec...), head...)
		p.put("⟨value⟩")
		p.out = append(p.out, init...)
		p.put(";", v.Name, "=", "⟨value⟩", ";")
	}
}
