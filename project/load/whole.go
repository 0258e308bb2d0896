package load

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
)

// Twice returns what two of several files define, so that they can't be one program: main, a
// kernel, or another function that other files can call. It is "" where they can, and where one
// includes all others, or one alone has a main and calls what each other defines.
func Twice(files []string, opt Options) string {
	if len(files) < 2 {
		return ""
	}
	facts := factsOf(files, opt)
	includesOthers := func(included []string) bool {
		n := 0
		for _, f := range files {
			if slices.Contains(included, project.Absolute(f)) {
				n++
			}
		}
		return n == len(files)-1
	}
	if oneMain(files, facts) || slices.ContainsFunc(included(facts, len(files)), includesOthers) {
		return ""
	}
	all, mains := make([][]string, len(files)), 0
	for i, name := range files {
		if all[i] = definitions(name, opt); slices.Contains(all[i], "main") {
			mains++
		}
	}
	seen := map[string]int{}
	for i := range files {
		for _, defined := range all[i] {
			defined, own := strings.CutPrefix(defined, ownKernel)
			if own && mains == 1 {
				continue
			}
			if first, ok := seen[defined]; ok && first != i {
				return defined
			}
			seen[defined] = i
		}
	}
	return ""
}

// ownKernel stands before the name of a kernel that other files may define, too: a static one, or one of a namespace.
const ownKernel = "static "

// definitions are the kernels that a file defines, and the functions of the host that other
// files may call, with the types of their parameters.
func definitions(name string, opt Options) (out []string) {
	how, _ := opt.reading() // which fails on a compilation database alone
	names := []string{name}
	if how.python {
		names = withSourcesOfPython(names)
	}
	for _, name := range names {
		src, err := ReadSource(name)
		if err != nil {
			continue
		}
		if how.python && isPython(name) {
			src = CUDAInPython(src)
		}
		file, err := parser.Parse(name, src, how.options(name))
		if err != nil {
			continue
		}
		for _, fn := range file.Functions {
			switch {
			case fn.Body == nil || fn.Class != "":
			case fn.IsKernel() && (fn.Quals&parser.QualStatic != 0 || fn.Node.Ancestor(parser.KindNamespaceDefinition) != nil):
				out = append(out, ownKernel+fn.Name)
			case fn.IsKernel() || fn.Name == "main":
				out = append(out, fn.Name)
			case !fn.IsDevice() && fn.Quals&parser.QualStatic == 0 && !fn.IsTemplate && !fn.Specialization:
				out = append(out, fn.Name+"("+strings.Join(types(file, fn), ", ")+")")
			}
		}
	}
	return out
}

// types are the types of a function's parameters, as they are written.
func types(file *parser.File, fn *parser.Function) []string {
	return lists.Map(fn.Params, func(p parser.Param) string { return strings.TrimSpace(strings.TrimSuffix(file.Text(p.Node), p.Name)) })
}

// oneMain reports whether one file alone has a main, which calls functions that each other
// file defines, and no two define the same kernel.
func oneMain(files []string, facts []project.Facts) bool {
	main := -1
	texts := make([][]byte, len(files))
	defined := map[string]bool{}
	for i, f := range files {
		var err error
		if texts[i], err = os.ReadFile(f); err != nil || i >= len(facts) {
			return false
		}
		if mainFunction.Match(texts[i]) {
			if main >= 0 {
				return false
			}
			main = i
		}
		for _, k := range facts[i].Kernels {
			if k.Defined && defined[k.Name] {
				return false
			}
			defined[k.Name] = defined[k.Name] || k.Defined
		}
	}
	if main < 0 {
		return false
	}
	called := project.Called(map[string]bool{}, texts[main])
	for i, text := range texts {
		if i == main {
			continue
		}
		uses := false
		for name := range project.Defined(map[string]bool{}, text) {
			uses = uses || called[name]
		}
		if !uses {
			return false
		}
	}
	return true
}

var mainFunction = regexp.MustCompile(`\bmain\s*\(`)

// factsOf are those of files as they are compiled, none where they can't be read.
func factsOf(files []string, opt Options) []project.Facts {
	opt.CompileCommands = ""
	how, _ := opt.reading() // which fails on a compilation database alone
	facts, err := project.Read(files, project.Reading{
		Options: how.options,
		Each: func(n int, f func(i int)) error {
			return parallel.Each(context.Background(), n, 1, func(i int) error { f(i); return nil })
		},
	})
	if err != nil {
		return nil
	}
	return facts
}

// included are, for each of n files, those that it includes, directly or not, by absolute path.
func included(facts []project.Facts, n int) [][]string {
	out := make([][]string, n)
	for i, f := range facts {
		out[i] = f.Includes
	}
	return out
}

var mainOrBench = regexp.MustCompile(`\bmain\s*\(|smux:bench`)

// Runner returns the file that runs a file which can't run by itself: the one beside it that has a main and includes
// it. It is "" where there is none or more than one, or where the file has a main or "smux:bench" comments.
func Runner(file string, opt Options) string {
	text, err := os.ReadFile(file)
	if err != nil || mainOrBench.Match(text) {
		return ""
	}
	beside, _ := filepath.Glob(filepath.Join(globMark.ReplaceAllString(filepath.Dir(file), `\$0`), "*.cu"))
	beside = slices.DeleteFunc(beside, func(name string) bool {
		text, err := os.ReadFile(name)
		return err != nil || !bytes.Contains(text, []byte("main")) || !bytes.Contains(text, []byte(filepath.Base(file)))
	})
	runner := ""
	for i, included := range included(factsOf(beside, opt), len(beside)) {
		switch {
		case !slices.Contains(included, project.Absolute(file)):
		case runner != "":
			return ""
		default:
			runner = beside[i]
		}
	}
	return runner
}

var globMark = regexp.MustCompile(`[*?\[\\]`)
