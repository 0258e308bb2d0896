package ir

import (
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

func (l *lowerer) call(c *source, n *parser.Node, e *Expr) *Expr {
	if c.frag == nil {
		if texts, ok := l.macroUse(c, n); ok {
			return l.macroExpr(c, n, texts)
		}
	}
	if view := l.launch(c, n); view != nil {
		e.Op, e.Launch, e.Name = OpLaunch, view, view.Kernel
		for i := range view.Config {
			e.Kids = append(e.Kids, l.launchConfig(c, view, i))
		}
		args := lists.Map(view.Arguments(), func(a *parser.Node) *Expr { return l.expr(c, a) })
		e.Kids = append(e.Kids, repeated(l.spreading(args))...)
		if view.TemplateArgs != nil {
			e.TArgs = repeated(l.all(c, view.TemplateArgs))
		}
		return e
	}
	e.Op = OpCall
	callee := n.Child(parser.FieldFunction)
	args := n.Child(parser.FieldArguments)
	if callee == nil {
		l.problem(e.Range, "incomplete call")
		return e
	}
	if args != nil {
		e.ArgsRange = c.rng(args)
	}
	if base, ok := l.castTo(c, callee); ok && args != nil && args.FirstNamed() != nil && args.FirstNamed().NextNamed() == nil {
		e.Op, e.Type, e.Kids = OpCast, Type{Base: base}, l.all(c, args)
		return e
	}
	switch name := c.str(callee); {
	case callee.Kind == parser.KindPrimitiveType, callee.Kind == parser.KindSizedTypeSpecifier:
		e.Op, e.Type, e.Kids = OpCast, Type{Base: name}, l.all(c, args)
		return e
	case name == "asm" || name == "__asm__" || name == "__asm":
		return l.asm(c, args, e)
	}
	fun := l.expr(c, callee)
	e.Name, e.Qual, e.TArgs = fun.Name, fun.Qual, fun.TArgs
	switch e.Name {
	case "static_cast", "reinterpret_cast", "const_cast":
		if callee.Kind == parser.KindTemplateFunction && args != nil {
			e.Op, e.Kids = OpCast, l.all(c, args)
			e.TArgs = nil
			if ta := callee.Child(parser.FieldArguments); ta != nil {
				e.Type = l.typeDescriptor(c, ta.FirstNamed())
			}
			return e
		}
	}
	fun.TArgs = nil
	list := l.all(c, args)
	if e.Qual == "std" && (e.Name == "move" || e.Name == "forward") && len(list) == 1 {
		return list[0] // the same object
	}
	e.Kids = append([]*Expr{fun}, repeated(list)...)
	return e
}

// launchConfig is a part of the configuration of a launch: an argument, or a member of its cudaLaunchConfig_t.
func (l *lowerer) launchConfig(c *source, view *parser.Launch, i int) *Expr {
	if view.Settings == nil {
		return l.expr(c, view.Config[i])
	}
	e := &Expr{Op: OpMember, Range: c.rng(view.Settings), Name: view.SettingOf(i)}
	if name := view.SettingsName; name != nil {
		e.Kids = []*Expr{l.expr(c, name)}
	} else {
		e.Kids, e.Arrow = []*Expr{l.expr(c, view.Settings)}, true
	}
	return e
}

// launch returns the kernel launch that a call node is, or nil.
func (l *lowerer) launch(c *source, n *parser.Node) *parser.Launch {
	if c.frag != nil {
		return nil
	}
	return lists.Find(l.launches, func(v *parser.Launch) bool { return v.Node == n })
}

// asm lowers inline assembly: Name is its text, Kids are the operands. An
// operand "=r"(x) reads as a call of a string; x may change unseen.
func (l *lowerer) asm(c *source, args *parser.Node, e *Expr) *Expr {
	e.Op = OpAsm
	if args == nil {
		return e
	}
	for k := args.FirstNamed(); k != nil; k = k.NextNamed() {
		if k.Kind == parser.KindCallExpression {
			if f := k.Child(parser.FieldFunction); f != nil && (f.Kind == parser.KindStringLiteral || f.Kind == parser.KindConcatenatedString) {
				e.Kids = append(e.Kids, l.all(c, k.Child(parser.FieldArguments))...)
				continue
			}
		}
		op := l.expr(c, k)
		if op.Op == OpLiteral {
			e.Name += op.Name
			continue
		}
		e.Kids = append(e.Kids, op)
	}
	for _, op := range e.Kids {
		op.unseen()
	}
	return e
}
