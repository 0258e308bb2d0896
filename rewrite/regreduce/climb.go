package regreduce

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// Reduce finds the recipe that brings a kernel to its next step. The error is that
// of ctx, or of the compiler on the kernel as it stands.
//
// Rungs are tried one after the other. The first attempt that keeps all rules and spills nothing is taken; where
// there is none, the one that spills least of those that keep the rules. The same answers of the compiler make the
// same report, however many compilations run at once.
func Reduce(ctx context.Context, s Subject, compiler Compiler, opt Options) (*Report, error) {
	c := &climber{
		ctx: ctx, subject: s, compiler: compiler, opt: opt, found: s.Candidates,
		report: &Report{Schema: Schema, Chosen: -1, Attempts: []Attempt{}, Order: []int{}, Stacked: evaluate.Stacked(s.Kernel, s.Instance)},
		known:  map[string]int{}, originals: map[string]Figures{}, unbuilt: map[string]bool{}, capped: -1,
	}
	if c.found == nil {
		c.found = demotion.Of(s.Kernel, s.Instance)
	}
	if err := c.findTarget(); err != nil {
		return nil, err
	}
	if c.target != nil {
		if err := c.climb(); err != nil {
			return nil, err
		}
	}
	c.report.Order = Order(c.report)
	return c.report, nil
}

// climber is one climb.
type climber struct {
	ctx      context.Context
	subject  Subject
	compiler Compiler
	opt      Options
	found    *demotion.Candidates
	report   *Report

	target    *gpu.GPU
	arch      string
	recipes   []variant.Recipe   // of the attempts
	known     map[string]int     // attempts by the text of their recipe
	originals map[string]Figures // of the kernel as it stands, by architecture
	unbuilt   map[string]bool    // architectures that it can't be compiled for
	left      int                // compilations that the present rung may have

	capped int      // the attempt of the cap, -1 where the kernel can't be capped
	base   int      // the attempt that the next rung begins with: the best so far
	failed []string // what each rung that was tried lacks
}

// rung is one way to need fewer registers. It returns the attempts that it would
// have accepted, the best first, or says why it has none.
type rung struct {
	name string
	try  func(*climber) (proposals []int, why string, err error)
}

var rungs = []rung{
	{RungCap, (*climber).capRegisters},
	{RungUnroll, (*climber).unroll},
	{RungPin, (*climber).pin},
	{RungDemote, (*climber).demote},
	{RungSpill, (*climber).spill},
}

// original is the index of the attempt that does nothing.
const original = 0

// climb goes up the rungs.
func (c *climber) climb() error {
	best := -1
	for _, r := range rungs {
		// The cap is what all others begin with.
		if !c.wants(r.name) && r.name != RungCap {
			continue
		}
		c.left = c.opt.Compilations
		if c.left <= 0 {
			c.left = 10
		}
		ground := c.base
		proposals, why, err := r.try(c)
		if err != nil {
			return err
		}
		if !c.wants(r.name) {
			continue
		}
		accepted, err := c.accept(proposals)
		if err != nil {
			return err
		}
		if why := c.allRefused(); why != "" {
			c.failed = []string{why}
			break
		}
		switch {
		case accepted < 0:
			c.failed = append(c.failed, r.name+": "+c.lacks(r.name, proposals, why))
			if r.name != RungCap && c.need(c.base).clean() {
				c.base = ground // what fails for another reason leaves nothing to the next rung
			}
		case best < 0 || c.need(accepted).less(c.need(best)):
			best = accepted
		}
		if c.need(best).met() {
			break
		}
	}
	c.conclude(best)
	return nil
}

// lacks says what a rung whose proposals were not accepted lacks: why, where it has
// none, else what is against the best of them.
func (c *climber) lacks(rung string, proposals []int, why string) string {
	if len(proposals) > 0 && why == "" {
		why = c.report.Attempts[proposals[0]].Rejected
		if _, but, ok := strings.Cut(why, asPromised); ok {
			why = but
		}
	}
	failed := ""
	for _, a := range c.report.Attempts {
		switch {
		case a.Rung != rung || len(proposals) > 0:
		case a.Failed == "":
			return why
		default:
			failed = a.Failed
		}
	}
	return cmp.Or(failed, why)
}

// allRefused is the reason for which everything was refused that was tried on two
// rungs at least: it lies in the kernel, and no other rung can help. "" for none.
func (c *climber) allRefused() string {
	tried := c.report.Attempts[original+1:]
	if len(tried) == 0 || tried[0].Rung == tried[len(tried)-1].Rung {
		return ""
	}
	for _, a := range tried {
		if a.Failed == "" || a.Failed != tried[0].Failed {
			return ""
		}
	}
	return tried[0].Failed
}

func (c *climber) wants(rung string) bool {
	return len(c.opt.Rungs) == 0 || slices.Contains(c.opt.Rungs, rung)
}

// mostElsewhere is the number of attempts of a rung that are looked at on further GPUs.
const mostElsewhere = 3

// accept returns the first of some attempts that keeps all rules, -1 for none.
func (c *climber) accept(proposals []int) (int, error) {
	looked := 0
	for _, i := range proposals {
		a := &c.report.Attempts[i]
		if a.Failed != "" {
			continue
		}
		if a.Rejected = c.against(i); a.Rejected != "" {
			continue
		}
		if looked++; looked > mostElsewhere {
			a.Rejected = "not looked at on the other GPUs"
			continue
		}
		why, err := c.elsewhere(i)
		if err != nil {
			return -1, err
		}
		if a = &c.report.Attempts[i]; why == "" {
			return i, nil
		}
		a.Rejected = why
	}
	return -1, nil
}

// conclude fills in the report; best is the accepted attempt, -1 for none.
func (c *climber) conclude(best int) {
	r := c.report
	r.Chosen = best
	for i := range r.Attempts {
		a := &r.Attempts[i]
		if i == original || i == best || a.Failed != "" || a.Rejected != "" {
			continue
		}
		switch a.Rejected = c.against(i); {
		case a.Rejected != "":
		case !c.wants(a.Rung):
			a.Rejected = "its rung was not asked for"
		default:
			a.Rejected = "another one was taken"
		}
	}
	if best < 0 {
		r.Code = CodeNotDemoted
		r.Why = strings.Join(c.failed, "; ")
		r.Why = cmp.Or(r.Why, "no rung was asked for")
		return
	}
	r.Code, r.Why = CodeDemoted, c.gained(best)
}

// gained says what an accepted attempt does, as "cap: 56 -> 40 registers, 4 -> 6
// thread blocks per SM on a100, no spills".
func (c *climber) gained(i int) string {
	before, after := c.report.Attempts[original], c.report.Attempts[i]
	text := fmt.Sprintf("%s: %d -> %d registers, %d -> %d thread blocks per SM on %s", after.Rung,
		before.Figures.Registers, after.Figures.Registers, before.Occupancy.Blocks*c.report.Stacked, after.Occupancy.Blocks*c.report.Stacked, c.target)
	if n := len(c.recipes[i].Words); n > 0 {
		text += fmt.Sprintf(", %d -> %d bytes of shared memory", before.Figures.Shared, after.Figures.Shared)
	}
	if after.Figures.Spills() == 0 {
		return text + ", no spills"
	}
	return text + fmt.Sprintf(", %d -> %d bytes spilled", before.Figures.Spills(), after.Figures.Spills())
}
