package cmd

import (
	"path"
	"regexp"
	"slices"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/rewrite"
)

const rewriteHelp = `run "smux rewrite --help"`

// inputFlags say how to read the files.
type inputFlags struct {
	includes, defines, kernels []string
	block                      string
	compileCommands            string
	config                     *configFlags
	set                        *pflag.FlagSet // of the command
}

func (in *inputFlags) register(f *pflag.FlagSet) {
	f.StringArrayVar(&in.kernels, "kernel", nil, "only kernels of this `NAME`, a glob; can be repeated")
	f.StringVar(&in.block, "block", "", "block shape `X[,Y[,Z]]` of kernels whose launch is out of sight")
	f.StringArrayVarP(&in.includes, "include", "I", nil, "search this `DIR` for includes; can be repeated")
	f.StringArrayVarP(&in.defines, "define", "D", nil, "define a macro, `NAME[=V]`; can be repeated")
	f.StringVarP(&in.compileCommands, "compile-commands", "p", "", "take -I, -D and GPUs (-arch) of each file from compile_commands.json, `DIR|FILE`")
	in.set, in.config = f, &configFlags{}
	in.config.register(f)
}

var macroName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(=|$)`)

// check refuses values that cannot be meant.
func (in *inputFlags) check() error {
	for _, d := range in.defines {
		if !macroName.MatchString(d) {
			return diag.Usagef("write -D NAME or -D NAME=VALUE", "-D %q does not define a macro name", d)
		}
	}
	for _, pattern := range in.kernels {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			return diag.Usagef("globs know *, ? and [a-z]", "--kernel %q is no name and no glob", pattern)
		}
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
		return diag.Usagef(rewriteHelp, "%s must be %s, got %q", flag, diag.OrList(shown), value)
	}
	return diag.Usagef(diag.DidYouMean(value, shown, flag+" knows"), "%s must be %s, got %q", flag, diag.OrList(shown), value)
}

// parseBlock reads X[,Y[,Z]] as a block shape that a GPU can run.
func parseBlock(text string) ([3]int, error) {
	shape, err := rewrite.ParseBlock(text)
	if err != nil {
		return shape, diag.Usagef("write --block X, --block X,Y or --block X,Y,Z", "--block %w", err)
	}
	return shape, nil
}
