package cmd

import (
	"math"
	"slices"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/pipeline"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/regreduce"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// ladderFlags say how registers are brought down.
type ladderFlags struct {
	pipeline.Reduction         // but for Rules.Growth
	growth             float64 // percent
	set                *pflag.FlagSet
}

func (l *ladderFlags) register(f *pflag.FlagSet) {
	l.set = pflag.NewFlagSet("ladder", pflag.ContinueOnError)
	l.set.SortFlags = false
	l.Rules = regreduce.Usual
	l.set.BoolVar(&l.After, "demote", false, "bring the registers of kernels down after the rewrite, as --variant demote does")
	l.set.StringSliceVar(&l.Rungs, "rungs", nil, "try only these `RUNGS`; the default is all, in this order")
	usage.Takes(l.set, "rungs", regreduce.Rungs...)
	l.set.IntVar(&l.Rules.MaxSpill, "max-spill", l.Rules.MaxSpill, "accept `BYTES` per thread that the compiler spills by itself")
	l.set.Float64Var(&l.Rules.SharedRatio, "max-shared", l.Rules.SharedRatio, "accept `N` accesses to shared memory for one to spilled registers")
	l.set.Float64Var(&l.growth, "max-growth", 100*l.Rules.Growth, "accept code that is `PERCENT` longer")
	l.set.IntVar(&l.Rules.Least, "min-registers", l.Rules.Least, "move nothing to shared memory below `N` registers")
	l.set.StringVar(&l.Stress, "stress", "", "stop where this `FILE` of smux occupancy --stress --record says that more blocks gain nothing")
	l.set.StringVar(&l.Attempts, "attempts", "", "write what was tried to this `FILE`, a line of JSON for each kernel")
	usage.Under(l.set, usage.Registers)
	f.AddFlagSet(l.set)
}

// check refuses values that cannot be meant, and flags that say nothing.
func (l *ladderFlags) check(opt rewrite.Options) error {
	climbs := l.After || opt.Rewriter == variant.Demote && opt.Recipe == ""
	given := ""
	l.set.VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != "demote" && given == "" {
			given = f.Name
		}
	})
	switch {
	case l.After && opt.Rewriter == variant.Demote:
		return diag.Usagef("omit --demote", "--demote adds to another rewrite, and --variant is demote")
	case given != "" && !climbs && opt.Recipe != "":
		return diag.Usagef("leave one of them away", "--%s says how a recipe is looked for, and --recipe gives one", given)
	case given != "" && !climbs:
		return diag.Usagef("give --variant demote or --demote, too", "--%s says how registers are brought down", given)
	case l.After && l.Stress != "":
		return diag.Usagef("leave one of them away", "--stress speaks of the files as they are, and --demote of what another rewrite makes of them")
	case l.Rules.MaxSpill < 0:
		return diag.Usagef(rewriteHelp, "--max-spill must be 0 or more, got %d", l.Rules.MaxSpill)
	case math.IsNaN(l.Rules.SharedRatio) || l.Rules.SharedRatio < 0:
		return diag.Usagef(rewriteHelp, "--max-shared must be 0 or more, got %v", l.Rules.SharedRatio)
	case math.IsNaN(l.growth) || l.growth < 0 || l.growth > 1000:
		return diag.Usagef("write --max-growth 5 for 5 %", "--max-growth must be from 0 to 1000 percent, got %v", l.growth)
	case l.Rules.Least < 0:
		return diag.Usagef(rewriteHelp, "--min-registers must be 0 or more, got %d", l.Rules.Least)
	}
	for _, r := range l.Rungs {
		if err := oneOf("--rungs", r, regreduce.Rungs...); err != nil {
			return err
		}
	}
	return nil
}

// reduction returns what the flags say.
func (l *ladderFlags) reduction() pipeline.Reduction {
	r := l.Reduction
	r.Rules.Growth, r.Rungs = l.growth/100, nil
	for _, rung := range regreduce.Rungs { // in their order
		if slices.Contains(l.Rungs, rung) {
			r.Rungs = append(r.Rungs, rung)
		}
	}
	return r
}
