package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/smux-cuda/smux/rewrite/variant"
)

const maxFactor = variant.MostBlocks

// knobFlags choose the rewrite.
type knobFlags struct {
	variant string
	factor  int
	sync    string
	slots   int
	private int
	stage   int
	assume  bool
	merge   string
	recipe  string
	runtime string
	set     *pflag.FlagSet
}

// register adds the knobs of smux rewrite, which chooses what is not given.
func (k *knobFlags) register(f *pflag.FlagSet) {
	k.registerRewrite(f)
	f.Lookup("variant").Usage = "do the rewrite `NAME`, one of " + strings.Join(variant.Names(), ", ") + ", whether it is expected to gain or not; without it smux chooses for --gpu"
	f.Lookup("factor").Usage = "merge `N` thread blocks into one; the default is chosen, or 2 with --variant"
	f.Lookup("factor").DefValue = "0" // which help does not show
	f.Lookup("sync").Usage = "`named|lock|block`: how the merged blocks take turns; the default is chosen, or with --variant the first of these that is safe"
	f.StringVar(&k.runtime, "runtime", runtime.Inline, "`inline|header`: put smux's device code into each file or #include \"smux.cuh\"")
}

// registerRewrite adds the flags that choose what is done, not how it is shown.
func (k *knobFlags) registerRewrite(f *pflag.FlagSet) {
	k.runtime, k.set = runtime.Inline, f
	f.StringVar(&k.variant, "variant", "", "the rewrite of this `NAME`, one of "+strings.Join(variant.Names(), ", ")+"; the default is vtb")
	f.IntVar(&k.factor, variant.KnobFactor, 2, "merge `N` thread blocks into one")
	f.StringVar(&k.sync, variant.KnobSync, "", "`named|lock|block`: how the merged blocks take turns; the default is the first of these that is safe")
	f.StringVar(&k.merge, variant.KnobGridAxis, "x", "merge thread blocks that are neighbours along `x|y|z` of the grid")
	f.IntVar(&k.slots, variant.KnobSharedSets, 0, "with --variant dyn, give the merged blocks `M` sets of shared arrays to take from; the default is 1")
	f.IntVar(&k.private, variant.KnobPrivateRows, 0, "with --variant co-vtb, give each merged block `P` rows of the split array; the default is chosen")
	f.IntVar(&k.stage, variant.KnobStage, 0, "make at most `K` global loads per thread ahead of a region; the default is as many as there are")
	f.BoolVar(&k.assume, variant.KnobAssume, false, "tell the compiler the block shape that all launches have")
	f.StringVar(&k.recipe, variant.KnobRecipe, "", "with --variant demote, do what this `RECIPE` says, such as 'bounds=256,3 unroll=57:1 pin=i demote=sum'")
}

// options checks all flags of a rewrite and returns them as its options.
func (k *knobFlags) options(in load.Options) (rewrite.Options, error) {
	opt := rewrite.Options{Variant: k.way(), Kernels: in.Kernels, Runtime: k.runtime}
	if err := in.Check(); err != nil {
		return opt, err
	}
	for _, c := range []struct {
		flag, given string
		values      []string
	}{
		{"--variant", k.variant, append([]string{""}, variant.Names()...)},
		{"--sync", k.sync, append([]string{""}, variant.Syncs...)},
		{"--merge", k.merge, []string{"x", "y", "z"}},
		{"--runtime", k.runtime, []string{runtime.Inline, runtime.Included}},
	} {
		if err := oneOf(c.flag, c.given, c.values...); err != nil {
			return opt, err
		}
	}
	if k.factor < 2 || k.factor > maxFactor {
		return opt, diag.Usagef(rewriteHelp, "--factor must be from 2 to %d, got %d", maxFactor, k.factor)
	}
	if err := k.checkKnobs(); err != nil {
		return opt, err
	}
	opt.Recipe = k.recipe
	if in.Block == "" {
		return opt, nil
	}
	var err error
	opt.Block, err = load.ParseBlock(in.Block)
	return opt, err
}

// orChosen is options for commands that choose what the flags don't say, for the GPUs
// of choice.
func (k *knobFlags) orChosen(in load.Options, choice choiceFlags, given *pflag.FlagSet) (rewrite.Options, error) {
	opt, err := k.options(in)
	if err != nil {
		return opt, err
	}
	if !given.Changed(variant.KnobFactor) {
		opt.Factor = 0
	}
	if err := choice.check(); err != nil {
		return opt, err
	}
	if opt.Rewriter != "" {
		return opt, choice.unused(given)
	}
	return opt, nil
}

