package cmd

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/rewrite"
)

// run starts smux with the fake rewriter on a pretended terminal or none.
func run(t *testing.T, terminal bool, env map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	s := newSession(strings.NewReader(""), &out, &errs)
	s.IsTerminal = func(any) bool { return terminal }
	s.Getenv = func(name string) string { return env[name] }
	s.rewrite = fakeRewrite
	s.nvidiaSMI, s.findNVCC = fakeNVIDIASMI, noNVCC
	code = s.main(args)
	return code, out.String(), errs.String()
}

// noNVCC is a machine without a CUDA toolkit.
func noNVCC() (*nvcc.Toolkit, error) {
	return nil, &nvcc.MissingError{Tool: "nvcc", Help: "put nvcc of the CUDA toolkit on PATH"}
}

func TestColourOnlyOnATerminalThatWantsIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.cu")
	require.NoError(t, os.WriteFile(file, []byte("__global__ void first() {}\n__global__ void keep() {}\n"), 0o666))
	for _, tt := range []struct {
		name     string
		terminal bool
		env      map[string]string
		want     bool
	}{
		{"terminal", true, nil, true},
		{"empty NO_COLOR counts as unset", true, map[string]string{"NO_COLOR": ""}, true},
		{"NO_COLOR", true, map[string]string{"NO_COLOR": "1"}, false},
		{"dumb terminal", true, map[string]string{"TERM": "dumb"}, false},
		{"no terminal", false, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := run(t, tt.terminal, tt.env, "rewrite", "-d", file)
			require.Equal(t, diag.ExitDiffers, code, stderr)
			require.Equal(t, tt.want, strings.Contains(stdout, "\x1b[31m-__global__"), stdout)
			require.Equal(t, tt.want, strings.Contains(stderr, "\x1b[31mtest-refusal:"), stderr)
			if !tt.want {
				require.NotContains(t, stdout+stderr, "\x1b")
			}
		})
	}
}

// The rewritten file itself is never coloured: it may be redirected by hand.
func TestSourceIsNeverColoured(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.cu")
	require.NoError(t, os.WriteFile(file, []byte("__global__ void first() {}\n"), 0o666))
	code, stdout, _ := run(t, true, nil, "rewrite", file)
	require.Equal(t, diag.ExitOK, code)
	require.Equal(t, "__global__ void first_vtb() {}\n", stdout)
}

func TestNoFilesAtATerminalIsAUsageError(t *testing.T) {
	code, stdout, stderr := run(t, true, map[string]string{"NO_COLOR": "1"}, "rewrite")
	require.Equal(t, diag.ExitUsage, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "smux: no files")
}

func TestRewriterErrorIsInternal(t *testing.T) {
	var errs bytes.Buffer
	s := newSession(strings.NewReader("int x;\n"), io.Discard, &errs)
	s.rewrite = func(*analysis.Program, rewrite.Options) (*rewrite.Result, error) {
		return nil, errors.New("edits overlap")
	}
	require.Equal(t, diag.ExitInternal, s.main([]string{"rewrite", "-"}))
	require.Contains(t, errs.String(), "smux: rewriting: edits overlap")
}

func TestOptionsReachTheRewriter(t *testing.T) {
	var got rewrite.Options
	s := newSession(strings.NewReader("__global__ void k() {}\n"), io.Discard, io.Discard)
	s.rewrite = func(_ *analysis.Program, opt rewrite.Options) (*rewrite.Result, error) {
		got = opt
		return &rewrite.Result{}, nil
	}
	code := s.main([]string{"rewrite", "--variant=vtb", "--factor=4", "--sync=named", "--kernel=k", "--kernel=?",
		"--block=8,4", "--runtime=header", "-"})
	require.Equal(t, diag.ExitOK, code)
	require.Equal(t, rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb", Factor: 4, Sync: "named"}, Kernels: []string{"k", "?"},
		Block: [3]int{8, 4, 1}, Runtime: "header"}, got)
}

func TestFailingStdinIsAnIOError(t *testing.T) {
	var errs bytes.Buffer
	s := newSession(io.MultiReader(strings.NewReader("int"), failingReader{}), io.Discard, &errs)
	require.Equal(t, diag.ExitInternal, s.main([]string{"rewrite", "-"}))
	require.Contains(t, errs.String(), "smux: reading standard input: the disk burns")
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("the disk burns") }

func TestMainPrintsItsVersion(t *testing.T) {
	var out bytes.Buffer
	require.Equal(t, diag.ExitOK, Main([]string{"version"}, strings.NewReader(""), &out, io.Discard))
	require.True(t, strings.HasPrefix(out.String(), "smux "), out.String())
}
