package sim

import "fmt"

// Kind is a way to share the SM's shared memory among thread blocks (TBs).
type Kind uint8

// The policies. In all but Baseline, HW and CoHW a launched TB holds N TBs of the
// original launch, its virtual thread blocks (v-TBs).
const (
	Baseline Kind = iota // the original kernel
	VTB                  // one set of shared arrays, turns (PACT'12 §4.1)
	Pipe                 // two v-TBs, one computes while the other is in its region (§4.2)
	CoVTB                // each v-TB owns a part of its arrays, turns for the rest (§4.3)
	Dyn                  // M sets of arrays for N v-TBs, taken by a lock at region entry
	Merge                // N sets of arrays, no turns
	HW                   // the SM allocates at region entry and frees at its end (§5)
	CoHW                 // a part for the block's whole life, the rest as in HW (§5)
)

var kindNames = [...]string{"baseline", "vtb", "vtb-pipe", "co-vtb", "dyn", "merge", "hw", "co-hw"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Sync says how the v-TBs of a launched TB wait for each other.
type Sync uint8

// The sync modes.
const (
	Block Sync = iota // every barrier is the launched TB's
	Named             // each v-TB has a barrier of its own; turns go round by hand-over barriers
	Lock              // as Named, turns in any order by a lock
)

var syncNames = [...]string{"block", "named", "lock"}

func (s Sync) String() string {
	if int(s) < len(syncNames) {
		return syncNames[s]
	}
	return fmt.Sprintf("Sync(%d)", uint8(s))
}

// Policy is a kind with its knobs. The zero value is the original kernel.
type Policy struct {
	Kind Kind
	Sync Sync // of VTB, Pipe, CoVTB and Merge; Dyn has Lock
	N    int  // v-TBs in a launched TB; of all kinds but Baseline, HW and CoHW
	M    int  // sets of shared arrays in a launched TB; of Dyn
	Cap  int  // HW, CoHW: TBs above the static number that may be resident

	// Private is the part of the shared arrays, and of the work in regions, that needs no turn, from 0 to 1; of CoVTB
	// and CoHW. 0 lets Run take what costs no thread block.
	Private float64

	// Joint says that no definition of private rows stands apart from what needs the turn,
	// so that all of a region does; of CoVTB.
	Joint bool

	// Even cuts the work outside of regions of Pipe where the region that runs beside it ends, as a person does by
	// annotations (PACT'12 §4.2): v-TB 1 starts on what comes next as soon as it leaves its region.
	Even bool

	// Pinned has what a turn reads computed in front of it, of what takes turns by barriers or
	// locks: without it a compiler computes it in the turn. Computed says that what moves in front
	// is computed with there, too, where it is pinned.
	Pinned, Computed bool

	// Numbered has the numbers of barriers in registers, of Named.
	Numbered bool

	// Persistent launches as many TBs as are resident at once. Each runs one group of N v-TBs after
	// the other, so that a v-TB that is through begins with its next block while the others of
	// its group are at theirs. Of what takes turns by barriers or locks.
	Persistent bool

	// Ahead puts the loads of regions' definitions in front of them, of Baseline. In what
	// takes turns they always stand there.
	Ahead bool

	// Shared is the bytes of a launched TB and Registers those of a thread, where they are known to differ from what
	// follows from the workload; 0 where not. Of CoHW, Shared is ignored.
	Shared, Registers int
}

// merged returns the number of original TBs in a launched one.
func (p Policy) merged() int {
	switch p.Kind {
	case Baseline, HW, CoHW:
		return 1
	}
	return p.N
}

// hoists reports whether Early work stands in front of its region: in all that takes
// turns and in what a compiler prepares for the hardware scheme.
func (p Policy) hoists() bool { return p.Ahead || p.Kind != Baseline && p.Kind != Merge }

// Policies returns the standard set that tables and rankings show.
func Policies() []Policy {
	return []Policy{
		{Kind: Baseline},
		{Kind: VTB, Sync: Block, N: 2},
		{Kind: VTB, Sync: Block, N: 4},
		{Kind: VTB, Sync: Named, N: 2},
		{Kind: VTB, Sync: Named, N: 4},
		{Kind: Pipe, Sync: Block, N: 2},
		{Kind: Pipe, Sync: Block, N: 2, Even: true},
		{Kind: CoVTB, Sync: Block, N: 2},
		{Kind: CoVTB, Sync: Named, N: 2},
		{Kind: Dyn, Sync: Lock, N: 2, M: 1},
		{Kind: Dyn, Sync: Lock, N: 4, M: 1},
		{Kind: Dyn, Sync: Lock, N: 4, M: 2},
		{Kind: Merge, Sync: Named, N: 2},
		{Kind: HW, Cap: 1},
		{Kind: HW, Cap: 2},
		{Kind: HW, Cap: 3},
		{Kind: CoHW, Cap: 2},
	}
}
