package effect

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// operators are the functions of the program that an operator of some operands may be.
func (s *Scope) operators(fn *ir.Func, name string, kids []*ir.Expr) (out []ir.Definition) {
	if len(s.functions[name]) == 0 {
		return nil
	}
	types, classes := make([]Type, len(kids)), false
	for i, k := range kids {
		types[i] = s.TypeOf(fn, k)
		classes = classes || types[i].Levels == 0 && types[i].Kind != Number && types[i].Kind != Nothing
	}
	if !classes {
		return nil
	}
	exact := false
	step := name == "operator++" || name == "operator--"
	for _, d := range s.functions[name] {
		n := len(kids)
		member := d.Fn.Class != "" && !d.Fn.Friend
		if member {
			n--
		}
		if !Takes(d.Fn, n) && !(step && Takes(d.Fn, n+1)) || s.written(d, "delete") || !s.runsIn(fn, d) {
			continue
		}
		if member && !s.isMethodOf(d, types[0]) {
			continue
		}
		fits, same := true, !member || types[0].Kind == Object && types[0].Class.Name == d.Fn.Class
		for i, q := range d.Fn.Params {
			if at := i + len(kids) - n; at < len(kids) {
				to := s.parameter(d, q)
				fits = fits && s.converts(types[at], to)
				same = same && to.Kind == types[at].Kind && to.Base == types[at].Base && to.Levels == types[at].Levels
			}
		}
		switch {
		case !fits:
		case same && !exact:
			exact, out = true, []ir.Definition{d} // no other is as close
		case same == exact:
			out = append(out, d)
		}
	}
	return out
}

// isMethodOf reports whether a member function may be called on a value.
func (s *Scope) isMethodOf(d ir.Definition, t Type) bool {
	if t.Levels > 0 || t.IsBuiltin() {
		return false
	}
	if t.Kind == Object {
		names, all := t.Class.ancestry()
		return slices.Contains(names, d.Fn.Class) || !all && len(s.classes[d.Fn.Class]) == 0
	}
	return t.Kind != Foreign || lastName(t.Base) == d.Fn.Class
}

// runsIn reports whether a definition can be called where a function runs.
func (s *Scope) runsIn(fn *ir.Func, d ir.Definition) bool {
	const device = parser.QualDevice | parser.QualGlobal
	if fn.View == nil || fn.View.Quals&device == 0 {
		return true
	}
	switch q := d.Fn.Quals; {
	case d.Fn.IsKernel():
		return false
	case q&(parser.QualDevice|parser.QualConstexpr) != 0:
		return true
	case q&parser.QualHost != 0:
		return false
	}
	return d.Fn.Class != "" // its declaration may say more
}

// parameter is the type of a function's parameter.
func (s *Scope) parameter(d ir.Definition, q parser.Param) Type {
	if q.Node == nil {
		return Type{}
	}
	typ := q.Node.Child(parser.FieldType)
	if typ == nil {
		return Type{}
	}
	t := s.named(&ir.Func{File: d.File, View: d.Fn}, d.File.Text(typ))
	if decl := q.Node.Child(parser.FieldDeclarator); decl != nil {
		t.Levels += strings.Count(d.File.Text(decl), "*") + strings.Count(d.File.Text(decl), "[")
	}
	return t
}

// converts reports whether a value may be passed for a parameter.
func (s *Scope) converts(from, to Type) bool {
	if from.Kind == 0 || from.Kind == Parameter || to.Kind == 0 || to.Kind == Parameter {
		return true
	}
	if from.Levels != to.Levels && (from.Levels > 0 || from.Kind != Object) && (to.Levels > 0 || to.Kind != Object) {
		return false
	}
	switch {
	case from.Levels > 0 && to.Levels > 0:
		return true
	case from.isObject() && to.isObject():
		if from.Base == to.Base || lastName(from.Base) == lastName(to.Base) {
			return true
		}
		if from.Kind == Object {
			if names, all := from.Class.ancestry(); !all || slices.Contains(names, lastName(to.Base)) {
				return true
			}
		}
		return s.hasConversions(from) || s.isMadeFrom(to, from)
	case from.isObject():
		return s.hasConversions(from)
	case to.isObject():
		return s.isMadeFrom(to, from)
	case from.Kind == Vector && to.Kind == Vector:
		return from.Base == to.Base || vectors[from.Base] && vectors[to.Base]
	case from.Kind == Vector && to.Kind == Number, to.Kind == Vector && from.Kind == Number:
		return vectors[from.Base] || vectors[to.Base]
	}
	return true
}

