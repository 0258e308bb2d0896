package load

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
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
	RemarkOnUnread(c, prog)
	return Select(prog, whole, opt), nil
}

// Select analyses the kernels of a program that opt selects.
func Select(prog *parser.Program, whole parser.Options, opt rewrite.Options) *Selection {
	sel := &Selection{Program: prog, Options: whole}
	for _, k := range passes.NewProgram(prog, opt.Block).Kernels() {
		if rewrite.Matches(opt.Kernels, k.Name) {
			sel.Kernels = append(sel.Kernels, k)
		}
	}
	return sel
}

// CheckKernels refuses a --kernel that matches no kernel of the program: it is a typing error more often than not.
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

// RemarkOnUnread prints where kernels are that are not looked at: in files that those which
// were named include, and in strings that a program compiles when it runs.
func RemarkOnUnread(c *console.Console, prog *parser.Program) {
	if text := IncludedKernels(prog); text != "" {
		c.Remark("%s", text)
	}
	remarkOnStrings(c, prog)
}

// noneParsed reports whether files hold kernels and not one of them can be parsed.
func noneParsed(prog *parser.Program) bool {
	kernels, parsed := 0, 0
	for _, f := range prog.Files {
		kernels += kernelsOf(f)
		for _, fn := range f.Functions {
			if fn.IsKernel() && fn.Body != nil && fn.Error == nil {
				parsed++
			}
		}
	}
	return kernels > 0 && parsed == 0
}

// mostListed is the number of files or places that a remark names.
const mostListed = 3

// IncludedKernels says which files to name so that the kernels in them are looked at, ""
// where there are none: what is only included is not looked at for its own sake. Where the
// files that were named hold kernels, those that they include as <…> are libraries'.
func IncludedKernels(prog *parser.Program) string {
	libraries := slices.ContainsFunc(prog.Files, func(f *parser.File) bool { return kernelsOf(f) > 0 })
	own := map[string]bool{}
	for _, f := range prog.All() {
		for _, inc := range f.Includes {
			own[inc.File] = own[inc.File] || !inc.System
		}
	}
	var included []string
	kernels := 0
	for path, f := range prog.Headers {
		if n := kernelsOf(f); n > 0 && (own[path] || !libraries) {
			kernels += n
			included = append(included, f.Name+" has "+prose.Count(n, "kernel"))
		}
	}
	if len(included) == 0 {
		return ""
	}
	slices.Sort(included)
	it, them := "it", "it"
	if len(included) > 1 {
		it = "them"
	}
	if kernels > 1 {
		them = "them"
	}
	if n := len(included) - mostListed; n > 0 {
		included = append(included[:mostListed], fmt.Sprintf("%d more files have some", n))
	}
	return fmt.Sprintf("%s; name %s to have %s read", strings.Join(included, ", "), it, them)
}

// kernelsOf counts the kernels that a file defines.
func kernelsOf(f *parser.File) int {
	n := len(f.Lost)
	for _, fn := range f.Functions {
		if fn.IsKernel() && fn.Body != nil {
			n++
		}
	}
	return n
}

// remarkOnStrings prints where strings hold kernels, as those do that NVRTC compiles.
func remarkOnStrings(c *console.Console, prog *parser.Program) {
	kernels, places := 0, []string{}
	for _, f := range prog.Files {
		for _, s := range f.StringKernels() {
			kernels += s.Kernels
			places = append(places, f.Position(s.Start).String())
		}
	}
	if len(places) == 0 {
		return
	}
	if n := len(places) - mostListed; n > 0 {
		places = append(places[:mostListed], fmt.Sprintf("%d more places", n))
	}
	c.Remark("%s in strings, which are compiled when the program runs: smux does not read them (%s)", prose.Count(kernels, "kernel"), strings.Join(places, ", "))
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

// mostNamed is the bytes of a file that is read for the names in it alone.
const mostNamed = 4 << 20

// KernelNames returns the names of the kernels in files and below folders, each once, as far as they are found before
// the context ends. What can't be read has none, and there are no messages.
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
			out = lists.Add(out, kernelsIn(file)...)
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
