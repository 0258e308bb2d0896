package slice

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// roundsCheck holds the findings on statements that are to run once in each round: which variables they compute their
// subscripts, conditions and values from, and what is done to these in between. The last round runs where the
// statements stand, with all that stands between them; the rounds before it repeat as little of them as they need.
type roundsCheck struct {
	p  *sliceProof
	fn *ir.Func
	// eachCall is set for the body of a function that is called in each round, whole.
	eachCall bool
	uses     []*sliceUse
	run      []*ir.Stmt

	own       map[*ir.Var]bool    // variables that are declared in the run
	reset     map[*ir.Var]bool    // counters of enclosing loops that are set when these begin
	optional  []*ir.Stmt          // set own variables, and can be repeated
	kept      map[*ir.Stmt]bool   // by all rounds
	keptIn    []map[*ir.Stmt]bool // by one round alone
	units     []*unit             // by array: the statements
	last      int                 // by array: the round that stands where the exchange did
	barrierAt int                 // where the exchange's barrier stands, 0 where there is none

	needs    places   // what each round computes something from
	needsIn  []places // what one round alone computes something from
	parts    places   // of which each round takes its own component
	changed  places   // what reads are assigned to, round by round
	others   places   // what is changed by statements that run once
	mentions places   // what these use

	loops   []ir.Range // of the run
	loads   []roundLoad
	unknown []ir.Range // loads that may be of the thread's own variables
	effects []*ir.Expr // what may write memory and runs once

	staged   map[*sliceUse]stage // values that wait in registers
	inFront  map[*ir.Stmt]bool   // by array: declarations that stand in front of all rounds
	assigned []*ir.Var           // by array: of which direct ones may be
	direct   map[*sliceUse]bool  // by array: assigned in their round to what they are assigned to

	barriers int // in the list of the run
}

// roundLoad is a load of memory that others can change, and the round that makes it: each, where that is negative.
type roundLoad struct {
	*ir.Expr
	round int
}

// eachRound stands for all rounds.
const eachRound = -1

// checkRounds proves that statements with some uses of arrays can run once in each round.
// After the offset barrierAt stand the reads.
func (p *sliceProof) checkRounds(fn *ir.Func, run []*ir.Stmt, uses []*sliceUse, barrierAt int) *roundsCheck {
	x := &roundsCheck{
		p: p, fn: fn, eachCall: fn != p.Kernel.Func && p.inside[fn] == nil, uses: uses, run: run, barrierAt: barrierAt, own: map[*ir.Var]bool{}, reset: map[*ir.Var]bool{}, kept: map[*ir.Stmt]bool{},
		needs: places{}, parts: places{}, changed: places{}, others: places{}, mentions: places{}, staged: map[*sliceUse]stage{}, direct: map[*sliceUse]bool{}, inFront: map[*ir.Stmt]bool{},
	}
	for range variant.MostRounds {
		x.needsIn, x.keptIn = append(x.needsIn, places{}), append(x.keptIn, map[*ir.Stmt]bool{})
	}
	for _, s := range run {
		for t := range s.All() {
			for _, v := range t.Vars {
				x.own[v] = true
			}
			if t.IsLoop() {
				x.loops = append(x.loops, t.Range)
			}
		}
	}
	for _, s := range run {
		x.visit(s)
	}
	if p.byArray() {
		x.place()
	} else {
		x.readsInto()
	}
	x.keep()
	x.checkTypes()
	x.conflicts()
	return x
}

func (x *roundsCheck) Refuse(r ir.Range, what string) {
	x.p.Refuse(x.fn.File, r.Start, CodeNoExchange, "%s", what)
}

func (x *roundsCheck) crosses(r ir.Range, format string, args ...any) {
	x.p.Refuse(x.fn.File, r.Start, CodeCrosses, format, args...)
}

// usesUnder are the uses in a statement.
func (x *roundsCheck) usesUnder(s *ir.Stmt) []*sliceUse {
	return lists.Filter(x.uses, func(u *sliceUse) bool { return u.stmt.Inside(s) })
}