// hasConversions reports whether an object may turn into a value of another type by itself.
func (s *Scope) hasConversions(t Type) bool {
	return t.Kind == Foreign || t.Kind == Object && len(s.conversions(t)) > 0
}

// conversions are the conversion functions of an object's class.
func (s *Scope) conversions(t Type) []ir.Definition {
	return t.Class.methods(func(d ir.Definition) bool {
		return strings.HasPrefix(d.Fn.Name, "operator ") && !s.written(d, "delete")
	})
}

// isMadeFrom reports whether a class has a constructor that takes one value of another type.
func (s *Scope) isMadeFrom(to, from Type) bool {
	if to.Kind == Foreign {
		return true
	}
	return slices.ContainsFunc(s.members[to.Class.Name], func(d ir.Definition) bool {
		if d.Fn.Name != d.Fn.Class || !Takes(d.Fn, 1) || len(d.Fn.Params) == 0 {
			return false
		}
		p := s.parameter(d, d.Fn.Params[0])
		return p.Kind != Object || p.Base != to.Base && (!from.isObject() || p.Base == from.Base)
	})
}

// called are the functions of the program that a call may run; known is false where it may be one that
// is not in view.
func (s *Scope) called(fn *ir.Func, call *ir.Expr) (out []ir.Definition, known bool) {
	if call.Implicit {
		return call.Targets, len(call.Targets) > 0
	}
	if len(call.Kids) == 0 {
		return nil, false
	}
	n := call.CountArgs()
	fits := func(d ir.Definition) bool {
		return Takes(d.Fn, n) && s.runsIn(fn, d) && !s.written(d, "delete")
	}
	if obj, member := call.IsMemberCall(); member {
		t := s.TypeOf(fn, obj)
		if call.Kids[0].Arrow && t.Levels == 1 {
			t = t.element()
		} else if call.Kids[0].Arrow && t.Kind == Object {
			t = Type{}
		}
		switch {
		case t.Kind == Object && t.Levels == 0:
			out = t.Class.methods(func(d ir.Definition) bool { return d.Fn.Name == call.Name && fits(d) })
			_, known = t.Class.ancestry()
			return out, known && len(out) > 0
		case t.IsBuiltin(), t.Kind == Foreign:
			return nil, false
		}
		for _, d := range s.functions[call.Name] {
			if d.Fn.Class != "" && fits(d) {
				out = append(out, d)
			}
		}
		return out, false
	}
	if call.Kids[0].Op != ir.OpIdent {
		return nil, false
	}
	if v := call.Kids[0].Var; v != nil && v.Kind == ir.VarTemplateType {
		return nil, false
	}
	if s.IsObject(fn, call.Kids[0]) {
		if t := s.TypeOf(fn, call.Kids[0]); t.Kind == Object && t.Levels == 0 {
			out = t.Class.methods(func(d ir.Definition) bool { return d.Fn.Name == "operator()" && fits(d) })
		}
		return out, len(out) > 0
	}
	for _, d := range s.functions[call.Name] {
		if fits(d) && (d.Fn.Class == "" || d.Fn.Friend || d.Fn.Name == d.Fn.Class || call.Qual != "" || s.isOwnMethod(fn, d)) {
			out = append(out, d)
		}
	}
	return ended(s, out), len(out) > 0
}

// ended adds to functions that make an object what ends it: an object without a name ends where it is made.
func ended(s *Scope, list []ir.Definition) []ir.Definition {
	for _, d := range list {
		if d.Fn.Name == d.Fn.Class {
			for _, end := range s.members[d.Fn.Class] {
				if strings.HasPrefix(end.Fn.Name, "~") && !slices.Contains(list, end) {
					list = append(list, end)
				}
			}
		}
	}
	return list
}

// IsObject reports whether what is called by a name is a variable, or a data member of the class at hand: then it is
// an object, or a pointer to a function.
func (s *Scope) IsObject(fn *ir.Func, callee *ir.Expr) bool {
	v, of := s.variable(fn, callee)
	return v != nil && (callee.Var != nil || of != nil) && v.Kind != ir.VarTemplateType
}

// isOwnMethod reports whether a function can call a member function by its name alone.
func (s *Scope) isOwnMethod(fn *ir.Func, d ir.Definition) bool {
	c := s.classOf(fn)
	if c == nil {
		return fn.View != nil && fn.View.Class == d.Fn.Class
	}
	names, _ := c.ancestry()
	return slices.Contains(names, d.Fn.Class)
}
