package nvcc

import "cmp"

// Listing is the machine code (SASS) of one kernel, counted: how many instructions of which class the compiler made
// for each source line, inside which loops. Counts are static, per thread or warp alike: an instruction counts once,
// however often it runs. Trip counts turn them into dynamic ones.
type Listing struct {
	Mangled, Name string // as in Kernel
	Arch          string
	Unit          string // the .cu file that it was compiled from
	// Loops are the loops of the code; a loop's parent comes before it. The compiler peels and unrolls: one loop of
	// the source can be several here, with lines in common, or none at all.
	Loops []Loop
	// Lines are the counts, ordered by place. A place has an entry for
	// each loop (or none) and each call that it was inlined at.
	Lines []LineCounts
}

// Place is a line of a source file, named as in the request where it is one of
// the request's texts or lies in one of their folders.
type Place struct {
	File string
	Line int // from 1; 0 where the compiler gives none
}

// LineCounts are the instructions of one source line in one loop.
type LineCounts struct {
	Place
	// In is the line of the kernel's own body that Place was inlined at: the
	// outermost call. It equals Place if nothing was inlined.
	In Place
	// Loop is the innermost loop around the instructions, an index of Listing.Loops; -1 outside loops.
	Loop int
	// Called is set if the instructions belong to a function that is called rather than inlined (such as the slow
	// path of a division); they run only when it is called, and loops around the call are not known to Loop.
	Called bool
	Counts
}

// Loop is a range of machine code that a backward branch repeats.
type Loop struct {
	ID     int // index of Listing.Loops
	Parent int // the loop around it, -1 for none
	Depth  int // 1 for an outermost loop
	From   int // address of its first instruction, in bytes from the start of the code
	To     int // address of its last instruction: the branch
	// Branch is the line of the branch, of the loop statement as a rule; BranchIn
	// is where that was inlined in the kernel's own body, see LineCounts.In.
	Branch, BranchIn Place
	Called           bool // in a function that is called, see LineCounts.Called
	// First and Last are the least and the greatest line, in the kernel's own body (LineCounts.In), of the loop's
	// instructions, inner loops included. What the compiler moved into or out of the loop counts where it is, so the
	// range may be wider or narrower than the statement.
	First, Last int
	// Unrolled is the number of turns of the source's loop that one turn of this one makes, as far as the listing
	// shows it: by its barriers, or by its memory accesses per line against those of the other copies of the body
	// that the compiler made. 0 if unknown.
	Unrolled int
	// Step is by how much the counter that ends the loop changes per turn: that of the source's counter, times the
	// turns that were unrolled. 0 where the listing doesn't show it, as where the step is not a constant.
	Step int
}

// Counts are numbers of instructions by class. Issue counts all of them, each other class is a part of it; what is in
// no class (moves, address constants, nothing to do) is only in Issue.
type Counts struct {
	Issue   int `json:",omitempty"`
	Integer int `json:",omitempty"` // integer and address arithmetic, comparisons, logic
	Float   int `json:",omitempty"` // single and half precision
	Double  int `json:",omitempty"` // double precision
	Special int `json:",omitempty"` // special function unit (reciprocal, root, sine, …) and what goes at its rate: conversions, bit counts
	Tensor  int `json:",omitempty"` // matrix instructions

	SharedLoads, SharedStores, SharedAtomics int `json:",omitempty"`
	GlobalLoads, GlobalStores, GlobalAtomics int `json:",omitempty"` // generic accesses included
	LocalLoads, LocalStores                  int `json:",omitempty"` // stack and spilled registers
	ConstantLoads                            int `json:",omitempty"` // other than operands
	TextureLoads                             int `json:",omitempty"` // texture and surface accesses

	Barriers int `json:",omitempty"` // of the thread block; bar.arrive included
	Branches int `json:",omitempty"` // jumps, calls and exits

	// Bytes that one thread moves by the loads and stores of shared and global
	// memory: 4 for a plain one, 16 for a load of four words.
	SharedLoadBytes, SharedStoreBytes int `json:",omitempty"`
	GlobalLoadBytes, GlobalStoreBytes int `json:",omitempty"`

	// LoadWaits is the number of times that a warp waits for loads from global memory, where those that
	// are under way together share one wait.
	LoadWaits float64 `json:",omitempty"`
}

// Add returns the sum.
func (c Counts) Add(o Counts) Counts {
	return Counts{
		c.Issue + o.Issue, c.Integer + o.Integer, c.Float + o.Float, c.Double + o.Double, c.Special + o.Special, c.Tensor + o.Tensor,
		c.SharedLoads + o.SharedLoads, c.SharedStores + o.SharedStores, c.SharedAtomics + o.SharedAtomics,
		c.GlobalLoads + o.GlobalLoads, c.GlobalStores + o.GlobalStores, c.GlobalAtomics + o.GlobalAtomics,
		c.LocalLoads + o.LocalLoads, c.LocalStores + o.LocalStores, c.ConstantLoads + o.ConstantLoads, c.TextureLoads + o.TextureLoads,
		c.Barriers + o.Barriers, c.Branches + o.Branches,
		c.SharedLoadBytes + o.SharedLoadBytes, c.SharedStoreBytes + o.SharedStoreBytes,
		c.GlobalLoadBytes + o.GlobalLoadBytes, c.GlobalStoreBytes + o.GlobalStoreBytes,
		c.LoadWaits + o.LoadWaits,
	}
}

func comparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}
