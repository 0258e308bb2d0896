package rewrite

import (
	"slices"

	"github.com/smux-cuda/smux/analysis"
)

// planLock plans the sync mode in which each v-TB has a barrier of its own and
// takes a slot of shared arrays for each region, in no order. Text inside
// regions stays as it is.
func (p *Plan) planLock() {
	k := p.Kernel
	p.checkLockExits()
	p.checkSharedSize()
	p.planSlots()
	var calls []callSite
	p.rewriteBody(p.buffer(k.File), k.Func, k.Func.Body, formOwn, "", &calls)
	p.takeCalls(calls)
	for _, r := range p.regions {
		if !p.editable(r) {
			continue
		}
		lines := p.splitLoads(p.buffer(k.File), r)
		acquire, release := p.vtb+".acquire()", p.vtb+".release()"
		if b := p.before[r]; b != nil {
			p.inPlaceOf(b, acquire, guards(r))
		} else {
			lines = append(lines, acquire+";"+guards(r))
		}
		if b := p.behind[r]; b != nil {
			p.inPlaceOf(b, release, released(r))
			release = ""
		} else {
			release += ";" + released(r)
		}
		p.enclose(r, append(lines, p.bindSlots(r)...), release)
	}
}

// checkLockExits refuses kernels in which single threads of a v-TB may be gone
// while others wait for them at its barrier, or in which one may leave with a
// slot. A whole v-TB may leave between regions: the others do not wait for it.
func (p *Plan) checkLockExits() {
	k := p.Kernel
	_, end := p.synchronised()
	for _, x := range k.Exits {
		at := x.Stmt.Range.Start
		switch {
		case at >= end:
		case p.inRegion(x.Stmt):
			p.refuse(k.File, at, CodeEarlyExit, "threads may leave here, inside a region, and would not give back its shared arrays (%s)", x.Control)
		case x.Control <= analysis.BlockUniform:
		default:
			p.refuse(k.File, at, CodeEarlyExit, "threads may leave here, before the last barrier or region (%s)", x.Control)
		}
	}
}

// The bytes of shared memory that a thread block may take, on one GPU or the
// other.
var sharedLimits = []int{48 << 10, 64 << 10, 96 << 10, 99 << 10, 163 << 10, 227 << 10}

// checkSharedSize proves that the lock, and M sets of arrays, fit into what a
// block may have wherever the original does, for every launch whose bytes are
// known.
func (p *Plan) checkSharedSize() {
	k := p.Kernel
	lock := 4
	if p.Slots > 1 {
		lock += 4 * p.Factor
	}
	if slices.ContainsFunc(k.Shared, func(s *analysis.Shared) bool { return s.Dynamic }) {
		lock = 16 // what follows is aligned
	}
	for _, in := range k.Instances {
		before, exact := k.SharedBytes(in)
		if !exact {
			continue
		}
		after := before*p.Slots + lock
		for _, limit := range sharedLimits {
			if before > limit || after <= limit {
				continue
			}
			at, file := k.View.Start, k.File
			if in.Launch != nil {
				file, at = in.Launch.File, in.Launch.View.Open
			}
			p.refuse(file, at, CodeSharedSize, "%d bytes of shared memory become %d, with %d for the lock: more than the %d that a block can have", before, after, lock, limit)
			break
		}
	}
}
