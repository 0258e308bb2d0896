package validate

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// infix reads a condition by the precedence of its operators. The grammar takes "a < b && c >= d" for an assignment to
// something of a template a<b && c>; names, numbers, members, calls of one name and operators are all that is read here.
type infix struct {
	us    []unit
	names map[int]*ir.Expr
}

// precedence of the operators of two operands, from the one that binds least.
var precedence = [][]string{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

// untangle does so for the conditions of a function, and the values of truths that it declares.
func (s *source) untangle(fn *ir.Func) {
	fn.Body.Walk(func(t *ir.Stmt) bool {
		t.Cond = s.untangled(t.Cond)
		for _, v := range t.Vars {
			if v.Type.Base == "bool" {
				v.Init = s.untangled(v.Init)
			}
		}
		return true
	})
}

// untangled is a condition as it reads where the grammar may have got it wrong; the tree that there is where it can't
// be read here.
func (s *source) untangled(e *ir.Expr) *ir.Expr {
	if e == nil || e.Macro || !e.Any(func(x *ir.Expr) bool { return x.Op == ir.OpMixed || x.Op == ir.OpAssign || len(x.TArgs) > 0 }) {
		return e
	}
	p := &infix{names: map[int]*ir.Expr{}}
	for _, u := range s.between(e.Range.Start, e.Range.End) {
		if n := len(p.us) - 1; n >= 0 && p.us[n].end == u.start && slices.Contains([]string{">=", "<=", "==", "!=", "&&", "||", ">>", "<<"}, p.us[n].text+u.text) {
			p.us[n].text, p.us[n].end = p.us[n].text+u.text, u.end
			continue
		}
		p.us = append(p.us, u)
	}
	e.Walk(func(x *ir.Expr) bool {
		if x.Op == ir.OpIdent || x.Op == ir.OpInt {
			p.names[x.Range.Start] = x
		}
		return true
	})
	if out := p.binary(0); out != nil && len(p.us) == 0 {
		return out
	}
	return e
}

func (p *infix) next(texts ...string) bool {
	return len(p.us) > 0 && slices.Contains(texts, p.us[0].text)
}

func (p *infix) take() unit {
	u := p.us[0]
	p.us = p.us[1:]
	return u
}

func (p *infix) binary(level int) *ir.Expr {
	if level == len(precedence) {
		return p.unary()
	}
	left := p.binary(level + 1)
	for left != nil && p.next(precedence[level]...) {
		op := p.take().text
		right := p.binary(level + 1)
		if right == nil {
			return nil
		}
		left = &ir.Expr{Op: ir.OpBinary, Tok: op, Kids: []*ir.Expr{left, right}, Range: ir.Range{Start: left.Range.Start, End: right.Range.End}}
	}
	return left
}

func (p *infix) unary() *ir.Expr {
	switch {
	case len(p.us) == 0:
		return nil
	case p.next("!", "-", "+", "~"):
		u := p.take()
		kid := p.unary()
		if kid == nil {
			return nil
		}
		return &ir.Expr{Op: ir.OpUnary, Tok: u.text, Kids: []*ir.Expr{kid}, Range: ir.Range{Start: u.start, End: kid.Range.End}}
	case p.next("("):
		p.take()
		e := p.binary(0)
		if e == nil || !p.next(")") {
			return nil
		}
		p.take()
		return e
	}
	u := p.take()
	e := p.names[u.start]
	if e != nil && e.Op == ir.OpIdent && e.Name == u.text {
		v := e.Var
		for _, other := range p.names {
			if v == nil && other.Name == u.text {
				v = other.Var
			}
		}
		e = &ir.Expr{Op: ir.OpIdent, Name: e.Name, Var: v, Range: ir.Range{Start: u.start, End: u.end}} // without arguments of a template
	}
	if e == nil || e.Range.End != u.end || e.Op == ir.OpIdent && e.Var == nil && !strings.HasSuffix(u.text, "Idx") && !strings.HasSuffix(u.text, "Dim") {
		return nil
	}
	for p.next(".") && len(p.us) > 1 {
		p.take()
		m := p.take()
		if !isWord(m.text) {
			return nil
		}
		e = &ir.Expr{Op: ir.OpMember, Name: m.text, Kids: []*ir.Expr{e}, Range: ir.Range{Start: u.start, End: m.end}}
	}
	return e
}
