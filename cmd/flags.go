package cmd

import (
	"runtime"
	"slices"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/usage"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/project/load"
)

const rewriteHelp = `run "smux rewrite --help"`

// registerInput adds the flags that say how to read the files.
func registerInput(f *pflag.FlagSet, in *load.Options) {
	f.StringArrayVar(&in.Kernels, "kernel", nil, "look only at kernels of this `NAME`, a glob; can be repeated")
	f.StringVar(&in.Block, "block", "", "take this block shape, `X[,Y[,Z]]`, if no launch is in view")
	f.StringVar(&in.Shared, "smem", "", "take these `BYTES` of dynamic shared memory, such as 8k, if a launch does not tell them")
	f.StringArrayVar(&in.NVCCFlags, "nvcc-flag", nil, "give nvcc this `FLAG`, as --nvcc-flag=--extended-lambda; can be repeated")
	registerReading(f, in)
}

// registerReading adds the flags that say how files are read.
func registerReading(f *pflag.FlagSet, in *load.Options) {
	f.StringArrayVarP(&in.Includes, "include", "I", nil, "search this `DIR` for includes; can be repeated")
	f.StringArrayVarP(&in.Defines, "define", "D", nil, "define a macro, `NAME[=V]`; can be repeated")
	f.StringVarP(&in.CompileCommands, "compile-commands", "p", "", "take -I, -D, GPUs (-arch) and flags of nvcc from the compile_commands.json of this `DIR|FILE`; without it -I, -D and flags from one above or in build")
	in.Changed, in.Settings = f.Changed, &load.SettingsSource{Changed: f.Changed}
	f.StringVar(&in.Settings.File, "config", "", "take settings from this `FILE`, not from the "+config.Name+" above the files")
	f.BoolVar(&in.Settings.None, "no-config", false, "take settings from no file")
	usage.Under(f, usage.Files)
}

// inputFlags returns the flags of registerInput as a set of their own.
func inputFlags(in *load.Options) *pflag.FlagSet {
	f := pflag.NewFlagSet("reading", pflag.ContinueOnError)
	f.SortFlags = false
	registerInput(f, in)
	return f
}

// registerTree adds the flags that say which files of a tree are looked at, and how many programs at once.
func registerTree(f *pflag.FlagSet, t *load.Tree) {
	f.StringVar(&t.Root, "root", "", "take the other files of the programs from below this `DIR`; without files look at all of it")
	f.StringArrayVar(&t.Exclude, "exclude", nil, "leave out files that match this `GLOB`, written as in .gitignore; can be repeated")
	f.IntVarP(&t.Jobs, "jobs", "j", runtime.GOMAXPROCS(0), "look at `N` programs of a tree at once")
	f.Lookup("jobs").DefValue = "0" // which help does not show
	usage.Under(f, usage.Files)
}

// registerTreeBeside adds them to those of runs, which say how many are made at once.
func registerTreeBeside(f *pflag.FlagSet, t *load.Tree) {
	own := pflag.NewFlagSet("tree", pflag.ContinueOnError)
	own.SortFlags = false
	registerTree(own, t)
	f.AddFlagSet(own)
}

// oneOf refuses a value that is not in the list; "" stands for a flag that was not given.
func oneOf(flag, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	shown := slices.DeleteFunc(slices.Clone(allowed), func(a string) bool { return a == "" })
	return diag.Usagef(diag.DidYouMean(value, shown, flag+" knows"), "%s must be %s, got %q", flag, diag.OrList(shown), value)
}
