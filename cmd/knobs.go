package cmd

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
)

const maxFactor = variant.MostBlocks

// registerRuntime adds --runtime.
func registerRuntime(f *pflag.FlagSet, value *string) {
	usage.Word(f, value, "runtime", "", "put smux's device code in this `PLACE`; header is smux.cuh, the default with -d, -l or -w", runtime.Inline, runtime.Included)
}

// knobFlags choose the rewrite.
type knobFlags struct {
	rewrite.Variant // but for GridAxis
	merge           string
	runtime         string
	set             *pflag.FlagSet
}

// register adds the knobs of smux rewrite, which chooses what is not given.
func (k *knobFlags) register(f *pflag.FlagSet) {
	k.registerChosen(f)
	registerRuntime(f, &k.runtime)
	usage.Under(f, usage.Rewrite)
}

// registerChosen adds the flags that choose what is done, not how it is shown; smux chooses what is not given.
func (k *knobFlags) registerChosen(f *pflag.FlagSet) {
	k.set = f
	usage.Word(f, &k.Rewriter, "variant", "", "do this rewrite, `NAME`, whether it is expected to gain or not; without it smux chooses", variant.Names()...)
	f.IntVar(&k.Factor, variant.KnobFactor, 2, "merge `N` thread blocks, or unroll loops N times (0: to the end), or with swizzle take groups of N columns; the default is chosen, or with --variant 2, 4 and 8")
	f.Lookup(variant.KnobFactor).DefValue = "0" // which help does not show
	usage.Word(f, &k.Sync, variant.KnobSync, "", "have merged blocks take turns in this `MODE`; the default is chosen, or the first that is safe", variant.Syncs...)
	usage.Word(f, &k.merge, variant.KnobGridAxis, "x", "merge thread blocks, or threads, along this `AXIS`", "x", "y", "z")
	usage.Word(f, &k.Of, variant.KnobOf, "", "with --variant coarsen, put the work of N `KIND` together; the default is blocks", variant.Blocks, variant.Threads)
	f.IntVar(&k.FactorY, variant.KnobFactorY, 0, "with --variant coarsen, also `N` along y")
	f.IntVar(&k.Unroll, variant.KnobUnroll, 0, "with --variant coarsen, then unroll loops `N` times (0: to the end)")
	f.IntVar(&k.SharedSets, variant.KnobSharedSets, 0, "with --variant dyn, give merged blocks `M` sets of shared arrays; the default is 1")
	f.IntVar(&k.PrivateRows, variant.KnobPrivateRows, 0, "with --variant co-vtb, give each merged block `P` rows of its own; the default is chosen")
	f.IntVar(&k.Stage, variant.KnobStage, 0, "make at most `K` global loads ahead of a region; the default is all")
	for _, s := range switches {
		f.BoolVar(k.Switch(s.knob), s.knob, false, s.usage)
	}
	f.IntVar(&k.Rounds, variant.KnobRounds, 0, "exchange in `R` rounds; the default is 2, or the number of components or arrays")
	usage.Word(f, &k.By, variant.KnobBy, "", "part the exchange into rounds by this `KIND`; the default is component with --variant slice", variant.By...)
	f.StringVar(&k.Array, variant.KnobArray, "", "stage the array `NAME` alone; the default is all that can be")
	f.IntVar(&k.Tile, variant.KnobTile, 0, "stage what `T` iterations of a loop read at a time; the default suits the block")
	f.IntVar(&k.Vector, variant.KnobVector, 0, "with --variant stage, copy `N` elements at a time, 2 or 4, where that is proved to be aligned")
	f.IntVar(&k.Pad, variant.KnobPad, 0, "make the rows of a staged tile `N` elements longer; the default avoids bank conflicts")
	usage.Word(f, &k.Scheme, variant.KnobScheme, "", "stage in this `FORM`; the default is the first that fits", variant.Schemes...)
	f.StringVar(&k.Extents, variant.KnobShape, "", "with --variant reshape, launch thread blocks of `X[,Y[,Z]]` threads; the default is 128, or 32,8")
	f.StringVar(&k.Recipe, variant.KnobRecipe, "", "with --variant demote, do this `RECIPE`, such as 'bounds=256,3 unroll=57:1 demote=sum'")
}

// options checks all flags of a rewrite and returns them as its options.
func (k *knobFlags) options(in load.Options) (rewrite.Options, error) {
	opt, err := in.RewriteOptions()
	err = cmp.Or(in.Check(),
		oneOf("--variant", k.Rewriter, append([]string{""}, variant.Names()...)...),
		oneOf("--sync", k.Sync, append([]string{""}, variant.Syncs...)...),
		oneOf("--merge", k.merge, "x", "y", "z"),
		oneOf("--of", k.Of, "", variant.Blocks, variant.Threads),
		oneOf("--by", k.By, append([]string{""}, variant.By...)...),
		oneOf("--scheme", k.Scheme, append([]string{""}, variant.Schemes...)...),
		oneOf("--runtime", k.runtime, "", runtime.Inline, runtime.Included),
		k.checkKnobs(), err)
	opt.Variant, opt.Runtime = k.chosen(), k.runtime
	return opt, err
}

