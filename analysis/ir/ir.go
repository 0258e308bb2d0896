// Package ir is the form of a function that the analyses work on: statements and expressions with macros expanded,
// names resolved to variables, and every node tied to the byte range of the original text that it came from.
//
// It is lowered from the syntax tree once per function (Lower). It keeps what analyses of control, data and shared
// memory need and nothing of layout; what it can't express becomes a Problem of the function, so that a rewriter can
// refuse at that place instead of guessing.
//
// An #if inside a function whose outcome is unknown is an If with Preproc set:
// any compilation sees exactly one branch, and both must be right.
package ir

import "github.com/smux-cuda/smux/parser"

// Range is a byte range [Start, End) of the original file.
type Range struct{ Start, End int }

// Contains reports whether r holds the whole of s.
func (r Range) Contains(s Range) bool { return r.Start <= s.Start && s.End <= r.End }

// Func is one lowered function definition.
type Func struct {
	File     *parser.File
	View     *parser.Function
	TParams  []*Var // template parameters, types and values
	Params   []*Var
	Vars     []*Var // every variable declared in the body, in source order
	Body     *Stmt  // an OpCompound
	Problems []Problem
	// MacroLoops are the uses of macros, by their offset, that are the head of a loop whose body stands after them.
	MacroLoops map[int]bool
	// Aliases are the types that the body gives names to, as text; of pointers and arrays it ends in * or [].
	Aliases map[string]string
}

// Problem is a place that could not be lowered.
type Problem struct {
	Range Range
	Text  string // what stands in the way
}

// VarKind says where a variable lives.
type VarKind uint8

// The kinds of variables.
const (
	VarLocal         VarKind = iota
	VarParam                 // function parameter
	VarTemplateValue         // non-type template parameter
	VarTemplateType          // type template parameter
	VarShared                // __shared__, static or extern
	VarGlobal                // namespace scope, host or device
	VarConstant              // __constant__
	VarEnumerator            // enum constant
)

// Var is one declared name.
type Var struct {
	Name  string
	Kind  VarKind
	Type  Type
	Dims  []*Expr // array dimensions, outermost first; a nil entry is an empty []
	Init  *Expr   // initialiser, nil if none
	Decl  *Stmt   // the declaration statement, nil for parameters and globals
	File  *parser.File
	Range Range // the declarator with its initialiser

	Extern     bool
	Static     bool
	Pack       bool
	Redeclared bool    // at namespace scope, declared elsewhere, too: in another namespace or branch of an #if
	Macro      bool    // declared inside a macro expansion
	Writes     []*Expr // assignments and increments whose target is the variable itself
	AddrTaken  bool    // & applied, captured or bound to a reference: it may change unseen
}

// Held is the variable's type as it is declared; of auto that is set by a cast it is the cast's.
func (v *Var) Held() Type {
	if v.Type.Deduced() && !v.Type.Ref && v.Init != nil && v.Init.Op == OpCast {
		return v.Init.Type
	}
	return v.Type
}

// Type holds what smux needs to know of a declared type.
type Type struct {
	Base     string // the specifier without cv-qualifiers, e.g. "unsigned int", "float4", "T", "auto"
	Ptr      int    // levels of pointer
	Ref      bool   // & or &&
	Const    bool   // const applies to the outermost level
	PtrConst bool   // the pointee is const
	Volatile bool
	Restrict bool
	Function bool // a function or function pointer declarator
	// Record holds the members of a struct or union that is written out here, nil for any other type.
	Record *Record
	// Rows holds the array that a pointer points to, float (*a)[8][4], or float a[][8][4] of a parameter; nil for any
	// other type. To who asks for Ptr alone it is a pointer to pointers, or a variable with Dims.
	Rows *Rows
}

// Rows is the array that a pointer points to: its elements lie one after the other.
type Rows struct {
	Extents []*Expr // outermost first, one at least; none is nil
	Const   bool    // the elements are const
}

// Record is a struct or a union that a declaration writes out.
type Record struct {
	Union   bool
	Members []*Var // in their order, each with its type and dimensions
	Align   []int  // what the declaration of each asks for, in bytes; 0 for nothing
	Unclear bool   // it holds more than data members, or an alignment that is not a number
}

// IsAuto reports whether the type is deduced.
func (t Type) IsAuto() bool { return t.Deduced() || t.Base == "decltype" }

// Deduced reports whether a variable has the type of what it begins with. decltype names another type, to which that is converted.
func (t Type) Deduced() bool { return t.Base == "auto" }

// String returns the type as C++ text, without array dimensions.
func (t Type) String() string {
	s := t.Base
	if t.Ptr > 0 && t.PtrConst || t.Ptr == 0 && t.Const {
		s = "const " + s
	}
	if t.Volatile {
		s = "volatile " + s
	}
	if t.Ptr > 0 || t.Ref {
		s += " "
	}
	for range t.Ptr {
		s += "*"
	}
	if t.Ref {
		s += "&"
	}
	return s
}
