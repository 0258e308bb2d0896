package effect

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// Resolve turns into calls what the text of a function writes as operators, conversions, initialisations
// and literals, and adds the arguments that it omits, where they run code of the program that does more than what the language gives to numbers:
//
//	c + 1              operator+(c, 1)        operator+ changes c
//	s[c]               s[c.operator int()]    the conversion does
//	Cursor d = c;      Cursor d = Cursor(c);  a constructor or the destructor does
//
// So it does where a type is not in view. Other operators stay what they are, those of a class that only
// compute among them. What is volatile, or holds a part that is, says so in its variable's type.
func (s *Scope) Resolve(fn *ir.Func) {
	s.resolving[fn] = true
	defer delete(s.resolving, fn)
	s.statements(fn, fn.Body)
	for _, v := range slices.Concat(fn.Params, fn.Vars) {
		s.mark(fn, v)
	}
}

// mark notes in a variable's type what is volatile by the class or the name of its type.
func (s *Scope) mark(fn *ir.Func, v *ir.Var) {
	v.Type.Volatile = v.Type.Volatile || s.declared(fn, v).Volatile
}

// Mark is Resolve for the variables of a namespace.
func (s *Scope) Mark(v *ir.Var) {
	if v.File != nil {
		s.mark(&ir.Func{File: v.File}, v)
	}
}

func (s *Scope) statements(fn *ir.Func, body *ir.Stmt) {
	for t := range body.All() {
		t.Exprs(func(e *ir.Expr) { s.expression(fn, e) })
		for _, v := range t.Vars {
			if v.Macro && v.Init != nil && v.Init.Op == ir.OpMember {
				s.part(fn, v.Init)
			}
			if v.Init != nil && !v.Type.Ref {
				s.given(fn, v.Init, s.declared(fn, v), v)
			}
		}
		switch t.Op {
		case ir.StmtReturn:
			if t.Expr != nil && fn.View != nil {
				s.given(fn, t.Expr, s.result(fn, ir.Definition{File: fn.File, Fn: fn.View}, nil), nil)
			}
		case ir.StmtExpr:
		default:
			if t.Cond != nil {
				s.value(fn, t.Cond)
			}
		}
	}
}

// part makes of a part that a structured binding names the element that it is, if the binding refers to an array.
func (s *Scope) part(fn *ir.Func, e *ir.Expr) {
	whole := e.Kids[0]
	if e.Name[0] == '[' && whole.Var.Type.Ref && s.TypeOf(fn, whole).Array > 0 {
		*e = ir.Expr{Op: ir.OpIndex, Range: e.Range, Macro: true, Kids: []*ir.Expr{whole, {Op: ir.OpInt, Int: e.Int, Range: e.Range, Macro: true}}}
	}
}

// expression resolves an expression, operands first.
func (s *Scope) expression(fn *ir.Func, e *ir.Expr) {
	if e == nil {
		return
	}
	for _, k := range e.Kids {
		s.expression(fn, k)
	}
	for _, k := range e.TArgs {
		s.expression(fn, k)
	}
	number := Type{Kind: Number}
	switch e.Op {
	case ir.OpLambda:
		if e.Lambda != nil {
			s.statements(fn, e.Lambda)
			s.captured(fn, e.Lambda)
		}
	case ir.OpLiteral:
		s.literal(e)
	case ir.OpUnary:
		s.operator(fn, e, "operator"+e.Tok, false, false)
	case ir.OpDeref:
		s.operator(fn, e, "operator*", false, true)
	case ir.OpAddr:
		s.operator(fn, e, "operator&", false, false)
	case ir.OpIncDec:
		s.operator(fn, e, "operator"+e.Tok, true, false)
	case ir.OpIndex:
		s.operator(fn, e, "operator[]", false, true)
	case ir.OpBinary:
		s.operator(fn, e, "operator"+e.Tok, false, false)
	case ir.OpComma:
		s.operator(fn, e, "operator,", false, false)
	case ir.OpAssign:
		if !s.operator(fn, e, "operator"+e.Tok, true, false) {
			s.given(fn, e.Kids[1], s.TypeOf(fn, e.Kids[0]), nil)
		}
	case ir.OpMember:
		if e.Arrow && len(e.Kids) == 1 {
			s.arrow(fn, e)
		}
	case ir.OpCond:
		s.value(fn, e.Kids[0])
	case ir.OpCast:
		if len(e.Kids) == 1 && !e.Type.Ref {
			s.given(fn, e.Kids[0], s.declared(fn, &ir.Var{Type: e.Type}), nil)
		}
		if t := s.declared(fn, &ir.Var{Type: e.Type}); t.isObject() && !e.Type.Ref && (len(e.Kids) != 1 || !s.TypeOf(fn, e.Kids[0]).isObject()) {
			s.made(e, t)
		}
	case ir.OpCall:
		if e.Implicit {
			return
		}
		list, known := s.called(fn, e)
		s.omitted(fn, e, list)
		for i, a := range e.Args() {
			to := Type{}
			if !known && len(list) == 0 {
				to = number
			}
			for j, d := range list {
				if i < len(d.Fn.Params) {
					if one := s.parameter(d, d.Fn.Params[i]); j == 0 {
						to = one
					} else if one.Kind != to.Kind || one.Class != to.Class {
						to = Type{}
						break
					}
					if q := d.Fn.Params[i].Node; q != nil && strings.Contains(d.File.Text(q), "&") && s.TypeOf(fn, a).Base == to.Base {
						to = Type{} // bound, not copied
						break
					}
				}
			}
			if to.Kind != 0 {
				s.given(fn, a, to, nil)
			}
		}
	}
}