// orChosen is options for commands that choose what the flags don't say, for the GPUs of choice.
func (k *knobFlags) orChosen(in load.Options, choice *choiceFlags, given *pflag.FlagSet) (rewrite.Options, error) {
	opt, err := k.options(in)
	if err != nil {
		return opt, err
	}
	if !given.Changed(variant.KnobFactor) {
		opt.Factor = 0
	}
	err = choice.check()
	if err == nil && opt.Rewriter != "" {
		err = choice.unused(given)
	}
	return opt, err
}

// chosen returns the variant that the flags ask for; a knob that was not given is at its zero value.
func (k *knobFlags) chosen() rewrite.Variant {
	w := k.Variant
	if k.merge != "x" {
		w.GridAxis = k.merge
	}
	for knob, at := range map[string]*int{variant.KnobStage: &w.Stage, variant.KnobFactor: &w.Factor, variant.KnobUnroll: &w.Unroll, variant.KnobPad: &w.Pad} {
		if *at == 0 && k.set != nil && k.set.Changed(knob) {
			*at = variant.NoStage // as variant.Full
		}
	}
	return w
}

// switches are the knobs that are on or off, as help shows them.
var switches = []struct{ knob, usage string }{
	{variant.KnobAssume, "tell the compiler the block shape that all launches have"},
	{variant.KnobPin, "compute the values that a turn reads before it, where the compiler can't move them in"},
	{variant.KnobEarly, "load ahead of a turn also what stands after other uses of shared memory"},
	{variant.KnobCompute, "compute what fills shared arrays into registers before the first store"},
	{variant.KnobLate, "end a turn at its last read of shared memory, into registers, whatever follows"},
	{variant.KnobOverlay, "let shared arrays have the same bytes first, as --variant overlay does alone"},
	{variant.KnobStaged, "stage arrays in shared memory first, as --variant stage does alone"},
	{variant.KnobNumbered, "with --sync named, put numbers of barriers into registers: no branches, all 16 reserved"},
	{variant.KnobPersistent, "launch as many blocks as are resident at once, and have them loop over the grid"},
	{variant.KnobAsync, "with --variant stage, copy the next tile of a loop asynchronously while one is used"},
}

// meaning says what a knob is that only some rewriters have.
var meaning = []struct{ knob, text string }{
	{variant.KnobFactor, "a number of thread blocks to merge"},
	{variant.KnobSync, "how merged blocks take turns"},
	{variant.KnobSharedSets, "a number of sets of arrays"},
	{variant.KnobPrivateRows, "a number of rows of a split array"},
	{variant.KnobStage, "a number of loads ahead of a region"},
	{variant.KnobAssume, "what the compiler may assume of the block"},
	{variant.KnobPin, "what is computed before a turn"},
	{variant.KnobEarly, "what is loaded before a turn"},
	{variant.KnobCompute, "what is computed before shared memory is written"},
	{variant.KnobLate, "when a turn ends"},
	{variant.KnobNumbered, "where the numbers of barriers are"},
	{variant.KnobPersistent, "how many blocks are launched"},
	{variant.KnobGridAxis, "a direction in which blocks are merged"},
	{variant.KnobOf, "whose work is put together"},
	{variant.KnobFactorY, "a number along y"},
	{variant.KnobUnroll, "an unroll factor after the rest"},
	{variant.KnobRounds, "a number of rounds of an exchange"},
	{variant.KnobBy, "what the rounds of an exchange are of"},
	{variant.KnobOverlay, "which shared arrays have the same bytes"},
	{variant.KnobStaged, "whether arrays are staged first"},
	{variant.KnobArray, "an array to stage"},
	{variant.KnobTile, "a number of iterations to stage"},
	{variant.KnobScheme, "a form in which arrays are staged"},
	{variant.KnobPad, "the length of a tile's rows"},
	{variant.KnobAsync, "when the next tile is copied"},
	{variant.KnobVector, "how many elements are copied at a time"},
	{variant.KnobShape, "a shape of thread blocks"},
	{variant.KnobRecipe, "what is done to a kernel's registers"},
}

// needVariant are the knobs that say nothing without a rewriter that has them.
var needVariant = []string{variant.KnobSharedSets, variant.KnobPrivateRows, variant.KnobOf, variant.KnobFactorY, variant.KnobUnroll, variant.KnobRounds, variant.KnobBy, variant.KnobStaged, variant.KnobArray, variant.KnobTile, variant.KnobScheme, variant.KnobPad, variant.KnobVector, variant.KnobShape, variant.KnobRecipe}

