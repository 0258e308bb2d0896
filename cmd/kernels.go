package cmd

import (
	"path"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// checkKernelNames refuses a --kernel that matches no kernel of the program:
// it is a typing error more often than not.
func checkKernelNames(prog *parser.Program, patterns []string) error {
	if len(patterns) == 0 {
		return nil
	}
	names := kernelNames(prog)
	for _, pattern := range patterns {
		matches := func(name string) bool {
			ok, _ := path.Match(pattern, name) // inputFlags.check has checked it
			return ok
		}
		if slices.ContainsFunc(names, matches) {
			continue
		}
		if len(names) == 0 {
			return usagef("a kernel is a function marked __global__", "--kernel %q: the files hold no kernel", pattern)
		}
		return usagef(didYouMean(pattern, names, "the kernels are"), "--kernel %q is not a kernel of these files", pattern)
	}
	return nil
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