// captured notes that the variables that a lambda may change, change unseen: whenever it is called.
func (s *Scope) captured(fn *ir.Func, body *ir.Stmt) {
	does := walker{s, fn, false}.stmt(body)
	for e := range body.AllExprs() {
		if v := e.Var; v != nil && (does.Flags&WritesAny != 0 || slices.Contains(does.Writes, v)) && (v.Decl == nil || !v.Decl.Inside(body)) {
			v.AddrTaken = true
		}
	}
}

// omitted adds to a call the default arguments that change something: they are evaluated with it.
func (s *Scope) omitted(fn *ir.Func, e *ir.Expr, list []ir.Definition) {
	w, n := walker{s, fn, false}, len(e.Args())
	for _, d := range list {
		for _, q := range d.Fn.Params[min(n, len(d.Fn.Params)):] {
			if q.Default == nil {
				continue
			}
			value := ir.LowerValue(s.cache, d.File, q.Default)
			s.expression(fn, value)
			if w.expr(value).Changes() {
				for t := range value.All() {
					t.Range, t.Macro = ir.Range{Start: e.Range.End, End: e.Range.End}, e.Macro
				}
				e.Kids = append(e.Kids, value)
			}
		}
	}
}

// given resolves what turns a value into one of another type: a conversion of its class, or a constructor of
// the other. v is the variable that it initialises, nil for none.
func (s *Scope) given(fn *ir.Func, e *ir.Expr, to Type, v *ir.Var) {
	from := s.TypeOf(fn, e)
	switch {
	case from.Copied && from.Levels == 0 && from.Kind == to.Kind && from.Base == to.Base:
	case e.Op == ir.OpInitList && to.isObject():
		s.made(e, to)
	case to.isObject():
		if e.Op == ir.OpCall && (e.Implicit || len(s.classes[e.Name]) > 0) && from.Base == to.Base && v == nil {
			return // made where it stands
		}
		s.made(e, to)
	case from.isObject() && to.IsBuiltin(), from.isObject() && to.Kind == 0 && v == nil:
		s.value(fn, e)
	}
}

// made turns an expression into the call of a constructor, if constructors or the destructor do more than
// make an object.
func (s *Scope) made(e *ir.Expr, t Type) {
	if t.Kind == Object && t.Class.isPlain() || e.Implicit {
		return
	}
	old := *e
	args := []*ir.Expr{&old}
	if old.Op == ir.OpInitList || old.Op == ir.OpCast {
		args = old.Kids
	}
	n := len(args)
	if n > 0 && args[n-1].IsSpread() {
		n = -n
	}
	name := lastName(t.Base)
	var targets []ir.Definition
	if t.Kind == Object {
		for _, d := range s.members[t.Class.Name] {
			if d.Fn.Body != nil && (d.Fn.Name == d.Fn.Class && Takes(d.Fn, n) || strings.HasPrefix(d.Fn.Name, "~")) {
				targets = append(targets, d)
			}
		}
	}
	s.become(e, ir.Expr{Name: name, Type: ir.Type{Base: t.Base}, Targets: targets, Kids: append([]*ir.Expr{{Op: ir.OpIdent, Name: name}}, args...)})
}

// become makes a call of an expression, where it stands.
func (s *Scope) become(e *ir.Expr, call ir.Expr) {
	call.Op, call.Implicit, call.Range, call.Macro = ir.OpCall, true, e.Range, e.Macro
	call.ArgsRange = ir.Range{Start: e.Range.End, End: e.Range.End}
	call.Kids[0].Range, call.Kids[0].Macro = ir.Range{Start: e.Range.Start, End: e.Range.Start}, e.Macro
	for _, k := range call.Kids {
		if r := k.Root(); r != nil && r.Var != nil && r.Var.Held().Ptr == 0 && !ir.IsNumber(r.Var.Type.Base) {
			r.Var.AddrTaken = true // it may change unseen
		}
	}
	*e = call
}

// literal resolves a literal with a suffix of the program's own.
func (s *Scope) literal(e *ir.Expr) {
	at := strings.LastIndexByte(e.Name, '_')
	if at < 0 || at < strings.LastIndexAny(e.Name, `"'`) || !strings.ContainsAny(e.Name, `"'`) && !strings.ContainsAny(e.Name[:1], ".0123456789") {
		return
	}
	name := `operator""` + e.Name[at:]
	targets := slices.Clone(s.functions[name])
	if len(targets) > 0 && !s.runs(targets, true).beyond(false, false) {
		return
	}
	old := *e
	s.become(e, ir.Expr{Name: name, Targets: targets, Kids: []*ir.Expr{{Op: ir.OpIdent, Name: name}, &old}})
}

