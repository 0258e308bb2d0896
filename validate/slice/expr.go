package slice

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/ir/effect"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/linear"
	"github.com/smux-cuda/smux/validate/units"
)

// truth is a condition as a term.
func (y *replay) truth(v val, e *ir.Expr) *term {
	if v.t == nil {
		y.stop(kit.Erasure, e.Range.Start, "an address as a condition is not followed")
	}
	return y.bool(v.t)
}

func (y *replay) bool(t *term) *term {
	if t.isNumber() {
		return y.g.known(content.Truth(t.n.N != 0))
	}
	if t.typ == "bool" {
		return t
	}
	return y.g.of("to", "bool", t)
}

// convert is a value in a type.
func (y *replay) convert(t *term, base string) *term {
	base = kit.PlainName(base)
	if t.isNumber() {
		if v := content.Converted(t.n, base); v.Kind == content.IsInt {
			return y.g.known(v)
		}
	}
	if t.typ == base || t.op == "undefined" || base == "auto" || base == "" {
		return t
	}
	return y.g.of("to", base, t)
}

// convertible checks that making a value of a type does nothing but that, and making something of it: the members of a
// class name nothing but themselves and what they are given.
func (y *replay) convertible(base string, at int) {
	if kit.PlainValue(base) || y.c.Classes[base] || base == "auto" {
		return
	}
	ok := false
	for _, f := range y.c.NewNames.Prog.All() {
		for _, class := range f.Classes {
			if class.Name != kit.ClassName(base) || class.Body == nil {
				continue
			}
			us := units.NewSource(f).Between(int(class.Node.Start), int(class.Node.End))
			own := map[string]bool{class.Name: true}
			for i, u := range us {
				own[u.Text] = own[u.Text] || i+1 < len(us) && us[i+1].Text == ";" || i > 0 && us[i-1].Text == "operator"
			}
			ok = us[2].Text == "{"
			for i, u := range us {
				v := y.c.NewNames.Globals(f)[u.Text]
				ok = ok && !strings.ContainsAny(u.Text, "*[+-=#") && (v == nil || v.Type.Const) && (i+1 == len(us) || us[i+1].Text != "(" || own[u.Text])
			}
		}
	}
	if !ok {
		y.stop(kit.Erasure, at, "what making a %s does is not followed", base)
	}
}

// eval evaluates an expression in a thread.
func (y *replay) eval(e *ir.Expr, t int) val {
	if y.steps++; y.steps > maxReplay {
		panic(linear.TooMuch{})
	}
	at := e.Range.Start
	switch e.Op {
	case ir.OpInt:
		return val{t: y.g.known(content.Value{Kind: content.IsInt, N: e.Int, Unsigned: e.Tok == "u", Wide: e.Type.Base == "long"})}
	case ir.OpLiteral:
		switch {
		case e.IsBuildChoice():
			y.stop(kit.Erasure, at, "this is one of several texts")
		case e.Name == "true", e.Name == "false":
			return val{t: y.g.known(content.Truth(e.Name == "true"))}
		}
		return val{t: y.g.of("literal "+e.Name, "")}
	case ir.OpIdent, ir.OpIndex, ir.OpDeref, ir.OpMember:
		if v, ok := y.builtin(e, t); ok {
			return v
		}
		return y.valueOf(e, t)
	case ir.OpAddr:
		p := y.place(e.Kids[0], t)
		if n := len(p.subs); n > 0 && n == len(p.r.dims) && p.field == "" {
			return val{at: p.r, subs: p.subs[:n-1], off: p.subs[n-1]}
		}
	case ir.OpUnary:
		return val{t: y.operation(e.Tok, at, y.number(e.Kids[0], t))}
	case ir.OpBinary:
		return y.binary(e, t)
	case ir.OpCond:
		c := y.truth(y.eval(e.Kids[0], t), e)
		if c.isNumber() {
			v := y.eval(taken(e, c), t)
			if typ := y.c.NewNames.Effects(y.frame.fn.File).TypeOf(y.frame.fn, e); v.t != nil && typ.Kind == effect.Number && typ.Levels == 0 {
				v.t = y.convert(v.t, typ.Base)
			}
			return v
		}
		a := y.under(c, e.Kids[1], t)
		return y.chosen(c, a, y.under(y.g.not(c), e.Kids[2], t), at)
	case ir.OpComma:
		y.eval(e.Kids[0], t)
		return y.eval(e.Kids[1], t)
	case ir.OpCast:
		return y.cast(e, t)
	case ir.OpAssign, ir.OpIncDec:
		return y.assigned(e, t)
	case ir.OpCall:
		return y.called(e, t)
	}
	y.stop(kit.Erasure, at, "this is not followed")
	return val{}
}

