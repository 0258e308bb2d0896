package registers

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/validate/content"
	"github.com/smux-cuda/smux/validate/kit"
	"github.com/smux-cuda/smux/validate/units"
)

// The conditions of demote. A slot is one thread's own: threads of a block have different numbers, below the
// extent of the arrays; components of a vector or an array lie that far apart; nothing else names array or number;
// and a function with slots is never entered again before it is left. So a slot holds what the variable held, no
// barrier is needed, and every read comes after the write that the original's initialises the variable with or
// assigns to it. Its type is the variable's, and it is used in no way in which a reference or a class differs
// from a variable of this type.

// rowMajor is the number that a thread gives itself in blocks of any shape.
const rowMajor = "( threadIdx . z * blockDim . y + threadIdx . y ) * blockDim . x + threadIdx . x"

func (d *demotion) doubt(at int, format string, args ...any) {
	d.k.Doubt(kit.Copies, d.c.New.File, at, format, args...)
}

// slotsFit checks the slots of a function that runs in blocks of some shapes, or, where these are not known, of at
// most as many threads as its launch bounds say.
func (d *demotion) slotsFit(shapes [][3]int, known bool, bounds [][]units.Unit) {
	if len(d.slots)+len(d.arrays) == 0 && d.number == nil {
		return
	}
	most := d.numbersFit(shapes, known, bounds)
	used := map[string]bool{}
	for _, s := range d.slots {
		at := s.stmt.Range.Start
		array := d.arrays[s.array]
		switch size, ok := content.IntOf(d.c, array.Dims[0]); {
		case used[s.array] || d.mentioned(s.array) != 2:
			d.doubt(at, "%s is more than the slots of %s", s.array, s.name)
		case !d.typed(array, s):
			d.doubt(at, "the slots in %s have another type than %s", s.array, s.name)
		case !ok || s.count == 0 || s.count > 1 && (s.stride < most || size < s.stride*(s.count-1)+most) || size < most:
			d.doubt(at, "%s has no place of its own for each of %d threads", s.array, most)
		case s.form == "array" && size != s.stride*s.count:
			d.doubt(at, "it is not known how many elements %s has", s.name)
		}
		used[s.array] = true
		d.usesFit(s)
	}
	if d.number != nil && d.mentioned(d.number.Name) != 1+len(d.slots) {
		d.doubt(d.counted.Range.Start, "%s is used for more than slots", d.number.Name)
	}
	for name, v := range d.arrays {
		if !used[name] {
			d.doubt(v.Range.Start, "%s holds no variable", name)
		}
	}
	d.namesFit()
	if d.reenters() {
		d.doubt(d.b.View.Start, "the function may be entered again before it is left, and its slots are set anew")
	}
	if !d.k.Doubtful(kit.Copies) {
		shown := d.k.Show(kit.Copies, "each variable has a slot of its thread's own", d.c.New.File.Position(d.counted.Range.Start))
		if content.DynamicBytes(d.c, d.k.Name) {
			shown.Assumes = "a block's dynamic shared memory fits beside the slots"
		}
	}
}

// typed reports whether an array has elements of a slot's type.
func (d *demotion) typed(array *ir.Var, s *slot) bool {
	us := d.c.UnitsOf(array.Decl)
	i := units.IndexOf(us, array.Name)
	return i > 1 && units.Text(us[1:i]) == units.Text(s.elem)
}

// numbersFit checks that threads of a block have different numbers, and returns how many numbers there are.
func (d *demotion) numbersFit(shapes [][3]int, known bool, bounds [][]units.Unit) int {
	if d.number == nil {
		return 1 << 30
	}
	at := d.counted.Range.Start
	us := d.c.UnitsOf(d.counted)
	expr := units.Text(us[4 : len(us)-1])
	most := 0
	if len(bounds) > 0 {
		most = d.c.Product(bounds[0])
	}
	if !known && most > 0 && most <= 1024 && expr == rowMajor {
		return most
	}
	if !known {
		d.doubt(at, "it is not known which numbers the threads of a block have: the shape of its blocks is not")
		return 1 << 30
	}
	most = 0
	for _, s := range shapes {
		calc := content.Counting(d.c, d.b, s)
		seen := map[int64]bool{}
		for t := range s[0] * s[1] * s[2] {
			n := calc.Eval(d.number.Init, t)
			if n.Kind != content.IsInt || n.N < 0 || n.N > 1<<20 || seen[n.N] {
				d.doubt(at, "threads of a block of %dx%dx%d have the same number, or it can't be told", s[0], s[1], s[2])
				return 1 << 30
			}
			seen[n.N] = true
			most = max(most, int(n.N)+1)
		}
	}
	d.k.RunFor(shapes)
	return most
}

