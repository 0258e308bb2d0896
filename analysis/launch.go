package analysis

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/values"
	"github.com/smux-cuda/smux/parser"
)

// Launch is one kernel launch in the program's files.
type Launch struct {
	File *parser.File
	View *parser.Launch

	Lowered bool
	Host    *ir.Func
	Expr    *ir.Expr

	Indirect bool     // the kernel is launched by another name
	By       *Passing // by which host got the kernel, nil where it names it
}

// Instance is one form in which a kernel is launched, as far as it is known: block shape, template arguments, bytes
// of dynamic shared memory. Analyses that enumerate must hold for every instance.
type Instance struct {
	Shape        Shape
	Launch       *Launch        // nil for the shape given on the command line
	TArgs        []values.Value // by template parameter, unknown where not constant
	DynamicBytes int            // 0 if none or not known
	// Told is set if Shape comes from the command line: no launch in view has it for certain.
	Told bool
	// UsualGrid is the grid that a run had, or that a smux:bench comment names, zero if none is known. It serves
	// predictions where the text leaves the grid open, and no proof.
	UsualGrid [3]int64
	// Assumed says what of an instance that Counted returns is a guess, "" for nothing.
	Assumed string
	Types   map[string]string // what template parameters are taken for then

	Alike []*Launch // further launches that differ in nothing that is listed here
}

// BlockShape returns the block's extents, or ok false if they are not known.
func (in *Instance) BlockShape() (dims [3]int, ok bool) {
	return [3]int{in.Shape.X, in.Shape.Y, in.Shape.Z}, in.Shape.Known()
}

// String describes the instance for reports: 16x16, or "unknown".
func (in *Instance) String() string {
	d, ok := in.BlockShape()
	if !ok {
		return "unknown"
	}
	return ShapeText(d)
}

// A kernel that host code names other than in a launch is launched by another name: that of a variable which holds it,
// or of a parameter that it is passed for. Each use of that name has to be a launch, a call of AsksOfKernel, a comparison
// or a further such name: else who launches the kernel is not known.

// Passing is a call that passes a kernel to what launches it.
type Passing struct {
	Caller *ir.Func
	Call   *ir.Expr
	Callee *ir.Func  // the function that the parameters are of; caller where they are a lambda's
	Params []*ir.Var // what the arguments are for
	Outer  *Passing  // by which caller got the kernel, nil where it names it
}

// ShapeText writes a block shape: 64, 16x16 or 8x8x4.
func ShapeText(d [3]int) string {
	switch {
	case d[2] != 1:
		return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2])
	case d[1] != 1:
		return fmt.Sprintf("%dx%d", d[0], d[1])
	}
	return fmt.Sprint(d[0])
}

// Shape is the block shape of one launch; x == 0 means unknown.
type Shape struct{ X, Y, Z int }

// Known reports whether the extents are known.
func (s Shape) Known() bool { return s.X > 0 }

// Threads returns the number of threads of a block.
func (s Shape) Threads() int { return s.X * s.Y * s.Z }

// Dims returns the extents in x, y and z.
func (s Shape) Dims() [3]int { return [3]int{s.X, s.Y, s.Z} }