// taken is the operand of c ? a : b that a known condition takes.
func taken(e *ir.Expr, c *term) *ir.Expr {
	if c.n.N != 0 {
		return e.Kids[1]
	}
	return e.Kids[2]
}

// under evaluates an expression where a condition is so. It must change nothing.
func (y *replay) under(c *term, e *ir.Expr, t int) val {
	y.path = append(y.path, c)
	y.changes = append(y.changes, map[cell]val{})
	v := y.eval(e, t)
	y.path = y.path[:len(y.path)-1]
	if len(y.undo()) > 0 {
		y.stop(kit.Erasure, e.Range.Start, "a condition decides about what this changes")
	}
	return v
}

func (y *replay) number(e *ir.Expr, t int) *term {
	v := y.eval(e, t)
	if v.t == nil {
		y.stop(kit.Erasure, e.Range.Start, "an address as a number is not followed")
	}
	return v.t
}

// operation is a value that is computed of others.
func (y *replay) operation(tok string, at int, kids ...*term) *term {
	if len(kids) == 2 && kids[0].isNumber() && kids[1].isNumber() {
		if v := content.Binary(tok, kids[0].n, kids[1].n); v.Kind == content.IsInt {
			return y.g.known(v)
		}
	}
	if len(kids) == 1 && kids[0].isNumber() {
		if v := content.Unary(tok, kids[0].n); v.Kind == content.IsInt {
			return y.g.known(v)
		}
	}
	for _, fn := range y.c.Devices["operator"+tok] {
		if !y.same("operator"+tok) || !y.st.Closed([]*ir.Func{y.c.Lowered(fn)}) {
			y.stop(kit.Erasure, at, "what operator%s does is not followed", tok)
		}
	}
	typ := ""
	switch tok {
	case "!":
		return y.g.not(y.bool(kids[0]))
	case "<", ">", "<=", ">=", "==", "!=":
		typ = "bool"
	}
	return y.g.of(tok, typ, kids...)
}

func (y *replay) binary(e *ir.Expr, t int) val {
	switch e.Tok {
	case "&&", "||":
		a := y.truth(y.eval(e.Kids[0], t), e)
		if a.isNumber() {
			if (a.n.N != 0) == (e.Tok == "||") {
				return val{t: a}
			}
			return val{t: y.truth(y.eval(e.Kids[1], t), e)}
		}
		when := a
		if e.Tok == "||" {
			when = y.g.not(a)
		}
		return val{t: y.g.of(e.Tok, "bool", a, y.truth(y.under(when, e.Kids[1], t), e))}
	}
	a, b := y.eval(e.Kids[0], t), y.eval(e.Kids[1], t)
	switch {
	case a.t != nil && b.t != nil:
		if (e.Tok == "/" || e.Tok == "%") && !b.t.isNumber() && y.dry == 0 { // it may be 0
			y.loads = append(y.loads, load{y.g.of("divisor", "", b.t), t, slices.Clone(y.path), e.Range.Start})
		}
		return val{t: y.operation(e.Tok, e.Range.Start, a.t, b.t)}
	case a.at != nil && b.t != nil && (e.Tok == "+" || e.Tok == "-"):
		return y.moved(a, e.Tok, b.t)
	case b.at != nil && a.t != nil && e.Tok == "+":
		return y.moved(b, e.Tok, a.t)
	}
	y.stop(kit.Erasure, e.Range.Start, "smux does not follow the address arithmetic here")
	return val{}
}