// way is what the flags say; a knob that was not given is at its zero value.
func (k *knobFlags) way() rewrite.Variant {
	w := rewrite.Variant{
		Rewriter: k.variant, Factor: k.factor, Sync: k.sync, SharedSets: k.slots,
		PrivateRows: k.private, Stage: k.stage, Assume: k.assume, Recipe: k.recipe,
	}
	if k.merge != "x" {
		w.GridAxis = k.merge
	}
	if k.stage == 0 && k.set != nil && k.set.Changed(variant.KnobStage) {
		w.Stage = variant.NoStage
	}
	return w
}

// meaning says what a knob is that only some rewriters have.
var meaning = []struct{ knob, text string }{
	{variant.KnobFactor, "a number of thread blocks to merge"},
	{variant.KnobSync, "how merged blocks take turns"},
	{variant.KnobSharedSets, "a number of sets of arrays"},
	{variant.KnobPrivateRows, "a number of rows of a split array"},
	{variant.KnobStage, "a number of loads ahead of a region"},
	{variant.KnobAssume, "what the compiler may assume of the block"},
	{variant.KnobGridAxis, "a direction in which blocks are merged"},
	{variant.KnobRecipe, "what is done to a kernel's registers"},
}

// needVariant are the knobs that say nothing without a rewriter that has them.
var needVariant = []string{variant.KnobSharedSets, variant.KnobPrivateRows, variant.KnobRecipe}

// checkKnobs refuses knobs that the rewriter does not have, and values of knobs
// that contradict each other.
func (k *knobFlags) checkKnobs() error {
	chosen := variant.Named(k.variant)
	for _, m := range meaning {
		if !k.set.Changed(m.knob) || chosen != nil && chosen.Has(m.knob) || chosen == nil && !slices.Contains(needVariant, m.knob) {
			continue
		}
		have := strings.Join(having(m.knob), " or ")
		if chosen == nil {
			return diag.Usagef("give --variant "+have+", too", "--%s is %s, which --variant %s has", m.knob, m.text, have)
		}
		return diag.Usagef("omit it, or use --variant "+have, "--%s is %s, which --variant %s does not have", m.knob, m.text, k.variant)
	}
	if chosen != nil && k.sync != "" && !slices.Contains(chosen.Syncs, k.sync) {
		return k.wrongSync(chosen)
	}
	switch {
	case k.set.Changed(variant.KnobSharedSets) && k.slots < 1:
		return diag.Usagef(rewriteHelp, "--slots must be 1 or more, got %d", k.slots)
	case k.slots >= k.factor:
		return diag.Usagef("give fewer --slots or a larger --factor", "--slots must be less than --factor, which is %d, got %d", k.factor, k.slots)
	case k.set.Changed(variant.KnobPrivateRows) && k.private < 1:
		return diag.Usagef(rewriteHelp, "--private must be 1 or more, got %d", k.private)
	case k.stage < 0:
		return diag.Usagef("--stage-loads 0 makes none", "--stage-loads must be 0 or more, got %d", k.stage)
	}
	recipe, err := variant.ParseRecipe(k.recipe)
	if err != nil {
		return diag.Usagef("write --recipe 'bounds=256,3 unroll=57:1 pin=i demote=sum'", "--recipe: %w", err)
	}
	k.recipe = recipe.String()
	return nil
}

// wrongSync says why a rewriter does not have the sync mode.
func (k *knobFlags) wrongSync(r *variant.Rewriter) error {
	help := "omit --sync, or use --variant vtb"
	switch r.Name {
	case "dyn":
		return diag.Usagef(help, "--variant dyn takes its sets of arrays by a lock, and --sync is %s", k.sync)
	case "vtb-pipe":
		return diag.Usagef("use --variant vtb --sync "+k.sync, "--sync %s needs no pipe form of its own: its virtual thread blocks compute beside each other's regions anyway", k.sync)
	}
	return diag.Usagef(help, "--variant %s knows --sync %s, got %s", r.Name, strings.Join(r.Syncs, " or "), k.sync)
}

// having are the rewriters with a knob.
func having(knob string) []string {
	var out []string
	for _, r := range rewrite.Rewriters {
		if r.Has(knob) {
			out = append(out, r.Name)
		}
	}
	return out
}
