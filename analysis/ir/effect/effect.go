// Package effect says what a program's expressions, statements and functions do: what they read
// and write, whether they may be evaluated again, dropped or moved, whether they wait for other
// threads. It also deduces the types on which that depends, and finds the calls that the text
// writes as operators, conversions, initialisations and literals (Scope.Resolve).
//
// It states facts of the language and of CUDA, so rewriters and the validator share it. What it does
// not know has every effect: each question about it refuses.
//
// It leaves out which elements of an object are read or written, and what loops cost.
package effect

import (
	"slices"

	"github.com/smux-cuda/smux/analysis/ir"
)

// Flags are kinds of effects.
type Flags uint16

// The kinds of effects.
const (
	// ReadsMemory: it reads objects that other threads, or stores elsewhere, may change.
	ReadsMemory Flags = 1 << iota
	// WritesMemory: it writes objects other than the thread's own variables.
	WritesMemory
	// Volatile: it accesses volatile objects, in an order that counts.
	Volatile
	// Waits: it waits for other threads, exchanges values with them, or orders accesses for them.
	Waits
	// Traps: it may end the program: by an access of memory, or on purpose.
	Traps
	// Diverges: it may not end.
	Diverges
	// Varies: it may compute another value when evaluated again, though nothing is written between.
	Varies
	// Leaves: control may go on elsewhere than after it.
	Leaves
	// ReadsGiven: it reads what the function was given: its object, or what a parameter refers to.
	ReadsGiven
	// Unknown: it may do anything but change a variable that it doesn't name and whose address nobody took.
	Unknown
	// WritesAny: it may change any variable.
	WritesAny
)

// Effect says what a piece of a program may do.
type Effect struct {
	Flags
	// Reads are the thread's own variables that it reads, and Writes all variables that it writes by their names,
	// in whole or in part; those that only it can see aside.
	Reads, Writes []*ir.Var
	// writesThis is set for a member function that changes its object, and params are the parameters
	// through which a function changes its arguments, by their bits.
	writesThis bool
	params     uint64
}

// anything is the effect of what is not known, the variables that it names aside; everything is that of what
// is not even understood.
var (
	anything   = Effect{Flags: Unknown}
	everything = Effect{Flags: Unknown | WritesAny}
)

func (e Effect) has(f Flags) bool { return e.Flags&(f|Unknown) != 0 }

// and is the effect of doing both.
func (e Effect) and(o Effect) Effect {
	e.Flags |= o.Flags
	e.writesThis = e.writesThis || o.writesThis
	e.params |= o.params
	e.Reads = union(e.Reads, o.Reads)
	e.Writes = union(e.Writes, o.Writes)
	return e
}

func union(a, b []*ir.Var) []*ir.Var {
	out := a[:len(a):len(a)]
	for _, v := range b {
		if !slices.Contains(a, v) {
			out = append(out, v)
		}
	}
	return out
}

// Changes reports whether it writes anything, or does what other threads or the host can see.
func (e Effect) Changes() bool {
	return e.has(WritesMemory|Volatile|Waits) || e.writesThis || e.params != 0 || len(e.Writes) > 0
}

// Droppable reports whether the program does the same without it, its value aside.
func (e Effect) Droppable() bool { return !e.Changes() && !e.has(Traps|Diverges|Leaves) }

// ChangesMemory reports whether it changes more than the variables, the object and the arguments that it is given.
func (e Effect) ChangesMemory() bool { return e.has(WritesMemory | Volatile | Waits) }

// ChangesOthers reports whether it changes more than the thread's own variables, by their names.
func (e Effect) ChangesOthers() bool {
	e.Writes = nil
	return e.Changes()
}

// Loads reports whether it reads memory that others may write.
func (e Effect) Loads() bool { return e.has(ReadsMemory) }

// Repeatable reports whether it can be evaluated twice in a row for the same value and nothing more.
func (e Effect) Repeatable() bool { return !e.Changes() && !e.has(Varies|Leaves) }

// Steady reports whether it has the same value wherever it is evaluated, as long as nobody writes the
// variables that it reads.
func (e Effect) Steady() bool { return e.Repeatable() && !e.has(ReadsMemory|ReadsGiven) }

// Anywhere reports whether it may be evaluated anywhere, and as often as one likes, as long as nobody writes
// the variables that it reads.
func (e Effect) Anywhere() bool { return e.Steady() && e.Droppable() }

// InRegisters reports whether it reads and writes nothing but the thread's own variables, by their names, and what
// nobody writes.
func (e Effect) InRegisters() bool {
	e.Writes = nil
	return e.Anywhere()
}

// Without is the effect but for some kinds.
func (e Effect) Without(f Flags) Effect {
	e.Flags &^= f
	return e
}

// MayWrite reports whether it may change a variable, by its name or by an address that was taken of it.
func (e Effect) MayWrite(v *ir.Var) bool {
	return e.Flags&WritesAny != 0 || slices.Contains(e.Writes, v) || (e.has(WritesMemory) || e.writesThis || e.params != 0) && isShared(v)
}

// isShared reports whether a variable may be an object that others name, too.
func isShared(v *ir.Var) bool {
	return v.AddrTaken || v.Type.Ref || v.Static || v.Extern || v.Kind == ir.VarGlobal || v.Kind == ir.VarShared
}

// Synchronizes reports whether it may wait for other threads or tell them something in order.
func (e Effect) Synchronizes() bool { return e.has(Waits | Volatile) }

// GoesOn reports whether control goes on after it, if it ends.
func (e Effect) GoesOn() bool { return !e.has(Leaves) }

// IsKnown reports whether all that it may do is known.
func (e Effect) IsKnown() bool { return e.Flags&Unknown == 0 }
