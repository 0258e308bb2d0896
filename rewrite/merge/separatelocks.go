package merge

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
)

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
