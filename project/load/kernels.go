package load

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// Selection is the kernels of a program that were named, all where none was.
type Selection struct {
	Program *parser.Program
	Options parser.Options // under which the program as a whole was read
	Kernels []*analysis.Kernel
}

// Kernels loads files and analyses the kernels that opt selects. Where no file can be
// read the error is diag.ErrReported.
func Kernels(c *console.Console, args []string, in Options, opt rewrite.Options) (*Selection, error) {
	prog, whole, err := Files(c, args, in)
	if err != nil {
		return nil, err
	}
	if len(prog.Files) == 0 {
		return nil, diag.ErrReported
	}
	if err := CheckKernels(prog, opt.Kernels); err != nil {
		return nil, err
	}
	RemarkOnIncluded(c, prog)
	sel := &Selection{Program: prog, Options: whole}
	for _, k := range analysis.NewProgram(prog, opt.Block).Kernels() {
		if rewrite.Matches(opt.Kernels, k.Name) {
			sel.Kernels = append(sel.Kernels, k)
		}
	}
	return sel, nil
}

// CheckKernels refuses a --kernel that matches no kernel of the program:
// it is a typing error more often than not.
func CheckKernels(prog *parser.Program, patterns []string) error {
	return checkNames(kernelNames(prog), patterns)
}

// checkNames is CheckKernels for kernels of these names.
func checkNames(names, patterns []string) error {
	for _, pattern := range patterns {
		matches := func(name string) bool {
			ok, _ := path.Match(pattern, name) // Options.Check has checked it
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

// RemarkOnIncluded prints which files to name where those that were named hold no kernel,
// and files that they include do: what is only included is not looked at for its own
// sake.
func RemarkOnIncluded(c *console.Console, prog *parser.Program) {
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
	c.Remark("the kernels are in included files, which are looked at where they are named, too: %s%s", strings.Join(included, ", "), more)
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
