package instrument

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/translate"
)

// engine builds programs for the CPU.
func engine(t *testing.T) *build.Toolchain {
	t.Helper()
	c, err := build.Find("")
	if err != nil {
		t.Skip("there is no C++ compiler")
	}
	toolchain, err := build.Open(c, "")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, toolchain.Close()) })
	return toolchain
}

// parsed is the program of texts by name; those that end in .cu are compiled.
func parsed(t *testing.T, texts map[string][]byte) *parser.Program {
	t.Helper()
	var names []string
	for name := range texts {
		if filepath.Ext(name) == ".cu" {
			names = append(names, name)
		}
	}
	prog, errs := parser.LoadProgram(names, parser.Options{ReadFile: func(name string) ([]byte, error) {
		if text, ok := texts[name]; ok {
			return text, nil
		}
		return nil, os.ErrNotExist
	}})
	require.Empty(t, errs)
	return prog
}

// kernelIn is the kernel of a name.
func kernelIn(t *testing.T, p *parser.Program, name string) *analysis.Kernel {
	t.Helper()
	for _, k := range passes.NewProgram(p, [3]int{}).Kernels() {
		if k.Name == name {
			return k
		}
	}
	require.Fail(t, "no such kernel", name)
	return nil
}

// with is the texts with some of them changed.
func with(texts, changed map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for name, text := range texts {
		out[name] = text
	}
	for name, text := range changed {
		out[name] = text
	}
	return out
}

// timed is the texts with the launches of a kernel timed.
func timed(t *testing.T, texts map[string][]byte, kernel string) map[string][]byte {
	t.Helper()
	changed, err := Launches(kernelIn(t, parsed(t, texts), kernel))
	require.NoError(t, err)
	return with(texts, changed)
}

// compiled is a program for the CPU.
func compiled(t *testing.T, toolchain *build.Toolchain, texts map[string][]byte) *build.Program {
	t.Helper()
	p, dir := parsed(t, texts), t.TempDir()
	var units []*translate.Unit
	for i, f := range p.Files {
		u, err := translate.Translate(f, p.Headers, translate.Options{Dir: filepath.Join(dir, fmt.Sprint(i)), Parse: parser.Options{ReadFile: func(name string) ([]byte, error) {
			if text, ok := texts[name]; ok {
				return text, nil
			}
			return nil, os.ErrNotExist
		}}})
		require.NoError(t, err)
		units = append(units, u)
	}
	program, err := toolchain.Build(t.Context(), build.Request{Units: units, Dir: dir})
	require.NoError(t, err)
	return program
}

// outcome holds what one run gave.
type outcome struct {
	stdout string
	exit   int
	Run
	err    error  // of reading the launches
	copies []byte // the log
}

// run runs a program with an environment of NAME=VALUE, to which the files of the
// logs are added.
func run(t *testing.T, p *build.Program, env []string, args ...string) outcome {
	t.Helper()
	dir := t.TempDir()
	launches, copies := filepath.Join(dir, "launches"), filepath.Join(dir, "copies")
	env = append([]string{EnvOut + "=" + launches, EnvCopies + "=" + copies}, env...)
	o := outcome{}
	o.stdout, o.exit = execution(t, p, env, args)
	o.Run, o.err = ReadLaunches(launches)
	o.copies, _ = os.ReadFile(copies)
	return o
}

// plain runs a program with that environment alone, and returns its output.
func plain(t *testing.T, p *build.Program, env []string, args ...string) string {
	t.Helper()
	stdout, exit := execution(t, p, env, args)
	require.Zero(t, exit, stdout)
	return stdout
}

func execution(t *testing.T, p *build.Program, env, args []string) (stdout string, exit int) {
	t.Helper()
	result, err := execute.Run(t.Context(), p, execute.Options{Env: env, Args: args, Timeout: time.Minute, Schedule: execute.Schedule{Kind: "ascending"}})
	require.NoError(t, err)
	require.Empty(t, result.Report, string(result.Stderr))
	require.False(t, result.TimedOut)
	return string(result.Stdout), result.Exit
}

// difference says how two copy logs differ, and what of them is equal.
func difference(t *testing.T, got, want []byte) (string, verify.Compared) {
	t.Helper()
	d, equal, err := verify.CompareCopies(bytes.NewReader(got), bytes.NewReader(want), verify.Tolerance{})
	require.NoError(t, err)
	if d == nil {
		return "", equal
	}
	return d.String(), equal
}
