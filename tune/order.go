package tune

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

// leastShare is the least part of a budget, in seconds, of a kernel: with less the original alone would be measured.
const leastShare = 15

// share returns what a kernel gets of the seconds that are left: half of them, since later ones matter less, and the last all.
func share(left float64, last bool) float64 {
	if last {
		return left
	}
	return max(left/2, min(left, leastShare))
}

// order puts kernels into the order in which a budget of time is spent: first those of the record, in its order, so that the
// same command goes on as it began, and then by the time that they take in the program as it is.
func order(ctx context.Context, s *Session, groups []*group, lines []record.Line) error {
	if s.Budget.Seconds <= 0 || len(groups) < 2 {
		return nil
	}
	source := record.HashProgram(s.job.Program)
	began := func(g *group) int { // the line with which the record begins with it
		if i := slices.IndexFunc(lines, func(l record.Line) bool {
			return l.Variant != nil && l.Variant.Subject.Source == source && l.Variant.Subject.Kernel == g.name()
		}); i >= 0 {
			return i
		}
		return len(lines)
	}
	slices.SortStableFunc(groups, func(a, b *group) int { return cmp.Compare(began(a), began(b)) })
	fresh := slices.DeleteFunc(slices.Clone(groups), func(g *group) bool { return began(g) < len(lines) })
	switch {
	case len(fresh) < 2:
		return nil
	case s.Command.Run != "":
		s.Remark("the kernels are tuned in the order of the source: what --run measures says nothing of one of them")
		return nil
	}
	times, err := timesOf(ctx, s, fresh)
	slices.SortStableFunc(fresh, func(a, b *group) int { return cmp.Compare(times[b], times[a]) })
	copy(groups[len(groups)-len(fresh):], fresh)
	return err
}

// timesOf returns kernels' milliseconds in the program, 0 if not known after an eighth of the budget. None of that counts as spent.
func timesOf(ctx context.Context, s *Session, groups []*group) (map[*group]float64, error) {
	line, began := s.NewProgress(), s.Now()
	defer line.End()
	line.Say("timing %d kernels", len(groups))
	machines, sources := make([]machine.Machine, len(groups)), make([]machine.Source, len(groups))
	for i, g := range groups {
		var err error
		if machines[i], err = s.machine(ctx, g); err != nil {
			return nil, err
		}
		defer machines[i].Close()
		if sources[i], err = s.source(g, record.TunedVariant{}); err != nil {
			return nil, err
		}
	}
	built := make([]machine.Built, len(groups))
	err := parallel.Each(ctx, len(groups), runtime.NumCPU(), func(i int) error {
		built[i], _ = machines[i].Build(ctx, sources[i])
		return nil
	})
	times := map[*group]float64{}
	for i, g := range groups {
		if built[i] == nil || err != nil {
			continue
		}
		if i > 0 && s.Now().Sub(began).Seconds() > s.Budget.Seconds/8 {
			s.Remark("the program takes too long to time all kernels: in the order of the source are %s", names(groups[i:]))
			break
		}
		if run, failed := built[i].Run(ctx, machines[i].Devices()[0], 0); failed == nil {
			for _, ms := range run.Milliseconds {
				times[g] += ms
			}
			run.Outputs.Release()
		}
	}
	return times, cmp.Or(err, ctx.Err())
}

func names(groups []*group) string {
	out := lists.Map(groups, (*group).name)
	return strings.Join(out, ", ")
}