// namesFit checks that the names of demote's mean nothing else: not in the original, and the built-in variables what
// they always do.
func (d *demotion) namesFit() {
	added := map[string]bool{d.number.Name: true}
	for name := range d.arrays {
		added[name] = true
	}
	for _, u := range d.c.Old.Units {
		for _, w := range units.Words(u.Text) {
			if added[w] {
				d.doubt(d.counted.Range.Start, "the original has a %s, too", w)
			}
		}
	}
	for _, name := range []string{"threadIdx", "blockDim"} {
		_, macro := d.c.New.File.Macros.Lookup(name, d.b.Body.Range.Start)
		own := slices.ContainsFunc(append(slices.Clone(d.b.Params), d.b.Vars...), func(v *ir.Var) bool { return v.Name == name })
		if macro || own || d.c.NewNames.Globals(d.c.New.File)[name] != nil {
			d.doubt(d.counted.Range.Start, "%s is not the built-in variable", name)
		}
	}
}

// reenters reports whether a device function may call itself.
func (d *demotion) reenters() bool {
	calls := func(fn *ir.Func) (out []*ir.Func) {
		kit.Walk(fn.Body, func(e *ir.Expr) bool {
			if e.Op == ir.OpCall {
				for _, g := range d.c.Devices[kit.Called(e)] {
					out = append(out, d.c.Lowered(g))
				}
			}
			return true
		})
		return out
	}
	seen := map[*ir.Func]bool{}
	todo := calls(d.b)
	for len(todo) > 0 {
		fn := todo[0]
		todo = todo[1:]
		if fn.View == d.b.View {
			return true
		}
		if !seen[fn] {
			seen[fn] = true
			todo = append(todo, calls(fn)...)
		}
	}
	return false
}

// usesFit checks the uses of a slot's variable: its address goes nowhere, and it is used as a number in a variable is.
func (d *demotion) usesFit(s *slot) {
	for _, v := range d.a.Vars {
		if v.Name == s.name && (v.AddrTaken || v.Static || v.Type.Volatile || v.Type.Ref || v.Type.IsAuto() || v.Kind != ir.VarLocal) {
			d.doubt(s.stmt.Range.Start, "%s is more than a variable that its thread reads and writes", s.name)
			return
		}
	}
	if !movable(s) {
		d.doubt(s.stmt.Range.Start, "it is not known that a %s is a number", units.Text(s.elem))
	}
	d.b.Body.Walk(func(t *ir.Stmt) bool {
		if t == s.stmt {
			return false
		}
		for _, v := range t.Vars {
			if v.Init == nil {
				continue
			}
			of := d.slotOf(v.Init, s)
			if of != nil && (v.Type.Ref || of.form != "" && v.Type.IsAuto()) {
				d.doubt(v.Range.Start, "%s stands for the slot of %s here, and not for its value", v.Name, s.name)
			}
		}
		return true
	})
	kit.Walk(d.b.Body, func(e *ir.Expr) bool {
		for i, kid := range e.Kids {
			if of := d.slotOf(kid, s); of != nil && !d.usable(e, i, of) {
				d.doubt(kid.Range.Start, "%s may be taken here for what its slot is, and not for its value", s.name)
			}
		}
		if e.Op == ir.OpLambda || e.Op == ir.OpIdent && (e.Name == "decltype" || e.Name == "typeof" || e.Name == "__typeof__") {
			if e.Any(func(t *ir.Expr) bool { return d.names(t, s) }) || e.Lambda != nil && e.Lambda.AnyExpr(func(t *ir.Expr) bool { return d.names(t, s) }) {
				d.doubt(e.Range.Start, "%s is captured here", s.name)
			}
		}
		return true
	})
	us := d.c.New.Between(d.b.Body.Range.Start, d.b.Body.Range.End)
	for i, u := range us {
		if b, _, ok := units.Match(us[i:], "$ ( $ )"); strings.HasSuffix(u.Text, "typeof") || u.Text == "__typeof__" || u.Text == "decltype" {
			if !ok || !units.IsWord(b[1]) || b[1] == "auto" || slices.ContainsFunc(d.slots, func(s *slot) bool { return s.name == b[1] }) {
				d.doubt(s.stmt.Range.Start, "the type of something is asked for that may be a slot's")
			}
		}
	}
}