// visit looks at a statement of the run.
func (x *roundsCheck) visit(s *ir.Stmt) {
	uses := x.usesUnder(s)
	if len(uses) == 0 {
		x.Beside(s)
		return
	}
	switch {
	case s.Macro || s.Preproc:
		x.p.Refuse(x.fn.File, s.Range.Start, kit.CodeMacro, "an array is used in text that the preprocessor decides on")
	case s.Op == ir.StmtCompound:
		for _, c := range s.List {
			x.visit(c)
		}
	case s.Op == ir.StmtIf && s.Init == nil && !slices.ContainsFunc(uses, func(u *sliceUse) bool { return u.stmt == s }):
		x.need(s.Cond, eachRound)
		for _, c := range s.Children() {
			x.visit(c)
		}
	case s.Op == ir.StmtFor && !slices.ContainsFunc(uses, func(u *sliceUse) bool { return u.stmt == s || u.stmt == s.Init }):
		x.loop(s)
	case s.Op == ir.StmtExpr, s.Op == ir.StmtDecl, s.Op == ir.StmtReturn && s == x.run[len(x.run)-1]:
		x.units = append(x.units, &unit{stmt: s, uses: uses})
		for _, u := range uses {
			x.use(u)
		}
	default:
		x.Refuse(s.Range, "an array is used in the head of a statement, or in one that can't be repeated for each round")
	}
}

// loop looks at a counted loop with uses: it must set its counter when it begins.
func (x *roundsCheck) loop(s *ir.Stmt) {
	var counters []*ir.Var
	switch init := s.Init; {
	case init != nil && init.Op == ir.StmtDecl:
		counters = init.Vars
		for _, v := range init.Vars {
			x.need(v.Init, eachRound)
		}
	case init != nil && init.Op == ir.StmtExpr && init.Expr.Op == ir.OpAssign && init.Expr.Tok == "=" && init.Expr.Kids[0].Op == ir.OpIdent && init.Expr.Kids[0].Var != nil:
		v := init.Expr.Kids[0].Var
		counters = []*ir.Var{v}
		x.need(init.Expr.Kids[1], eachRound)
		x.others.add(v, init.Range) // what it is after the loop
		x.reset[v] = true
		defer delete(x.reset, v)
	}
	steps := s.Post != nil && (s.Post.Op == ir.OpIncDec || s.Post.Op == ir.OpAssign) && s.Post.Kids[0].Op == ir.OpIdent && slices.Contains(counters, s.Post.Kids[0].Var)
	inBody := func(v *ir.Var) bool {
		return v.AddrTaken || slices.ContainsFunc(v.Writes, func(w *ir.Expr) bool { return s.Body.Range.Contains(w.Range) })
	}
	if !steps || slices.ContainsFunc(counters, inBody) || s.LeavesEarly() {
		x.Refuse(s.Range, "an array is used in a loop that does not just count")
		return
	}
	if s.Post.Op == ir.OpAssign {
		x.need(s.Post.Kids[1], eachRound)
	}
	x.need(s.Cond, eachRound)
	x.visit(s.Body)
}

// use looks at one use in an expression or a declaration.
func (x *roundsCheck) use(u *sliceUse) {
	if u.call != nil {
		x.call(u)
		return
	}
	for _, e := range u.subscripts() {
		x.need(e, u.round())
		if e.Any(func(t *ir.Expr) bool {
			return slices.ContainsFunc(x.uses, func(o *sliceUse) bool { return o.name == t })
		}) {
			x.p.Refuse(x.fn.File, e.Range.Start, CodeSliceAccess, "a subscript of %s is read from an array that is to be cut, too", u.array.Name)
		}
	}
	if u.store == nil {
		return // see readsInto
	}
	value := u.store.Kids[1]
	switch {
	case !x.p.byComponent(), u.part >= 0:
		x.need(value, u.round())
	case x.plain(value, u.array) && !x.isLoaded(value.Root().Var):
		x.parts.add(value.Root().Var, value.Range)
		for e := value; e.Op == ir.OpIndex; e = e.Kids[0] {
			x.need(e.Kids[1], eachRound)
		}
	default:
		x.need(value, 0)
		x.stage(u)
	}
}

// isLoaded reports whether a variable is set in the run by what is better not computed again in each round.
func (x *roundsCheck) isLoaded(v *ir.Var) bool {
	return x.own[v] && !x.eachCall && (v.Init == nil || v.Init.Any(func(e *ir.Expr) bool { return e.Op == ir.OpCall || x.isLoad(x.fn, e) }))
}

