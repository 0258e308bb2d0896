package regreduce

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// findTarget compiles the kernel as it stands and finds the GPU to climb for: the first on which fewer registers
// alone let more thread blocks run. Where there is none, target stays nil and the report says why.
func (c *climber) findTarget() error {
	var why []string
	stand := c.standing()
	defer stand.end()
	for _, g := range c.opt.GPUs {
		arch := c.compiler.Arch(g)
		if arch == "" {
			why = append(why, g.String()+": nothing can be compiled for it")
			continue
		}
		f, err := stand.figures(arch)
		if err != nil {
			return err
		}
		d := c.demand(f, 0)
		before, err := occupancy.Compute(g, d)
		if err != nil {
			why = append(why, g.String()+": "+err.Error())
			continue
		}
		c.report.GPU = cmp.Or(c.report.GPU, g.String())
		step, reason := nextStep(g, d, before, c.opt.Rules.Flat)
		if reason != "" {
			why = append(why, reason)
			continue
		}
		if f, err = stand.all(arch); err != nil {
			return err
		}
		c.target, c.arch = g, arch
		c.report.GPU, c.report.Step = g.String(), step
		c.record("", variant.Recipe{}, f, nil)
		return nil
	}
	c.report.Code = CodeNoStep
	c.report.Why = strings.Join(why, "; ")
	c.report.Why = cmp.Or(c.report.Why, "no GPU was named")
	return nil
}

// nextStep is the next number of thread blocks per SM that fewer registers alone give, with the most registers that
// give it (Hayes & Zhang prefer more registers at equal occupancy); or says why there is none. flat is the number of
// thread blocks from which on more were measured to gain nothing, 0 for none.
func nextStep(g *gpu.GPU, d occupancy.Demand, before occupancy.Result, flat int) (occupancy.Step, string) {
	if flat > 0 && before.Blocks >= flat {
		return occupancy.Step{}, fmt.Sprintf("%s: %s per SM, and more than %d were measured to gain nothing", g, blocks(before.Blocks), flat)
	}
	steps, why := occupancy.RegisterSteps(g, d)
	if len(steps) == 0 {
		return occupancy.Step{}, fmt.Sprintf("%s: %s per SM, and fewer registers give no more: %s", g, blocks(before.Blocks), why)
	}
	next := steps[0]
	after := d
	after.Registers = next.Registers
	return occupancy.Step{Registers: next.Words, Demand: after, Blocks: next.Blocks, Warps: next.Warps, Occupancy: next.Occupancy}, ""
}

// demand returns what a thread block asks of an SM. Words that were demoted take their room even where they lie in
// dynamic shared memory, which a compiler doesn't know of.
func (c *climber) demand(f Figures, words int) occupancy.Demand {
	d := occupancy.Demand{Threads: c.subject.Threads, Registers: f.Registers, Shared: f.Shared + c.subject.Dynamic, Barriers: max(0, f.Barriers)}
	if words > 0 {
		before := occupancy.Demand{Threads: d.Threads, Shared: c.originals[f.Arch].Shared + c.subject.Dynamic}
		if d.Shared < before.Demote(words).Shared { // the compiler has not seen them
			d.Shared = before.Demote(words | 1).Shared
			if c.subject.Dynamic > 0 {
				d.Shared += kit.SlotGap
			}
		}
	}
	return d
}

func blocks(n int) string {
	if n == 1 {
		return "1 thread block"
	}
	return fmt.Sprintf("%d thread blocks", n)
}

// SubjectOf is a kernel in the launch with the largest thread blocks of those whose
// block shape is known. Threads is 0 where none is.
func SubjectOf(k *analysis.Kernel) Subject {
	s := Subject{Kernel: k, Instance: k.Instances[0], Bounded: true}
	for _, in := range k.Instances {
		d, ok := in.BlockShape()
		if !ok {
			s.Bounded = false
			continue
		}
		if n := d[0] * d[1] * d[2]; n > s.Threads {
			s.Threads, s.Instance, s.Dynamic = n, in, in.DynamicBytes
		}
	}
	return s
}
