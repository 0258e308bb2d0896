package ir

import (
	"iter"

	"github.com/smux-cuda/smux/analysis/intrinsic"
	"github.com/smux-cuda/smux/parser"
)

// Op is the operation of an expression.
type Op uint8

// The expression operations. Kids holds the operands in source order.
const (
	OpUnknown  Op = iota // not understood; Kids are whatever could be lowered in it
	OpIdent              // Name, Var (nil if not found in the function)
	OpInt                // Int; Tok is "u" if its type is unsigned, Type.Base "long" if it has 64 bits
	OpLiteral            // any other literal
	OpUnary              // Tok: + - ! ~
	OpDeref              // *x
	OpAddr               // &x
	OpIncDec             // Tok: ++ or --; Postfix
	OpBinary             // Tok; CaseRange between the bounds of a case
	OpAssign             // Tok: = += …; Kids: target, value
	OpCond               // c ? a : b
	OpComma              // a, b
	OpCall               // Kids[0] callee, then the arguments; TArgs; Name is the unqualified callee
	OpIndex              // a[i]
	OpMember             // a.Name or a->Name (Arrow)
	OpCast               // Type, one operand (C casts, static_cast, float(x), T{x})
	OpSizeof             // sizeof, alignof
	OpInitList           // { … }
	OpLambda             // Lambda is its body, Params what it takes; Kids: what its own captures are set to, & before those by reference
	OpAsm                // inline assembly; Name is its template text
	OpNew                // new and delete
	OpMixed              // operands whose operators the grammar got wrong, or Tok Spread: value unknown, no effect of its own
	OpLaunch             // Launch; Kids: configuration, then arguments; TArgs
)

// CaseRange is the operator of "case 0 ... 3:".
const CaseRange = "..."

// Expr is one expression.
type Expr struct {
	Op      Op
	Tok     string
	Name    string
	Qual    string // qualification before Name in calls and names, e.g. "cg" of cg::sync
	Int     int64
	Type    Type
	Var     *Var
	Kids    []*Expr
	TArgs   []*Expr
	Lambda  *Stmt
	Params  []*Var // OpLambda: the named ones
	Launch  *parser.Launch
	Arrow   bool
	Postfix bool
	Macro   bool // came out of a macro expansion; Range is that of the whole macro use
	Range   Range
	// ArgsRange is the parenthesised argument list of a call.
	ArgsRange Range
	// Implicit is set for a call that the text writes as an operator, a conversion, an initialisation or a literal of
	// the program's own. Targets are the definitions that it may run, none where they are not in view.
	Implicit bool
	Targets  []Definition
	// Known is for package effect: what it found of the expression.
	Known any
}

// Definition is a function that the program defines.
type Definition struct {
	File *parser.File
	Fn   *parser.Function
}

// Walk calls f for e and everything below it, parents first; f returns false
// to skip the operands. Bodies of lambdas are not entered.
func (e *Expr) Walk(f func(*Expr) bool) {
	if e == nil || !f(e) {
		return
	}
	for _, k := range e.Kids {
		k.Walk(f)
	}
	for _, k := range e.TArgs {
		k.Walk(f)
	}
}

// All yields e and everything below it, parents first, nothing where e is nil. Bodies of lambdas are not entered.
func (e *Expr) All() iter.Seq[*Expr] { return func(yield func(*Expr) bool) { e.each(yield) } }

// each reports whether yield asks for more after e and everything below it.
func (e *Expr) each(yield func(*Expr) bool) bool {
	if e == nil {
		return true
	}
	if !yield(e) {
		return false
	}
	for _, k := range e.Kids {
		if !k.each(yield) {
			return false
		}
	}
	for _, k := range e.TArgs {
		if !k.each(yield) {
			return false
		}
	}
	return true
}

// Any reports whether f is true of e or of something below it.
func (e *Expr) Any(f func(*Expr) bool) bool {
	return !e.each(func(t *Expr) bool { return !f(t) })
}

