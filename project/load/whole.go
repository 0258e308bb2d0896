package load

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/project"
)

// IsWhole reports whether one of several files includes all others: then they are
// one program, and not programs to compare.
func IsWhole(files []string, opt Options) bool {
	if len(files) < 2 || slices.Contains(files, "-") {
		return false
	}
	return slices.ContainsFunc(includedBy(files, opt), func(included []string) bool {
		n := 0
		for _, f := range files {
			if slices.Contains(included, absolute(f)) {
				n++
			}
		}
		return n == len(files)-1
	})
}

// includedBy are, for each file, those that it includes, directly or not, by absolute path.
func includedBy(files []string, opt Options) [][]string {
	opt.CompileCommands = ""
	how, _ := opt.reading() // which fails on a compilation database alone
	facts, err := project.Read(files, project.Reading{
		Options: how.options,
		Each: func(n int, f func(i int)) error {
			return parallel.Each(context.Background(), n, 1, func(i int) error { f(i); return nil })
		},
	})
	out := make([][]string, len(files))
	if err != nil {
		return out
	}
	for i, f := range facts {
		out[i] = f.Includes
	}
	return out
}

func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

var mainOrBench = regexp.MustCompile(`\bmain\s*\(|smux:bench`)

// Runner returns the file that runs a file which can't run by itself: the one beside it
// that has a main and includes it. It is "" where there is none or more than one, or
// where the file has a main or "smux:bench" comments.
func Runner(file string, opt Options) string {
	text, err := os.ReadFile(file)
	if err != nil || mainOrBench.Match(text) {
		return ""
	}
	beside, _ := filepath.Glob(filepath.Join(escapedGlob(filepath.Dir(file)), "*.cu"))
	beside = slices.DeleteFunc(beside, func(name string) bool {
		text, err := os.ReadFile(name)
		return err != nil || !bytes.Contains(text, []byte("main")) || !bytes.Contains(text, []byte(filepath.Base(file)))
	})
	runner := ""
	for i, included := range includedBy(beside, opt) {
		switch {
		case !slices.Contains(included, absolute(file)):
		case runner != "":
			return ""
		default:
			runner = beside[i]
		}
	}
	return runner
}

var globMark = regexp.MustCompile(`[*?\[\\]`)

// escapedGlob returns a path as a pattern that matches nothing else.
func escapedGlob(path string) string { return globMark.ReplaceAllString(path, `\$0`) }
