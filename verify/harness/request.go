package harness

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// Request describes which kernels of a program are run without a host program of their own, and how: one kernel as in
// Launch, or those that comments describe. The zero value runs a program that has no main as its comments ask.
type Request struct {
	Kernels            []string // names with template arguments; of Launch, exactly one
	Launch             string   // such as grid=64,block=256
	Arguments, Buffers []string // of Launch
	Comments           bool     // run what comments describe even where there is a main
}

// Of returns the request for other kernels.
func (r Request) Of(kernels []string) Request {
	r.Kernels = kernels
	return r
}

// Check refuses parts that mean nothing without another one. The error is that of a command line.
func (r Request) Check() error {
	switch {
	case r.Launch == "" && (len(r.Arguments) > 0 || len(r.Buffers) > 0):
		return diag.Usagef("write --launch 'grid=64,block=256'", "--arg and --buffer describe a launch: give --launch, too")
	case r.Launch != "" && len(r.Kernels) != 1:
		return diag.Usagef("write --kernel NAME", "--launch runs one kernel: --kernel must name it")
	case r.Launch != "" && r.Comments:
		return diag.Usagef("", "--launch and --bench both say how to run kernels: give one")
	}
	return nil
}

// Text returns the request's account of how a kernel is run, for records; comments are in the program's text.
func (r Request) Text() string {
	if r.Launch == "" {
		return "smux:bench"
	}
	return strings.Join(slices.Concat([]string{strings.Join(r.Kernels, " "), r.Launch}, r.Arguments, r.Buffers), "\n")
}

// Specs returns the runs that are asked for, none where the program runs by itself.
func (r Request) Specs(prog *parser.Program) ([]*Spec, error) {
	if r.Launch != "" {
		spec, err := ParseFlags(Flags{Kernel: r.Kernels[0], Launch: r.Launch, Arguments: r.Arguments, Buffers: r.Buffers})
		if err != nil {
			return nil, err
		}
		return []*Spec{spec}, nil
	}
	if !r.Comments && hasMain(prog) {
		return nil, nil
	}
	specs, err := Comments(prog)
	if err == nil && r.Comments && len(specs) == 0 {
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

// Attach gives a program the host side that is asked for, and returns it unchanged
// where it runs by itself. Where specifications are wrong the error is an Errors.
func (r Request) Attach(prog *parser.Program, options ...Option) (*parser.Program, error) {
	specs, err := r.Specs(prog)
	if err != nil || len(specs) == 0 {
		return prog, err
	}
	return AttachWith(prog, specs, options...)
}

// IsOpen reports whether nothing says how kernels without a program are run: no flag, no
// comment, and there is no main.
func (r Request) IsOpen(prog *parser.Program) bool {
	if r.Launch != "" || r.Comments || hasMain(prog) {
		return false
	}
	specs, err := Comments(prog)
	return err == nil && len(specs) == 0
}

// AttachChosen gives a program a main for runs that were chosen, which makes those whose numbers are its arguments.
func AttachChosen(prog *parser.Program, specs []*Spec) (*parser.Program, error) {
	return AttachWith(prog, specs, StandIns, Numbered)
}

// PlainNames drops the template arguments of kernels' names: k<float> names a run, and k the template.
func PlainNames(kernels []string) (out []string) {
	for _, k := range kernels {
		name, _, _ := strings.Cut(k, "<")
		out = append(out, strings.TrimSpace(name))
	}
	return out
}
