package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project"
)

// isWhole reports whether one of several files includes all others: then they are
// one program, and not programs to compare.
func (s *session) isWhole(files []string, in inputFlags) bool {
	if len(files) < 2 || slices.Contains(files, "-") {
		return false
	}
	return slices.ContainsFunc(s.includedBy(files, in), func(included []string) bool {
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
func (s *session) includedBy(files []string, in inputFlags) [][]string {
	build := project.NewBuildFiles()
	facts, err := project.Read(files, project.Reading{
		Options: func(name string) parser.Options {
			return withBuildFolders(build, name, parser.Options{IncludeDirs: in.includes, Defines: in.defines})
		},
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

// programOf are the files of the program that a file belongs to. One that can't
// run by itself is run by the file beside it that has a main and includes it, where
// there is just one.
func (s *session) programOf(file string, in inputFlags, b benchFlags) []string {
	alone := []string{file}
	text, err := os.ReadFile(file)
	if err != nil || b.launch != "" || b.comments || mainOrBench.Match(text) {
		return alone
	}
	beside, _ := filepath.Glob(filepath.Join(escapedGlob(filepath.Dir(file)), "*.cu"))
	beside = slices.DeleteFunc(beside, func(name string) bool {
		text, err := os.ReadFile(name)
		return err != nil || !bytes.Contains(text, []byte("main")) || !bytes.Contains(text, []byte(filepath.Base(file)))
	})
	var by []string
	for i, included := range s.includedBy(beside, in) {
		if slices.Contains(included, absolute(file)) {
			by = append(by, beside[i])
		}
	}
	if len(by) != 1 {
		return alone
	}
	s.Remark("%s is run by %s, which includes it", file, by[0])
	return []string{by[0], file}
}

var globMark = regexp.MustCompile(`[*?\[\\]`)

// escapedGlob is a path as a pattern that matches nothing else.
func escapedGlob(path string) string { return globMark.ReplaceAllString(path, `\$0`) }
