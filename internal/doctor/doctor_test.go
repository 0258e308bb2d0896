package doctor

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/rewrite"
)

// diagnosed examines a machine that is made up: one with nothing but smux, changed.
func diagnosed(t *testing.T, change func(*Machine)) (d Diagnosis, text string) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("CXX", "")
	m := Machine{
		Rewrite: rewrite.RunAnalysed, FindNVCC: noNVCC, Getenv: func(string) string { return "" }, ReadFile: os.ReadFile, Patience: Patience,
		NVIDIASMI: func(context.Context, ...string) (string, error) { return "", process.ErrNoDriver },
	}
	change(&m)
	d = Diagnosis{Schema: Schema, Smux: ThisBuild(nil), Checks: m.Examine(context.Background())}
	var out bytes.Buffer
	d.Text(&out)
	return d, out.String()
}

func noNVCC() (*nvcc.Toolkit, error) {
	return nil, &nvcc.MissingError{Tool: "nvcc", Help: "put nvcc of the CUDA toolkit on PATH"}
}

func TestOddMachinesAreToldOf(t *testing.T) {
	smi := func(out string, err error) func(*Machine) {
		return func(m *Machine) {
			m.NVIDIASMI = func(context.Context, ...string) (string, error) { return out, err }
		}
	}
	rewrites := func(f func(*analysis.Program, rewrite.Options) (*rewrite.Result, error)) func(*Machine) {
		return func(m *Machine) { m.Rewrite = f }
	}
	for _, tt := range []struct {
		name   string
		broken int
		want   string
		change func(*Machine)
	}{
		{"nothing but smux", 0, "  missing  nvcc      nvcc not found\n", func(*Machine) {}},
		{"a driver that does not answer", 1, "  broken   gpu       nvidia-smi does not answer\n", smi("", errors.New("nvidia-smi does not answer"))},
		{"a driver that says nonsense", 1, "  broken   gpu       nvidia-smi: unexpected output: No devices", smi("No devices were found\n", nil)},
		{"escape sequences", 1, "\ufffd[31m", smi("\x1b[31mNo devices\n", nil)},
		{"a GPU that is not in the table", 0, "later (sm_90)", smi("NVIDIA Later, 9.0, 1000 MHz, 1024 MiB\n", nil)},
		{"nvcc that can't be run", 1, "  broken   nvcc      ", func(m *Machine) {
			m.FindNVCC = func() (*nvcc.Toolkit, error) { return nvcc.At("/nowhere/nvcc"), nil }
		}},
		{"a rewriter with a defect", 1, "  broken   smux      internal error: slipped\n",
			rewrites(func(*analysis.Program, rewrite.Options) (*rewrite.Result, error) { panic("slipped") })},
		{"a rewriter that does nothing", 1, "does not rewrite a small kernel: it is left alone",
			rewrites(func(*analysis.Program, rewrite.Options) (*rewrite.Result, error) { return &rewrite.Result{}, nil })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, text := diagnosed(t, tt.change)
			assert.Equal(t, tt.broken, d.Count(Broken), text)
			assert.Contains(t, text, tt.want)
			assert.NotContains(t, text, "\x1b")
			assert.Regexp(t, `(smux works|found broken)`, text)
		})
	}
}

func TestACheckThatDoesNotEndHoldsNobodyUp(t *testing.T) {
	end := make(chan struct{})
	defer close(end)
	started := time.Now()
	_, text := diagnosed(t, func(m *Machine) {
		m.Patience = 300 * time.Millisecond
		m.FindNVCC = func() (*nvcc.Toolkit, error) { <-end; return noNVCC() }
	})
	assert.Contains(t, text, "  broken   nvcc      gives no answer within 300ms\n")
	assert.Contains(t, text, "  ok       smux      rewrites a kernel\n")
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
