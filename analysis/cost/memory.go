package cost

import (
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/workload"
)

// load reads memory: one instruction, unless the value is in a register since
// an earlier load of the same address with no store in between.
func (f *frame) load(l lvalue) value {
	x := f.x
	o, bytes := l.to.obj, l.typ.size()
	key := access{id: l.to.id, add: l.to.add, bytes: bytes}
	if v, ok := x.held[o][key]; ok {
		v.typ = l.typ
		x.reloads(l, v)
		return v
	}
	v := value{typ: l.typ, id: x.fresh()}
	if l.typ.integer() && l.typ.size() == 1 {
		v.below = byteNumbers
	}
	if o.space == inConstant && l.to.id == 0 {
		x.folded(v.id) // an operand of the instruction
	}
	if l.operand {
		x.addressed(l.to)
	}
	from := o.space
	if o.readOnly {
		from = inConstant // no store is in the way
	}
	x.loaded(v, from, o.space == inRegisters || o.v != nil && o.v.Type.Volatile, x.reached(l))
	switch o.space {
	case inShared:
		x.loadShared(l)
	case inConstant:
		if l.to.id != 0 {
			x.count(workload.Work{Issue: 1, Shared: f.constantPasses(l)}, 0) // else an operand of the instruction
		}
	case inRegisters:
		x.count(workload.Work{Issue: costLocal}, 0)
		x.needsAll(o)
	case inGlobal:
		n := instructions(l.typ)
		moved, again, late, lines := x.sectorsOf(l, true)
		x.count(workload.Work{Issue: n, Access: n, Loads: moved, Again: again, Late: late, Lines: lines}, float64(l.typ.size()))
		v.batch, v.depth = x.pend(l.to)
	}
	if !x.compiling && l.typ.integer() && (l.to.known && l.to.v == nil && o.space != inRegisters) {
		// The same number for all threads, whatever it is.
		v.known, v.s = true, assumedSize
	}
	if x.mute == 0 {
		x.hold(o, key, v)
	}
	return v
}

// Instructions for the address of a load that CUDA's headers write as inline assembly, __ldg and its kin: an operand,
// to which a compiler adds no constant of its own accord. Counted in the SASS of nvcc 11.8 for compute capabilities
// 7.5 and 8.0, of kernels that hold 64 such loads each.
var (
	addressInBranch = workload.Work{Issue: 3, Integer: 2, Float: 1} // base and index of 32 bits, in a branch
	addressOfTwo    = workload.Work{Issue: 4, Integer: 3, Float: 1} // base and two indices, each widened by itself
	addressOfBoth   = workload.Work{Issue: 6, Integer: 5, Float: 1} // the same in a branch
)

// addressed counts the address of a load that is an operand of inline assembly. Where constants are added to one
// index and nothing is in between, ptxas finds the address before and adds their difference in the access; after a
// branch it does not, nor where two indices are added to the pointer one after the other, each with constants of its
// own.
func (x *walk) addressed(p value) {
	switch inBranch := x.side != 0; {
	case p.within == 0 || p.terms < 2 && !inBranch:
	case p.terms < 2:
		x.once(operation{op: "operand", a: p.id, b: x.side, x: p.within}, addressInBranch)
	case inBranch:
		x.once(operation{op: "operand", a: p.id, b: x.side, x: p.within}, addressOfBoth)
	default:
		x.once(operation{op: "operand", a: p.id, x: p.within}, addressOfTwo)
	}
}

// instructions counts the loads or stores that a value takes: vectors of 2 and 4 components move at once.
func instructions(t ctype) float64 {
	if t.comps == 3 || t.comps > 4 {
		return float64(t.size()) / 4 // not aligned, as a rule
	}
	return max(1, float64(t.size())/16)
}

