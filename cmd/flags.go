package cmd

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// What the hardware allows one thread block to be.
const (
	maxBlockThreads = 1024
	maxBlockDepth   = 64 // threads along z
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
