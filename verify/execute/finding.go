package execute

import (
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify/locate"
)

// Finding is something that the runtime saw. Which members mean something
// depends on the code, see shim/runtime/report.h.
type Finding struct {
	Code   diag.Code
	Kernel string // as written at the launch; "" in host code
	Launch int    // number of the launch, from 1
	Block  [3]int
	Thread [3]int
	// Frames are the places of the program's own source, innermost first, at positions of the original text.
	Frames []locate.Frame

	Manner
	Space         string // "shared", "global", or "local" to a thread
	Variable      string // that was accessed, where it has a name
	VariableFile  string // where it is declared
	VariableLine  int
	Offset, Bytes int64

	Other *Access // the access that this one conflicts with
	// Allocated is the stack that made the allocation that this access is outside of, and that whose end is damaged.
	Allocated []locate.Frame

	Waiters []Waiter

	Name   string // of what is not supported
	Text   string // what is special, in words
	Signal int    // of a crash
	Host   bool   // it happened in host code
}

// Access is the other side of a conflict.
type Access struct {
	Block, Thread [3]int
	Frames        []locate.Frame
	Manner
	Operation string // of the host, such as "kernel k", instead of block and thread
}

// Manner says how an access is made. Volatile ones are such to device memory, or to a
// shared variable that is no array.
type Manner struct {
	Write    bool `json:"write"`
	Atomic   bool `json:"atomic"`
	Volatile bool `json:"volatile"`
}

// Waiter is one or more threads that wait for the same.
type Waiter struct {
	What          string // such as "barrier 0 (64 of 96)"
	Threads       int    // how many wait there
	Block, Thread [3]int // of the first
	Frames        []locate.Frame
}
