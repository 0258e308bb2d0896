package regreduce

import (
	"fmt"

	"github.com/smux-cuda/smux/rewrite/variant"
)

// capRegisters is the first rung: the compiler is told how many thread blocks an SM is to hold, by launch bounds; or,
// where the block size has no bound, the number of registers, from CUDA 12.4 on. More often than not it reaches the
// step without a spill.
func (c *climber) capRegisters() ([]int, string, error) {
	r, why := capOf(c.subject, c.compiler, c.report.Step.Blocks, c.report.Step.Demand.Registers)
	if why != "" {
		return nil, why, nil
	}
	at, err := c.attempt(RungCap, r)
	if err != nil {
		return nil, "", err
	}
	if failed := c.report.Attempts[at].Failed; failed != "" {
		return nil, failed, nil
	}
	c.capped, c.base = at, at
	return []int{at}, "", nil
}

// capOf is the recipe that caps a kernel at a step, or says why there is none.
func capOf(s Subject, compiler Compiler, blocks, registers int) (variant.Recipe, string) {
	bounds := s.Kernel != nil && s.Kernel.View.LaunchBounds != nil
	if s.Bounded || bounds {
		return variant.Recipe{Threads: s.Threads, Blocks: blocks}, ""
	}
	if compiler != nil {
		major, minor := compiler.Version()
		if major > 12 || major == 12 && minor >= 4 {
			return variant.Recipe{MaxRegisters: registers}, ""
		}
		return variant.Recipe{}, fmt.Sprintf("not all launches are in view, so one may exceed launch bounds, and __maxnreg__ needs CUDA 12.4, not %d.%d", major, minor)
	}
	return variant.Recipe{MaxRegisters: registers}, ""
}
