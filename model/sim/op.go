package sim

import (
	"cmp"
	"math"

	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/stall"
	"github.com/smux-cuda/smux/model/workload"
)

// op is one step of a warp.
type op struct {
	kind    opKind
	barrier uint8   // opSync, opArrive
	parties int32   // opSync, opArrive: warps that complete the barrier
	top     int32   // opNext: the first op of a group's run
	mix     mix     // opIssue: instructions
	amount  float64 // wavefronts, bytes from the L2
	dram    float64 // opLoad, opStore: bytes from the DRAM
	pipe    float64 // opLoad, opStore: wavefronts in the pipe of the L1, which is that of shared memory
	wait    float64 // cycles of latency after it; of opIssue, those that it takes alone
	late    float64 // opLoad: part of wait for what other warps of the v-TB ask for, too: it is over when the first one has it
	span    SpanKind
	label   string
	prior   bool // opAwait: but for those of the last opFetch
}

type opKind uint8

const (
	opIssue  opKind = iota // competes for issue slots
	opShared               // goes through the shared-memory pipe
	opLoad                 // waits for global memory
	opFetch                // has bytes on the way and goes on
	opAwait                // waits until they are there
	opStore                // takes bandwidth and goes on
	opSync                 // waits until parties warps are at the barrier
	opArrive               // counts at the barrier and goes on
	opTake                 // waits for a set of shared arrays
	opGive                 // gives it back when the v-TB's last warp is here
	opEnter                // of a region: for the record
	opLeave
	opNext // goes on with the warp's next group, if there is one
)

// takesTime reports whether a warp can spend time in the op.
func (o *op) takesTime() bool {
	switch o.kind {
	case opStore, opFetch, opArrive, opGive, opEnter, opLeave, opNext:
		return false
	}
	return true
}

// works reports whether an op is a block's own work, and none of taking turns.
func (o *op) works() bool {
	switch o.kind {
	case opIssue, opShared, opLoad, opFetch, opAwait, opStore:
		return true
	}
	return false
}

// program holds what all warps of one v-TB do.
type program struct {
	ops   []op
	added float64 // instructions per warp that are not the kernel's: barriers, turns, locks
	again float64 // … of these, in a loop over groups, those of each group

	// rates hold what a warp issues in each op, in instructions per cycle that it takes alone: of
	// warps that stand for the most real ones, and of those that stand for one less.
	rates [2][]mix
}

// rate reckons the rates of a program's warps, which stand for so many real ones.
func (p *program) rate(most, least float64) {
	for i, weight := range [2]float64{most, least} {
		if i > 0 && weight == most {
			p.rates[i] = p.rates[0]
			continue
		}
		p.rates[i] = make([]mix, len(p.ops))
		for j := range p.ops {
			if o := &p.ops[j]; o.kind == opIssue {
				p.rates[i][j] = o.mix.scale(weight).scale(1 / o.wait)
			}
		}
	}
}

// costs holds the costs of steps on a GPU, in cycles.
type costs struct {
	barrierWait float64 // from the last arrival to going on
	arrival     float64 // … on top, for each of the warps that arrive
	sharedWait  float64
	nearWait    float64 // of the L1
	memoryWait  float64 // of the DRAM
	hitWait     float64 // of the L2
	takeWait    float64 // to take a set of arrays that is free
	lateWait    float64 // … on top, when a warp had to try again
	spin        float64 // instructions per cycle of a warp that tries again and again
	instruction float64 // of a warp alone, where each waits for results
	access      float64 // of a warp alone, an access of several that wait for nothing
	wavefront   float64 // in the shared-memory pipe
	byte        float64 // from the DRAM
	partial     float64 // by how much longer the L2 takes a sector of which a store covers a part, less 1
	passes      float64 // wavefronts in that pipe for a byte of global memory; 0 where that is another
	units       float64 // wavefronts that pass there while its units take an access; 0 where they take all
	near        float64 // part of the bytes loaded again that the L1 still has
	hit         float64 // part of the others that the L2 still has
	common      float64 // part of the bytes loaded for the first time that the L2 has, since other TBs loaded them
	joined      float64 // part of the bytes stored to sectors stored to before that the L2 has still
	filled      float64 // part of the others, to sectors that other TBs store to, too
	rates       mix     // of a part of the SM
	async       bool    // copies to shared memory go on by themselves
}

// maxPieces is the largest number of batches into which a piece of work is cut; more wait for memory just as long, in
// fewer steps. Accesses to shared memory stand among other instructions: more than pieceShared wavefronts at once
// would keep those of other warps from the pipe, first come, first served, which are few and would pass between.
const (
	maxPieces   = 4
	pieceShared = 16
)

