package evaluate

import (
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/values"
)

// initialisers keeps what the initialisers of variables came out as while the
// counters of loops stay what they are. Where each variable is made of two others,
// as in generated code, the first one would else be found 2^n times for the n-th.
type initialisers struct {
	values map[*ir.Var]initialValue
	refs   map[*ir.Var]initialRef
	forms  map[*ir.Var]Form
	words  int // that values take
}

type initialValue struct {
	values.Value
	counted bool // it reads the counter of a loop
}

type initialRef struct {
	Ref
	ok bool
}

const (
	// maxInitialWords bounds the numbers that a frame keeps; past it they are found anew.
	maxInitialWords = 1 << 20
	// maxInitialisers bounds those under evaluation, one inside another: the stack grows with them.
	maxInitialisers = 10_000
)

func (s *initialisers) keep(v *ir.Var, x initialValue) {
	if s.words += len(x.V); s.values == nil || s.words > maxInitialWords {
		s.values, s.words = map[*ir.Var]initialValue{}, len(x.V)
	}
	s.values[v] = x
}

func (s *initialisers) keepRef(v *ir.Var, r initialRef) {
	if s.words += len(r.Off.V); s.refs == nil || s.words > maxInitialWords {
		s.refs, s.words = map[*ir.Var]initialRef{}, len(r.Off.V)
	}
	s.refs[v] = r
}

func (s *initialisers) keepForm(v *ir.Var, a Form) {
	if s.forms == nil {
		s.forms = map[*ir.Var]Form{}
	}
	s.forms[v] = a
}

// Bind gives a variable a value until it gets another one; loop is the one that counts it, nil for none.
func (f *Frame) Bind(v *ir.Var, x values.Value, loop *ir.Stmt) {
	f.Vals[v], f.loops[v] = x, loop
	f.inits = initialisers{}
}

// Unbind takes back what bind did.
func (f *Frame) Unbind(v *ir.Var) {
	delete(f.Vals, v)
	delete(f.loops, v)
	f.inits = initialisers{}
}

// Initialiser calls f for the initialiser of v: in it, counters of loops have the values that they had at its
// declaration. It does nothing where v is made of itself, or where too many are under way.
func (f *Frame) Initialiser(v *ir.Var, find func(init *ir.Expr)) {
	if f.busy[v] || len(f.busy) >= maxInitialisers {
		return
	}
	f.busy[v] = true
	outer := f.decl
	if v.Decl != nil {
		f.decl = v.Decl
	}
	find(v.Init)
	f.decl = outer
	delete(f.busy, v)
}
