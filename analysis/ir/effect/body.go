package effect

import (
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Func is the effect of calling a function, its arguments aside: Changes tells whether it changes
// anything beyond its own variables, its object and its arguments among that.
func (s *Scope) Func(fn *ir.Func) Effect { return s.body(ir.Definition{File: fn.File, Fn: fn.View}) }

// runs is the effect of one of some functions; known is false where it may be another one.
func (s *Scope) runs(list []ir.Definition, known bool) (out Effect) {
	if !known || len(list) == 0 {
		return anything
	}
	for _, d := range list {
		if d.Fn.Body != nil {
			out = out.and(s.body(d))
			continue
		}
		if s.isElsewhere(d, list) {
			return anything
		}
	}
	return out
}

// Elsewhere reports whether a call may run a function that the files in view declare and that none of them defines, or one
// of a class or namespace that none of them names. Classes that define a pure virtual one in its place are taken to be in
// view.
func (s *Scope) Elsewhere(fn *ir.Func, call *ir.Expr) bool {
	list, _ := s.called(fn, call)
	if call.Implicit && len(list) == 0 {
		return isForeign(s, fn, call)
	}
	if call.Qual != "" && len(list) > 0 && !s.declares(call.Qual) {
		return true
	}
	return slices.ContainsFunc(list, func(d ir.Definition) bool {
		return s.isElsewhere(d, list) && !strings.HasSuffix(strings.ReplaceAll(d.File.Text(d.Fn.Node), " ", ""), "=0;")
	})
}

// isForeign reports whether an operator, a conversion or a constructor is one of a class that no file in view declares, or of one
// whose definition none of them has.
func isForeign(s *Scope, fn *ir.Func, call *ir.Expr) bool {
	elsewhere := len(s.functions[call.Name]) > 0 && !slices.ContainsFunc(s.functions[call.Name], func(d ir.Definition) bool { return d.Fn.Body != nil })
	if call.Type.Base != "" && !strings.HasPrefix(call.Name, "operator") {
		t := s.named(fn, call.Type.Base)
		return t.Kind == Foreign || t.Kind == Object && (elsewhere || t.Class.holdsForeign(map[*Class]bool{}))
	}
	operands := call.Args()
	if of := call.Object(); of != nil {
		operands = append(operands[:len(operands):len(operands)], of)
	}
	return slices.ContainsFunc(operands, func(e *ir.Expr) bool {
		t := s.TypeOf(fn, e)
		return t.Levels == 0 && (t.Kind == Foreign || t.Kind == Object && elsewhere)
	})
}

// declares reports whether the files in view say what a qualifier is: a namespace, a class or another name for one, a
// parameter of a template, a library's.
func (s *Scope) declares(qualifier string) bool {
	if intrinsic.LibraryOf(qualifier) != nil {
		return true
	}
	name, _, _ := strings.Cut(strings.TrimSuffix(qualifier, "::"), "<")
	name = name[strings.LastIndexAny(name, ": ")+1:]
	known, asked := s.qualifiers[name]
	if !asked {
		says := regexp.MustCompile(`\b(namespace|struct|class|union|enum|using|typedef|typename|template|auto|define)\b[^;{}]*\b` + regexp.QuoteMeta(name) + `\b`)
		known = name == "" || slices.ContainsFunc(s.files, func(f *parser.File) bool { return says.Match(f.Src) })
		s.qualifiers[name] = known
	}
	return known
}

// isElsewhere reports whether a function is declared, and a list of functions lacks its definition.
func (s *Scope) isElsewhere(d ir.Definition, list []ir.Definition) bool {
	return d.Fn.Body == nil && !s.written(d, "default") && !slices.ContainsFunc(list, func(o ir.Definition) bool {
		if o.Fn.Body == nil || o.Fn.Class != d.Fn.Class && !d.Fn.Friend || len(o.Fn.Params) != len(d.Fn.Params) {
			return false
		}
		for i, q := range d.Fn.Params {
			if a, b := s.parameter(d, q), s.parameter(o, o.Fn.Params[i]); a.Kind != Parameter && b.Kind != Parameter && (a.Base != b.Base || a.Levels != b.Levels) {
				return false
			}
		}
		return true
	})
}

// body is the effect of a function. One that calls itself may do anything.
func (s *Scope) body(d ir.Definition) Effect {
	if e := s.bodies[d.Fn]; e != nil {
		return *e
	}
	s.bodies[d.Fn] = &anything
	fn := s.lower(d.File, d.Fn)
	if s.resolving[fn] || len(fn.Problems) > 0 || d.Fn.Error != nil || s.isVirtual(d) {
		delete(s.bodies, d.Fn)
		return anything
	}
	w := walker{s, fn, false}
	out := w.stmt(fn.Body).and(w.initialisers(d))
	out.Flags &^= Leaves | ReadsGiven
	out.Reads, out.Writes = nil, nil
	s.bodies[d.Fn] = &out
	return out
}

// isVirtual reports whether another definition may run in place of a member function.
func (s *Scope) isVirtual(d ir.Definition) bool {
	return strings.Contains(string(d.File.Src[d.Fn.Start:d.Fn.Node.Start])+d.File.Text(d.Fn.Node)[:max(0, int(d.Fn.Body.Start)-int(d.Fn.Node.Start))], "virtual")
}

// initialisers is the effect of what a constructor's members and base classes begin with.
func (w walker) initialisers(d ir.Definition) (out Effect) {
	if d.Fn.Name != d.Fn.Class {
		return out
	}
	for _, c := range w.classes[d.Fn.Class] {
		c.look()
		for _, e := range c.defaults {
			out = out.and(w.expr(e))
		}
	}
	for n := d.Fn.Node.First; n != nil; n = n.Next {
		if n.Kind != parser.KindFieldInitializerList {
			continue
		}
		for f := n.FirstNamed(); f != nil; f = f.NextNamed() {
			for k := f.FirstNamed(); k != nil; k = k.NextNamed() {
				if k.Kind != parser.KindArgumentList && k.Kind != parser.KindInitializerList {
					continue
				}
				for a := k.FirstNamed(); a != nil; a = a.NextNamed() {
					e := ir.LowerValue(w.cache, d.File, a)
					w.expression(w.fn, e)
					out = out.and(w.expr(e))
				}
			}
		}
	}
	return out
}

// holdsForeign reports whether a member or a base of a class is of one that no file in view declares.
func (c *Class) holdsForeign(seen map[*Class]bool) bool {
	if seen[c] {
		return false
	}
	seen[c] = true
	names, _ := c.ancestry()
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(c.scope.classes[name], func(of *Class) bool {
			of.look()
			return of.foreign || slices.ContainsFunc(of.vars, func(v *ir.Var) bool {
				t := c.scope.declared(of.inClass(), v)
				return !v.Type.Ref && t.Levels == t.Array && (t.Kind == Foreign || t.Kind == Object && t.Class.holdsForeign(seen))
			})
		})
	})
}