// Args returns the arguments of a call.
func (e *Expr) Args() []*Expr {
	if e.Op != OpCall || len(e.Kids) == 0 {
		return nil
	}
	return e.Kids[1:]
}

// Root returns the variable expression at the bottom of a chain of subscripts, members, dereferences, casts and
// additions of offsets, or nil: the object that p[i].x, *(p + i) or &p[i] is about.
func (e *Expr) Root() *Expr {
	for e != nil {
		switch e.Op {
		case OpIdent:
			return e
		case OpIndex, OpMember, OpDeref, OpAddr, OpIncDec:
			e = e.Kids[0]
		case OpCast:
			if len(e.Kids) != 1 {
				return nil
			}
			e = e.Kids[0]
		case OpBinary:
			if e.Tok != "+" && e.Tok != "-" {
				return nil
			}
			e = e.pointerOperand()
		default:
			return nil
		}
	}
	return nil
}

// unseen marks the variables that an expression may name, since they may change unseen: a and b of c ? a : b, b of (a, b).
func (e *Expr) unseen() {
	r := e.Root()
	switch {
	case r != nil && r.Var != nil:
		r.Var.AddrTaken = true
	case r == nil && (e.Op == OpCond || e.Op == OpComma):
		for _, kid := range e.Kids[1:] {
			kid.unseen()
		}
	case r == nil && e.Op != OpCall && e.Op != OpBinary && e.Op != OpLambda && len(e.Kids) > 0:
		e.Kids[0].unseen()
	}
}

// BuildChoice is the name of the literal that is the condition of a macro which stands for one of several texts.
const BuildChoice = "#if"

// IsBuildChoice reports whether e is such a macro, or its condition.
func (e *Expr) IsBuildChoice() bool {
	return e.Op == OpLiteral && e.Name == BuildChoice || e.Op == OpCond && e.Kids[0].IsBuildChoice()
}

// Intrinsic is the row of what CUDA gives that a call names; one of kind Unknown where something else is called: a
// variable, a member, an operator, a name of another namespace. A function in view may have the name, too.
func (e *Expr) Intrinsic() *intrinsic.Row {
	if e.Op != OpCall || e.Implicit || len(e.Kids) == 0 || e.Kids[0].Op != OpIdent || e.Kids[0].Var != nil || e.Qual != "" && e.Qual != "::" && !intrinsic.LibraryOf(e.Qual).HasRows() {
		return intrinsic.Of("")
	}
	return intrinsic.Of(e.Name)
}

// Calls reports whether e is a call of a function that CUDA gives, by its name.
func (e *Expr) Calls(name string) bool { return e.Name == name && e.Intrinsic().Known() }

// IsMemberCall reports whether e is a call x.name(…) or x->name(…), and returns the object.
func (e *Expr) IsMemberCall() (*Expr, bool) {
	if e.Op == OpCall && len(e.Kids) > 0 && e.Kids[0].Op == OpMember {
		return e.Kids[0].Kids[0], true
	}
	return nil, false
}

// Object returns the object whose function a call runs: x of x.name(…), of x->name(…) and, where x is a variable or a part of
// one, of x(…); nil for other calls.
func (e *Expr) Object() *Expr {
	if obj, member := e.IsMemberCall(); member {
		return obj
	}
	if e.Op != OpCall || len(e.Kids) == 0 || e.Implicit || e.Kids[0].Op == OpLambda || e.Kids[0].Op == OpIdent && e.Kids[0].Var == nil {
		return nil
	}
	return e.Kids[0]
}

// Derefs counts the steps of an lvalue from one object to another, an array's elements included.
func (e *Expr) Derefs() (n int) {
	for ; e != nil && len(e.Kids) > 0; e = e.Kids[0] {
		if e.Op == OpIndex || e.Op == OpDeref || e.Op == OpMember && e.Arrow {
			n++
		}
	}
	return n
}
