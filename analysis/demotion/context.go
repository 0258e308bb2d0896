package demotion

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
)

// context says how the value of an expression is used. The zero value is a place that reads a number or a pointer by
// the language's own rules, in which neither volatile nor a conversion from a class changes anything.
type context struct {
	code   diag.Code // why a word can't stand here, "" where it can
	why    string
	notAsm string // why a class that converts to the type can't stand here
	// vectors are those, by name, that a whole vector may be converted to here.
	vectors []string
	// store and update say that it is the target of =, and of another assignment.
	store, update bool
	discarded     bool
}

func bad(format string, args ...any) context {
	return context{code: CodeWordUse, why: fmt.Sprintf(format, args...)}
}

// deduced is a place that takes the value by a type that it has itself.
func deduced(why string) context { return context{notAsm: why} }

// and joins what stands against two uses of one expression.
func (c context) and(o context) context {
	if c.code == "" {
		c.code, c.why = o.code, o.why
	}
	c.notAsm = cmp.Or(c.notAsm, o.notAsm)
	if len(o.vectors) == 0 {
		c.vectors = nil
	}
	return c
}

// use is one place that names a variable.
type use struct {
	ident *ir.Expr
	field string   // of a component
	index *ir.Expr // of an element
	context
	stmt *ir.Stmt
}

// walker collects the uses of the variables of one function.
type walker struct {
	x    *finder
	fn   *ir.Func
	stmt *ir.Stmt
	uses map[*ir.Var][]use
}

func (w *walker) use(e *ir.Expr, u use) {
	u.ident, u.stmt = e, w.stmt
	if e.Macro && u.notAsm == "" {
		u.notAsm = "it is used in a macro"
	}
	w.uses[e.Var] = append(w.uses[e.Var], u)
}

// function goes through a function's body.
func (w *walker) function() {
	for s := range w.fn.Body.All() {
		w.stmt = s
		for _, v := range s.Vars {
			for _, d := range v.Dims {
				if d != nil {
					w.value(d, bad("it stands in an array's dimension"))
				}
			}
			if v.Init != nil {
				w.initialiser(v)
			}
		}
		switch {
		case s.Expr != nil && s.Op == ir.StmtReturn:
			w.value(s.Expr, w.returned())
		case s.Expr != nil && s.Op == ir.StmtCase:
			w.value(s.Expr, bad("it stands in a case label"))
		case s.Expr != nil:
			w.value(s.Expr, context{discarded: true})
		}
		if s.Cond != nil {
			w.value(s.Cond, context{})
		}
		if s.Post != nil {
			w.value(s.Post, context{discarded: true})
		}
	}
}

// initialiser walks the initialiser of a variable.
func (w *walker) initialiser(v *ir.Var) {
	t := w.x.typeOf(w.fn, v.Type)
	c := context{}
	switch {
	case v.Type.Ref:
		c = bad("the reference %s is bound to it", v.Name)
	case v.Type.Base == "auto" && v.Init.Op != ir.OpInitList && len(v.Dims) == 0:
		c = deduced("its type is what auto makes of it")
	case t.kind == vector:
		c.vectors = []string{t.name}
	case t.kind == unknown:
		c = bad("it initialises %s, whose type is not in view", v.Name)
	}
	if v.Init.Op != ir.OpInitList {
		w.value(v.Init, c)
		return
	}
	w.list(v.Init, c, t)
}

// list is a braced or parenthesised list that makes a value of a type: its parts
// are numbers, or for an array of vectors those.
func (w *walker) list(e *ir.Expr, c context, t valueType) {
	for _, k := range e.Kids {
		if k.Op == ir.OpInitList {
			w.list(k, c, t)
			continue
		}
		part := c
		if c.code == "" {
			part = context{}
			if t.kind == vector && len(e.Kids) == 1 {
				part.vectors = []string{t.name}
			}
		}
		w.value(k, part)
	}
}

// returned is the context of what the function returns.
func (w *walker) returned() context {
	n := w.fn.View
	for _, d := range w.x.k.Prog.Named(w.fn.File, n.Name) {
		if d.Func != n {
			continue
		}
		t, ref := w.x.returned(w.fn, d)
		switch {
		case ref:
			return bad("it is returned by reference")
		case t.kind == vector:
			return context{vectors: []string{t.name}}
		case t.kind != unknown:
			return context{}
		}
	}
	return bad("it is returned as a type that is not in view")
}