// Keeps reports whether objects of a class of the program have a member that is a reference.
func Keeps(s *Scope, class string) bool {
	return slices.ContainsFunc(s.classes[lastName(class)], func(c *Class) bool {
		names, _ := c.ancestry()
		return slices.ContainsFunc(names, func(name string) bool {
			return slices.ContainsFunc(s.classes[name], func(of *Class) bool {
				of.look()
				return slices.ContainsFunc(of.vars, func(v *ir.Var) bool {
					return v.Type.Ref || v.Type.Ptr == 0 && v.Type.Base != c.Name && len(names) == 1 && Keeps(s, v.Type.Base)
				})
			})
		})
	})
}

// judgement says whether a class is plain.
type judgement uint8

const (
	unjudged judgement = iota
	judging            // on the way: a class holds no object of its own class
	plain
	eventful
)

// isPlain reports whether objects of a class are made, copied, assigned and ended as a struct of numbers is:
// these functions change nothing but the object.
func (c *Class) isPlain() bool {
	if c.judged == unjudged {
		c.judged = eventful
		c.look()
		c.judged = judging
		if c.judgeMembers() {
			c.judged = plain
		} else {
			c.judged = eventful
		}
	}
	return c.judged != eventful
}

func (c *Class) judgeMembers() bool {
	s := c.scope
	names, all := c.ancestry()
	if !all {
		return false
	}
	byName := map[string][]ir.Definition{}
	for _, name := range names {
		for _, d := range s.members[name] {
			if (d.Fn.Name == d.Fn.Class || strings.HasPrefix(d.Fn.Name, "~") || d.Fn.Name == "operator=") && !s.written(d, "delete") {
				byName[name+"::"+d.Fn.Name] = append(byName[name+"::"+d.Fn.Name], d)
			}
		}
		for _, of := range s.classes[name] {
			of.look()
			for _, v := range of.vars {
				if v.Type.Ref {
					return false // it keeps what it was made of
				}
				if v.Type.Ptr > 0 || v.Type.Base == c.Name {
					continue
				}
				t := s.declared(of.inClass(), v)
				if t.Levels == t.Array && (t.Kind == Foreign || t.Kind == Object && !t.Class.isPlain()) {
					return false
				}
			}
			for _, e := range of.defaults {
				if (walker{s, of.inClass(), false}).expr(e).beyond(false, false) {
					return false
				}
			}
		}
	}
	for name, list := range byName {
		if does := s.runs(list, true); does.beyond(true, false) || does.params != 0 && !strings.HasSuffix(name, "=") {
			return false
		}
	}
	return true
}

// beyond reports whether a function does more than one of the language does: an operator that computes a value writes
// nothing; one that assigns writes its object, or its first argument; one that gives a place may follow a pointer.
func (e Effect) beyond(assigns, follows bool) bool {
	if e.has(WritesMemory|Volatile|Waits|Varies|Leaves) || e.has(ReadsMemory) && !follows {
		return true
	}
	if assigns {
		return e.params&^1 != 0
	}
	return e.writesThis || e.params != 0
}
