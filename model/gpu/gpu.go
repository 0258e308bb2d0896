// Package gpu is the table of GPUs: the limits of each compute capability and
// the clocks, sizes and bandwidths of well-known boards, each with its source.
//
// The data is one readable file, gpus.toml, which is embedded; Read takes more
// boards in the same form. The package asks no device and knows no CUDA.
//
// Limits are exact up to compute capability 9.0: occupancy computed from them equals NVIDIA's. After that,
// granularities and carve-outs are assumed to be those of the architecture before. The figures for the time model are
// measurements of others, or estimates where none is published; Estimates lists these. What could not be compared
// with any text is in Unchecked. Left out are clusters, tensor cores, double-precision rates and everything that does
// not bear on how many thread blocks run and what they wait for.
package gpu

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	_ "embed" // for gpus.toml

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/hardware"
)

// Arch holds what a compute capability fixes for one streaming multiprocessor (SM).
// Sizes are in bytes, register counts in 32-bit registers.
type Arch struct {
	Major int    `json:"major"`
	Minor int    `json:"minor"`
	Name  string `json:"name"`  // of the family, such as Ampere
	Board string `json:"board"` // the board of the table that stands for this compute capability

	ThreadsPerBlock int `json:"threadsPerBlock"`
	ThreadsPerSM    int `json:"threadsPerSM"`
	WarpsPerSM      int `json:"warpsPerSM"`
	BlocksPerSM     int `json:"blocksPerSM"`

	RegistersPerSM      int  `json:"registersPerSM"`
	RegistersPerBlock   int  `json:"registersPerBlock"`
	RegistersPerThread  int  `json:"registersPerThread"`         // the most that a compiler can give to one
	RegisterGranularity int  `json:"registerGranularity"`        // registers are given out in multiples of this
	RegistersByBlock    bool `json:"registersByBlock,omitempty"` // … to whole thread blocks (cc 1.x) rather than warps
	WarpGranularity     int  `json:"warpGranularity"`            // a block's warps count rounded up to a multiple of this
	SubPartitions       int  `json:"subPartitions"`              // parts of the SM with a register file of their own; 1 where all warps share one
	// LaunchPartitions is the number of parts that the check at launch reckons with: a block's warps, rounded up to a
	// multiple of it, must find their registers within RegistersPerBlock. It is SubPartitions but on cc 6.0, where a
	// kernel must also be able to run on an SM of cc 6.1.
	LaunchPartitions int `json:"launchPartitions"`

	SharedPerBlock      int `json:"sharedPerBlock"`      // without opting in
	SharedPerBlockOptin int `json:"sharedPerBlockOptin"` // the most that a kernel can ask for
	SharedReserved      int `json:"sharedReserved"`      // taken by the system from each block
	SharedGranularity   int `json:"sharedGranularity"`   // shared memory is given out in multiples of this
	// Carveouts are the shared bytes per SM that the SM can be configured to,
	// ascending. Where the list begins with 0, all on-chip memory can be L1.
	Carveouts []int `json:"carveouts"`
	// UnifiedBytes is the on-chip memory that the carve-out is taken from; the rest is an
	// L1 for loads from global memory. 0 where these pass none.
	UnifiedBytes int `json:"unifiedBytes,omitempty"`

	// What the time model needs; one SM, in SM cycles.
	IssuePerCycle  float64 `json:"issuePerCycle"`  // warp instructions that the SM can issue
	DependentIssue float64 `json:"dependentIssue"` // cycles from an arithmetic instruction to one that needs its result
	SharedPerCycle float64 `json:"sharedPerCycle"` // shared-memory wavefronts (conflict-free warp accesses of 32-bit words)
	SharedLatency  float64 `json:"sharedLatency"`
	L1Latency      float64 `json:"l1Latency,omitempty"` // of a load that the L1 answers; 0 for SharedLatency
	L2Latency      float64 `json:"l2Latency"`           // 0 where global memory has no L2
	MemoryLatency  float64 `json:"memoryLatency"`       // DRAM, unloaded
	// What was measured on few GPUs, 0 elsewhere: there a barrier takes what an instruction does that needs another's
	// result, a lock two accesses to shared memory, and thread blocks start as soon as there is room.
	BarrierLatency float64 `json:"barrierLatency,omitempty"` // from the last warp's arrival at a barrier to its going on
	BarrierArrival float64 `json:"barrierArrival,omitempty"` // … on top, for each warp that arrives
	LockLatency    float64 `json:"lockLatency,omitempty"`    // of a word in shared memory that is given back and taken, with the fences
	BlockInterval  float64 `json:"blockInterval,omitempty"`  // between the starts of two thread blocks anywhere on the GPU, at least

	Estimates  []string `json:"estimates,omitempty"` // keys of gpus.toml whose value no source gives
	Unchecked  []string `json:"unchecked,omitempty"` // … whose value is the source's as remembered, not read again
	Source     string   `json:"source"`              // where the limits come from
	TimeSource string   `json:"timeSource"`          // where the figures of the time model come from
}

