package content

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// Plain writes the body of a function in the one way in which rewrites are compared that leave thread blocks what
// they are: bodies of loops and branches in braces, each variable declared by itself, pragmas that unroll left out,
// which mean nothing; and of the new text what the rewrite added undone. Every unit of the body is written, or
// belongs to a statement that is undone.
type Plain struct {
	Texts  *kit.Comparison
	Source *units.Source
	Fn     *ir.Func

	Torn  map[string]bool           // variables that are declared first and set then
	Loose map[string]bool           // variables that need not be const
	Undo  map[*ir.Stmt][]units.Unit // statements of the rewrite, and what stands for each
	Raw   bool                      // something can't be written so
	out   []units.Unit
}

// Body returns the units of the function's body.
func (p *Plain) Body() []units.Unit {
	p.out, p.Raw = nil, false
	p.block(p.Fn.Body)
	return p.out
}

// put writes words that are nowhere in the text, and units those of a range.
func (p *Plain) put(words ...string) {
	for _, w := range words {
		p.out = append(p.out, units.Unit{Text: w})
	}
}

func (p *Plain) units(from, to int) {
	us := p.Source.Between(from, to)
	for i := 0; i < len(us); i++ {
		if b, _, ok := units.Match(us[i:], "_Pragma ( $ )"); ok && Unrolls(strings.Trim(b[0], `"`)) {
			i += 3
			continue
		}
		if what, ok := strings.CutPrefix(us[i].Text, "# pragma "); !ok || !Unrolls(what) {
			p.out = append(p.out, us[i])
		}
	}
}

// Unrolls reports whether a pragma only says how often a loop is unrolled.
func Unrolls(pragma string) bool {
	return strings.HasPrefix(pragma, "unroll") || strings.HasPrefix(pragma, "GCC unroll") || pragma == "nounroll"
}

// kept are the statements of a compound that are not undone to nothing.
func (p *Plain) kept(s *ir.Stmt) (out []*ir.Stmt) {
	for _, t := range s.List {
		if us, undone := p.Undo[t]; !undone || len(us) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// block writes the body of a function, a loop or a branch: in braces, of which one pair is enough.
func (p *Plain) block(s *ir.Stmt) {
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
func (p *Plain) directives(s, inner *ir.Stmt) bool {
	outside := append(slices.Clone(p.Source.Between(s.Range.Start, inner.Range.Start)), p.Source.Between(inner.Range.End, s.Range.End)...)
	return slices.ContainsFunc(outside, func(u units.Unit) bool { return strings.HasPrefix(u.Text, "#") })
}

// stmt writes a statement with the pragmas before it.
func (p *Plain) stmt(s *ir.Stmt) {
	if us, ok := p.Undo[s]; ok {
		p.out = append(p.out, us...)
		return
	}
	if kit.Leaf(s) {
		p.units(s.Outer.Start, s.Range.Start)
		if s.Op != ir.StmtDecl || s.Macro || !p.declaration(s) {
			p.units(s.Range.Start, s.Outer.End)
		}
		return
	}
	at := s.Outer.Start
	var last *ir.Stmt
	for _, t := range kit.Branches(s) {
		if last != nil && t.Macro && last.Macro && t.Range == last.Range {
			continue // of the same use of a macro
		}
		last = t
		if t.Outer.Start < at {
			p.Raw = true
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
func (p *Plain) splices(s *ir.Stmt) bool {
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
	for _, u := range p.Source.Between(s.Range.Start, s.Range.End) {
		if !slices.ContainsFunc(s.List, func(t *ir.Stmt) bool { return t.Outer.Start <= u.Start && u.Start < t.Outer.End }) {
			inside++
		}
	}
	return inside == 2 // the braces
}

// declaration writes each variable of a declaration by itself, and reports whether it can be.
func (p *Plain) declaration(s *ir.Stmt) bool {
	vs := s.Vars
	if len(vs) == 0 || len(vs) == 1 && !p.Torn[vs[0].Name] && !p.Loose[vs[0].Name] {
		return false
	}
	spec := p.Source.Between(s.Range.Start, vs[0].Range.Start)
	if units.Mentions(spec, "{") || len(spec) == 0 {
		return false
	}
	for i, v := range vs {
		end, sep := s.Range.End, ";"
		if i+1 < len(vs) {
			end, sep = vs[i+1].Range.Start, ","
		}
		us := p.Source.Between(v.Range.Start, v.Range.End)
		if v.Macro || units.Text(p.Source.Between(v.Range.End, end)) != sep || !units.Mentions(us, v.Name) {
			return false
		}
		if list := v.Init != nil && v.Init.Op == ir.OpInitList; p.Torn[v.Name] && len(v.Dims) > 0 && (len(v.Dims) > 1 || v.Init != nil && !list || p.extent(v) == 0) {
			return false
		}
	}
	for _, v := range vs {
		p.variable(spec, v)
	}
	return true
}

// extent is that of an array of one dimension, 0 for one that is not known.
func (p *Plain) extent(v *ir.Var) int {
	if v.Dims[0] == nil {
		return 0
	}
	n, _ := IntOf(p.Texts, v.Dims[0])
	return n
}

// variable writes one variable of a declaration.
func (p *Plain) variable(spec []units.Unit, v *ir.Var) {
	us := p.Source.Between(v.Range.Start, v.Range.End)
	n := units.IndexOf(us, v.Name)
	head, init := us[:n], us[n+1:]
	if p.Loose[v.Name] {
		if v.Type.Ptr > 0 {
			head = slices.DeleteFunc(slices.Clone(head), func(u units.Unit) bool { return u.Text == "const" })
		} else {
			spec = slices.DeleteFunc(slices.Clone(spec), func(u units.Unit) bool { return u.Text == "const" })
		}
	}
	name := func() { p.out = append(p.out, us[n]) }
	p.out = append(append(p.out, spec...), head...)
	if !p.Torn[v.Name] {
		name()
		p.out = append(p.out, init...)
		p.put(";")
		return
	}
	if len(v.Dims) > 0 {
		size := p.extent(v)
		name()
		p.put("[", units.Itoa(size), "]", ";")
		if v.Init == nil {
			return
		}
		for i := range size {
			p.put(v.Name, "[", units.Itoa(i), "]", "=")
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
	case init[0].Text == "=":
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