// plain reports whether an expression is a variable of an array's element type in registers, or an element of a local
// array of these: what a component can be taken of in each round.
func (x *roundsCheck) plain(e *ir.Expr, a *slicedArray) bool {
	depth := 0
	for ; e.Op == ir.OpIndex; e = e.Kids[0] {
		depth++
	}
	v := e.Var
	if e.Op != ir.OpIdent || e.Macro || v == nil || v.Kind != ir.VarLocal && v.Kind != ir.VarParam {
		return false
	}
	return v.Type.Base == a.Type && v.Type.Ptr == 0 && !v.Type.Volatile && !v.Static && x.p.alone(x.fn, v) && depth == len(v.Dims) && (!v.Type.Ref || v.Kind == ir.VarParam)
}

// call looks at a call of a function that has a form: what is true of its body is true of its arguments.
func (x *roundsCheck) call(u *sliceUse) {
	inner := u.form.check
	for i, arg := range u.call.Args() {
		if i == u.form.param || i >= len(u.form.fn.Params) {
			continue
		}
		param := u.form.fn.Params[i]
		if !param.Type.Ref {
			x.need(arg, eachRound)
			continue
		}
		if arg.Op != ir.OpIdent || arg.Var == nil || arg.Var.Kind != ir.VarLocal || !x.p.alone(x.fn, arg.Var) || arg.Var.Type.Ref || arg.Var.Type.Base != param.Type.Base {
			x.Refuse(arg.Range, "a reference passed along with an array is not to a variable in registers")
			continue
		}
		for _, m := range []struct{ of, to places }{{inner.needs, x.needs}, {inner.parts, x.parts}, {inner.changed, x.changed}} {
			if m.of.has(param) {
				m.to.add(arg.Var, arg.Range)
			}
		}
	}
	if len(inner.loads) > 0 {
		x.loads = append(x.loads, roundLoad{u.call, eachRound})
	}
	if len(inner.unknown) > 0 {
		x.unknown = append(x.unknown, u.call.Range)
	}
}

// neededIn says what one round computes something from, or each.
func (x *roundsCheck) neededIn(round int) places {
	if round == eachRound {
		return x.needs
	}
	return x.needsIn[round]
}

// need notes what an expression is computed from that is evaluated in a round, or in each.
func (x *roundsCheck) need(e *ir.Expr, round int) {
	if e == nil {
		return
	}
	in := x.neededIn(round)
	if x.p.Kernel.Effect(x.fn, e).Changes() {
		x.Refuse(e.Range, "the value computed here for an array has an effect, which every round would repeat")
	}
	for t := range e.All() {
		switch {
		case t.Op == ir.OpIdent && t.Var != nil && !x.reset[t.Var] && (t.Var.Kind == ir.VarLocal || t.Var.Kind == ir.VarParam):
			in.add(t.Var, t.Range)
		case x.isLoad(x.fn, t):
			x.loads = append(x.loads, roundLoad{t, round})
			if r := t.Root(); r == nil || r.Var != nil && r.Var.Kind == ir.VarLocal {
				x.unknown = append(x.unknown, t.Range)
			}
		}
	}
}

// keep finds the optional statements that rounds need, and what these are computed from.
func (x *roundsCheck) keep() {
	x.keepFor(x.kept, eachRound, x.needs, x.parts)
	for r, in := range x.needsIn {
		x.keepFor(x.keptIn[r], r, in)
	}
}

// keepFor finds those that set the variables of some sets, and adds what they are computed from.
func (x *roundsCheck) keepFor(kept map[*ir.Stmt]bool, round int, of ...places) {
	used := func(v *ir.Var) bool {
		return slices.ContainsFunc(of, func(in places) bool { return in.has(v) })
	}
	for again := true; again; {
		again = false
		for _, s := range x.optional {
			if kept[s] || !slices.ContainsFunc(sets(s), used) {
				continue
			}
			kept[s], again = true, true
			s.Exprs(func(e *ir.Expr) {
				if s.Op == ir.StmtExpr {
					if e.Kids[0].Op == ir.OpIndex {
						x.need(e.Kids[0].Kids[1], round)
					}
					if e.Op == ir.OpIncDec {
						return
					}
					e = e.Kids[1]
				}
				x.need(e, round)
			})
		}
	}
}

// sets are the variables that an optional statement sets.
func sets(s *ir.Stmt) []*ir.Var {
	if s.Op == ir.StmtDecl {
		return s.Vars
	}
	return []*ir.Var{s.Expr.Kids[0].Root().Var}
}
