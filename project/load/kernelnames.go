package load

import (
	"context"
	"os"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
)

// mostNamed is the bytes of a file that is read for the names in it alone.
const mostNamed = 4 << 20

// KernelNames returns the names of the kernels in files and below folders, each once, as
// far as they are found before the context ends. What can't be read has none, and there
// are no messages.
func KernelNames(ctx context.Context, args []string) []string {
	w := treeWalk{ctx: ctx}
	w.find(args)
	files := w.named
	if len(w.roots) > 0 {
		found, _ := project.Walk(ctx, w.roots, project.Options{})
		files = append(files, found...)
	}
	var out []string
	for _, file := range files {
		if ctx.Err() != nil {
			break
		}
		// A defect in the parser is not what the person asked about.
		_ = diag.Guard(func() error {
			for _, name := range kernelsIn(file) {
				if !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
			return nil
		})
	}
	return out
}

// kernelsIn returns the names of a file's kernels.
func kernelsIn(file string) []string {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostNamed {
		return nil
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	f, err := parser.Parse(file, src, parser.Options{})
	if err != nil {
		return nil
	}
	return kernelNames(&parser.Program{Files: []*parser.File{f}})
}
