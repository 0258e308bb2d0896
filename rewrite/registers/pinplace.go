package registers

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// pinner goes through a function and finds the places of pins where its pinned variables are read and written:
//
//   - before a statement that reads one, and after one that writes one;
//   - before an if, a switch or a loop whose head reads one;
//   - at the top of a loop's body those that the loop's head reads or writes, and
//     at the bottom those that the head of a do loop reads.
//
// A body without braces gets braces where it is a loop's; what is in that of an if is pinned around the if.
type pinner struct {
	fn     *ir.Func
	vars   varSet
	order  []*ir.Var // as declared
	placed map[*ir.Var]int
	places []pinPlace
	cases  assigned // what has a value where the switch jumps to a case
	// jumpy says that control may come into the middle of a statement: then only
	// variables with an initialiser count as having a value, which no jump may skip.
	jumpy bool
}

// pinPlace is a place where variables are pinned together.
type pinPlace struct {
	fn    *ir.Func
	where pinWhere
	stmt  *ir.Stmt
	vars  []*ir.Var
}

// pinWhere says where pins stand around a statement.
type pinWhere string

const (
	pinBefore pinWhere = "before"
	pinBehind pinWhere = "behind"
	pinTop    pinWhere = "at the top of" // of a body with braces
	// A loop's body without braces gets them: the statement is the loop.
	pinOpen  pinWhere = "in the body of"
	pinClose pinWhere = "at the end of the body of"
)

// place adds a place for the pins of a set, in the order of declaration.
func (w *pinner) place(where pinWhere, s *ir.Stmt, set varSet) {
	at := pinPlace{fn: w.fn, where: where, stmt: s}
	for _, v := range w.order {
		if set[v] {
			w.placed[v]++
			at.vars = append(at.vars, v)
		}
	}
	w.places = append(w.places, at)
}

type varSet = map[*ir.Var]bool

func newPinner(fn *ir.Func, vars varSet) *pinner {
	w := &pinner{fn: fn, vars: vars, placed: map[*ir.Var]int{}}
	for _, v := range append(append([]*ir.Var{}, fn.Params...), fn.Vars...) {
		if vars[v] {
			w.order = append(w.order, v)
		}
	}
	for s := range fn.Body.All() {
		switch {
		case s.Op == ir.StmtGoto || s.Op == ir.StmtLabel:
			w.jumpy = true
		case s.Op == ir.StmtCase && (s.Parent.Op != ir.StmtCompound || s.Parent.Parent == nil || s.Parent.Parent.Op != ir.StmtSwitch):
			w.jumpy = true
		}
	}
	return w
}

// Function places the pins of the whole body. Parameters have a value from the start.
func (w *pinner) Function() {
	in := assigned{vars: varSet{}}
	for _, v := range w.fn.Params {
		if w.vars[v] {
			in.vars[v] = true
		}
	}
	w.list(w.fn.Body.List, in, nil)
}

// list places the pins of statements that follow one another; fresh are the
// variables that were pinned right before the first.
func (w *pinner) list(stmts []*ir.Stmt, in assigned, fresh varSet) assigned {
	for _, s := range stmts {
		switch {
		case s.Macro:
		case s.Op == ir.StmtCompound:
			in, fresh = w.list(s.List, in, fresh), nil
			continue
		case s.Op == ir.StmtCase:
			in, fresh = w.list(s.List, w.cases, nil), nil
			continue
		case s.Op == ir.StmtLabel:
			in.dead = false
			in, fresh = w.list(s.List, in, nil), nil
			continue
		}
		if before := w.before(s, in, fresh); len(before) > 0 {
			w.place(pinBefore, s, before)
		}
		in = w.inside(s, in)
		after := w.after(s, in)
		if len(after) > 0 {
			w.place(pinBehind, s, after)
		}
		fresh = after
	}
	return in
}

// before are the variables to pin ahead of a statement: those that it reads, in
// bodies with braces aside, and that have a value there.
func (w *pinner) before(s *ir.Stmt, in assigned, fresh varSet) varSet {
	out := varSet{}
	w.loose(s, func(top *ir.Expr) {
		w.reads(top, func(v *ir.Var) {
			if in.vars[v] && !in.dead && !fresh[v] && !declaredIn(v, s) {
				out[v] = true
			}
		})
	})
	return out
}

// after are the variables to pin after a statement: those that it writes.
func (w *pinner) after(s *ir.Stmt, out assigned) varSet {
	set := varSet{}
	if out.dead {
		return set
	}
	add := func(v *ir.Var) {
		if out.vars[v] && (s.Op == ir.StmtDecl || !declaredIn(v, s)) && !shadowed(s, v) {
			set[v] = true
		}
	}
	w.loose(s, func(top *ir.Expr) { w.writes(top, add) })
	if s.Op == ir.StmtDecl && !s.Macro {
		for _, v := range s.Vars {
			if v.Init != nil && w.vars[v] {
				add(v)
			}
		}
	}
	return set
}

// shadowed reports whether a declaration statement hides a variable of the same name from what follows.
func shadowed(s *ir.Stmt, v *ir.Var) bool {
	return slices.ContainsFunc(s.Vars, func(o *ir.Var) bool { return o != v && o.Name == v.Name })
}

