package cmd

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/harness"
)

// benchFlags give a kernel that has no program the host side it needs.
type benchFlags struct {
	launch             string
	arguments, buffers []string
	comments           bool
}

func (b *benchFlags) register(f *pflag.FlagSet) {
	f.StringVar(&b.launch, "launch", "", "run the kernel that --kernel names like this, `'grid=64,block=256'`")
	f.StringArrayVar(&b.arguments, "arg", nil, "its argument `NAME=VALUE`; can be repeated")
	f.StringArrayVar(&b.buffers, "buffer", nil, "its array `NAME=TYPE[N]:FILL`; can be repeated")
	f.BoolVar(&b.comments, "bench", false, `run the kernels as "// smux:bench" comments say, even where there is a main`)
}

// check refuses flags that say nothing without another one.
func (b *benchFlags) check(kernels []string) error {
	switch {
	case b.launch == "" && (len(b.arguments) > 0 || len(b.buffers) > 0):
		return diag.Usagef("write --launch 'grid=64,block=256'", "--arg and --buffer describe a launch: give --launch, too")
	case b.launch != "" && len(kernels) != 1:
		return diag.Usagef("write --kernel NAME", "--launch runs one kernel: --kernel must name it")
	case b.launch != "" && b.comments:
		return diag.Usagef("", "--launch and --bench both say how to run kernels: give one")
	}
	return nil
}

// text is what the flags say of how a kernel is run, for records; what comments
// say is in the program's text.
func (b *benchFlags) text(kernels []string) string {
	if b.launch == "" {
		return "smux:bench"
	}
	return strings.Join(slices.Concat([]string{strings.Join(kernels, " "), b.launch}, b.arguments, b.buffers), "\n")
}

// specs are the runs that the flags or the program's comments ask for, none
// where the program runs by itself.
func (b *benchFlags) specs(prog *parser.Program, kernels []string) ([]*harness.Spec, error) {
	if b.launch != "" {
		spec, err := harness.ParseFlags(harness.Flags{Kernel: kernels[0], Launch: b.launch, Arguments: b.arguments, Buffers: b.buffers})
		if err != nil {
			return nil, err
		}
		return []*harness.Spec{spec}, nil
	}
	if !b.comments && hasMain(prog) {
		return nil, nil
	}
	specs, err := harness.Comments(prog)
	if err == nil && b.comments && len(specs) == 0 {
		return nil, diag.Usagef(`write a comment such as "// smux:bench grid=64 block=256 n=4096 in=float[n]:random" above the kernel`,
			"--bench: the files hold no smux:bench comment")
	}
	return specs, err
}

func hasMain(prog *parser.Program) bool {
	return slices.ContainsFunc(prog.Files, func(f *parser.File) bool {
		return slices.ContainsFunc(f.Functions, func(fn *parser.Function) bool { return fn.Name == "main" && fn.Class == "" })
	})
}

// attach gives a program the host side that its specifications ask for, and
// returns it unchanged where there are none.
func (s *session) attach(prog *parser.Program, opt parser.Options, b benchFlags, kernels []string, options ...harness.Option) (*parser.Program, error) {
	specs, err := b.specs(prog, kernels)
	if err != nil || len(specs) == 0 {
		return prog, s.benchError(err)
	}
	host, text, err := harness.Attach(prog, specs, options...)
	if err != nil {
		return nil, s.benchError(err)
	}
	var files []*parser.File
	for _, f := range prog.Files {
		if f == host {
			if f, err = parser.Parse(host.Name, text, opt); err != nil {
				return nil, diag.Failed("reading the program made for the kernel", err)
			}
		}
		files = append(files, f)
	}
	return parser.NewProgram(files, opt), nil
}

// benchError prints what is wrong with specifications.
func (s *session) benchError(err error) error {
	var wrong harness.Errors
	if !errors.As(err, &wrong) {
		return err
	}
	for _, m := range wrong {
		s.Message(m)
	}
	s.Note(diag.ExitUsage)
	return diag.ErrReported
}

// plainNames drops the template arguments of kernel names: --kernel 'k<float>'
// names a run, and rewrites the template.
func plainNames(kernels []string) []string {
	var out []string
	for _, k := range kernels {
		name, _, _ := strings.Cut(k, "<")
		out = append(out, strings.TrimSpace(name))
	}
	return out
}
