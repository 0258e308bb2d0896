package sim

import (
	"math"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/workload"
)

// op is one step of a warp.
type op struct {
	kind    opKind
	barrier uint8   // opSync, opArrive
	parties int32   // opSync, opArrive: warps that complete the barrier
	amount  float64 // instructions, wavefronts, bytes from the L2
	dram    float64 // opLoad, opStore: bytes from the DRAM
	wait    float64 // cycles of latency behind it; of opIssue, those that it takes alone
	span    SpanKind
	label   string
}

type opKind uint8

const (
	opIssue  opKind = iota // competes for issue slots
	opShared               // goes through the shared-memory pipe
	opLoad                 // waits for global memory
	opStore                // takes bandwidth and goes on
	opSync                 // waits until parties warps are at the barrier
	opArrive               // counts at the barrier and goes on
	opTake                 // waits for a set of shared arrays
	opGive                 // gives it back when the v-TB's last warp is here
	opEnter                // of a region: for the record
	opLeave
)

// takesTime reports whether a warp can spend time in the op.
func (o *op) takesTime() bool {
	switch o.kind {
	case opStore, opArrive, opGive, opEnter, opLeave:
		return false
	}
	return true
}

// program holds what all warps of one v-TB do.
type program struct {
	ops   []op
	added float64 // instructions per warp that are not the kernel's: barriers, turns, locks
}

// weigh makes the program of one warp that of several in step.
func (p *program) weigh(warps float64) {
	p.added *= warps
	for i := range p.ops {
		p.ops[i].amount *= warps
		p.ops[i].dram *= warps
	}
}

// costs holds the costs of steps on a GPU, in cycles.
type costs struct {
	barrierWait float64 // from the last arrival to going on
	sharedWait  float64
	memoryWait  float64 // of the DRAM
	hitWait     float64 // of the L2
	takeWait    float64 // to take a set of arrays that is free
	lateWait    float64 // … on top, when a warp had to try again
	spin        float64 // instructions per cycle of a warp that tries again and again
	instruction float64 // of a warp alone, where each waits for results
	access      float64 // of a warp alone, an access of several that wait for nothing
	wavefront   float64 // in the shared-memory pipe
	byte        float64 // from the DRAM
	hit         float64 // part of the bytes loaded again that the L2 still has
}

// maxPieces is how many batches a piece of work is cut into at most; more wait
// for memory just as long, in fewer steps.
const maxPieces = 4

// Instructions of the code that smux adds, by the emitted text (docs/rewrites.md).
const (
	barrierIssue = 1 // BAR
	guardIssue   = 2 // compare with the turn, branch
	lockIssue    = 4 // branch of the leader, atomic, fence, slot
	tryIssue     = 4 // atomic, compare, branch, and the next slot's address
)

// newCosts returns the costs on g when blocks v-TBs are resident.
func newCosts(g *gpu.GPU, k *workload.Kernel, blocks int, ilp float64) costs {
	a := &g.Arch
	c := costs{
		barrierWait: a.DependentIssue,
		sharedWait:  a.SharedLatency,
		memoryWait:  a.MemoryLatency,
		hitWait:     a.L2Latency,
		// A lock is a word in shared memory: an atomic to take it, a read of the slot.
		takeWait: 2 * a.SharedLatency,

		access:    float64(max(1, a.SubPartitions)) / a.IssuePerCycle,
		wavefront: 1 / a.SharedPerCycle,
		byte:      1 / g.BytesPerCycle(),
	}
	try := a.SharedLatency + tryIssue*a.DependentIssue
	c.lateWait, c.spin = try/2, tryIssue/try
	c.instruction = max(c.access, a.DependentIssue/ilp)
	if g.L2Bytes > 0 {
		c.hit = 1
		if need := k.Footprint * float64(blocks); need > 0 {
			c.hit = min(1, float64(g.L2Bytes)/float64(g.SMs)/need)
		}
	}
	return c
}

