package ir

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/parser"
)

// statements lowers the expression ({ … }) to the operands of commas: each variable is assigned to where it is declared,
// and an if chooses between operands. Like a macro's use it is one piece of text to who edits.
func (l *lowerer) statements(c *source, n, body *parser.Node) *Expr {
	at := c.rng(n)
	b := &inner{l: l, at: at, in: l.in, parts: []*Expr{{Op: OpInt}}}
	l.valued++
	s := l.stmt(c, body, l.in)
	l.valued--
	b.stmt(s)
	if b.wrong != "" {
		l.problem(at, "a statement expression with "+b.wrong)
		e := &Expr{Op: OpUnknown, Range: at, Macro: true}
		s.WalkExprs(func(k *Expr) bool {
			e.Kids = append(e.Kids, k)
			return false
		})
		return e
	}
	b.copyValue()
	e := comma(b.parts)
	e.Walk(func(k *Expr) bool {
		k.Range, k.ArgsRange, k.Macro = at, at, true
		return k.Op != OpLaunch
	})
	return e
}

// comma joins expressions with commas.
func comma(parts []*Expr) *Expr {
	e := parts[0]
	for _, p := range parts[1:] {
		e = &Expr{Op: OpComma, Kids: []*Expr{e, p}}
	}
	return e
}

// inner collects what a statement expression evaluates.
type inner struct {
	l     *lowerer
	at    Range
	in    *Stmt // the statement around it
	parts []*Expr
	vars  []*Var
	wrong string // why it can't be lowered
}

// branch is the value of what an if governs.
func (b *inner) branch(s *Stmt) *Expr {
	outer := b.parts
	b.parts = []*Expr{{Op: OpInt}}
	if s != nil {
		b.stmt(s)
	}
	e := comma(append(b.parts, &Expr{Op: OpInt}))
	b.parts = outer
	return e
}

func (b *inner) stmt(s *Stmt) {
	switch {
	case len(s.Names) > 0:
		b.wrong = "a type of its own"
	case s.Op == StmtCompound:
		for _, t := range s.List {
			b.stmt(t)
		}
	case s.Op == StmtExpr && s.Expr != nil:
		if s.Expr.Any(func(e *Expr) bool { k := e.Intrinsic(); return k.Known() && k.Kind == intrinsic.Barrier }) {
			b.wrong = "a barrier"
		}
		b.parts = append(b.parts, s.Expr)
	case s.Op == StmtIf && !s.Preproc && s.Init == nil && s.Cond != nil:
		b.parts = append(b.parts, &Expr{Op: OpCond, Kids: []*Expr{s.Cond, b.branch(s.Body), b.branch(s.Else)}})
	case s.Op == StmtDecl:
		for _, v := range s.Vars {
			b.declare(v)
		}
	case s.Op == StmtEmpty:
	default:
		b.wrong = "more than declarations, expressions and if"
	}
}

// declare turns a declaration into an assignment.
func (b *inner) declare(v *Var) {
	of := b.l.lookup(v.Type.Base)
	_, _, parts := PartsOf(v.Type.Base)
	_, number := NumberOf(v.Type.Base)
	plain := v.Type.Ptr > 0 || number || parts || of != nil && of.Kind == VarTemplateType || v.Type.Base == "auto" && v.Init != nil && v.Init.Op != OpCall && v.Init.Op != OpCast
	if !plain || v.Kind != VarLocal || v.Static || v.Extern || v.Type.Ref || v.Type.Volatile || v.Type.Function || v.Type.Rows != nil || len(v.Dims) > 0 || v.Init != nil && v.Init.Op == OpInitList {
		b.wrong = "a variable other than a number, a vector or a pointer"
		return
	}
	init := v.Init
	v.Decl, v.Range, v.Macro, v.Init = b.in, b.at, true, nil
	b.vars = append(b.vars, v)
	if init != nil {
		b.parts = append(b.parts, b.l.set(v, init))
	}
}

// copyValue gives a variable of its own to the value where that may be an object outside, of which it is a copy.
func (b *inner) copyValue() {
	last := b.parts[len(b.parts)-1]
	switch last.Op {
	case OpIdent:
		if slices.Contains(b.vars, last.Var) {
			return
		}
	case OpIndex, OpMember, OpDeref, OpAssign, OpIncDec, OpComma, OpCond:
	default:
		return
	}
	v := &Var{Name: "[value]", Kind: VarLocal, Type: Type{Base: "auto"}, Decl: b.in, File: b.l.file, Range: b.at, Macro: true}
	b.l.fn.Vars = append(b.l.fn.Vars, v)
	b.parts[len(b.parts)-1] = b.l.set(v, last)
	b.parts = append(b.parts, b.l.use(v, b.at))
}
