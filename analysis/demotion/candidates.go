// Package demotion finds what may be done to a kernel's text so that it needs fewer registers: loops whose unroll
// factor can be made smaller, index and pointer variables that can be pinned, and variables that can move to shared
// memory (Hayes & Zhang; RegDem §3).
//
// What it promises: whatever is listed can be done without a change of what the
// kernel computes; what may not is listed with the reason. The order is a guess at
// what is cheapest: only a compiler can tell what it gains (package ladder).
package demotion

import (
	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/diag"
)

// Candidates holds what may be done to a kernel.
type Candidates struct {
	Words   []Word         // cheapest first
	Refused []diag.Message // variables of two words or more uses that can't move, and why
	Loops   []Loop         // in source order
	Pins    []Pin          // in source order
}

// Word is a variable that can move to shared memory: a scalar, a vector (by component) or a small array (by element).
// It is one group: all of its words move or none.
type Word struct {
	Name   string // Kernel.VariableName
	Func   *ir.Func
	Var    *ir.Var
	Scalar string   // the type of a component or element: "float", "double", "unsigned int", "const float *"
	Bytes  int      // of a component or element: 4 or 8
	Fields []string // the components of a vector: "x", "y", "z"; nil for none
	Count  int      // elements of an array, 0 where it is none
	Words  int      // 32-bit words per thread, all together
	// Uses are all names of the variable in the function, in source order.
	Uses []*ir.Expr
	// Reads and Writes count the accesses of components, each loop level weighing ten times the one around it. An
	// access to a whole vector counts each component.
	Reads, Writes float64
	// Span is the share of the function's text between the first and the last
	// use, loops that enclose only one of the two included: from 0 to 1.
	Span float64
	// NotAsm tells why the asm form is not possible, "" where it is.
	NotAsm string
	// Plain is set if the variable has an initialiser of the word's own kind, so
	// that assigning it is the same as initialising with it.
	Plain bool
	// launched is set if the type is a template's argument: the launches in view must be all.
	launched bool
}

// Launched reports whether the proof looked at the template arguments of the launches in view.
func (w Word) Launched() bool { return w.launched }

// Weight is the cost of a word: accesses per 32-bit word that is gained.
func (w Word) Weight() float64 { return (w.Reads + w.Writes) / float64(max(1, w.Words)) }

// Loop is a loop whose unroll factor can be chosen.
type Loop struct {
	Name   string // Kernel.LoopName
	Func   *ir.Func
	Stmt   *ir.Stmt
	Depth  int   // loops around it
	Factor int   // of its #pragma unroll: 0 for none, -1 for one without a number
	Trips  int64 // how often it runs where that is constant, 0 where not known
}

// Pin is an index or pointer variable that can be pinned to a register by an empty asm.
type Pin struct {
	Name    string // Kernel.VariableName
	Func    *ir.Func
	Var     *ir.Var
	Pointer bool    // "+l", else "+r"
	Weight  float64 // reads and writes, each loop level weighing ten times the one around it
	// ReadOnly is set if it points to const data or is __restrict__: pinned, it loses what the compiler makes of that
	// (loads through the read-only cache, loads moved over stores). Such pins are for last.
	ReadOnly bool
}

// Of lists what may be done to a kernel, launched as in says (nil: the first launch in view).
func Of(k *analysis.Kernel, in *analysis.Instance) *Candidates {
	c := &Candidates{}
	c.findWords(k, in)
	c.findLoops(k, in)
	c.findPins(k)
	return c
}
