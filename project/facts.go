package project

import (
	"regexp"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// Facts holds the facts of a file by which a tree is parted into programs.
type Facts struct {
	Name     string // as it is shown
	Kernels  []Kernel
	Launches []string // names of kernels, each once
	// Includes are the files that it includes and those that they include, as
	// far as they can be found, as absolute paths.
	Includes []string
	// None says that a header holds nothing of CUDA, so it is not a file of the tree.
	None bool

	// changes says that a merge may have to change the device functions in it: it
	// names a barrier, shared memory or what tells thread blocks apart.
	changes bool
	main    bool // it seems to define main

	abs     string
	outline *parser.Outline
}

// Kernel is a kernel that a file defines or declares.
type Kernel = parser.OutlinedKernel

// of returns the facts that the text of a file gives by itself.
func of(name string, src []byte, global parser.GlobalMacros) Facts {
	if kindOf(name) == header && !parser.MentionsCUDA(src) && !mentions(src, global) {
		return Facts{Name: name, None: true}
	}
	return outlined(name, src, global)
}

// outlined returns what of returns, for a file that is taken whatever is in it.
func outlined(name string, src []byte, global parser.GlobalMacros) Facts {
	o := parser.NewOutline(src, global)
	return Facts{Name: name, Kernels: o.Kernels, Launches: o.Launches, outline: o, changes: changing.Match(src), main: mainFunction.Match(src)}
}

var (
	changing     = regexp.MustCompile(`\b(__syncthreads\w*|__shared__|blockIdx|gridDim|sync)\b`)
	mainFunction = regexp.MustCompile(`(?m)^[\w \t]*\bmain\s*\(`) // in a comment, most often something else stands before it
)

// matters reports whether a file says anything of kernels: one that does not can
// be read with each that includes it.
func (f *Facts) matters() bool { return len(f.Kernels) > 0 || len(f.Launches) > 0 }

// exports reports whether it does so that another file can launch it.
func (f *Facts) exports(kernel string) bool {
	return slices.ContainsFunc(f.Kernels, func(k Kernel) bool { return k.Name == kernel && k.Defined && !k.Internal })
}

// needs returns the kernels that a file launches or declares and does not define.
func (f *Facts) needs() []string {
	var out []string
	add := func(name string) {
		if !slices.ContainsFunc(f.Kernels, func(k Kernel) bool { return k.Name == name && k.Defined }) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, name := range f.Launches {
		add(name)
	}
	for _, k := range f.Kernels {
		add(k.Name)
	}
	return out
}
