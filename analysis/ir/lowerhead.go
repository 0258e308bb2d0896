package ir

import (
	"fmt"

	"github.com/smux-cuda/smux/parser"
)

// What C++17 declares in one go is lowered to what it stands for. These variables and the expressions that give
// them their values count as a macro's: no rewriter moves their declaration or edits it.

// binding lowers auto [a, b] = value: a variable without a name of its own holds the value, and a and b are
// references to parts of it: its members, until its type is known to be an array's (effect.Resolve).
func (l *lowerer) binding(c *source, s *Stmt, d, names *parser.Node, base Type) {
	value := d.Child(parser.FieldValue)
	if value == nil {
		l.problem(c.rng(d), "structured binding")
		return
	}
	whole := &Var{Name: c.str(names), Kind: VarLocal, Type: base, Decl: s, File: c.file, Range: c.rng(d), Macro: true, Init: l.expr(c, value)}
	inner := d.Child(parser.FieldDeclarator)
	whole.Type.Ref = inner != nil && inner.Kind == parser.KindReferenceDeclarator
	l.declared(s, whole)
	i := 0
	for n := names.FirstNamed(); n != nil; n = n.NextNamed() {
		if n.Kind != parser.KindIdentifier {
			continue
		}
		part := &Expr{Op: OpMember, Name: fmt.Sprintf("[%d]", i), Int: int64(i), Range: c.rng(n), Macro: true, Kids: []*Expr{l.use(whole, c.rng(n))}}
		l.declared(s, &Var{
			Name: c.str(n), Kind: VarLocal, Type: Type{Base: "auto", Ref: true, Const: base.Const}, Decl: s, File: c.file, Range: c.rng(n), Macro: true, Init: part,
		})
		i++
	}
}

// bindingOf returns the names of a structured binding, nil for any other declarator.
func bindingOf(d *parser.Node) *parser.Node {
	if d != nil && d.Kind == parser.KindReferenceDeclarator {
		d = d.FirstNamed()
	}
	if d != nil && d.Kind == parser.KindStructuredBindingDeclarator {
		return d
	}
	return nil
}

// use is the use of a variable that a declaration implies.
func (l *lowerer) use(v *Var, at Range) *Expr {
	return &Expr{Op: OpIdent, Name: v.Name, Var: v, Range: at, Macro: true}
}

// rangeFor lowers for (T v : list): the list is a variable without a name of its own, and the condition, of
// which nothing is known but that it uses the list, sets v to an element.
func (l *lowerer) rangeFor(c *source, n *parser.Node, s *Stmt) {
	s.Op = StmtFor
	d, right := n.Child(parser.FieldDeclarator), n.Child(parser.FieldRight)
	if d == nil || right == nil || n.Child(parser.FieldInitializer) != nil || bindingOf(d) != nil {
		l.problem(s.Range, "range-based for loop")
		s.Cond = &Expr{Op: OpUnknown, Range: s.Range}
		return
	}
	at := c.rng(right)
	s.Init = &Stmt{Op: StmtDecl, Parent: s, Range: at, Outer: at, Macro: true}
	list := &Var{Name: RangeName, Kind: VarLocal, Type: Type{Base: "auto", Ref: true}, Decl: s.Init, File: c.file, Range: at, Macro: true, Init: l.expr(c, right)}
	l.declared(s.Init, list)
	v := &Var{Kind: VarLocal, Type: l.typeOf(c, n), Decl: s, File: c.file, Range: c.rng(d), Macro: true}
	l.declarator(c, d, v)
	next := func() *Expr {
		return &Expr{Op: OpCall, Name: "operator++", Implicit: true, Range: at, Macro: true, ArgsRange: at, Type: Type{Base: "int"},
			Kids: []*Expr{{Op: OpIdent, Name: "operator++", Range: at, Macro: true}, l.use(list, at)}}
	}
	element := &Expr{Op: OpIndex, Range: at, Macro: true, Kids: []*Expr{l.use(list, at), next()}}
	l.fn.Vars = append(l.fn.Vars, v)
	l.declare(v)
	s.Cond = next()
	if v.Type.Ref {
		v.Init, list.AddrTaken = element, true
	} else {
		s.Cond = &Expr{Op: OpComma, Range: at, Macro: true, Kids: []*Expr{l.set(v, element), s.Cond}}
	}
}

// RangeName is the name of the variable that holds what a range-based for loop runs over.
const RangeName = "[range]"

// set is the assignment by which a variable of a statement's head gets its value.
func (l *lowerer) set(v *Var, value *Expr) *Expr {
	e := &Expr{Op: OpAssign, Tok: "=", Range: value.Range, Macro: true, Kids: []*Expr{l.use(v, value.Range), value}}
	v.Type.Const = false // each time that control comes by
	if v.Type.IsAuto() {
		v.Init = value
	}
	l.written(e)
	return e
}

// heads lowers what the head of if, while or switch declares, before its condition or as the condition: the
// assignments that give the variables their values; ok is false where that is anything else.
func (l *lowerer) heads(c *source, n *parser.Node, s *Stmt) (sets []*Expr, ok bool) {
	if n.Kind == parser.KindInitStatement {
		n = n.FirstNamed()
	}
	if n != nil && n.Kind == parser.KindExpressionStatement && n.FirstNamed() != nil {
		return []*Expr{l.expr(c, n.FirstNamed())}, true
	}
	if n == nil || n.Kind != parser.KindDeclaration {
		return nil, false
	}
	for d := n.First; d != nil; d = d.Next {
		if d.Field != parser.FieldDeclarator {
			continue
		}
		v := &Var{Kind: VarLocal, Type: l.typeOf(c, n), Decl: s, File: c.file, Range: c.rng(d), Macro: true}
		inner, value := d, n.Child(parser.FieldValue)
		if d.Kind == parser.KindInitDeclarator {
			inner, value = d.Child(parser.FieldDeclarator), d.Child(parser.FieldValue)
		}
		if bindingOf(inner) != nil || value == nil {
			return nil, false
		}
		l.declarator(c, inner, v)
		if v.Name == "" || v.Type.Ref || len(v.Dims) > 0 || v.Type.Function {
			return nil, false
		}
		init := l.expr(c, value)
		l.fn.Vars = append(l.fn.Vars, v)
		l.declare(v)
		sets = append(sets, l.set(v, init))
	}
	return sets, len(sets) > 0
}
