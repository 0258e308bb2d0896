package cmd

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// doctor runs `smux doctor` on a machine that is made up.
func doctor(t *testing.T, change func(*session)) (code int, out string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("CXX", "")
	var stdout, stderr bytes.Buffer
	s := newSession(strings.NewReader(""), &stdout, &stderr)
	s.IsTerminal = func(any) bool { return false }
	s.findNVCC = noNVCC
	s.nvidiaSMI = func(context.Context, ...string) (string, error) { return "", errNoNVIDIASMI }
	change(s)
	code = s.main([]string{"doctor"})
	require.Empty(t, stderr.String())
	return code, stdout.String()
}

func TestDoctorToldOfOddMachines(t *testing.T) {
	smi := func(out string, err error) func(*session) {
		return func(s *session) {
			s.nvidiaSMI = func(context.Context, ...string) (string, error) { return out, err }
		}
	}
	for _, tt := range []struct {
		name   string
		code   int
		want   string
		change func(*session)
	}{
		{"nothing but smux", diag.ExitOK, "  missing  nvcc      nvcc not found\n", func(*session) {}},
		{"a driver that does not answer", diag.ExitDiffers, "  broken   gpu       nvidia-smi does not answer\n", smi("", errors.New("nvidia-smi does not answer"))},
		{"a driver that says nonsense", diag.ExitDiffers, "  broken   gpu       nvidia-smi: unexpected output: No devices", smi("No devices were found\n", nil)},
		{"escape sequences", diag.ExitDiffers, "\ufffd[31m", smi("\x1b[31mNo devices\n", nil)},
		{"a GPU that is not in the table", diag.ExitOK, "later (sm_90)", smi("NVIDIA Later, 9.0, 1000 MHz, 1024 MiB\n", nil)},
		{"nvcc that can't be run", diag.ExitDiffers, "  broken   nvcc      ", func(s *session) {
			s.findNVCC = func() (*nvcc.Toolkit, error) { return nvcc.At("/nowhere/nvcc"), nil }
		}},
		{"a rewriter with a defect", diag.ExitDiffers, "  broken   smux      internal error: slipped\n", func(s *session) {
			s.rewrite = func(*parser.Program, rewrite.Options) (*rewrite.Result, error) { panic("slipped") }
		}},
		{"a rewriter that does nothing", diag.ExitDiffers, "does not rewrite a small kernel: it is left alone", func(s *session) {
			s.rewrite = func(*parser.Program, rewrite.Options) (*rewrite.Result, error) { return &rewrite.Result{}, nil }
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out := doctor(t, tt.change)
			assert.Equal(t, tt.code, code, out)
			assert.Contains(t, out, tt.want)
			assert.NotContains(t, out, "\x1b")
			assert.Regexp(t, `(smux works|found broken)`, out)
		})
	}
}

// A check that does not end holds nobody up.
func TestDoctorDoesNotWait(t *testing.T) {
	before := doctorPatience
	doctorPatience = 300 * time.Millisecond
	defer func() { doctorPatience = before }()
	end := make(chan struct{})
	defer close(end)
	started := time.Now()
	code, out := doctor(t, func(s *session) {
		s.findNVCC = func() (*nvcc.Toolkit, error) { <-end; return noNVCC() }
	})
	assert.Equal(t, diag.ExitDiffers, code)
	assert.Contains(t, out, "  broken   nvcc      gives no answer within 300ms\n")
	assert.Contains(t, out, "  ok       smux      rewrites a kernel\n")
	assert.Less(t, time.Since(started), 10*time.Second)
}

func TestSizeOfTheCacheIsCounted(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a", "b"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a", "b", "x"), make([]byte, 1_500_000), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "y"), nil, 0o666))
	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "a", "loop")))
	assert.Equal(t, "1.5 MB in 2 files", sizeBelow(context.Background(), dir))
	over, cancel := context.WithCancel(context.Background())
	cancel()
	assert.Equal(t, "0.0 MB in 0 files and more", sizeBelow(over, dir))
}
