package baseline

import (
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/model/occupancy"
)

// cause is the line that did it.
type cause struct {
	at  diag.Position
	why string
}

// sharedCause returns the declaration that is new or grew most, or the launch.
func (c *comparison) sharedCause(s standing) cause {
	if grown := c.grownArrays(); len(grown) > 0 && s.is.Static > s.was.Static {
		most := grown[0]
		for _, g := range grown {
			if g.by > most.by {
				most = g
			}
		}
		why := most.why
		if len(grown) > 1 {
			why += fmt.Sprintf(" (the most of %d that grew)", len(grown))
		}
		return cause{c.is.arrays[most.at], why}
	}
	if s.is.Static > s.was.Static {
		for i, a := range c.is.Shared {
			if a.Bytes == 0 {
				return cause{c.is.arrays[i], "the bytes of " + a.Name + " follow from the launch, or from a type that it chooses"}
			}
		}
	}
	if s.is.Dynamic > s.was.Dynamic {
		return c.launchCause(s, fmt.Sprintf("the launch asks for %s of dynamic shared memory, not %d", prose.Count(s.is.Dynamic, "byte"), s.was.Dynamic))
	}
	return c.launchCause(s, "")
}

// grown is a shared array that is new or larger.
type grown struct {
	at, by int
	why    string
}

func (c *comparison) grownArrays() []grown {
	var out []grown
	for i, a := range c.is.Shared {
		at := slices.IndexFunc(c.was.Shared, func(o Array) bool { return o.Name == a.Name })
		switch {
		case at < 0 && a.Bytes > 0:
			out = append(out, grown{i, a.Bytes, fmt.Sprintf("%s is new, with %s", a.Name, prose.Count(a.Bytes, "byte"))})
		case at >= 0 && c.was.Shared[at].Bytes > 0 && a.Bytes > c.was.Shared[at].Bytes:
			out = append(out, grown{i, a.Bytes - c.was.Shared[at].Bytes, fmt.Sprintf("%s grew from %d to %s", a.Name, c.was.Shared[at].Bytes, prose.Count(a.Bytes, "byte"))})
		}
	}
	return out
}

// launchCause returns the launch of a stand, or the kernel where that is out of sight.
func (c *comparison) launchCause(s standing, why string) cause {
	if why == "" && s.was.Block != s.is.Block {
		why = fmt.Sprintf("the launch has blocks of %s, not %s", s.is.Block, s.was.Block)
	}
	if s.launch.IsValid() {
		return cause{s.launch, why}
	}
	return cause{c.is.Pos, why}
}

// registerCause returns the changed line that keeps the most values in registers.
func (c *comparison) registerCause(s standing) cause {
	if len(c.changed) == 0 {
		if s.was.Block != s.is.Block {
			return c.launchCause(s, "")
		}
		return cause{c.is.Pos, "none of its lines changed: look at types, macros and called functions"}
	}
	most := c.changed[0]
	for _, l := range c.changed {
		if l.Live > most.Live {
			most = l
		}
	}
	why := "this line changed"
	if len(c.changed) > 1 {
		why = fmt.Sprintf("of %d lines that changed", len(c.changed))
		if most.Live > 0 {
			why += fmt.Sprintf(" this one keeps the most values, %s by estimate", prose.Count(most.Live, "word"))
		} else {
			why += " this is the first"
		}
	}
	if s.was.Block != s.is.Block {
		why += fmt.Sprintf("; the launch has blocks of %s, not %s", s.is.Block, s.was.Block)
	}
	return cause{most.Pos, why}
}

// occupancyCause returns what made the resource scarce that limits now.
func (c *comparison) occupancyCause(s standing) cause {
	limits := func(l occupancy.Limit) bool { return slices.Contains(s.is.Limits, l.String()) }
	switch {
	case limits(occupancy.Shared) && s.is.shared() > s.was.shared():
		return c.sharedCause(s)
	case limits(occupancy.Registers) && s.is.Registers > s.was.Registers:
		return c.registerCause(s)
	case s.was.Block != s.is.Block:
		return c.launchCause(s, "")
	case s.is.shared() > s.was.shared():
		return c.sharedCause(s)
	case s.is.Registers > s.was.Registers:
		return c.registerCause(s)
	case len(c.changed) > 0:
		return cause{c.changed[0].Pos, "this line changed"}
	}
	return cause{c.is.Pos, "none of its lines changed"}
}
