package parser

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestCorpus parses every CUDA file below $SMUX_CORPUS and prints how much of
// it is usable: what to look at when the overlay changes. With
// SMUX_CORPUS_VERBOSE=1 it names each fault.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("SMUX_CORPUS")
	if dir == "" {
		t.Skip("SMUX_CORPUS names no folder")
	}
	c := corpusCount{t: t, verbose: os.Getenv("SMUX_CORPUS_VERBOSE") != ""}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err == nil && d.Type().IsRegular() && (ext == ".cu" || ext == ".cuh") {
			c.file(path)
		}
		return nil
	})
	require.NoError(t, err)
	c.report()
}

type corpusCount struct {
	t                     *testing.T
	verbose               bool
	files, clean, refused int
	bytes                 int
	kernels, usable       int
	launches, badLaunches int
	fixes                 map[string]int
	took                  time.Duration
	slowest               time.Duration
	slowestFile           string
}

func (c *corpusCount) file(path string) {
	src, err := os.ReadFile(path)
	require.NoError(c.t, err)
	start := time.Now()
	f, err := Parse(path, src, Options{IncludeDirs: strings.Split(os.Getenv("SMUX_CORPUS_INCLUDE"), ":")})
	took := time.Since(start)
	c.took += took
	c.files++
	c.bytes += len(src)
	if took > c.slowest {
		c.slowest, c.slowestFile = took, path
	}
	if err != nil {
		var input *InputError
		require.True(c.t, errors.As(err, &input), "%s: %v", path, err)
		c.refused++
		c.t.Logf("refused: %v", err)
		return
	}
	checkTree(c.t, f)
	if len(f.Errors) == 0 {
		c.clean++
	} else if c.verbose {
		for _, n := range f.Errors {
			text := f.Text(n)
			c.t.Logf("%s: %v %.60q", f.Position(int(n.Start)), n.Flags&FlagMissing != 0, text)
		}
	}
	for _, fn := range f.Functions {
		if fn.IsKernel() {
			c.kernels++
			if fn.Error == nil {
				c.usable++
			} else {
				c.t.Logf("%s: kernel %s has a fault at %s", f.Position(fn.Start), fn.Name, f.Position(int(fn.Error.Start)))
			}
		}
	}
	for _, l := range f.Lost {
		c.kernels++
		c.t.Logf("%s: kernel %q is lost", f.Position(l.Mark.Start), l.Name)
	}
	for _, l := range f.Launches {
		c.launches++
		if l.Error != nil {
			c.badLaunches++
			c.t.Logf("%s: launch of %q has a fault: %.80q", f.Position(l.Open), l.Kernel, f.Text(l.Error))
		}
	}
	if c.fixes == nil {
		c.fixes = map[string]int{}
	}
	for _, m := range f.Marks {
		if m.Kind == MarkFix {
			c.fixes[m.Name]++
			if c.verbose {
				c.t.Logf("%s: %s %.70q", f.Position(m.Start), m.Name, src[m.Start:m.End])
			}
		}
	}
}

func (c *corpusCount) report() {
	percent := func(a, b int) float64 { return 100 * float64(a) / float64(max(1, b)) }
	c.t.Logf("%d files, %d bytes, %d refused, %d clean (%.1f %%)", c.files, c.bytes, c.refused, c.clean, percent(c.clean, c.files))
	c.t.Logf("%d kernels, %d usable (%.1f %%)", c.kernels, c.usable, percent(c.usable, c.kernels))
	c.t.Logf("%d launches, %d with a fault", c.launches, c.badLaunches)
	names := make([]string, 0, len(c.fixes))
	for name := range c.fixes {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		c.t.Logf("fix %s: %d", name, c.fixes[name])
	}
	c.t.Logf("took %v, slowest %v: %s", c.took, c.slowest, c.slowestFile)
}

// checkTree requires what every tree promises: ranges inside the text, children
// nested in their parents and in order, links that agree.
func checkTree(t *testing.T, f *File) {
	t.Helper()
	require.LessOrEqual(t, int(f.Root.End), len(f.Src))
	f.Root.Walk(func(n *Node) bool {
		at := n.Start
		for c := n.First; c != nil; c = c.Next {
			if c.Parent != n || c.Start < at || c.End < c.Start || c.End > n.End {
				t.Fatalf("%s: child %v [%d,%d) of %v [%d,%d)", f.Name, c.Kind, c.Start, c.End, n.Kind, n.Start, n.End)
			}
			at = c.End
		}
		return true
	})
}