// GPU is a board: an architecture with its clocks and memory.
type GPU struct {
	Name     string   `json:"name"`              // as --gpu takes it, lower case: "a100"
	Aliases  []string `json:"aliases,omitempty"` // other spellings
	Product  string   `json:"product"`           // as the vendor and nvidia-smi write it
	Arch     Arch     `json:"arch"`
	SMs      int      `json:"sms"`
	ClockMHz float64  `json:"clockMHz"` // of the SM, boost where there is one; the shader clock where that differs
	// Bandwidth is that of the DRAM, L2Bandwidth that of the L2, in 10^9 bytes per second.
	Bandwidth   float64 `json:"bandwidth"`
	L2Bandwidth float64 `json:"l2Bandwidth"`
	// Sustained is the part of Bandwidth that kernels reach, in 10^9 bytes per second, and PartialStores how many
	// sectors that a warp's store covers in part the L2 takes, in 10^9 per second. 0 where nobody has measured them:
	// there they are the parts of Bandwidth and L2Bandwidth that they are on an H100.
	Sustained     float64 `json:"sustained,omitempty"`
	PartialStores float64 `json:"partialStores,omitempty"`
	L2Bytes       int     `json:"l2Bytes"`     // 0 where there is none
	MemoryBytes   int     `json:"memoryBytes"` // of DRAM, as sold
	// Carveout is the shared memory per SM, in bytes, that the board is configured to; 0 leaves it to the driver,
	// which takes the smallest that holds the most blocks.
	Carveout  int      `json:"carveout,omitempty"`
	Estimates []string `json:"estimates,omitempty"` // keys of gpus.toml whose value no source gives
	Unchecked []string `json:"unchecked,omitempty"` // … whose value is the source's as remembered, not read again
	Source    string   `json:"source"`
}

// CC returns the compute capability, such as "8.0".
func (a *Arch) CC() string { return fmt.Sprintf("%d.%d", a.Major, a.Minor) }

// SM returns the architecture as nvcc's -arch takes it, such as "sm_80".
func (a *Arch) SM() string { return fmt.Sprintf("sm_%d%d", a.Major, a.Minor) }

// SharedPerSM returns the largest carve-out, in bytes.
func (a *Arch) SharedPerSM() int {
	if len(a.Carveouts) == 0 {
		return 0
	}
	return a.Carveouts[len(a.Carveouts)-1]
}

// CC returns the compute capability, such as "8.0".
func (g *GPU) CC() string { return g.Arch.CC() }

// String returns the name with the carve-out, if one is chosen: "gtx480@16". Lookup is its inverse.
func (g *GPU) String() string {
	if g.Carveout == 0 {
		return g.Name
	}
	return fmt.Sprintf("%s@%d", g.Name, g.Carveout/1024)
}

// What an H100 reaches of the DRAM's bandwidth, the mean of reading, writing and copying, and of the L2's with
// stores that cover sectors in part (docs/evidence/h100.md).
const (
	sustainedPart = 0.89
	partialPart   = 0.18
)

// BytesPerCycle returns the share of the DRAM bandwidth that kernels reach which one SM has, in bytes per SM cycle.
func (g *GPU) BytesPerCycle() float64 {
	return g.perCycle(cmp.Or(g.Sustained, sustainedPart*g.Bandwidth))
}

