package load

import (
	"path"
	"regexp"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/hardware"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/rewrite"
)

// Options say how files are read and which of their kernels are meant. Where .smux.yaml
// says something of one that was not given, With puts it in; one that was given replaces
// the setting, lists too, so that what a person types is all there is.
type Options struct {
	Includes        []string // folders that are searched for includes, those of a compilation database after them
	Defines         []string // NAME or NAME=VALUE
	NVCCFlags       []string // more flags for nvcc, before those of a compilation database
	Kernels         []string // globs of names, none for all kernels
	Block           string   // X[,Y[,Z]], the threads of a thread block whose launch is out of sight; "" for unknown
	Shared          string   // bytes of dynamic shared memory where launches don't tell them; "" for unknown
	CompileCommands string   // a compilation database or the folder it is in, "" for none
	Settings        *SettingsSource
	// Alone asks for the files that are named and no others: not those that they include from
	// beside them and that hold kernels.
	Alone bool
	// Python asks for the CUDA text in sources of Python. Only who writes no file may ask for it: see CUDAInPython.
	Python bool
	// ReadFile reads CUDA files and headers; nil reads those on disk. Editors have others.
	ReadFile func(name string) ([]byte, error)
	Trees    *parser.Trees // kept from one reading to the next; nil keeps none

	// Changed reports whether a person gave a flag, by its name; nil where there are none.
	Changed func(flag string) bool
}

// Given reports whether a person gave a flag.
func (o *Options) Given(flag string) bool { return o.Changed != nil && o.Changed(flag) }

var macroName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(=|$)`)

// Check refuses values that cannot be meant.
func (o *Options) Check() error {
	for _, d := range o.Defines {
		if !macroName.MatchString(d) {
			return diag.Usagef("write -D NAME or -D NAME=VALUE", "-D %q does not define a macro name", d)
		}
	}
	for _, pattern := range o.Kernels {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return diag.Usagef("globs know *, ? and [a-z]", "--kernel %q is neither a name nor a glob", pattern)
		}
	}
	return nil
}

// RewriteOptions returns the options of package rewrite with the kernels and the thread
// block; the error is that of Check.
func (o *Options) RewriteOptions() (rewrite.Options, error) {
	opt := rewrite.Options{Kernels: o.Kernels}
	if err := o.Check(); err != nil || o.Block == "" {
		return opt, err
	}
	var err error
	opt.Block, err = ParseBlock(o.Block)
	return opt, err
}

// ParseBlock reads X[,Y[,Z]] as the shape of a thread block that a GPU can run.
func ParseBlock(text string) ([3]int, error) {
	shape, err := hardware.ParseBlock(text)
	if err != nil {
		return shape, diag.Usagef("write --block X, --block X,Y or --block X,Y,Z", "--block %w", err)
	}
	return shape, nil
}

// With returns the options with what settings say where a flag was not given.
func (o Options) With(set *config.Settings) Options {
	if set == nil {
		return o
	}
	if !o.Given("include") && len(set.Include) > 0 {
		o.Includes = set.Include
	}
	if !o.Given("define") && len(set.Define) > 0 {
		o.Defines = set.Define
	}
	if !o.Given("compile-commands") && set.CompileCommands != "" {
		o.CompileCommands = set.CompileCommands
	}
	if !o.Given("block") && set.Block != "" {
		o.Block = set.Block
	}
	return o
}

// RewriteOptionsWith returns the options of a rewrite with what settings say where a flag was not given.
func (o Options) RewriteOptionsWith(opt rewrite.Options, set *config.Settings) (rewrite.Options, error) {
	if set == nil {
		return opt, nil
	}
	if !o.Given("runtime") && set.Runtime != "" {
		opt.Runtime = set.Runtime
	}
	if o.Given("block") {
		return opt, nil
	}
	var err error
	if set.Block != "" {
		opt.Block, err = ParseBlock(set.Block)
	}
	return opt, err
}
