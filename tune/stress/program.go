package stress

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/tune/instrument"
	"github.com/smux-cuda/smux/tune/record"
)

type Program struct {
	Parsed  *parser.Program
	Kernel  *analysis.Kernel
	Threads int    // per thread block, of the launches that are meant
	Block   [3]int // as analysis.NewProgram takes it
	// Request says how the program is compiled, with the texts of Parsed by name.
	Request   nvcc.Request
	Further   []string // more files to compile or link
	Libraries []string
}

// Build makes what Plan.Build asks for. Launch bounds cap registers, or else the compiler's flag those of all kernels.
func (p *Program) Build(ctx context.Context, t *nvcc.Toolkit, l Level, out string) error {
	r, k := p.Request, p.Kernel
	r.Texts = maps.Clone(r.Texts)
	if l.Cap > 0 {
		if capped := p.cap(l.Cap, r.Texts); capped != nil {
			k = capped
		} else {
			r.Flags = append(slices.Clone(r.Flags), fmt.Sprintf("-maxrregcount=%d", l.Registers))
		}
	}
	timed, err := instrument.Launches(k)
	if err != nil {
		return failed(failedCap, "%s", err.Error())
	}
	maps.Copy(r.Texts, timed)
	r.Units = instrument.Units(p.Parsed)
	err = t.Build(ctx, r, p.Further, p.Libraries, out)
	var refused *nvcc.CompileError
	if errors.As(err, &refused) {
		return failed(record.FailedCompile, "%s", refused.Error())
	}
	return err
}

// cap gives the kernel launch bounds, also in texts, and returns it as it is then; nil, with nothing changed, if it can't.
func (p *Program) cap(blocks int, texts map[string][]byte) *analysis.Kernel {
	recipe := variant.Recipe{Threads: p.Threads, Blocks: blocks}
	opt := rewrite.Options{Variant: rewrite.Variant{Rewriter: variant.Demote, Recipe: recipe.String()}, Kernels: []string{p.Kernel.Name}, Block: p.Block}
	result, err := rewrite.Run(p.Parsed, opt)
	if err != nil {
		return nil
	}
	chain := rewrite.NewChain(p.Kernel.Prog)
	if err := chain.Add(result); err != nil {
		return nil
	}
	k, err := chain.Kernel(p.Kernel)
	if err != nil || k.View.LaunchBounds == nil || len(result.Files) == 0 {
		return nil
	}
	maps.Copy(texts, result.Changed())
	return k
}

// NewPlan plans to measure the kernel of a program, which it completes, on a GPU; Repeats and Timeout are the caller's. from has
// been prepared for both, and has a toolkit. The remarks are for the person who asked; the error says why there is no plan.
func NewPlan(program *Program, args []string, g *gpu.GPU, from *resources.Reader) (plan Plan, remarks []string, err error) {
	k := program.Kernel
	demand, remarks, err := demandOf(k, g, from)
	if err != nil {
		return plan, remarks, err
	}
	levels, err := Levels(g, demand)
	if err != nil {
		return plan, remarks, diag.Usagef("", "%s on %s: %w", k.Name, g, err)
	}
	program.Threads, program.Request = demand.Threads, from.Request
	if _, err := instrument.Launches(k); err != nil {
		return plan, remarks, diag.Usagef("", "--stress: %w", err)
	}
	program.Request.Arch, _ = from.Toolkit.NearestArch(g.CC())
	return Plan{
		Subject: Subject{Source: record.HashSource(from.Request.Texts), Kernel: k.Name, Threads: demand.Threads, GPU: g.String(), Demand: demand, Args: args},
		Levels:  levels, WarmUp: 1,
		Build: func(ctx context.Context, l Level, out string) error {
			return program.Build(ctx, from.Toolkit, l, out)
		},
	}, remarks, nil
}

// demandOf returns what a kernel asks for in its first launch of a known shape.
func demandOf(k *analysis.Kernel, g *gpu.GPU, from *resources.Reader) (found occupancy.Demand, remarks []string, err error) {
	for _, in := range k.Instances {
		dims, ok := in.BlockShape()
		threads := dims[0] * dims[1] * dims[2]
		if !ok || found.Threads == threads {
			continue
		}
		if found.Threads > 0 {
			remarks = append(remarks, fmt.Sprintf("%s is launched with blocks of several sizes: only those of %d threads are timed", k.Name, found.Threads))
			break
		}
		res, err := from.Of(k, in, g)
		if err == resources.ErrNoCode {
			err = diag.Usagef("", "%s: %w", k.Name, err)
		}
		if err != nil {
			return found, remarks, err
		}
		if !res.Exact {
			remarks = append(remarks, fmt.Sprintf("not all of the shared memory of %s is known: the levels are planned as if the rest were nothing", k.Name))
		}
		found = occupancy.Demand{Threads: threads, Registers: res.Registers, Shared: res.Shared, Barriers: res.Barriers}
	}
	if found.Threads == 0 {
		return found, remarks, diag.Usagef("give --block X,Y,Z", "%s: %s", k.Name, launches.WhyNoShape(k))
	}
	return found, remarks, nil
}