// checkKnobs refuses knobs that the rewriter does not have, and values of knobs that contradict each other.
func (k *knobFlags) checkKnobs() error {
	chosen, least := variant.Named(k.Rewriter), 2
	if chosen != nil {
		least = chosen.LeastFactor()
	}
	if k.Factor < least || k.Factor > maxFactor {
		return diag.Usagef(rewriteHelp, "--factor must be from %d to %d, got %d", least, maxFactor, k.Factor)
	}
	for _, m := range meaning {
		if !k.set.Changed(m.knob) || chosen != nil && chosen.Has(m.knob) || chosen == nil && !slices.Contains(needVariant, m.knob) {
			continue
		}
		have := strings.Join(having(m.knob), " or ")
		if chosen == nil {
			return diag.Usagef("give --variant "+have+", too", "--%s is %s, which --variant %s has", m.knob, m.text, have)
		}
		return diag.Usagef("omit it, or use --variant "+have, "--%s is %s, which --variant %s does not have", m.knob, m.text, k.Rewriter)
	}
	if chosen != nil && k.Sync != "" && !slices.Contains(chosen.Syncs, k.Sync) {
		return k.wrongSync(chosen)
	}
	switch {
	case k.set.Changed(variant.KnobSharedSets) && k.SharedSets < 1:
		return diag.Usagef(rewriteHelp, "--slots must be 1 or more, got %d", k.SharedSets)
	case k.SharedSets > 0 && k.SharedSets >= k.Factor:
		return diag.Usagef("give fewer --slots or a larger --factor", "--slots must be less than --factor, which is %d, got %d", k.Factor, k.SharedSets)
	case k.set.Changed(variant.KnobPrivateRows) && k.PrivateRows < 1:
		return diag.Usagef(rewriteHelp, "--private must be 1 or more, got %d", k.PrivateRows)
	case k.set.Changed(variant.KnobFactorY) && (k.FactorY < 2 || k.FactorY > maxFactor || k.merge == "y"):
		return diag.Usagef("--merge y --factor N is along y alone", "--factor-y must be from 2 to %d, beside --merge x or z, got %d", maxFactor, k.FactorY)
	case k.Unroll < 0 || k.Unroll > maxFactor:
		return diag.Usagef(rewriteHelp, "--unroll must be from 0 to %d, got %d", maxFactor, k.Unroll)
	case k.set.Changed(variant.KnobRounds) && (k.Rounds < 2 || k.Rounds > variant.MostRounds):
		return diag.Usagef(rewriteHelp, "--rounds must be from 2 to %d, got %d", variant.MostRounds, k.Rounds)
	case k.set.Changed(variant.KnobTile) && (k.Tile < 1 || k.Tile > variant.MostTile):
		return diag.Usagef(rewriteHelp, "--tile must be from 1 to %d, got %d", variant.MostTile, k.Tile)
	case k.Pad < 0 || k.Pad > variant.MostPad:
		return diag.Usagef("--pad 0 pads nothing", "--pad must be from 0 to %d, got %d", variant.MostPad, k.Pad)
	case k.set.Changed(variant.KnobVector) && k.Vector != 2 && k.Vector != 4:
		return diag.Usagef("vectors have 2 or 4 elements", "--vector must be 2 or 4, got %d", k.Vector)
	case k.Stage < 0:
		return diag.Usagef("--stage-loads 0 makes none", "--stage-loads must be 0 or more, got %d", k.Stage)
	}
	if _, err := variant.Parse(variant.Reshape + " shape=" + k.Extents); k.Extents != "" && err != nil {
		return diag.Usagef("write --shape 32,8", "--shape: %w", err)
	}
	recipe, err := variant.ParseRecipe(k.Recipe)
	if err != nil {
		return diag.Usagef("write --recipe 'bounds=256,3 unroll=57:1 pin=i demote=sum'", "--recipe: %w", err)
	}
	k.Recipe = recipe.String()
	return nil
}

// wrongSync returns why a rewriter does not have the sync mode.
func (k *knobFlags) wrongSync(r *variant.Rewriter) error {
	help := "omit --sync, or use --variant vtb"
	switch r.Name {
	case variant.Dyn:
		return diag.Usagef(help, "--variant dyn takes its sets of arrays by a lock, and --sync is %s", k.Sync)
	case variant.VTBPipe:
		return diag.Usagef("use --variant vtb --sync "+k.Sync, "--sync %s needs no pipe form of its own: its virtual thread blocks compute beside each other's regions anyway", k.Sync)
	}
	return diag.Usagef(help, "--variant %s knows --sync %s, got %s", r.Name, strings.Join(r.Syncs, " or "), k.Sync)
}

// having returns the rewriters with a knob.
func having(knob string) []string {
	var out []string
	for _, r := range rewrite.Rewriters {
		if r.Has(knob) {
			out = append(out, r.Name)
		}
	}
	return out
}