// moved is an address so many elements further.
func (y *replay) moved(a val, tok string, n *term) val {
	switch {
	case n.isNumber() && n.n.N == 0:
	case a.off.isNumber() && n.isNumber():
		sign := int64(1)
		if tok == "-" {
			sign = -1
		}
		a.off = y.g.number(a.off.n.N + sign*n.n.N)
	case a.off.isNumber() && a.off.n.N == 0 && tok == "+":
		a.off = n
	default:
		a.off = y.g.of("move "+tok, "", a.off, n)
	}
	return a
}

// builtin is a number that CUDA gives a thread.
func (y *replay) builtin(e *ir.Expr, t int) (val, bool) {
	if e.Op == ir.OpIdent && e.Var == nil && e.Name == "warpSize" {
		return val{t: y.g.number(32)}, true
	}
	name, axis := content.BuiltinOf(e)
	switch {
	case name == "" || e.Kids[0].Var != nil:
		return val{}, false
	case name == "blockIdx" || name == "gridDim":
		return val{t: y.g.of(name+"."+e.Name, ir.Uint.Name)}, true
	}
	return val{t: y.g.known(content.Value{Kind: content.IsInt, N: int64(content.NumberOf(name, axis, y.block, t)), Unsigned: true})}, true
}

// valueOf returns the value at a place, or a field of a value.
func (y *replay) valueOf(e *ir.Expr, t int) val {
	if e.Op == ir.OpMember && !e.Arrow {
		switch e.Kids[0].Op {
		case ir.OpIdent, ir.OpIndex, ir.OpDeref, ir.OpMember:
		default:
			x := y.number(e.Kids[0], t)
			fields := y.membersOf(x.typ)
			if f, ok := fieldOf(fields, e.Name); ok {
				return val{t: y.g.field(x, f.name, f.typ, len(fields))}
			}
			return val{t: y.g.of("."+e.Name, "", x)}
		}
	}
	if e.Op == ir.OpIdent && (e.Var == nil || e.Var.Kind == ir.VarEnumerator || (e.Var.Kind == ir.VarGlobal || e.Var.Kind == ir.VarConstant) && e.Var.Type.Const && e.Var.Init != nil && len(e.Var.Dims) == 0) {
		if n, ok := content.IntOf(y.c, e); ok && e.Var != nil {
			return val{t: y.convert(y.g.number(int64(n)), e.Var.Type.Base)}
		}
		if e.Var == nil {
			y.stop(kit.Erasure, e.Range.Start, "%s is not known", e.Name)
		}
		return val{t: y.g.of("constant "+e.Name, kit.PlainName(e.Var.Type.Base))}
	}
	return y.read(y.place(e, t), t, e.Range.Start)
}

