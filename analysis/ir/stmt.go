package ir

import "iter"

// StmtOp is the kind of a statement.
type StmtOp uint8

// The statement kinds.
const (
	StmtUnknown  StmtOp = iota
	StmtCompound        // List; a scope unless NoScope
	StmtDecl            // Vars
	StmtExpr            // Expr
	StmtIf              // Cond, Body, Else; Init for a declaration in the condition
	StmtFor             // Init, Cond, Post, Body
	StmtWhile           // Cond, Body
	StmtDo              // Body, Cond
	StmtSwitch          // Cond, Body
	StmtCase            // a case or default label; List holds what stands after it
	StmtReturn          // Expr or nil
	StmtBreak
	StmtContinue
	StmtGoto
	StmtLabel // Name, List
	StmtEmpty
)

// Stmt is one statement.
type Stmt struct {
	Op      StmtOp
	Parent  *Stmt
	List    []*Stmt // of a compound, case or label
	Init    *Stmt
	Cond    *Expr
	Post    *Expr
	Body    *Stmt
	Else    *Stmt
	Expr    *Expr
	Vars    []*Var
	Name    string
	Names   []string // of types, enumerators and namespaces that a declaration makes, those in its list of specifiers too
	NoScope bool     // a compound that opens no scope (a branch of #if, an expanded macro)
	Preproc bool     // an If that stands for #if … #else … #endif
	Macro   bool     // came out of a macro expansion; Range is that of the whole macro use
	// Range is the statement without leading pragmas, qualifiers (__shared__)
	// included; Outer starts at the first pragma that belongs to it.
	Range Range
	Outer Range
}

// IsLoop reports whether s is a for, while or do statement.
func (s *Stmt) IsLoop() bool { return s.Op == StmtFor || s.Op == StmtWhile || s.Op == StmtDo }

// Children returns the statements directly inside s, in execution order as far as there is one.
func (s *Stmt) Children() []*Stmt {
	switch s.Op {
	case StmtCompound, StmtCase, StmtLabel:
		return s.List
	}
	var out []*Stmt
	for _, c := range [...]*Stmt{s.Init, s.Body, s.Else} {
		if c != nil {
			out = append(out, c)
		}
	}
	return out
}

// Exprs calls f for each expression directly in s: not those of statements inside it.
func (s *Stmt) Exprs(f func(*Expr)) {
	for _, v := range s.Vars {
		for _, d := range v.Dims {
			if d != nil {
				f(d)
			}
		}
		if v.Init != nil {
			f(v.Init)
		}
	}
	for _, e := range [...]*Expr{s.Cond, s.Expr, s.Post} {
		if e != nil {
			f(e)
		}
	}
}

// Walk calls f for s and every statement inside it, parents first; f returns false to skip a statement's inside.
func (s *Stmt) Walk(f func(*Stmt) bool) {
	if s == nil || !f(s) {
		return
	}
	for _, c := range s.Children() {
		c.Walk(f)
	}
}

// WalkExprs calls f for every expression in s and in the statements inside it, parents first.
func (s *Stmt) WalkExprs(f func(*Expr) bool) {
	for t := range s.All() {
		t.Exprs(func(e *Expr) { e.Walk(f) })
	}
}

// All yields s and every statement inside it, parents first, nothing where s is nil.
func (s *Stmt) All() iter.Seq[*Stmt] { return func(yield func(*Stmt) bool) { s.each(yield) } }

// each reports whether yield asks for more after s and every statement inside it.
func (s *Stmt) each(yield func(*Stmt) bool) bool {
	if s == nil {
		return true
	}
	if !yield(s) {
		return false
	}
	for _, c := range s.Children() {
		if !c.each(yield) {
			return false
		}
	}
	return true
}

// AllExprs yields every expression in s and in the statements inside it, parents first.
func (s *Stmt) AllExprs() iter.Seq[*Expr] { return func(yield func(*Expr) bool) { s.eachExpr(yield) } }

// eachExpr reports whether yield asks for more after every expression in s and in the statements inside it.
func (s *Stmt) eachExpr(yield func(*Expr) bool) bool {
	return s.each(func(t *Stmt) bool {
		more := true
		t.Exprs(func(e *Expr) { more = more && e.each(yield) })
		return more
	})
}

// Any reports whether f is true of s or of a statement inside it.
func (s *Stmt) Any(f func(*Stmt) bool) bool {
	return !s.each(func(t *Stmt) bool { return !f(t) })
}

// AnyExpr reports whether f is true of an expression in s or in the statements inside it.
func (s *Stmt) AnyExpr(f func(*Expr) bool) bool {
	return !s.eachExpr(func(e *Expr) bool { return !f(e) })
}

// JumpTarget returns the loop or switch that a break or continue belongs to.
func (s *Stmt) JumpTarget() *Stmt {
	for p := s.Parent; p != nil; p = p.Parent {
		if p.IsLoop() || s.Op == StmtBreak && p.Op == StmtSwitch {
			return p
		}
	}
	return nil
}

// LeavesEarly reports whether something in a loop's body may end the loop.
func (s *Stmt) LeavesEarly() bool {
	return s.Body.Any(func(t *Stmt) bool {
		return t.Op == StmtReturn || t.Op == StmtGoto || t.Op == StmtBreak && t.JumpTarget() == s
	})
}

// Inside reports whether s is t or lies inside it.
func (s *Stmt) Inside(t *Stmt) bool {
	for ; s != nil; s = s.Parent {
		if s == t {
			return true
		}
	}
	return false
}
