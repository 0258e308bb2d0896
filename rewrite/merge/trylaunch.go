package merge

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis/launches"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// A launch whose blocks are not known, or not those of every launch, is merged where N of its blocks fit into one,
// and stays as it is where they do not: a v-TB is then all that a block holds. Which of the two it is can't be seen
// before the program runs, so the launch decides, and the kernel tells by the length of its grid:
//
//	k<<<g, b>>>(a);     -->  const auto smux_launch = smux::try_merge<2>(k, g, b);
//	                         k<<<smux_launch.grid, smux_launch.block>>>(a, smux_launch.blocks);
//
// Grid, block and the bytes of several sets of dynamic shared memory decide together.
// The kernel tells how many threads its registers allow (kernelname.go).

// fixed reports whether all launches have blocks of one shape that is known to fit: the
// kernel is written for that shape, and always merged.
func (p *mergeProof) fixed() bool { return p.shape[0] > 0 || p.coarse }

// tryLaunch proves that a launch can decide at run time.
func (l *LaunchProof) tryLaunch(c *launchChange) {
	if c.kernel.dynamicSets() > 1 && len(c.View.Config) > 2 && !l.staticKnown() {
		l.Refuse(c.File, c.View.Open, kit.CodeSharedSize, "the size of a shared variable is not known: %d sets of dynamic shared memory may not fit beside it", c.kernel.dynamicSets())
	}
	c.most, c.static = l.mostThreads(c.Launch), l.staticBytes()
}

// tryArguments are N, what the threads of a block must be a multiple of, the dimension of the grid, and the bytes of
// static shared memory where dynamic ones are added to them; those at the end that say nothing are left out.
func (p *mergeProof) tryArguments(sets bool, static int) string {
	args := []string{fmt.Sprint(p.Factor), fmt.Sprint(p.multiple), along(p.Variant), fmt.Sprint(static)}
	switch {
	case sets && static > 0:
	case p.Axis() != "x":
		args = args[:3]
	case p.multiple > 1:
		args = args[:2]
	default:
		args = args[:1]
	}
	return templateArguments(nil, args...)
}

// mergedShapes lists the shapes of blocks that are merged, where the proof of a kernel that the launch may mean holds for
// those alone: "{64, dim3(16, 16)}".
func (c launchChange) mergedShapes() string {
	var list []string
	for _, p := range c.proofs {
		if MergedBy(p) == nil || p.Found().Opt.Unchecked {
			continue
		}
		for _, d := range MergedBy(p).Shapes() {
			one := strings.Trim(fmt.Sprint(shapeArguments(d)), "[]")
			if strings.Contains(one, " ") {
				one = "dim3(" + strings.ReplaceAll(one, " ", ", ") + ")"
			}
			list = append(list, one)
		}
	}
	if list == nil {
		return ""
	}
	return "{" + strings.Join(lists.Distinct(list), ", ") + "}"
}

// staticBytes is the most static shared memory that one of the rewritten kernels has.
func (l *LaunchProof) staticBytes() int {
	most := 0
	for _, p := range l.Proofs {
		most = max(most, MergedBy(p).staticBytes())
	}
	return most
}

// staticKnown reports whether the sizes of all static shared variables are known.
func (l *LaunchProof) staticKnown() bool {
	for _, p := range l.Proofs {
		k := p.Found().Kernel
		for _, in := range k.Instances {
			for _, s := range k.Shared {
				if _, exact := launches.SharedBytesOf(k, in, s); !exact && !s.Dynamic {
					return false
				}
			}
		}
	}
	return true
}
