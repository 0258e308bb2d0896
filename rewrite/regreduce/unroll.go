package regreduce

import (
	"cmp"
	"slices"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// mostAlone is the number of loops that are tried by themselves.
const mostAlone = 3

// byCompilers is the factor by which compilers unroll loops of unknown length on their own account: no more
// is asked for here.
const byCompilers = 4

// unroll is the second rung: loops are not unrolled any more, the innermost ones
// first. It keeps the loops that make the kernel spill less, and of variant.UnrollFactors up to byCompilers the largest with which it spills as little.
func (c *climber) unroll() ([]int, string, error) {
	loops := unrollable(c.found.Loops)
	switch {
	case len(loops) == 0:
		return nil, "no loop has a factor that could be smaller", nil
	case c.need(c.base).met():
		return nil, "the cap alone spills nothing", nil
	}
	base := c.base
	best, chosen, err := c.loopsThatHelp(loops)
	if err != nil || best < 0 {
		return nil, "no smaller factor makes it spill less", err
	}
	proposals := []int{best}
	var factors []variant.Recipe
	for _, factor := range variant.UnrollFactors {
		if factor > 1 && factor <= byCompilers && slices.ContainsFunc(chosen, func(i int) bool {
			return (loops[i].Trips == 0 || loops[i].Trips > int64(factor)) && (loops[i].Factor <= 0 || loops[i].Factor > factor)
		}) {
			factors = append(factors, c.unrolled(c.recipes[base], loops, chosen, factor))
		}
	}
	at, err := c.attempts(RungUnroll, factors...)
	if err != nil {
		return nil, "", err
	}
	for _, i := range at {
		if i >= 0 && !c.need(best).less(c.need(i)) {
			proposals = append(proposals, i)
		}
	}
	// The largest factor first, at equal need.
	at = append(at, best)
	slices.SortStableFunc(proposals, func(a, b int) int {
		return cmp.Or(c.byNeed(a, b), slices.Index(at, a)-slices.Index(at, b))
	})
	c.base = proposals[0]
	return proposals, "", nil
}

// loopsThatHelp finds the loops without whose unrolling the kernel spills least:
// the attempt, -1 for none, and the loops.
func (c *climber) loopsThatHelp(loops []demotion.Loop) (best int, chosen []int, err error) {
	base := c.base
	var sets [][]int
	for i := range min(mostAlone, len(loops)) {
		sets = append(sets, []int{i})
	}
	all := make([]int, len(loops))
	for i := range all {
		all[i] = i
	}
	if len(loops) > 1 {
		sets = append(sets, all)
	}
	best = -1
	var helped []int // loops that help alone
	consider := func(set []int, at int) {
		if at < 0 || !c.need(at).less(c.need(base)) {
			return
		}
		if best < 0 || c.need(at).less(c.need(best)) {
			best, chosen = at, set
		}
		if len(set) == 1 {
			helped = append(helped, set[0])
		}
	}
	recipes := lists.Map(sets, func(set []int) variant.Recipe { return c.unrolled(c.recipes[base], loops, set, 1) })
	at, err := c.attempts(RungUnroll, recipes...)
	if err != nil {
		return -1, nil, err
	}
	for i, set := range sets {
		consider(set, at[i])
	}
	if best < 0 || len(chosen) == 1 && c.need(best).met() {
		return best, chosen, nil
	}
	// Those that help by themselves, together: the best of them first.
	slices.SortStableFunc(helped, func(a, b int) int { return c.byNeed(at[a], at[b]) })
	for n := 2; n <= len(helped) && n < len(loops); n++ {
		set := helped[:n:n]
		i, err := c.attempt(RungUnroll, c.unrolled(c.recipes[base], loops, set, 1))
		if err != nil {
			return -1, nil, err
		}
		// As good as all loops together is better: it changes less.
		if len(set) < len(chosen) && !c.need(best).less(c.need(i)) {
			best, chosen = i, set
		}
		consider(set, i)
	}
	return best, chosen, nil
}

// unrollable are the loops that may still be unrolled, the innermost and longest first.
func unrollable(found []demotion.Loop) []demotion.Loop {
	loops := slices.DeleteFunc(slices.Clone(found), func(l demotion.Loop) bool { return l.Factor == 1 || l.Trips == 1 })
	slices.SortStableFunc(loops, func(a, b demotion.Loop) int {
		return cmp.Or(b.Depth-a.Depth, int(b.Trips-a.Trips))
	})
	return loops
}

// unrolled is a recipe with a factor for some of the loops, in source order.
func (c *climber) unrolled(r variant.Recipe, loops []demotion.Loop, set []int, factor int) variant.Recipe {
	r.Unroll = nil
	for _, l := range c.found.Loops {
		if slices.ContainsFunc(set, func(i int) bool { return loops[i].Name == l.Name }) {
			r.Unroll = append(r.Unroll, variant.UnrolledLoop{Loop: l.Name, Factor: factor})
		}
	}
	return r
}

// byNeed compares attempts by what they lack.
func (c *climber) byNeed(a, b int) int { return c.need(a).compare(c.need(b)) }