// pend puts a global load into the batch that its address allows.
func (x *walk) pend(addr value) (batch, depth int) {
	if x.mute > 0 {
		return 0, 0
	}
	if x.waiting != nil && x.waiting != x.current() {
		x.wait(1)
	}
	depth = 1
	if addr.batch == x.batch && addr.batch > 0 {
		depth = addr.depth + 1
	} else if len(x.loops) > 0 && addr.batch >= x.loops[len(x.loops)-1].first && addr.batch > 0 {
		x.loops[len(x.loops)-1].chained = true
	}
	if x.waiting == nil {
		x.waiting, x.waitingAt = x.current(), x.line
	}
	for len(x.pending) < depth {
		x.pending = append(x.pending, 0)
	}
	x.pending[depth-1] += x.share
	if n := len(x.loops); n > 0 && x.maybe > 0 && (!x.compiling || x.maybe > x.loops[n-1].maybe) {
		x.loops[n-1].branching = true
	}
	return x.batch, depth
}

// store writes memory.
func (f *frame) store(l lvalue, v value) {
	x := f.x
	o := l.to.obj
	x.needs(value{id: x.reached(l)}, v)
	switch o.space {
	case inShared:
		x.count(workload.Work{Issue: 1, Access: 1, Shared: x.wavefronts(l)}, float64(l.typ.size()))
	case inRegisters:
		x.count(workload.Work{Issue: costLocal}, 0)
	case inGlobal, inConstant:
		n := instructions(l.typ)
		w := x.sectorsStored(l)
		w.Issue, w.Access = n, n
		x.count(w, float64(l.typ.size()))
	}
	if x.mute > 0 {
		return
	}
	x.overlaps(o)
	key := access{id: l.to.id, add: l.to.add, bytes: l.typ.size()}
	x.overwrite(o, key)
	v.typ = l.typ
	x.hold(o, key, v)
}

// hold notes that a register holds what is in memory.
func (x *walk) hold(o *object, key access, v value) {
	if o.v == nil || o.v.Type.Volatile {
		return
	}
	m := x.held[o]
	if m == nil {
		m = map[access]value{}
		x.held[o] = m
	}
	m[key] = v
	if x.side != 0 {
		x.oneSide = append(x.oneSide, holding{o, key})
	}
}

// holding is a place of an object that a register holds.
type holding struct {
	in *object
	at access
}

// overwrite forgets what a store may change: places of the same object whose
// distance from it is not known, and other global arrays that it may overlap.
func (x *walk) overwrite(o *object, to access) {
	for k := range x.held[o] {
		if k.id != to.id || k.add < to.add+int64(to.bytes) && to.add < k.add+int64(k.bytes) {
			delete(x.held[o], k)
		}
	}
	if o.space != inGlobal || o.v != nil && o.v.Type.Restrict {
		return
	}
	for other := range x.held {
		if other != o && other.space == inGlobal && !other.readOnly {
			delete(x.held, other)
		}
	}
}

// sectorsStored returns the work of a warp's store: the bytes that it moves, in whole sectors, how many of them the
// thread block has stored to before, since an L2 that has these still passes them on once, and how many are of sectors
// that it covers in part.
func (x *walk) sectorsStored(l lvalue) (w workload.Work) {
	w.Stores, _, _, _ = x.sectorsOf(l, false)
	a := l.to
	warps := float64(x.mask.warps(x.n))
	if !a.known || warps == 0 || x.mute > 0 {
		return w
	}
	fp := x.stored[a.obj]
	if fp == nil {
		fp = &footprint{seen: map[int64]loaded{}}
		x.stored[a.obj] = fp
	}
	base := a.s >> lineShift << (lineShift - sectorShift)
	old, fresh := 0, 0
	hit := x.sectorsHit(a, int64(max(1, l.typ.size())))
	for _, sectors := range hit.sectors {
		for _, s := range sectors {
			now := x.clock + x.storing
			last, seen := fp.seen[base+s]
			if seen {
				old++
				x.joins.note(now-last.at, hardware.SectorBytes*x.weight)
			} else {
				fresh++
				x.storing += hardware.SectorBytes
				if x.sectors == maxSectors {
					continue
				}
				x.sectors++
			}
			fp.seen[base+s] = loaded{at: now}
		}
	}
	fp.bytes += hardware.SectorBytes * float64(fresh) * x.weight
	fp.apart = fp.apart || a.apart || fp.loaded && fp.next != a.next
	fp.next, fp.loaded = a.next, true
	w.Joined, w.Partly = hardware.SectorBytes*float64(old)/warps, hardware.SectorBytes*float64(hit.partly)/warps
	return w
}