// Instructions of the code that smux adds, as nvcc 11.8 emits them for compute capabilities 3.5, 5.2 and 8.0.
const (
	barrierIssue = 1 // BAR
	otherIssue   = 2 // compare with a barrier's number, branch: for each other that comes first
	handIssue    = 3 // is there a next v-TB, branch, its number
	guardIssue   = 3 // compare with the turn, mark where threads meet again, branch, meet
	takeIssue    = 9 // a lock is taken: an attempt, its operand, a fence
	giveIssue    = 8 // it is given back: a fence, one lane is found, the atomic and its operand
	nextIssue    = 9 // the next group: is there one, its block, is it odd, a branch back
	tryIssue     = 5 // atomic, mask, compare, branch, and a chance for other warps
)

// newCosts returns the costs on g when blocks v-TBs are resident and so many bytes of on-chip memory are an L1.
func newCosts(g *gpu.GPU, k *workload.Kernel, blocks, l1 int, ilp float64) costs {
	a := &g.Arch
	c := costs{
		barrierWait: cmp.Or(a.BarrierLatency, a.DependentIssue),
		arrival:     a.BarrierArrival,
		sharedWait:  a.SharedLatency,
		nearWait:    a.Hit(),
		memoryWait:  a.MemoryLatency,
		hitWait:     a.L2Latency,
		// A lock is a word in shared memory: an atomic to take it, a read of the slot.
		takeWait: cmp.Or(a.LockLatency, 2*a.SharedLatency),

		access:    float64(parts(a)) / a.IssuePerCycle,
		rates:     partRates(a),
		async:     a.Major >= hardware.FirstAsync,
		wavefront: 1 / a.SharedPerCycle,
		byte:      1 / g.BytesPerCycle(),
	}
	if partial := g.PartialBytesPerCycle(); partial > 0 {
		c.partial = max(0, g.L2BytesPerCycle()/partial-1)
	}
	if a.UnifiedBytes > 0 && a.Major >= 7 { // Volta merged both (V100 whitepaper)
		c.passes = 1.0 / accessBytes
		c.units = a.SharedPerCycle / stall.RatesOf(a).Memory
	}
	c.instruction = max(c.access, a.DependentIssue/ilp)
	try := a.SharedLatency + tryIssue*c.instruction
	c.lateWait, c.spin = try/2, tryIssue/try
	c.near = k.Kept(blocks, k.Footprint*float64(blocks), float64(l1))
	c.hit = k.Kept(blocks*g.SMs, k.Union(blocks*g.SMs), float64(g.L2Bytes))
	c.common = k.Common(blocks*g.SMs, float64(g.L2Bytes))
	c.joined, c.filled = k.Joining(blocks*g.SMs, float64(g.L2Bytes))
	return c
}

// issuing returns the cycles that a lone warp takes to issue a piece of work. Its accesses to memory are batches
// (package workload), so that one does not wait for the other; what else it issues waits for results.
func (c *costs) issuing(w workload.Work) float64 {
	accesses := min(w.Issue, w.Shared+(w.Loads+w.Stores)/accessBytes)
	return max((w.Issue-accesses)*c.instruction+accesses*c.access, mixOf(w).over(c.rates))
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
	b.issue(mix{slots: n}, n*b.instruction)
}

// issue adds instructions that take so many cycles alone; they merge with those in front.
func (b *builder) issue(n mix, alone float64) {
	if n[slots] <= 0 {
		return
	}
	if last := len(b.ops) - 1; last >= 0 && b.ops[last].kind == opIssue && b.ops[last].label == b.label && b.ops[last].span == b.span(Compute) {
		b.ops[last].mix = b.ops[last].mix.add(n)
		b.ops[last].wait += alone
		return
	}
	b.add(op{kind: opIssue, mix: n, wait: alone, span: b.span(Compute)})
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
	if b.async && w.Ahead > 0 && waits > 0 {
		ahead := w.Scale(min(1, w.Ahead/waits))
		b.copies(ahead, b.busy(w))
		w = w.Add(ahead.Scale(-1))
		waits -= ahead.Waits
	}
	pieces := min(max(1, int(math.Ceil(waits-1e-9)), int(w.Shared/pieceShared)), maxPieces)
	share := w.Scale(1 / float64(pieces))
	busy := b.busy(w)
	for range pieces {
		b.issue(mixOf(share), b.issuing(share))
		if share.Loads > 0 {
			share.Waits = waits / float64(pieces)
			b.load(share, busy)
		}
		if share.Shared > 0 {
			trips := min(times, w.Shared) / float64(pieces)
			b.add(op{kind: opShared, amount: share.Shared * busy, wait: trips * b.sharedWait, span: b.span(Compute)})
		}
	}
	if w.Stores > 0 {
		b.add(op{kind: opStore, amount: w.Stores + w.Partly*b.partial, dram: w.Written(b.joined, b.filled), pipe: w.Stores * b.passes * busy, span: b.span(Memory)})
	}
}