// declaredIn reports whether a variable is declared in a statement, and so not known around it.
func declaredIn(v *ir.Var, s *ir.Stmt) bool { return v.Decl != nil && v.Decl.Inside(s) }

// loose calls f for the expressions of a statement that stand in no braces and in
// no body of a loop: pins for them go around the statement.
func (w *pinner) loose(s *ir.Stmt, f func(*ir.Expr)) {
	if s == nil {
		return
	}
	if s.Macro {
		for t := range s.All() {
			t.Exprs(f)
		}
		return
	}
	switch s.Op {
	case ir.StmtIf:
		if s.Preproc {
			return
		}
		f(s.Cond)
		for _, branch := range []*ir.Stmt{s.Body, s.Else} {
			if branch != nil && !braced(branch) {
				w.loose(branch, f)
			}
		}
	case ir.StmtFor:
		if s.Init != nil {
			s.Init.Exprs(f)
		}
		if s.Cond != nil {
			f(s.Cond)
		}
	case ir.StmtWhile, ir.StmtSwitch:
		if s.Cond != nil {
			f(s.Cond)
		}
	case ir.StmtDecl, ir.StmtExpr, ir.StmtReturn:
		s.Exprs(f)
	}
}

// braced reports whether a statement is a list in braces that stand in the text, or the branch of an #if.
func braced(s *ir.Stmt) bool { return s.Op == ir.StmtCompound && !s.Macro }

// inside places the pins inside a statement, and returns what has a value after it.
func (w *pinner) inside(s *ir.Stmt, in assigned) assigned {
	if s == nil {
		return in
	}
	if s.Macro {
		return in
	}
	switch s.Op {
	case ir.StmtCompound:
		return w.list(s.List, in, nil)
	case ir.StmtIf:
		at := in.with(w.defines(s.Cond)...)
		return w.inside(s.Body, at).Meet(w.inside(s.Else, at))
	case ir.StmtFor, ir.StmtWhile, ir.StmtDo:
		return w.loop(s, in)
	case ir.StmtSwitch:
		at := in.with(w.defines(s.Cond)...)
		if braced(s.Body) {
			outer := w.cases
			w.cases = at
			w.list(s.Body.List, at, nil)
			w.cases = outer
		}
		return at
	case ir.StmtDecl:
		for _, v := range s.Vars {
			if v.Init != nil {
				in = in.with(w.defines(v.Init)...)
				if w.vars[v] {
					in = in.with(v) // no jump may skip it
				}
			}
		}
	case ir.StmtExpr:
		in = in.with(w.defines(s.Expr)...)
	case ir.StmtReturn, ir.StmtBreak, ir.StmtContinue, ir.StmtGoto:
		return assigned{vars: in.vars, dead: true}
	}
	return in
}

// loop places the pins of a loop's body.
func (w *pinner) loop(s *ir.Stmt, in assigned) assigned {
	if s.Init != nil {
		in = w.inside(s.Init, in)
	}
	if s.Op == ir.StmtDo {
		w.body(s, in, varSet{}, w.headVars(s))
		return in
	}
	in = in.with(w.defines(s.Cond)...)
	w.body(s, in, w.headVars(s), nil)
	return in
}

// headVars are the variables that the head of a loop reads or writes.
func (w *pinner) headVars(s *ir.Stmt) varSet {
	set := varSet{}
	add := func(v *ir.Var) { set[v] = true }
	for _, e := range []*ir.Expr{s.Cond, s.Post} {
		w.reads(e, add)
		w.writes(e, add)
	}
	return set
}

// body places the pins of a loop's body: top and bottom are for the head.
func (w *pinner) body(s *ir.Stmt, in assigned, top, bottom varSet) {
	body := s.Body
	for v := range top {
		if !in.vars[v] {
			delete(top, v)
		}
	}
	if !braced(body) {
		w.unbraced(s, in, top)
		return
	}
	if body.NoScope {
		return // not the text of a body
	}
	if len(top) > 0 {
		w.place(pinTop, body, top)
	}
	out := w.list(body.List, in, top)
	for v := range bottom {
		if !out.vars[v] || declaredIn(v, s) || body.Any(func(s *ir.Stmt) bool { return shadowed(s, v) }) {
			delete(bottom, v)
		}
	}
	if n := len(body.List); len(bottom) > 0 && n > 0 && !out.dead {
		last := body.List[n-1]
		if last.Op == ir.StmtLabel || last.Op == ir.StmtCase {
			return
		}
		w.place(pinBehind, last, bottom)
	}
}

// unbraced places the pins of a loop's body without braces, which gets some where there is anything to pin in it.
func (w *pinner) unbraced(s *ir.Stmt, in assigned, top varSet) {
	body := s.Body
	if body.Op == ir.StmtEmpty && !body.Macro {
		return
	}
	for v := range w.before(body, in, nil) {
		top[v] = true
	}
	open := len(w.places)
	w.place(pinOpen, s, top)
	w.place(pinClose, s, w.after(body, w.inside(body, in)))
	if n := len(w.places) - 1; len(w.places[open].vars)+len(w.places[n].vars) == 0 {
		w.places = slices.Delete(w.places[:n], open, open+1)
	}
}
