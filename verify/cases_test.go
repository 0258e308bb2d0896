package verify_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

var update = flag.Bool("update", false, "write what the code does into the goldens")

const checkDir = "../testdata/check"

// checkCase is one archive of testdata/check: a comment on what it shows,
// with settings at its end, then the program, its runs, and what is expected.
//
//	rtol: 1e-6      a tolerance of the comparison
//	watchdog: 1s    for programs that spin
//	timeout: 3s     for programs that hang
//	board: BYTES    of shared memory that a block of the GPU can have
//	defines: LIST   macros of the command line
//	orders: LIST    default: ascending, descending and random:1, all checked
//
// prog.cu and other .cu files are compiled, headers included, .cpp files
// compiled as they are. other.cu is a program of its own, compared with prog.cu. A
// line of runs is one list of arguments; stdin is what the program reads.
type checkCase struct {
	archive *txtar.Archive
	request verify.Request
}

// TestCases: what `smux check` and `smux verify` find in small programs, right
// and wrong ones, is what these archives expect, and no more.
func TestCases(t *testing.T) {
	needCompiler(t)
	if c, err := build.Find(""); err == nil && c.Kind != build.GCC {
		t.Skip("which of several races is found first is a matter of the code that g++ makes")
	}
	if testing.Short() {
		t.Skip("programs are not compiled with -short")
	}
	paths, err := filepath.Glob(filepath.Join(checkDir, "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 10)
			t.Parallel()
			c := loadCheckCase(t, path)
			verdict, err := verify.Run(context.Background(), c.request)
			require.NoError(t, err)
			for _, f := range verdict.Findings {
				t.Log(f.Variant, f.Severity, f.Message, f.Runs)
			}
			for _, f := range verdict.Failures {
				t.Log(f.Variant, f.Message, f.Output)
			}
			c.expect(t, path, seen(c.request, verdict))
		})
	}
}

func loadCheckCase(t *testing.T, path string) *checkCase {
	archive, err := txtar.ParseFile(path)
	require.NoError(t, err)
	orders := []execute.Schedule{{Kind: "ascending"}, {Kind: "descending"}, {Kind: "random", Seed: 1}}
	c := &checkCase{archive, verify.Request{Schedules: orders, Jobs: 1, Timeout: time.Minute}}
	c.settings(t)
	c.request.CheckedSchedules = c.request.Schedules
	program := &c.request.Original
	for _, f := range archive.Files {
		switch filepath.Ext(f.Name) {
		case ".cu", ".cuh", ".h":
			if f.Name == "other.cu" {
				other := verify.Program{Files: []verify.File{verify.NewFile(f.Name, f.Data)}}
				c.request.Variants = []verify.Variant{{Name: f.Name, Program: other, Separate: true}}
				continue
			}
			program.Files = append(program.Files, verify.NewFile(f.Name, f.Data))
		case ".cpp":
			onDisk := filepath.Join(t.TempDir(), f.Name)
			require.NoError(t, os.WriteFile(onDisk, f.Data, 0o644))
			program.Sources = append(program.Sources, onDisk)
		}
		switch f.Name {
		case "runs":
			for line := range strings.Lines(string(f.Data)) {
				c.request.Args = append(c.request.Args, strings.Fields(line))
			}
		case "stdin":
			c.request.Stdin = f.Data
		}
	}
	return c
}

func (c *checkCase) settings(t *testing.T) {
	for line := range strings.Lines(string(c.archive.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		var err error
		switch key {
		case "rtol":
			c.request.Tolerance.Rel, err = strconv.ParseFloat(value, 64)
		case "atol":
			c.request.Tolerance.Abs, err = strconv.ParseFloat(value, 64)
		case "watchdog":
			c.request.Watchdog, err = time.ParseDuration(value)
		case "timeout":
			c.request.Timeout, err = time.ParseDuration(value)
		case "board":
			c.request.Board = &verify.Board{Name: "board of the test"}
			c.request.Board.Shared, err = strconv.Atoi(value)
		case "defines":
			c.request.Original.Defines = strings.Fields(value)
		case "orders":
			c.request.Schedules = nil
			for _, name := range strings.Split(value, ",") {
				order, err := execute.ParseSchedule(name)
				require.NoError(t, err)
				c.request.Schedules = append(c.request.Schedules, order)
			}
		}
		require.NoError(t, err)
	}
}

// expect compares with the archive's section want, or writes it with -update.
func (c *checkCase) expect(t *testing.T, path, got string) {
	i := slices.IndexFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == "want" })
	require.GreaterOrEqual(t, i, 0, "no section want")
	if *update {
		if !bytes.Equal(c.archive.Files[i].Data, []byte(got)) {
			c.archive.Files[i].Data = []byte(got)
			require.NoError(t, os.WriteFile(path, txtar.Format(c.archive), 0o644))
		}
		return
	}
	assert.Equal(t, string(c.archive.Files[i].Data), got)
}

// seen words a verdict: a line per finding and list of arguments, and one per
// failure.
//
//	[ARGUMENTS: ][FILE:]LINE CODE[ note|inherited]
//
// Without a file it is prog.cu; other.cu stands before what was found there.
func seen(r verify.Request, v *verify.Verdict) string {
	var out strings.Builder
	for _, args := range append([][]string{nil}, r.Args...) {
		prefix := ""
		if len(args) > 0 {
			prefix = strings.Join(args, " ") + ": "
		}
		for _, f := range v.Findings {
			if !slices.ContainsFunc(f.Runs, func(n verify.RunName) bool { return slices.Equal(n.Args, args) }) {
				continue
			}
			fmt.Fprintf(&out, "%s%s %s%s\n", prefix, place(f.Message.Pos.File, f.Message.Pos.Line), f.Message.Code, weight(f.Severity))
		}
	}
	for _, f := range v.Failures {
		fmt.Fprintf(&out, "could not run: %s %s\n", place(f.Message.Pos.File, f.Message.Pos.Line), f.Message.Code)
	}
	return out.String()
}

func place(file string, line int) string {
	if file == "prog.cu" {
		return strconv.Itoa(line)
	}
	return fmt.Sprintf("%s:%d", file, line)
}

func weight(s verify.Severity) string {
	if s == verify.Counts {
		return ""
	}
	return " " + string(s)
}
