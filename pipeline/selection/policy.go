package selection

import (
	"errors"
	"fmt"

	"github.com/smux-cuda/smux/model/sim"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// errUnmerged excludes rewrites that merge no thread blocks. They change what the
// compiler makes of the kernel, of which the model has no notion.
var errUnmerged = errors.New("it merges no thread blocks: the model sees no difference, only a measurement does")

// policy returns the simulation's name of a variant in a place: rewriters and policies
// share their names. What a compiler makes of Stage, Assume and Merge it does not
// see. The error is errUnmerged, or that of a rewriter that the simulation does
// not know.
func (p Place) policy(w Variant) (sim.Policy, error) {
	if w.Factor == 0 || !w.Merges() {
		return sim.Policy{}, errUnmerged
	}
	text := fmt.Sprintf("%s:%s:N=%d", w.Rewriter, w.Sync, w.Factor)
	if w.SharedSets > 0 {
		text += fmt.Sprintf(":M=%d", w.SharedSets)
	}
	policy, err := sim.ParsePolicy(text)
	if err != nil {
		return policy, fmt.Errorf("the model does not know it")
	}
	if policy.Kind == sim.CoVTB && w.PrivateRows > 0 && p.Rows != nil {
		policy.Private = min(1, float64(w.PrivateRows)/float64(p.Rows.Rows))
		policy.Shared = p.Rows.split(w) + lockBytes(w)
		policy.Joint = !p.Rows.definesApart(w.PrivateRows)
	}
	policy.Pinned, policy.Computed, policy.Numbered = w.Pin, w.Compute, w.Numbered
	policy.Persistent = w.Persistent && w.Sync != variant.SyncBlock
	return policy, nil
}

// placing returns where and under which policy a variant is placed on an SM: as the
// original where it merges nothing.
func (p Place) placing(w Variant) (Place, sim.Policy, error) {
	p, policy, err := p.as(w)
	if errors.Is(err, errUnmerged) {
		return p, sim.Policy{}, nil
	}
	return p, policy, err
}

// lockBytes returns the shared bytes of the lock of a launched block.
func lockBytes(w Variant) int {
	if w.Sync != variant.SyncLock {
		return 0
	}
	return 4 * (1 + w.Factor)
}
