package verify

import (
	"fmt"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/translate"
)

// Branches counts what conditions of kernels, and of device functions that were called, decide about: branches of an if, bodies of loops,
// cases, and what stands after an if that leaves. One inside another that no run reached does not count.
type Branches struct {
	All        int             `json:"all"`
	NotReached []diag.Position `json:"notReached,omitempty"` // by any run: nothing was looked for there
}

// String returns those that were not reached, by place.
func (b *Branches) String() string {
	places := lists.Map(b.NotReached, func(p diag.Position) string { return fmt.Sprintf("%s:%d", p.File, p.Line) })
	return fmt.Sprintf("%d of %d branches never ran: %s", len(places), b.All, listed(places, 3, ""))
}

// countBranches sets which branches of the original no checked run has reached.
func (v *Verdict) countBranches(s *session) {
	union, all := map[uint32]int64{}, true
	for args := range s.Args {
		v.Reached = append(v.Reached, nil)
		for _, order := range s.CheckedSchedules {
			r := s.original.find(build.Checked, args, order)
			if r == nil || r.result == nil || r.result.End == nil {
				all = false
				continue
			}
			all = all && !r.result.End.Fatal
			v.Reached[args] = r.result.End.Reached
			for id, n := range r.result.End.Reached {
				union[id] += n
			}
		}
	}
	if !all || len(union) == 0 || s.Original.isHost() {
		return
	}
	v.Branches = &Branches{}
	for _, f := range s.original.parsed.All() {
		all := translate.Branches(f)
		for _, b := range all {
			if b.Outer < 0 || union[all[b.Outer].ID] == 0 {
				continue
			}
			if v.Branches.All++; union[b.ID] == 0 {
				v.Branches.NotReached = append(v.Branches.NotReached, f.Position(b.Start))
			}
		}
	}
}