// place returns the place that an expression names.
func (y *replay) place(e *ir.Expr, t int) lvalue {
	at := e.Range.Start
	switch e.Op {
	case ir.OpIdent:
		v := e.Var
		switch {
		case v == nil:
		case y.frame.refs[v] != nil:
			return y.frame.refs[v][t]
		case y.frame.vars[v] != nil:
			return lvalue{r: y.frame.vars[v]}
		case v.Kind == ir.VarShared:
			return lvalue{r: y.static(v)}
		case v.Kind == ir.VarGlobal || v.Kind == ir.VarConstant:
			p := lvalue{r: y.global(v)}
			if len(v.Dims) == 0 {
				p.subs = []*term{y.g.number(0)}
			}
			return p
		}
	case ir.OpIndex, ir.OpDeref:
		var a val
		if kid := e.Kids[0]; kid.Op == ir.OpIdent || kid.Op == ir.OpIndex || kid.Op == ir.OpDeref || kid.Op == ir.OpMember {
			a = y.addressAt(kid, t)
		} else {
			a = y.eval(kid, t)
		}
		if a.at == nil {
			y.stop(kit.Erasure, at, "what this is an element of is not followed")
		}
		if e.Op == ir.OpIndex {
			a = y.moved(a, "+", y.number(e.Kids[1], t))
		}
		off := a.off
		if off.isNumber() {
			off = y.g.number(off.n.N)
		}
		return lvalue{r: a.at, subs: append(slices.Clone(a.subs), off)}
	case ir.OpMember:
		if obj := e.Kids[0]; !e.Arrow {
			if obj.Op == ir.OpIdent && obj.Var != nil && y.statics[obj.Var] != nil && y.statics[obj.Var].typ == "union" {
				for _, r := range y.statics[obj.Var].over {
					if r.name == e.Name {
						return lvalue{r: r}
					}
				}
			}
			p := y.place(obj, t)
			if p.field == "" && len(p.subs) == len(p.r.dims) {
				p.field = e.Name
				return p
			}
		}
	case ir.OpCond:
		if c := y.truth(y.eval(e.Kids[0], t), e); c.isNumber() {
			return y.place(taken(e, c), t)
		}
	}
	y.stop(kit.Erasure, at, "where this is is not followed")
	return lvalue{}
}

// addressAt is an array, or the address that a variable holds.
func (y *replay) addressAt(e *ir.Expr, t int) val {
	p := y.place(e, t)
	if len(p.subs) < len(p.r.dims) {
		return val{at: p.r, subs: p.subs, off: y.g.number(0)}
	}
	return y.read(p, t, e.Range.Start)
}

// assign stores a value at a place, in its type.
func (y *replay) assign(p lvalue, v val, t, at int) val {
	if v.t != nil && p.r != nil {
		v.t = y.convert(v.t, p.r.typeAt(p))
	}
	y.write(p, v, t, at)
	return v
}

func (y *replay) assigned(e *ir.Expr, t int) val {
	at := e.Range.Start
	if e.Op == ir.OpAssign && e.Tok == "=" {
		v := y.eval(e.Kids[1], t)
		return y.assign(y.place(e.Kids[0], t), v, t, at)
	}
	tok, by := strings.TrimSuffix(e.Tok, "="), y.g.number(1)
	if e.Op == ir.OpIncDec {
		tok = e.Tok[:1]
	} else {
		by = y.number(e.Kids[1], t)
		if len(y.c.Devices["operator"+e.Tok]) > 0 {
			y.stop(kit.Erasure, at, "what operator%s does is not followed", e.Tok)
		}
	}
	p := y.place(e.Kids[0], t)
	was := y.read(p, t, at)
	var v val
	if was.at != nil {
		v = y.moved(was, tok, by)
	} else {
		v = val{t: y.operation(tok, at, was.t, by)}
	}
	v = y.assign(p, v, t, at)
	if e.Postfix {
		return was
	}
	return v
}

func (y *replay) cast(e *ir.Expr, t int) val {
	if len(e.Kids) == 1 && (e.Type.Ptr > 0 || e.Type.Ref) {
		y.stop(kit.Erasure, e.Range.Start, "an array as one of another type is not followed")
	}
	y.convertible(e.Type.Base, e.Range.Start)
	fields := y.membersOf(e.Type.Base)
	if len(fields) > 1 && len(e.Kids) != 1 {
		var kids []*term
		for i, f := range fields {
			x := y.g.number(0)
			if i < len(e.Kids) {
				x = y.number(e.Kids[i], t)
			}
			kids = append(kids, y.convert(x, f.typ))
		}
		return val{t: y.g.made(e.Type.Base, fields, kids)}
	}
	if len(e.Kids) != 1 {
		y.stop(kit.Erasure, e.Range.Start, "this is not followed")
	}
	return val{t: y.convert(y.number(e.Kids[0], t), e.Type.Base)}
}
