package baseline

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/occupancy"
)

// leastShare is by how much the share of a kernel's regions must grow to count. It
// is an estimate that moves a little with each statement.
const leastShare = 0.01

// regions compares the regions, where shared memory limits how many thread blocks
// run: there a stretch in which arrays are live is one that merged blocks wait for.
func (c *comparison) regions() {
	if c.was.Regions == nil || c.is.Regions == nil || !slices.ContainsFunc(c.is.Stands, func(s Stand) bool { return slices.Contains(s.Limits, occupancy.Shared.String()) }) {
		return
	}
	if len(c.is.Regions) > len(c.was.Regions) {
		i := c.newRegion()
		c.say(CodeRegion, c.is.regions[i], "", fmt.Sprintf("a region that is not in the baseline begins here, of %s: %d -> %d regions, in a kernel that shared memory limits",
			diag.AndList(c.is.Regions[i].Arrays), len(c.was.Regions), len(c.is.Regions)))
		return
	}
	if c.is.Share < c.was.Share+leastShare-1e-9 || !c.beyond(c.was.Share, c.is.Share) {
		return
	}
	at := c.is.Pos
	if len(c.is.regions) > 0 {
		at = c.is.regions[0]
	}
	why := "none of its lines changed"
	if l, ok := c.changedInRegion(); ok {
		at, why = l.Pos, "the first line in a region that changed"
	}
	c.say(CodeRegion, at, "", fmt.Sprintf("regions take more of the kernel than in the baseline, %.1f -> %.1f %% of its work by estimate, and shared memory limits it",
		100*c.was.Share, 100*c.is.Share), why)
}

// newRegion returns the region that is likeliest to be new: one whose arrays had none,
// else one that begins in a line of its own, else the last.
func (c *comparison) newRegion() int {
	for _, known := range []func(a, b Region) bool{
		func(a, b Region) bool { return slices.Equal(a.Arrays, b.Arrays) },
		func(a, b Region) bool { return a.First == b.First && slices.Equal(a.Arrays, b.Arrays) },
	} {
		for i, g := range c.is.Regions {
			if !slices.ContainsFunc(c.was.Regions, func(o Region) bool { return known(g, o) }) {
				return i
			}
		}
	}
	return len(c.is.Regions) - 1
}

// changedInRegion returns the first changed line between the ends of a region.
func (c *comparison) changedInRegion() (Line, bool) {
	for _, l := range c.changed {
		for _, e := range c.is.ends {
			if l.Pos.File == e[0].File && l.Pos.Line >= e[0].Line && l.Pos.Line <= e[1].Line {
				return l, true
			}
		}
	}
	return Line{}, false
}
