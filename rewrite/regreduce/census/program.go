package census

import (
	"context"
	"errors"
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/instance"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/regreduce"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// program climbs for the kernels of one file.
func (c *census) program(ctx context.Context, file string) {
	broken := func(why error) {
		if ctx.Err() == nil {
			c.tell(entry{File: file, Outcome: outcomeBroken, Why: firstLine(why.Error())})
		}
	}
	prog, errs := parser.LoadProgram([]string{file}, c.parse)
	if len(errs) > 0 {
		broken(errs[0])
		return
	}
	request := nvcc.Request{Texts: prog.Texts(), Includes: c.parse.IncludeDirs, Defines: c.parse.Defines}
	compiler := &regreduce.Toolkit{Program: prog, NVCC: c.toolkit, Request: request, Options: rewrite.Options{Block: c.block}}
	for _, k := range analysis.NewProgram(prog, c.block).Kernels() {
		if ctx.Err() != nil || c.enough() {
			return
		}
		e, err := c.kernel(ctx, compiler, k)
		var refused *nvcc.CompileError
		if errors.As(err, &refused) {
			broken(err)
			return // the other kernels are in the same file
		}
		if ctx.Err() == nil {
			c.tell(e)
		}
	}
}

// kernel climbs for one kernel. The error is that of the compiler on the kernel as
// it stands.
func (c *census) kernel(ctx context.Context, compiler *regreduce.Toolkit, k *analysis.Kernel) (entry, error) {
	at := k.Position()
	e := entry{File: at.File, Line: at.Line, Kernel: k.Name}
	s := regreduce.SubjectOf(k)
	if e.Threads = s.Threads; s.Threads == 0 {
		e.Outcome = outcomeUnknownBlock
		return e, nil
	}
	if c.listed {
		return c.limited(ctx, compiler, s, e)
	}
	r, err := regreduce.Reduce(ctx, s, compiler, regreduce.Options{GPUs: c.gpus, Rules: regreduce.Usual})
	if err != nil {
		e.Outcome, e.Why = outcomeNoCode, firstLine(err.Error())
		return e, err
	}
	e.GPU, e.Why = r.GPU, r.Why
	if r.Code == regreduce.CodeNoStep {
		e.Outcome = outcomeNoStep
		return e, nil
	}
	before := r.Attempts[0]
	e.Before = stateOf(before)
	e.Aim = r.Step.Blocks
	e.Compilations = len(r.Attempts)
	if r.Chosen < 0 {
		e.Outcome, e.After = outcomeRefused, e.Before
		return e, nil
	}
	chosen := r.Attempts[r.Chosen]
	e.Outcome, e.Rung, e.Recipe, e.After = outcomeReached, chosen.Rung, chosen.Recipe, stateOf(chosen)
	e.Worse, err = c.worse(ctx, compiler, s, r.Recipe())
	if err != nil {
		e.Why = firstLine(err.Error())
	}
	return e, nil
}

// limited says whether there is a step for a kernel, on the first GPU that has one.
// Machine code is not looked at: for large kernels that takes minutes.
func (c *census) limited(ctx context.Context, compiler *regreduce.Toolkit, s regreduce.Subject, e entry) (entry, error) {
	e.Outcome = outcomeNoStep
	for _, g := range c.gpus {
		request := compiler.Request
		request.Arch = compiler.Arch(g)
		kernels, err := c.toolkit.Resources(ctx, request)
		if err != nil {
			return e, err
		}
		f := instance.Compiled(kernels, s.Kernel, s.Instance)
		if f == nil {
			e.Outcome, e.Why = outcomeNoCode, "nvcc makes no code of it"
			return e, nil
		}
		d := occupancy.Demand{Threads: s.Threads, Registers: f.Registers, Shared: f.StaticShared + s.Dynamic, Barriers: max(0, f.Barriers)}
		o, err := occupancy.Compute(g, d)
		if err != nil {
			continue
		}
		if steps, _ := occupancy.RegisterSteps(g, d); len(steps) > 0 {
			e.Outcome, e.GPU, e.Aim = outcomeListed, g.String(), steps[0].Blocks
			e.Before = state{f.Registers, f.SpillStores + f.SpillLoads, f.StaticShared, o.Blocks}
			return e, nil
		}
	}
	return e, nil
}

// worse names the GPUs on which fewer warps run at once under a recipe than
// without it. It asks the compiler again, and not the report: a census is to find
// out where the ladder is wrong.
func (c *census) worse(ctx context.Context, compiler *regreduce.Toolkit, s regreduce.Subject, r variant.Recipe) ([]string, error) {
	var out []string
	for _, g := range c.gpus {
		before, err := c.warps(ctx, compiler, s, variant.Recipe{}, g)
		if err != nil {
			continue // it does not run there as it stands
		}
		after, err := c.warps(ctx, compiler, s, r, g)
		if err != nil || after < before {
			out = append(out, g.String())
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

func (c *census) warps(ctx context.Context, compiler *regreduce.Toolkit, s regreduce.Subject, r variant.Recipe, g *gpu.GPU) (int, error) {
	f, err := compiler.Compile(ctx, s, r, compiler.Arch(g))
	if err != nil {
		return 0, err
	}
	o, err := occupancy.Compute(g, occupancy.Demand{Threads: s.Threads, Registers: f.Registers, Shared: f.Shared + s.Dynamic, Barriers: f.Barriers})
	return o.Warps, err
}

func stateOf(a regreduce.Attempt) state {
	return state{Registers: a.Figures.Registers, Spills: a.Figures.Spills(), Shared: a.Figures.Shared, Blocks: a.Occupancy.Blocks}
}

// position is where an entry's kernel stands.
func (e entry) position() string {
	if e.Line == 0 {
		return e.File
	}
	return fmt.Sprintf("%s:%d", e.File, e.Line)
}