// PartialBytesPerCycle is L2BytesPerCycle for whole sectors of which stores cover a part.
func (g *GPU) PartialBytesPerCycle() float64 {
	return g.perCycle(cmp.Or(g.PartialStores*hardware.SectorBytes, partialPart*g.L2Bandwidth))
}

// Hit returns the cycles that a load takes which the L1 answers.
func (a *Arch) Hit() float64 { return cmp.Or(a.L1Latency, a.SharedLatency) }

// L2BytesPerCycle returns the share of the L2 bandwidth that one SM has, in bytes per SM cycle.
func (g *GPU) L2BytesPerCycle() float64 { return g.perCycle(g.L2Bandwidth) }

func (g *GPU) perCycle(gigabytes float64) float64 {
	return gigabytes * 1e9 / (g.ClockMHz * 1e6) / float64(g.SMs)
}

// clone returns a copy that shares nothing with the table.
func (g *GPU) clone() *GPU {
	c := *g
	c.Aliases = slices.Clone(g.Aliases)
	c.Estimates = slices.Clone(g.Estimates)
	c.Arch.Carveouts = slices.Clone(g.Arch.Carveouts)
	c.Arch.Estimates = slices.Clone(g.Arch.Estimates)
	c.Unchecked = slices.Clone(g.Unchecked)
	c.Arch.Unchecked = slices.Clone(g.Arch.Unchecked)
	return &c
}

//go:embed gpus.toml
var builtin []byte

// Table is a set of architectures and boards. It is not changed once it is made, and what it returns are copies.
type Table struct {
	arches []Arch
	boards []GPU
	names  map[string]int // index in boards, by the normal form of name, alias and product
}

var defaultTable = sync.OnceValues(func() (*Table, error) {
	return (&Table{names: map[string]int{}}).Read("gpus.toml", builtin)
})

// Default returns the built-in table.
func Default() *Table {
	t, err := defaultTable()
	if err != nil {
		// A test reads the embedded file, so this is never seen by a user.
		panic("gpu: " + err.Error())
	}
	return t
}

// All returns every board, by compute capability, then name.
func (t *Table) All() []*GPU {
	out := make([]*GPU, len(t.boards))
	for i := range t.boards {
		out[i] = t.boards[i].clone()
	}
	return out
}

// namedSet are the boards that the census of public kernels was made for.
var namedSet = []string{"t4", "rtx3090", "rtx4090", "a100", "h100"}

// NamedSet returns the few boards that are reported on where nobody said which
// GPU is meant: one of each family in wide use.
func NamedSet() []*GPU {
	return lists.Map(namedSet, func(name string) *GPU { return Default().named(name).clone() })
}

// add puts a board in the table.
func (t *Table) add(g GPU) {
	t.boards = append(t.boards, g)
	t.register(len(t.boards) - 1)
}

// register notes the names of board i. A product name gives way to names that were given on purpose.
func (t *Table) register(i int) {
	g := &t.boards[i]
	for _, n := range append([]string{g.Name}, g.Aliases...) {
		t.names[normal(n)] = i
	}
	if _, ok := t.names[normal(g.Product)]; !ok {
		t.names[normal(g.Product)] = i
	}
}

// sort orders the table by compute capability, boards of one by name.
func (t *Table) sort() {
	slices.SortFunc(t.arches, compareArch)
	slices.SortFunc(t.boards, func(a, b GPU) int {
		return cmp.Or(compareArch(a.Arch, b.Arch), strings.Compare(a.Name, b.Name))
	})
	clear(t.names)
	for i := range t.boards {
		t.register(i)
	}
}

func compareArch(a, b Arch) int {
	return cmp.Or(cmp.Compare(a.Major, b.Major), cmp.Compare(a.Minor, b.Minor))
}

// arch returns the architecture of a compute capability, nil if there is none.
func (t *Table) arch(cc string) *Arch {
	for i := range t.arches {
		if t.arches[i].CC() == cc {
			return &t.arches[i]
		}
	}
	return nil
}

// named returns the board of a name, alias or product name, nil if there is none.
func (t *Table) named(name string) *GPU {
	if i, ok := t.names[normal(name)]; ok {
		return &t.boards[i]
	}
	return nil
}

func (t *Table) clone() *Table {
	return &Table{slices.Clone(t.arches), slices.Clone(t.boards), maps.Clone(t.names)}
}
