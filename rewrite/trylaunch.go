package rewrite

import (
	"fmt"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// A launch whose blocks are not known, or not those of every launch, is merged where
// N of its blocks fit into one, and stays as it is where they do not: a v-TB is then
// all that a block holds. Which of the two it is can't be seen before the program
// runs, so the launch decides, and the kernel tells by the length of its grid:
//
//	k<<<g, b>>>(a);     -->  k<<<smux::try_grid<2>(k, g, b), smux::try_block<2>(k, g, b)>>>(a, smux::dim(g).x);
//
// Grid, block and the bytes of several sets of dynamic shared memory decide together,
// so that each is an argument of all three calls and evaluated more than once. The
// kernel tells how many threads its registers allow (kernelname.go).

// fixed reports whether all launches have blocks of one shape that is known to fit: the
// kernel is written for that shape, and always merged.
func (p *Plan) fixed() bool { return p.shape[0] > 0 }

// tryLaunch plans the configuration of a launch that decides at run time.
func (l *launchPlan) tryLaunch(p *Plan, launch *analysis.Launch, e *ir.Expr, host *ir.Func) {
	block := e.Kids[1]
	if !l.run.prog.Repeatable(host, block) {
		l.refuse(launch.File, block.Range.Start, CodeLaunch, "the block expression may have side effects or change, and would be evaluated twice")
		return
	}
	grid, shape := l.configText(launch, 0), l.configText(launch, 1)
	with, sets := "", p.dynamicSets() > 1 && len(launch.View.Config) > 2
	if sets {
		with = ", " + l.configText(launch, 2)
	}
	if sets && !l.staticKnown() {
		l.refuse(launch.File, launch.View.Open, CodeSharedSize, "the size of a shared variable is not known: %d sets of dynamic shared memory may not fit beside it", p.dynamicSets())
	}
	knobs := p.tryArguments(sets, l.staticBytes()) + "(" + l.mostThreads(launch)
	l.enclose(launch, 0, "smux::try_grid"+knobs+", ", ", "+shape+with+")")
	l.enclose(launch, 1, "smux::try_block"+knobs+", "+grid+", ", with+")")
	if sets {
		l.enclose(launch, 2, "smux::try_sets"+knobs+", "+grid+", "+shape+", ", ")")
	}
}

// tryArguments are N, what the threads of a block must be a multiple of, the
// dimension of the grid, and the bytes of static shared memory where dynamic ones
// are added to them; those at the end that say nothing are left out.
func (p *Plan) tryArguments(sets bool, static int) string {
	args := []string{fmt.Sprint(p.Factor), fmt.Sprint(p.multiple), p.along(), fmt.Sprint(static)}
	switch {
	case sets && static > 0:
	case p.gridAxis() != "x":
		args = args[:3]
	case p.multiple > 1:
		args = args[:2]
	default:
		args = args[:1]
	}
	return templateArguments(nil, args...)
}

// staticBytes is the most static shared memory that one of the rewritten kernels has.
func (l *launchPlan) staticBytes() int {
	most := 0
	for _, p := range l.plans {
		most = max(most, p.staticBytes())
	}
	return most
}

// staticKnown reports whether the sizes of all static shared variables are known.
func (l *launchPlan) staticKnown() bool {
	for _, p := range l.plans {
		for _, in := range p.Kernel.Instances {
			for _, s := range p.Kernel.Shared {
				if _, exact := p.Kernel.SharedBytesOf(in, s); !exact && !s.Dynamic {
					return false
				}
			}
		}
	}
	return true
}