// issuing returns the cycles that a lone warp takes to issue a piece of work. Its
// accesses to memory are batches (package workload), so that one does not wait for
// the other; what else it issues waits for results.
func (c *costs) issuing(w workload.Work) float64 {
	accesses := min(w.Issue, w.Shared+(w.Loads+w.Stores)/accessBytes)
	return (w.Issue-accesses)*c.instruction + accesses*c.access
}

// accessBytes are the bytes that a warp's instruction loads or stores: 32 words.
const accessBytes = hardware.WarpSize * 4

// alone is about how long a lone warp takes for an item.
func (c *costs) alone(it item) float64 {
	if it.kind != itemWork {
		return it.times * c.barrierWait
	}
	w := it.work
	return c.issuing(w) + w.Shared*c.wavefront + min(it.times, w.Shared)*c.sharedWait + w.Loads*c.byte + w.Waits*c.memoryWait
}

// builder writes a program.
type builder struct {
	costs
	program
	in    bool // inside a region
	label string
}

// extra adds instructions that are not the kernel's.
func (b *builder) extra(n float64) {
	b.added += n
	b.issue(n, n*b.instruction)
}

// issue adds instructions that take so many cycles alone; they merge with those in
// front.
func (b *builder) issue(n, alone float64) {
	if n <= 0 {
		return
	}
	if last := len(b.ops) - 1; last >= 0 && b.ops[last].kind == opIssue && b.ops[last].label == b.label && b.ops[last].span == b.span(Compute) {
		b.ops[last].amount += n
		b.ops[last].wait += alone
		return
	}
	b.add(op{kind: opIssue, amount: n, wait: alone, span: b.span(Compute)})
}

func (b *builder) add(o op) {
	o.label = b.label
	b.ops = append(b.ops, o)
}

// span returns how the timeline shows work: by what it does outside regions.
func (b *builder) span(outside SpanKind) SpanKind {
	if b.in {
		return Region
	}
	return outside
}

// work adds a piece of work, cut at its waits for memory.
func (b *builder) work(w workload.Work, times float64) {
	waits := w.Waits
	if w.Loads <= 0 {
		waits = 0
	}
	pieces := min(max(1, int(math.Ceil(waits-1e-9))), maxPieces)
	share := w.Scale(1 / float64(pieces))
	for range pieces {
		b.issue(share.Issue, b.issuing(share))
		if share.Loads > 0 {
			b.load(share.Loads, min(share.Again, share.Loads), waits/float64(pieces))
		}
		if share.Shared > 0 {
			trips := min(times, w.Shared) / float64(pieces)
			b.add(op{kind: opShared, amount: share.Shared, wait: trips * b.sharedWait, span: b.span(Compute)})
		}
	}
	if w.Stores > 0 {
		b.add(op{kind: opStore, amount: w.Stores, dram: w.Stores, span: b.span(Memory)})
	}
}

// load adds a load that is waited for so many times, one after the other.
func (b *builder) load(bytes, again, waits float64) {
	hits := again * b.hit
	wait := waits * (b.hitWait*hits + b.memoryWait*(bytes-hits)) / bytes
	o := op{kind: opLoad, amount: bytes, dram: bytes - hits, wait: wait, span: b.span(Memory)}
	if waits == 0 {
		o.kind = opStore
	}
	b.add(o)
}

func (b *builder) sync(barrier, warps int, times float64) {
	b.extra(barrierIssue * times)
	span := Wait
	if b.in {
		span = Region
	}
	b.add(op{kind: opSync, barrier: uint8(barrier), parties: int32(warps), wait: b.barrierWait * times, span: span})
}

func (b *builder) arrive(barrier, warps int, times float64) {
	b.extra(barrierIssue * times)
	b.add(op{kind: opArrive, barrier: uint8(barrier), parties: int32(warps), span: b.span(Compute)})
}

func (b *builder) enter(label string) {
	b.label, b.in = label, true
	b.add(op{kind: opEnter, span: Region})
}

func (b *builder) leave() {
	b.add(op{kind: opLeave, span: Region})
	b.in, b.label = false, ""
}
