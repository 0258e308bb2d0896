package merge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/analysis/uniformity"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// checkOwnExits refuses kernels in which single threads of a v-TB may be gone
// while others wait for them at its barrier, or in which one may leave with a
// slot. A whole v-TB may leave between regions: the others do not wait for it.
func (p *mergeProof) checkOwnExits() {
	k := p.Kernel
	_, end := p.synchronised()
	for _, x := range k.Exits {
		at := x.Stmt.Range.Start
		switch {
		case at >= end:
		case p.inRegion(x.Stmt):
			p.Refuse(k.File, at, kit.CodeEarlyExit, "threads may leave here, inside a region, and would not give back its shared arrays (%s)", x.Control)
		case x.Control <= analysis.BlockUniform:
		default:
			p.Refuse(k.File, at, kit.CodeEarlyExit, "threads may leave here, before the last barrier or region (%s)", x.Control)
		}
	}
}

// checkOwnBarriers proves that every thread of a v-TB comes to each of its barriers. From Volta on __syncthreads
// waits for the threads that have not left the kernel, so that those for which a condition does not hold may run on
// to the kernel's end; a barrier of the v-TB's own is told how many to wait for.
func (p *mergeProof) checkOwnBarriers() {
	k := p.Kernel
	const why = ": a barrier of the virtual thread block's own waits for all of its threads"
	for _, b := range k.Barriers {
		if b.Control > analysis.BlockUniform {
			p.Refuse(b.Func.File, b.Expr.Range.Start, kit.CodeDivergent, "the control around this barrier is %s%s", b.Control, why)
		}
	}
	for _, b := range uniformity.BarrierCalls(k) {
		if b.Control > analysis.BlockUniform {
			p.Refuse(b.Func.File, b.Expr.Range.Start, kit.CodeDivergent, "the control around this call of %s, which holds a barrier, is %s%s", b.Expr.Name, b.Control, why)
		}
	}
}

// checkSharedSize proves that several sets of arrays, and the lock, fit into what a block may have wherever the
// original does, for every launch whose bytes are known.
func (p *mergeProof) checkSharedSize() {
	k := p.Kernel
	lock, with := p.lockBytes(), ""
	if lock > 0 {
		with = fmt.Sprintf(", with %d for the lock", lock)
	}
	for _, in := range k.Instances {
		before, after, known := 0, lock, true
		for _, s := range k.Shared {
			bytes, exact := launches.SharedBytesOf(k, in, s)
			known = known && exact
			before += bytes
			if p.sets(s) > 1 && s.Dynamic {
				bytes = aligned(bytes)
			}
			after += bytes * p.sets(s)
		}
		if !known && lock > 0 && p.usesDynamic() {
			p.refuseUnknownBytes(in, lock)
		}
		if !known {
			continue
		}
		for _, limit := range hardware.SharedPerBlockLimits {
			if before > limit || after <= limit {
				continue
			}
			at, file := k.View.Start, k.File
			if in.Launch != nil {
				file, at = in.Launch.File, in.Launch.View.Open
			}
			p.Refuse(file, at, kit.CodeSharedSize, "%d bytes of shared memory become %d%s: more than the %d that a block can have", before, after, with, limit)
			break
		}
	}
}

// usesDynamic reports whether the kernel has dynamic shared memory.
func (p *mergeProof) usesDynamic() bool {
	return slices.ContainsFunc(p.Kernel.Shared, func(s *analysis.Shared) bool { return s.Dynamic })
}

// refuseUnknownBytes refuses a lock beside dynamic shared memory of which a launch may ask for all that there is.
func (p *mergeProof) refuseUnknownBytes(in *analysis.Instance, lock int) {
	file, at := p.Kernel.File, p.Kernel.View.Start
	if in.Launch != nil {
		file, at = in.Launch.File, in.Launch.View.Open
	}
	p.Refuse(file, at, kit.CodeSharedSize, "the shared memory that this launch asks for is unknown: the %d bytes of the lock may not fit beside it", lock)
}

// lockBytes is the shared memory that the lock takes.
func (p *mergeProof) lockBytes() int {
	if p.Sync != variant.SyncLock {
		return 0
	}
	bytes := 4
	if p.SharedSets > 1 {
		bytes += 4 * p.Factor
	}
	if p.usesDynamic() {
		bytes = aligned(bytes) // as what follows is
	}
	return bytes
}

// aligned rounds bytes up to what dynamic shared memory, and each set of it, begins at a multiple of.
func aligned(bytes int) int { return (bytes + setAlignment - 1) / setAlignment * setAlignment }

// noteLocks remarks where the shared arrays fall into groups that no region has in common: one lock for all, which is
// what is emitted, then lets v-TBs wait for arrays that nobody holds.
func (p *mergeProof) noteLocks() {
	groups := p.arrayGroups()
	if len(groups) < 2 {
		return
	}
	texts := lists.Map(groups, func(g []*analysis.Shared) string { return diag.AndList(kit.ArrayNames(g)) })
	k := p.Kernel
	p.Note(k.File, k.View.Start, CodeLocks, "no region concerns arrays of two of these groups, which could have a lock each: %s", strings.Join(texts, "; "))
}

// arrayGroups parts the shared arrays so that no region concerns arrays of two groups. The regions are those of all
// arrays together: where an array's own regions would lie inside another's, the two are in one group, since a lock
// taken under another is not what a v-TB should wait for.
func (p *mergeProof) arrayGroups() [][]*analysis.Shared {
	var groups [][]*analysis.Shared
	for _, r := range p.regions {
		groups = joined(groups, r.Arrays)
	}
	return groups
}

// joined adds arrays that belong together to groups.
func joined(groups [][]*analysis.Shared, arrays []*analysis.Shared) [][]*analysis.Shared {
	own := slices.Clone(arrays)
	var out [][]*analysis.Shared
	for _, g := range groups {
		if !slices.ContainsFunc(g, func(s *analysis.Shared) bool { return slices.Contains(own, s) }) {
			out = append(out, g)
			continue
		}
		own = lists.Add(own, g...)
	}
	return append(out, own)
}
