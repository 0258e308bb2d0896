package cmd

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

// selectedKernels is the kernels of a program that --kernel picks.
type selectedKernels struct {
	parsed  *parser.Program
	parse   parser.Options
	kernels []*analysis.Kernel
	lost    []report.Unknown // those that could not be parsed
}

// selectKernels loads files and analyses the kernels that are asked for. Where no
// file can be read the error is errReported.
func (s *session) selectKernels(args []string, in inputFlags, opt rewrite.Options) (*selectedKernels, error) {
	parsed, parse, err := s.load(args, in)
	if err != nil {
		return nil, err
	}
	if len(parsed.Files) == 0 {
		return nil, diag.ErrReported
	}
	if err := checkKernelNames(parsed, opt.Kernels); err != nil {
		return nil, err
	}
	s.remarkOnIncluded(parsed)
	wants := func(name string) bool { return rewrite.Matches(opt.Kernels, name) }
	sel := &selectedKernels{parsed: parsed, parse: parse, lost: report.Unparsed(parsed, wants)}
	for _, k := range analysis.NewProgram(parsed, opt.Block).Kernels() {
		if wants(k.Name) {
			sel.kernels = append(sel.kernels, k)
		}
	}
	return sel, nil
}

// checkKernelNames refuses a --kernel that matches no kernel of the program:
// it is a typing error more often than not.
func checkKernelNames(prog *parser.Program, patterns []string) error {
	return checkNames(kernelNames(prog), patterns)
}

// checkNames is checkKernelNames for kernels of these names.
func checkNames(names, patterns []string) error {
	for _, pattern := range patterns {
		matches := func(name string) bool {
			ok, _ := path.Match(pattern, name) // inputFlags.check has checked it
			return ok
		}
		if slices.ContainsFunc(names, matches) {
			continue
		}
		if len(names) == 0 {
			return diag.Usagef("a kernel is a function marked __global__", "--kernel %q: the files hold no kernel", pattern)
		}
		return diag.Usagef(diag.DidYouMean(pattern, names, "the kernels are"), "--kernel %q is not a kernel of these files", pattern)
	}
	return nil
}

// remarkOnIncluded says which files to name where those that were named hold no kernel,
// and files that they include do: what is only included is not looked at for its own
// sake.
func (s *session) remarkOnIncluded(prog *parser.Program) {
	hasKernel := func(f *parser.File) bool {
		return len(f.Lost) > 0 || slices.ContainsFunc(f.Functions, func(f *parser.Function) bool { return f.IsKernel() && f.Body != nil })
	}
	if slices.ContainsFunc(prog.Files, hasKernel) {
		return
	}
	var included []string
	for _, f := range prog.Headers {
		if hasKernel(f) {
			included = append(included, f.Name)
		}
	}
	if len(included) == 0 {
		return
	}
	slices.Sort(included)
	const most = 3
	more := ""
	if n := len(included) - most; n > 0 {
		included, more = included[:most], fmt.Sprintf(" and %d more", n)
	}
	s.Remark("the kernels are in included files, which are looked at where they are named, too: %s%s", strings.Join(included, ", "), more)
}

// kernelNames lists the kernels of a program, each name once, in source order.
func kernelNames(prog *parser.Program) []string {
	var names []string
	for _, file := range prog.Files {
		for _, f := range file.Functions {
			if f.IsKernel() && !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	return names
}
