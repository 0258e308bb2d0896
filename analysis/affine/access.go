package affine

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// Space is the memory that an access goes to.
type Space uint8

// The memories.
const (
	SpaceGlobal   Space = iota // global memory
	SpaceConstant              // __constant__ variables
	SpaceShared
	SpaceUnknown // through a pointer that was loaded, or whose origin is not known: most likely global
)

// Kind is what an access does.
type Kind uint8

// The kinds of accesses.
const (
	Load Kind = iota
	Store
	Atomic // reads and writes
)

// Array is the target of an access: a pointer parameter, a member of a
// parameter, a variable at namespace scope, or shared memory. Var is nil where
// the pointer's origin is not known.
type Array struct {
	Var    *ir.Var
	Path   string // ".data" for a pointer that is a member of the variable
	Space  Space
	Shared *analysis.Shared // SpaceShared
}

// Name is the array as the source names it, "" if it is not known.
func (a Array) Name() string {
	if a.Var == nil {
		return ""
	}
	return a.Var.Name + a.Path
}

// Loop is a loop around accesses.
type Loop struct {
	Stmt *ir.Stmt
	Func *ir.Func
	Axis *Axis // its iteration number
	// Trip is how often the body runs, as a form: a number, or symbols. Known is
	// false where it is neither.
	Trip  Form
	Known bool
	// Most is the largest number of iterations of a thread of the block, -1 if
	// it depends on anything but numbers and threadIdx.
	Most  int64
	Level analysis.Uniformity // whether threads iterate together
	// Counted is set where the condition alone ends the loop and the number of
	// iterations is a form of anything but data: threads that iterate unequally
	// could be made to iterate together.
	Counted bool
	// Even is set where all threads of the grid run it equally often, for all
	// that the uniformity analysis reports: each walks a pointer of its own, say.
	Even  bool
	Outer *Loop
}

// Line is the line on which the loop starts.
func (l *Loop) Line() int { return l.Func.File.Position(l.Stmt.Range.Start).Line }

// Access is one place where a kernel reads or writes memory.
type Access struct {
	Array   Array
	Field   string // ".x": a member of the element whose offset is not known
	Bytes   int    // that one thread moves, 0 if not known
	Address Form   // in bytes from the array's start
	Sized   bool   // the size of the array's elements is known; else Address takes them for 4 bytes
	Kind    Kind
	Expr    *ir.Expr
	Stmt    *ir.Stmt
	Func    *ir.Func   // the function that holds Expr
	Calls   []*ir.Stmt // the statements of the calls that lead there, the kernel's first
	Loops   []*Loop    // around it, outermost first
	// Active are the threads of the block that come to it, by linear number, as
	// far as conditions on threadIdx alone say; nil is all.
	Active []bool
}

// Top returns the statement of the kernel itself that does the access: its own, or the
// call that leads to it.
func (x *Access) Top() *ir.Stmt {
	if len(x.Calls) > 0 {
		return x.Calls[0]
	}
	return x.Stmt
}

// Writes reports whether the access changes memory.
func (x *Access) Writes() bool { return x.Kind != Load }

// Kernel is the result of Of.
type Kernel struct {
	Shape    [3]int // of the block; zero if not known
	Accesses []*Access
	Loops    []*Loop // in source order
	// Gaps are expressions that may touch memory in ways that are not listed:
	// calls out of sight that take pointers, lambdas, assembly.
	Gaps []*ir.Expr
	// GaveUp is set where the kernel took more steps than are allowed: accesses
	// and loops are missing.
	GaveUp bool
}
