package cost

import (
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/model/workload"
)

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
