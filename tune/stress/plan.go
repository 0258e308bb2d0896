package stress

import (
	"context"
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/occupancy"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/tune/record"
)

// NewPlan plans to measure the kernel of a program, run with these arguments, on a GPU:
// what a thread block asks for, and the levels that follow. It fills in what of the
// program is left open, and leaves Repeats and Timeout to the caller. from has been
// prepared for the kernel and the GPU, and has a toolkit. The remarks are for the person
// who asked; the error says why there is no plan.
func NewPlan(program *Program, args []string, g *gpu.GPU, from *resources.Reader) (plan Plan, remarks []string, err error) {
	p := planning{gpu: g, from: from}
	k := program.Kernel
	demand, err := p.demand(k)
	if err != nil {
		return plan, p.remarks, err
	}
	levels, err := Levels(g, demand)
	if err != nil {
		return plan, p.remarks, diag.Usagef("", "%s on %s: %w", k.Name, g, err)
	}
	program.Threads, program.Request = demand.Threads, from.Request
	if err := program.Check(); err != nil {
		return plan, p.remarks, diag.Usagef("", "--stress: %w", err)
	}
	program.Request.Arch, _ = from.Toolkit.NearestArch(g.CC())
	return Plan{
		Subject: Subject{Source: record.HashSource(from.Request.Texts), Kernel: k.Name, Threads: demand.Threads, GPU: g.String(), Demand: demand, Args: args},
		Levels:  levels, WarmUp: 1,
		Build: func(ctx context.Context, l Level, out string) error {
			return program.Build(ctx, from.Toolkit, l, out)
		},
	}, p.remarks, nil
}

// planning is a plan that is being made.
type planning struct {
	gpu     *gpu.GPU
	from    *resources.Reader
	remarks []string
}

func (p *planning) remark(format string, args ...any) {
	p.remarks = append(p.remarks, fmt.Sprintf(format, args...))
}

// demand returns what the kernel asks for in its first launch of a known shape.
func (p *planning) demand(k *analysis.Kernel) (occupancy.Demand, error) {
	var found *occupancy.Demand
	for _, in := range k.Instances {
		dims, ok := in.BlockShape()
		if !ok {
			continue
		}
		threads := dims[0] * dims[1] * dims[2]
		if found != nil {
			if found.Threads != threads {
				p.remark("%s is launched with blocks of several sizes: only those of %d threads are timed", k.Name, found.Threads)
				break
			}
			continue
		}
		res, err := p.from.Of(k, in, p.gpu)
		if err == resources.ErrNoCode {
			return occupancy.Demand{}, diag.Usagef("", "%s: %w", k.Name, err)
		}
		if err != nil {
			return occupancy.Demand{}, err
		}
		if !res.Exact {
			p.remark("not all of the shared memory of %s is known: the levels are planned as if the rest were nothing", k.Name)
		}
		found = &occupancy.Demand{Threads: threads, Registers: res.Registers, Shared: res.Shared, Barriers: res.Barriers}
	}
	if found == nil {
		return occupancy.Demand{}, diag.Usagef("give --block X,Y,Z", "%s: %s", k.Name, k.WhyNoShape())
	}
	return *found, nil
}
