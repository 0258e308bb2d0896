package regreduce

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// demote is the fourth rung: variables move to shared memory, the cheapest first (RegDem §3). It looks for the fewest
// that leave no spill: by doubling, then by halving the distance, then by leaving single ones away; and tries both
// forms of access.
func (c *climber) demote() ([]int, string, error) {
	step := c.report.Step
	n := c.need(c.base)
	switch {
	case step.Demand.Registers < c.opt.Rules.Least:
		return nil, fmt.Sprintf("the step needs %d registers, and nothing is demoted below %d", step.Demand.Registers, c.opt.Rules.Least), nil
	case n.clean():
		return nil, "nothing is spilled that words could save", nil
	case n.registers == 0 && n.local == 0 && n.spilled <= c.opt.Rules.MaxSpill:
		return nil, fmt.Sprintf("%d bytes are spilled, and up to %d the compiler's own spilling is cheaper", n.spilled, c.opt.Rules.MaxSpill), nil
	case len(c.found.Words) == 0:
		return nil, "no variable can move to shared memory", nil
	}
	words := c.thatFit(c.found.Words)
	if len(words) == 0 {
		return nil, fmt.Sprintf("shared memory has no room for another word per thread at %s per SM", blocks(step.Blocks)), nil
	}
	d := &demoting{c: c, words: words, form: variant.FormVolatile}
	if err := d.search(n); err != nil {
		return nil, "", err
	}
	return d.proposals(), "", nil
}

// thatFit are the words, in their order, that all together leave the step where it is.
func (c *climber) thatFit(all []demotion.Word) []demotion.Word {
	var out []demotion.Word
	sum := 0
	for _, w := range all {
		d := c.demand(c.report.Attempts[c.base].Figures, sum+w.Words)
		d.Registers = c.report.Step.Demand.Registers
		if r, err := occupancy.Compute(c.target, d); err != nil || r.Blocks < c.report.Step.Blocks {
			continue
		}
		out, sum = append(out, w), sum+w.Words
	}
	return out
}

// demoting is a search for the words to demote.
type demoting struct {
	c      *climber
	ground variant.Recipe
	words  []demotion.Word // cheapest first
	form   string
	made   []int // attempts
}

// search tries sets of words.
func (d *demoting) search(n need) error {
	c := d.c
	// The stack tells how many words the compiler spills, some of them often. A word in
	// shared memory saves one register at least as a rule.
	stack := c.report.Attempts[c.base].Figures.Stack - c.report.Attempts[original].Figures.Stack
	k := d.first(max(1, max(0, stack)/4+min(n.registers, 64)))
	at, err := d.start(d.words[:k])
	if err != nil || at < 0 {
		return err
	}
	low, high := 0, k
	for !c.need(at).clean() {
		if high == len(d.words) || at < 0 {
			return d.otherForm(d.words[:high])
		}
		low, high = high, min(2*high, len(d.words))
		if at, err = d.try(d.form, d.words[:high]); err != nil {
			return err
		}
	}
	if high, err = d.fewest(low, high); err != nil {
		return err
	}
	set, err := d.prune(slices.Clone(d.words[:high]))
	if err != nil {
		return err
	}
	return d.otherForm(set)
}

// start tries a first set in both forms, upon the cap alone and upon the best so
// far, and goes on with the one that spills least. -1 stands for none.
func (d *demoting) start(set []demotion.Word) (int, error) {
	c := d.c
	grounds := []variant.Recipe{c.recipes[c.base]}
	if c.capped >= 0 && c.capped != c.base {
		grounds = append(grounds, c.recipes[c.capped])
	}
	var recipes []variant.Recipe
	for _, g := range grounds {
		d.ground = g
		for _, form := range d.forms(set) {
			recipes = append(recipes, d.recipe(form, set))
		}
	}
	made, err := c.attempts(RungDemote, recipes...)
	if err != nil {
		return -1, err
	}
	d.made = append(d.made, made...)
	best := slices.MinFunc(made, c.cheaper)
	if best < 0 {
		return -1, nil
	}
	d.ground = c.recipes[best]
	d.ground.Words, d.ground.Form = nil, ""
	if c.recipes[best].Form != "" {
		d.form = c.recipes[best].Form
	}
	return best, nil
}

// first counts the words, from the first, that make up a number of 32-bit words.
func (d *demoting) first(words int) int {
	sum := 0
	for i, w := range d.words {
		if sum += w.Words; sum >= words {
			return i + 1
		}
	}
	return len(d.words)
}