// movable reports whether a slot holds a number of four or eight bytes, or a pointer.
func movable(s *slot) bool {
	if units.Mentions(s.elem, "*") {
		return s.vector == ""
	}
	t, ok := kit.NumberTypeOf(units.Text(s.elem))
	return ok && t.Bits >= 32
}

// names reports whether an expression is a slot's variable itself.
func (d *demotion) names(e *ir.Expr, s *slot) bool {
	return e != nil && e.Op == ir.OpIdent && e.Name == s.name && e.Qual == ""
}

// slotOf returns the slot that an expression is itself: a variable's, or that of a component.
func (d *demotion) slotOf(e *ir.Expr, s *slot) *slot {
	switch {
	case d.names(e, s):
		return s
	case s.stride > 0 && e != nil && (e.Op == ir.OpIndex || e.Op == ir.OpMember) && len(e.Kids) > 0 && d.names(e.Kids[0], s):
		if s.words {
			return &slot{name: s.name, form: "word"}
		}
		return &slot{name: s.name}
	}
	return nil
}

// usable reports whether an operand of an expression is used for its value alone, which a slot gives as a variable
// does. A reference to a number does so nearly everywhere; a class converts only where a number is wanted.
func (d *demotion) usable(e *ir.Expr, i int, s *slot) bool {
	reference := s.form == ""
	switch e.Op {
	case ir.OpAssign, ir.OpIncDec, ir.OpCast:
		return e.Op != ir.OpCast || !e.Type.Ref && !e.Type.IsAuto()
	case ir.OpUnary, ir.OpDeref:
		return true
	case ir.OpBinary:
		return true
	case ir.OpInitList:
		return reference
	case ir.OpComma, ir.OpCond:
		return reference || e.Op == ir.OpCond && i == 0
	case ir.OpIndex:
		return reference || i > 0 || s.form == "array" || s.form == "word"
	case ir.OpMember:
		return reference && e.Arrow || strings.HasPrefix(s.form, "vector") && !e.Arrow
	case ir.OpCall:
		if len(e.TArgs) > 0 || i == 0 {
			return false
		}
		gs := d.k.State.Calls[e]
		for _, g := range gs {
			if i > len(g.Params) || g.Params[i-1].Type.Ref && !(reference && g.Params[i-1].Type.Const) || len(g.TParams) > 0 && !reference || g.Params[i-1].Type.IsAuto() {
				return false
			}
		}
		if len(gs) > 0 {
			return len(gs) == 1
		}
		return kit.LeavesArguments(e) && (reference || e.Name != "printf")
	}
	return false
}

// pinsFit checks that what pins name are a thread's own numbers and pointers.
func (d *demotion) pinsFit() {
	bad := func(p pin, format string, args ...any) {
		d.k.Doubt(kit.Moves, d.c.New.File, p.stmt.Range.Start, format, args...)
	}
	for _, p := range d.pins {
		for _, name := range p.names {
			found := false
			for _, v := range append(slices.Clone(d.b.Params), d.b.Vars...) {
				if v.Name != name {
					continue
				}
				found = true
				if v.Kind != ir.VarLocal && v.Kind != ir.VarParam || v.Static || v.Type.Ref || v.Type.Volatile || len(v.Dims) > 0 || v.Type.Ptr == 0 && !kit.PlainValue(v.Type.Base) {
					bad(p, "%s is more than a number or a pointer of the thread", name)
				}
			}
			if !found {
				bad(p, "%s is no variable of the function", name)
			}
			d.looseFits(p, name)
		}
	}
	if len(d.pins) > 0 && !d.k.Doubtful(kit.Moves) {
		d.k.Show(kit.Moves, "empty asm statements set variables to what they are")
	}
}

// looseFits checks that a variable that is no longer const is used for its value alone.
func (d *demotion) looseFits(p pin, name string) {
	if !slices.ContainsFunc(d.a.Vars, func(v *ir.Var) bool { return v.Name == name && v.Type.Const }) {
		return
	}
	as := &slot{name: name}
	kit.Walk(d.b.Body, func(e *ir.Expr) bool {
		for i, kid := range e.Kids {
			if d.names(kid, as) && !d.usable(e, i, as) && e.Op != ir.OpAsm {
				d.k.Doubt(kit.Moves, d.c.New.File, kid.Range.Start, "%s is not const any more, which may matter here", name)
			}
		}
		return true
	})
}