// operator resolves an operator, and what turns its operands into numbers if it is the language's; it reports
// whether it is a call. One that assigns may change its first operand, one that follows may read memory.
func (s *Scope) operator(fn *ir.Func, e *ir.Expr, name string, assigns, follows bool) bool {
	types := make([]Type, len(e.Kids))
	objects, unclear, foreign := false, false, false
	for i, k := range e.Kids {
		types[i] = s.TypeOf(fn, k)
		objects = objects || types[i].Levels == 0 && types[i].Kind == Object
		foreign = foreign || types[i].Levels == 0 && types[i].Kind == Foreign
		unclear = unclear || types[i].Kind == 0 || types[i].Kind == Parameter && types[i].Levels == 0 || types[i].Kind == Vector && types[i].Levels == 0
	}
	if !objects && !unclear && !foreign {
		return false
	}
	list := s.operators(fn, name, e.Kids)
	if name == "operator=" && types[0].Copied && types[0].Levels == 0 && types[1].Copied && types[1].Levels == 0 && types[0].Base == types[1].Base {
		return false
	}
	if len(list) == 0 && foreign {
		return s.overloaded(e, name, nil)
	}
	if len(list) > 0 {
		ordered := name == "operator&&" || name == "operator||" || name == "operator," // both operands are evaluated, in any order
		if !ordered && !s.runs(list, true).beyond(assigns, follows) {
			return false
		}
		return s.overloaded(e, name, list)
	}
	if !objects {
		return false
	}
	switch name {
	case "operator=":
		return false
	case "operator&", "operator,":
		return false
	}
	for i, k := range e.Kids {
		if types[i].isObject() {
			if len(s.conversions(types[i])) == 0 { // whatever it is, it is not the language's
				return s.overloaded(e, name, nil)
			}
			s.value(fn, k)
		}
	}
	return false
}

// overloaded makes a call of an operator.
func (s *Scope) overloaded(e *ir.Expr, name string, list []ir.Definition) bool {
	kids := slices.Clone(e.Kids)
	members := 0
	for _, d := range list {
		if d.Fn.Class != "" && !d.Fn.Friend {
			members++
		}
	}
	callee := &ir.Expr{Op: ir.OpIdent, Name: name}
	args := kids
	if members > 0 && members == len(list) {
		callee = &ir.Expr{Op: ir.OpMember, Name: name, Kids: kids[:1:1]}
		args = kids[1:]
	} else if members > 0 {
		list = nil
	}
	list = slices.DeleteFunc(slices.Clone(list), func(d ir.Definition) bool { return d.Fn.Body == nil })
	s.become(e, ir.Expr{Name: name, Targets: list, Kids: append([]*ir.Expr{callee}, args...)})
	for _, k := range kids {
		takeAddress(k)
	}
	return true
}

// arrow resolves x->m of an object.
func (s *Scope) arrow(fn *ir.Func, e *ir.Expr) {
	t := s.TypeOf(fn, e.Kids[0])
	if t.IsBuiltin() {
		return
	}
	list := s.operators(fn, "operator->", e.Kids)
	if len(list) == 0 && !t.isObject() || len(list) > 0 && !s.runs(list, true).beyond(false, true) {
		return
	}
	inner := *e.Kids[0]
	call := &ir.Expr{Op: ir.OpUnary, Range: inner.Range, Macro: inner.Macro, Kids: []*ir.Expr{&inner}}
	s.overloaded(call, "operator->", list)
	e.Kids = []*ir.Expr{call}
}

// value resolves the conversion of an object where a number is due.
func (s *Scope) value(fn *ir.Func, e *ir.Expr) {
	t := s.TypeOf(fn, e)
	if !t.isObject() || e.Implicit && strings.HasPrefix(e.Name, "operator ") {
		return
	}
	var list []ir.Definition
	if t.Kind == Object {
		list = s.conversions(t)
		if _, all := t.Class.ancestry(); len(list) == 0 && all || len(list) > 0 && !s.runs(list, true).beyond(false, false) {
			return
		}
		list = slices.DeleteFunc(slices.Clone(list), func(d ir.Definition) bool { return d.Fn.Body == nil })
	}
	name := "operator int"
	if len(list) > 0 {
		name = list[0].Fn.Name
	}
	old := *e
	callee := &ir.Expr{Op: ir.OpMember, Name: name, Kids: []*ir.Expr{&old}}
	s.become(e, ir.Expr{Name: name, Targets: list, Kids: []*ir.Expr{callee}})
	takeAddress(&old)
}

// takeAddress notes that an object may change unseen, but not what holds the address of one.
func takeAddress(e *ir.Expr) {
	if r := e.Root(); r != nil && r.Var != nil && (e == r || len(r.Var.Dims) > 0 || r.Var.Held().Ptr == 0) {
		r.Var.AddrTaken = true
	}
}