// fewest halves the distance between a number of words that was too small and one that suffices.
func (d *demoting) fewest(low, high int) (int, error) {
	for high-low > 1 {
		middle := (low + high) / 2
		at, err := d.try(d.form, d.words[:middle])
		if err != nil || at < 0 {
			return high, err
		}
		if d.c.need(at).clean() {
			high = middle
		} else {
			low = middle
		}
	}
	return high, nil
}

// prune leaves single words away, the most expensive first, two at a time.
func (d *demoting) prune(set []demotion.Word) ([]demotion.Word, error) {
	// The last one is needed, as fewest has shown.
	for i := len(set) - 2; i >= 0; i -= 2 {
		var sets [][]demotion.Word
		for j := i; j >= max(0, i-1); j-- {
			sets = append(sets, slices.Delete(slices.Clone(set), j, j+1))
		}
		recipes := lists.Map(sets, func(s []demotion.Word) variant.Recipe { return d.recipe(d.form, s) })
		at, err := d.c.attempts(RungDemote, recipes...)
		if err != nil {
			return set, err
		}
		d.made = append(d.made, at...)
		if slices.Contains(at, -1) {
			return set, nil
		}
		clean := func(k int) bool { return k < len(at) && d.c.need(at[k]).clean() }
		switch {
		case clean(0):
			set = sets[0]
			if !clean(1) {
				continue
			}
			// Each alone can be omitted: perhaps both.
			both := slices.Delete(slices.Clone(sets[1]), i-1, i)
			if len(both) == 0 {
				continue
			}
			more, err := d.try(d.form, both)
			if err != nil {
				return set, err
			}
			if d.c.need(more).clean() {
				set = both
			}
		case clean(1):
			set = sets[1]
		}
	}
	return set, nil
}

// otherForm tries the final words in the form that was not sought with.
func (d *demoting) otherForm(set []demotion.Word) error {
	for _, form := range d.forms(set) {
		if form != d.form {
			d.c.left = max(d.c.left, 1) // the comparison is worth one more
			_, err := d.try(form, set)
			return err
		}
	}
	return nil
}

// forms are those in which some words can be accessed.
func (d *demoting) forms(set []demotion.Word) []string {
	if slices.ContainsFunc(set, func(w demotion.Word) bool { return w.NotAsm != "" }) {
		return []string{variant.FormVolatile}
	}
	return []string{variant.FormVolatile, variant.FormAsm}
}

// try compiles some words in a form, or in the one that they allow.
func (d *demoting) try(form string, set []demotion.Word) (int, error) {
	if !slices.Contains(d.forms(set), form) {
		form = variant.FormVolatile
	}
	at, err := d.c.attempt(RungDemote, d.recipe(form, set))
	d.made = append(d.made, at)
	return at, err
}

// recipe demotes some words. What lies in shared memory is in no register to be pinned to.
func (d *demoting) recipe(form string, set []demotion.Word) variant.Recipe {
	r := d.ground
	r.Words, r.Form = nil, form
	for _, w := range set {
		r.Words = append(r.Words, w.Name)
	}
	r.Pins = slices.DeleteFunc(slices.Clone(r.Pins), func(pin string) bool { return slices.Contains(r.Words, pin) })
	return r
}

// proposals are the attempts that need fewer spills than what they began with:
// the fewest spills first, then those with the fewest accesses to shared memory.
func (d *demoting) proposals() []int {
	c := d.c
	made := slices.DeleteFunc(slices.Clone(d.made), func(i int) bool { return i < 0 || c.report.Attempts[i].Failed != "" })
	slices.Sort(made)
	made = slices.Compact(made)
	slices.SortStableFunc(made, c.cheaper)
	return made
}

// cheaper compares attempts by what they lack, then by what is predicted of their
// time, then by accesses to shared memory, instructions and words.
func (c *climber) cheaper(a, b int) int {
	if a < 0 || b < 0 {
		return c.byNeed(a, b)
	}
	x, y := c.report.Attempts[a].Figures, c.report.Attempts[b].Figures
	return cmp.Or(
		c.byNeed(a, b), cmp.Compare(c.report.Attempts[a].Predicted, c.report.Attempts[b].Predicted), cmp.Compare(x.SharedWeight, y.SharedWeight),
		x.Instructions-y.Instructions, len(c.recipes[a].Words)-len(c.recipes[b].Words),
	)
}