// value walks an expression that stands in a context.
func (w *walker) value(e *ir.Expr, c context) {
	switch e.Op {
	case ir.OpInt, ir.OpLiteral:
	case ir.OpIdent:
		if e.Var != nil {
			w.use(e, use{context: c})
		}
		for _, t := range e.TArgs {
			w.value(t, bad("it is a template argument"))
		}
	case ir.OpUnary:
		w.value(e.Kids[0], w.operand(e, e.Kids[0], nil))
	case ir.OpDeref:
		w.value(e.Kids[0], w.operand(e, e.Kids[0], nil))
	case ir.OpAddr:
		w.value(e.Kids[0], bad("its address is taken"))
	case ir.OpIncDec:
		target := context{update: true}
		if !c.discarded && !e.Postfix {
			target = target.and(c)
		}
		w.target(e.Kids[0], target)
	case ir.OpAssign:
		w.assign(e, c)
	case ir.OpBinary:
		w.value(e.Kids[0], w.operand(e, e.Kids[0], e.Kids[1]))
		w.value(e.Kids[1], w.operand(e, e.Kids[1], e.Kids[0]))
	case ir.OpCond:
		w.value(e.Kids[0], context{})
		branch := c
		branch.vectors = nil
		branch.notAsm = cmp.Or(branch.notAsm, "it stands in a branch of ?:")
		w.value(e.Kids[1], branch)
		w.value(e.Kids[2], branch)
	case ir.OpComma:
		w.value(e.Kids[0], context{discarded: true})
		last := c
		if last.notAsm == "" && !c.discarded {
			last.notAsm = "it stands after a comma"
		}
		w.value(e.Kids[1], last)
	case ir.OpCall:
		w.call(e)
	case ir.OpIndex:
		w.index(e, c)
	case ir.OpMember:
		w.member(e, c)
	case ir.OpCast:
		w.cast(e)
	case ir.OpSizeof:
		for _, k := range e.Kids {
			w.value(k, deduced("its size is asked for"))
		}
	case ir.OpInitList:
		for _, k := range e.Kids {
			w.value(k, bad("it stands in a list of initialisers whose type is not in view"))
		}
	case ir.OpAsm:
		w.all(e, bad("it is an operand of inline assembly"))
	case ir.OpLaunch:
		w.all(e, bad("it stands in a launch"))
	default:
		w.all(e, bad("it stands in an expression that is not understood"))
	}
}

func (w *walker) all(e *ir.Expr, c context) {
	for _, k := range append(slices.Clone(e.Kids), e.TArgs...) {
		w.value(k, c)
	}
}

// target walks what is assigned to.
func (w *walker) target(e *ir.Expr, c context) {
	if e.Op == ir.OpCond {
		c = c.and(bad("either of two variables is assigned to"))
	}
	w.value(e, c)
}

// assign is target op= value, which stands in a context of its own: the result is the target.
func (w *walker) assign(e *ir.Expr, c context) {
	t := w.x.expr(w.fn, e.Kids[0])
	target, value := context{update: true}, context{}
	if e.Tok == "=" {
		target = context{store: true}
	}
	switch t.kind {
	case unknown:
		value = bad("it is assigned to something whose type is not in view")
	case vector:
		value.vectors = []string{t.name}
		if e.Tok != "=" {
			value = w.operand(e, e.Kids[1], e.Kids[0])
			target = w.operand(e, e.Kids[0], e.Kids[1]).and(bad("an operator changes it as a whole"))
		} else if e.Kids[1].Op == ir.OpInitList {
			target = target.and(bad("a list is assigned to it"))
		}
	}
	if !c.discarded {
		chained := c
		chained.vectors = nil
		if t.kind == vector {
			chained = chained.and(bad("the result of its assignment is used"))
		}
		target = target.and(chained)
	}
	w.target(e.Kids[0], target)
	if e.Kids[1].Op == ir.OpInitList {
		w.list(e.Kids[1], value, t)
		return
	}
	w.value(e.Kids[1], value)
}

// index is base[i].
func (w *walker) index(e *ir.Expr, c context) {
	base := e.Kids[0]
	if base.Op == ir.OpIdent && base.Var != nil && base.Var.Kind == ir.VarLocal && len(base.Var.Dims) > 0 {
		w.use(base, use{index: e.Kids[1], context: c})
	} else {
		w.value(base, context{})
	}
	if w.x.expr(w.fn, base).kind == pointer {
		w.value(e.Kids[1], context{})
	} else {
		w.value(e.Kids[1], bad("it is the index of something whose type is not in view"))
	}
}

// member is object.name or pointer->name.
func (w *walker) member(e *ir.Expr, c context) {
	base := e.Kids[0]
	switch {
	case base.Op == ir.OpIdent && base.Var != nil && !e.Arrow:
		w.use(base, use{field: e.Name, context: c})
	case e.Arrow && w.x.expr(w.fn, base).kind == pointer:
		w.value(base, context{notAsm: "-> is not an operator of a class that converts"})
	case e.Arrow:
		w.value(base, bad("-> is applied to something whose type is not in view"))
	default:
		w.value(base, bad("a member of an expression with it is used"))
	}
}

// cast is (T)e, static_cast<T>(e), T(e) or T{e, …}.
func (w *walker) cast(e *ir.Expr) {
	t := w.x.typeOf(w.fn, e.Type)
	c := context{}
	switch {
	case e.Type.Ref:
		c = bad("it is cast to a reference")
	case t.kind == vector && len(e.Kids) == 1:
		c.vectors = []string{t.name}
	case t.kind == vector:
		c.notAsm = "it stands in a list of a vector's components"
	case e.Type.Base == "void" && e.Type.Ptr == 0:
		c.discarded = true
	case t.kind == pointer, t.kind == number && len(e.Kids) == 1 && w.x.expr(w.fn, e.Kids[0]).kind == pointer:
		c.notAsm = "a pointer is cast, which a class would not convert to in one step"
	case t.kind == unknown:
		c = bad("it is cast to a type that is not in view")
	}
	for _, k := range e.Kids {
		if k.Op == ir.OpInitList {
			w.list(k, c, t)
			continue
		}
		w.value(k, c)
	}
}
