package intrinsic

// Row holds the facts about the intrinsics that its names stand for.
type Row struct {
	Names  string // separated by blanks; f_{a,b} stands for f_a and f_b
	Kind   Kind
	Scope  Scope
	Waits  Waits
	Result Result
	Memory Memory
	Params Params
	Type   Type
	Cost   Cost
	// Scratch are the registers that a call takes beside its arguments and its result.
	Scratch Scratch
	Forms   Forms
	// Op is the operator of the language or min, max, abs where the intrinsic is another way to write it, and of a
	// matrix fill, multiply, load or store; "" for none.
	Op string
}

// Kind is the purpose of an intrinsic.
type Kind uint8

const (
	Unknown    Kind = iota // not in the table
	Value                  // computes a value from its arguments alone
	Cast                   // T(x), of a type of CUDA or C++
	Barrier                // threads wait for one another
	Vote                   // a predicate of several threads is combined
	Exchange               // lanes of a warp see each other's values
	Lanes                  // returns which lanes of a warp are active
	Fence                  // orders the thread's accesses to memory
	Load                   // reads what its first argument points to
	Store                  // writes what its first argument points to
	Atomic                 // reads and writes what its first argument points to
	Copy                   // reads and writes several elements
	Texture                // reads through a texture or surface object
	Surface                // writes through a surface object
	Address                // returns or changes which memory an address is of
	Matrix                 // works on a fragment that the lanes of a warp share
	Random                 // draws from a generator
	Timer                  // reads a clock, or lets time pass
	Debug                  // prints, stops or marks
	Assumption             // tells the compiler something
	Async                  // begins or awaits what ends later
	Group                  // makes a cooperative group, or works on one
	GroupOp                // a function object for the threads of a group
	Launch                 // starts or awaits a kernel
	Other                  // of the compiler or a library: no barrier, nothing else is known
	kinds
)

// Scope says whose threads take part in a call.
type Scope uint8

const (
	Thread Scope = iota + 1
	Warp
	Block
	Cluster
	Grid
	scopes
)

// Waits is whom a thread waits for.
type Waits uint8

const (
	Nobody   Waits = iota + 1
	Mask           // the lanes of its warp that the mask names, or that are active
	Everyone       // all threads of the scope that have not ended
	Numbered       // all threads of the block, at the barrier that argument 0 names
	Counted        // as many threads as argument 1 says, at the barrier that argument 0 names
	Copies         // copies or transactions that were begun before
	waits
)

// Result says how uniform the result of a call is.
type Result uint8

const (
	NoResult    Result = iota + 1
	AsArguments        // as its arguments, which decide it
	AsMemory           // as its arguments, but at best the same for a block: others may write
	PerBlock           // the same for all threads of a block
	PerWarp            // the same for the lanes of a warp
	PerThread
	PerGrid // the same for all threads of a launch
	results
)

// Args is a set of arguments, by position from 0.
type Args uint8

const (
	None Args = 0
	Arg0 Args = 1 << 0
	Arg1 Args = 1 << 1
	Arg2 Args = 1 << 2
	Arg3 Args = 1 << 3
	// Outside is memory that no argument points to: textures, surfaces, the state of the host.
	Outside Args = 1 << 7
)

// Memory is the effect of a call on memory. The zero value is nothing at all.
type Memory struct {
	Reads, Writes Args // through which arguments
	Orders        bool // accesses before and after it stay there
	ReadOnly      bool // nobody writes what it reads while the kernel runs
	Fresh         bool // it reads memory as it is right now, whatever caches hold
	// Keeps is set if an address it is given may outlive the call, or comes back as something else.
	Keeps bool
}

// Params says how arguments get there.
type Params uint8

const (
	Plain      Params = iota + 1 // by value, to a function with one definition for all
	Overloaded                   // by value, to overloads or a template
	Variadic                     // by value, whatever the type
	Reference                    // some by reference
	params
)

// Type is the type that a call returns.
type Type uint8

const (
	NoType    Type = iota + 1
	Arguments      // the type of its arguments
	Floating       // that of its arguments, double of integers
	Int            // a number of at most 32 bits
	Long           // an integer of 64 bits
	Float
	Double
	Half    // a number of 16 bits, or a pair of them
	Named   // the type that its name gives, as make_float4 does
	Pointee // what its first argument points to
	Operand // the type of its argument Operand tells
	Element // the type that is its template argument
	types
)

// Cost is the warp instructions that a call takes.
type Cost struct{ Single, Double float64 } // of float and integers, of double

// NotMeasured is a cost that nobody has counted.
const NotMeasured = -1

// Act says what a rewrite does with a call.
type Act uint8

const (
	Keep   Act = iota + 1 // it stays as it is
	Own                   // the v-TB's method Text takes its place
	Masked                // its predicate is replaced by Text for v-TBs whose turn it is not
	Refuse                // the rewrite is refused, for the reason Text
	acts
)

// Form is the rewrite of a call in one sync mode. In Masked, Text is the
// predicate that changes no outcome: true or false.
type Form struct {
	Act  Act
	Text string
}

// Forms holds the rewrites of a call in each sync mode.
type Forms struct{ Block, Named, Lock Form }

// In returns the form in a sync mode, "block", "named" or "lock".
func (f Forms) In(sync string) Form {
	switch sync {
	case "named":
		return f.Named
	case "lock":
		return f.Lock
	}
	return f.Block
}

// kept are the forms of what a merge changes nothing of.
var kept = Forms{Form{Act: Keep}, Form{Act: Keep}, Form{Act: Keep}}

// refused are the forms of what no merge can keep.
func refused(why string) Forms {
	f := Form{Refuse, why}
	return Forms{f, f, f}
}

// own are the forms of a barrier: it stays where all v-TBs meet it, and becomes
// the v-TB's own method where each has barriers of its own.
func own(method string) Forms {
	f := Form{Own, method}
	return Forms{Form{Act: Keep}, f, f}
}

// votes are the forms of a barrier that combines a predicate.
func votes(method, neutral string) Forms {
	f := own(method)
	f.Block = Form{Masked, neutral}
	return f
}
