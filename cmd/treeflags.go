package cmd

import (
	"runtime"

	"github.com/smux-cuda/smux/diag"
	"github.com/spf13/pflag"
)

// treeFlags say which files of a tree are looked at, and how many at once.
type treeFlags struct {
	root    string
	exclude []string
	jobs    int
}

func (t *treeFlags) register(f *pflag.FlagSet) {
	f.StringVar(&t.root, "root", "", "the files belong to the tree below this `DIR`: those of their programs are taken from there; without files all of it is meant")
	f.StringArrayVar(&t.exclude, "exclude", nil, "leave out files of a tree that match this `GLOB`, written as in .gitignore; can be repeated")
	f.IntVarP(&t.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "look at `N` programs of a tree at once")
	f.Lookup("jobs").DefValue = "0" // which help does not show
}

// whole are the arguments, the root of the tree where there are none: standard input
// is of no tree.
func (t *treeFlags) whole(args []string) []string {
	if len(args) == 0 && t.root != "" {
		return []string{t.root}
	}
	return args
}

// check refuses values that cannot be meant.
func (t *treeFlags) check() error {
	if t.jobs < 1 {
		return diag.Usagef("leave -j away to use all processors", "-j must be 1 or more, got %d", t.jobs)
	}
	return nil
}