// busy returns the factor by which a piece of work takes longer than its wavefronts on the pipe of shared
// memory, where the L1 is in it: an access without conflicts passes in one cycle, but on SMs with 16
// load/store units these take two to hand it over.
func (c *costs) busy(w workload.Work) float64 {
	wavefronts := w.Shared + (max(w.Loads, w.Lines*accessBytes)+w.Stores)*c.passes
	if wavefronts <= 0 {
		return 1
	}
	return max(1, w.Access*c.units/wavefronts)
}

// copies adds asynchronous copies: the warp waits for those of the time before, once these are under way.
func (b *builder) copies(w workload.Work, busy float64) {
	b.issue(mixOf(w), b.issuing(w))
	o := b.bytes(opFetch, w)
	o.pipe = (o.pipe + w.Shared) * busy
	b.add(o)
	b.add(op{kind: opAwait, prior: true, span: b.span(Memory)})
}

// load adds the loads of a piece of work, which are waited for one after the other.
func (b *builder) load(w workload.Work, busy float64) {
	o := b.bytes(opLoad, w)
	o.pipe *= busy
	if w.Waits == 0 {
		o.kind = opStore
	}
	b.add(o)
}

// bytes are an op that moves the loaded bytes, with the latency of the waits. The L1 looks
// one line up a cycle, and passes a wavefront: a row that begins within a line takes two.
func (b *builder) bytes(kind opKind, w workload.Work) op {
	bytes, again := w.Loads, min(w.Again, w.Loads)
	near := again * b.near
	hits := (again-near)*b.hit + (bytes-again)*b.common
	missed := bytes - near - hits
	// What another warp waits for comes no sooner.
	late := min(w.Late, again)
	soon := (again - late) * b.near
	found := (again-late-soon)*b.hit + (bytes-again+late)*b.common
	wait := w.Waits * (b.nearWait*soon + b.hitWait*found + b.memoryWait*(bytes-soon-found)) / bytes
	// What another warp has asked for before is there sooner, in the L1 where there is one.
	soonest := b.hitWait
	if b.near > 0 {
		soonest = b.nearWait
	}
	others := w.Waits * late / bytes * max(0, b.hitWait*b.common+b.memoryWait*(1-b.common)-soonest)
	return op{kind: kind, amount: bytes - near, dram: missed, pipe: max(bytes, w.Lines*accessBytes) * b.passes, wait: wait, late: others, span: b.span(Memory)}
}

func (b *builder) sync(barrier, warps int, times float64) {
	b.extra(barrierIssue * times)
	span := Wait
	if b.in {
		span = Region
	}
	b.add(op{kind: opSync, barrier: uint8(barrier), parties: int32(warps), wait: (b.barrierWait + b.arrival*float64(warps)) * times, span: span})
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

// mix is a number of instructions: all of them, and those that units with a rate of their own take.
type mix [5]float64

// The places of a mix.
const (
	slots = iota
	floats
	integers
	doubles
	specials
)

// mixOf returns what a warp issues for a piece of work.
func mixOf(w workload.Work) mix {
	return mix{slots: w.Issue, floats: w.Float, integers: w.Integer, doubles: w.Double, specials: w.Special}
}

// partRates returns the warp instructions per cycle that one of the SM's parts issues, and that its units take: a
// part has its own share of all, and a warp stays in its part (Jia 2018, section 2; Huerta, section 3).
func partRates(a *gpu.Arch) mix {
	r := stall.RatesOf(a)
	return mix{slots: r.Issue, floats: r.Float, integers: r.Integer, doubles: r.Double, specials: r.Special}.scale(1 / float64(parts(a)))
}

// parts counts the parts of the SM.
func parts(a *gpu.Arch) int { return max(1, a.SubPartitions) }

func (m mix) add(o mix) mix {
	for i := range m {
		m[i] += o[i]
	}
	return m
}

func (m mix) scale(times float64) mix {
	for i := range m {
		m[i] *= times
	}
	return m
}

// over is the cycles that the busiest unit takes, or the slots.
func (m mix) over(rates mix) float64 {
	most := 0.0
	for i := range m {
		if rates[i] > 0 {
			most = max(most, m[i]/rates[i])
		}
	}
	return most
}
