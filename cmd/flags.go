package cmd

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/rewrite"
)

// What the hardware allows one thread block to be.
const (
	maxBlockThreads = 1024
	maxBlockDepth   = 64 // threads along z
	maxFactor       = 64 // v-TBs are merged along z
)

const (
	runtimeInline = "inline"
	runtimeHeader = "header"
)

const rewriteHelp = `run "smux rewrite --help"`

// inputFlags say how to read the files.
type inputFlags struct {
	includes, defines, kernels []string
	block                      string
	compileCommands            string
}

func (in *inputFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&in.kernels, "kernel", nil, "only kernels of this `NAME`, a glob; can be repeated")
	f.StringVar(&in.block, "block", "", "block shape `X[,Y[,Z]]` of kernels whose launch is out of sight")
	f.StringArrayVarP(&in.includes, "include", "I", nil, "search this `DIR` for includes; can be repeated")
	f.StringArrayVarP(&in.defines, "define", "D", nil, "define a macro, `NAME[=V]`; can be repeated")
	f.StringVarP(&in.compileCommands, "compile-commands", "p", "", "take -I and -D of each file from compile_commands.json, `DIR|FILE`")
}

var macroName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(=|$)`)

// check refuses values that cannot be meant.
func (in *inputFlags) check() error {
	for _, d := range in.defines {
		if !macroName.MatchString(d) {
			return usagef("write -D NAME or -D NAME=VALUE", "-D %q does not define a macro name", d)
		}
	}
	for _, pattern := range in.kernels {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return usagef("globs know *, ? and [a-z]", "--kernel %q is no name and no glob", pattern)
		}
	}
	return nil
}

// knobFlags choose the rewrite.
type knobFlags struct {
	variant string
	factor  int
	sync    string
	slots   int
	runtime string
	set     *pflag.FlagSet
}

// register adds the knobs of smux rewrite, which chooses what is not given.
func (k *knobFlags) register(f *pflag.FlagSet) {
	k.registerRewrite(f)
	f.Lookup("variant").Usage = "do this rewrite, `vtb|dyn`, whether it is expected to gain or not; without it smux chooses for --gpu"
	f.Lookup("factor").Usage = "merge `N` thread blocks into one; the default is chosen, or 2 with --variant"
	f.Lookup("factor").DefValue = "0" // which help does not show
	f.Lookup("sync").Usage = "`named|lock|block`: how the merged blocks take turns; the default is chosen, or with --variant the first of these that is safe"
	f.StringVar(&k.runtime, "runtime", runtimeInline, "`inline|header`: put smux's device code into each file or #include \"smux.cuh\"")
}

// registerRewrite adds the flags that choose what is done, not how it is shown.
func (k *knobFlags) registerRewrite(f *pflag.FlagSet) {
	k.runtime, k.set = runtimeInline, f
	f.StringVar(&k.variant, "variant", "", "the rewrite, `vtb|dyn`; the default is vtb")
	f.IntVar(&k.factor, "factor", 2, "merge `N` thread blocks into one")
	f.StringVar(&k.sync, "sync", "", "`named|lock|block`: how the merged blocks take turns; the default is the first of these that is safe")
	f.IntVar(&k.slots, "slots", 0, "with --variant dyn, give the merged blocks `M` sets of shared arrays to take from; the default is 1")
	f.Lookup("slots").DefValue = "0" // which help does not show
}

// options checks all flags of a rewrite and returns them as its options.
func (k *knobFlags) options(in inputFlags) (rewrite.Options, error) {
	opt := rewrite.Options{
		Way:     rewrite.Way{Variant: k.variant, Factor: k.factor, Sync: k.sync, Slots: k.slots},
		Kernels: in.kernels,
		Runtime: k.runtime,
	}
	if err := in.check(); err != nil {
		return opt, err
	}
	if err := oneOf("--variant", k.variant, "", "vtb", "dyn"); err != nil {
		return opt, err
	}
	if err := oneOf("--sync", k.sync, "", "named", "lock", "block"); err != nil {
		return opt, err
	}
	if err := oneOf("--runtime", k.runtime, runtimeInline, runtimeHeader); err != nil {
		return opt, err
	}
	if k.factor < 2 || k.factor > maxFactor {
		return opt, usagef(rewriteHelp, "--factor must be from 2 to %d, got %d", maxFactor, k.factor)
	}
	if err := k.checkSlots(); err != nil {
		return opt, err
	}
	if in.block == "" {
		return opt, nil
	}
	var err error
	opt.Block, err = parseBlock(in.block)
	return opt, err
}

// checkSlots refuses knobs that contradict each other.
func (k *knobFlags) checkSlots() error {
	switch {
	case k.variant == "dyn" && k.sync != "" && k.sync != "lock":
		return usagef("leave --sync away, or use --variant vtb", "--variant dyn takes its sets of arrays by a lock, and --sync is %s", k.sync)
	case !k.set.Changed("slots"):
		return nil
	case k.variant != "dyn":
		return usagef("give --variant dyn, too", "--slots is a number of sets of arrays, of which --variant dyn has several")
	case k.slots < 1:
		return usagef(rewriteHelp, "--slots must be 1 or more, got %d", k.slots)
	case k.slots >= k.factor:
		return usagef("give fewer --slots or a larger --factor", "--slots must be less than --factor, which is %d, got %d", k.factor, k.slots)
	}
	return nil
}

// oneOf refuses a value that is not in the list; "" stands for a flag that was
// not given.
func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	shown := slices.DeleteFunc(slices.Clone(allowed), func(a string) bool { return a == "" })
	if len(shown) == 1 {
		return usagef(rewriteHelp, "%s must be %s, got %q", flag, orList(shown), value)
	}
	return usagef(didYouMean(value, shown, flag+" knows"), "%s must be %s, got %q", flag, orList(shown), value)
}

// parseBlock reads X[,Y[,Z]] as a block shape that a GPU can run.
func parseBlock(text string) (shape [3]int, err error) {
	const help = "write --block X, --block X,Y or --block X,Y,Z"
	fields := strings.Split(text, ",")
	if len(fields) > 3 {
		return shape, usagef(help, "--block %q has %d sizes, a block has at most 3", text, len(fields))
	}
	shape = [3]int{1, 1, 1}
	threads := 1
	for i, field := range fields {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 1 {
			return shape, usagef(help, "--block %q: %q is no positive number", text, field)
		}
		if n > maxBlockThreads || threads*n > maxBlockThreads {
			return shape, usagef("", "--block %q has more than %d threads", text, maxBlockThreads)
		}
		threads *= n
		shape[i] = n
	}
	if shape[2] > maxBlockDepth {
		return shape, usagef("", "--block %q has more than %d threads along z", text, maxBlockDepth)
	}
	return shape, nil
}
