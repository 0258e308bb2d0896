//go:build linux

package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/nvcc"
)

// TestACompilerThatNeedsTooMuchMemoryIsStopped: the file's kernels go on with an
// estimate, and those of the other file with what the compiler says.
func TestACompilerThatNeedsTooMuchMemoryIsStopped(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	tool := filepath.Join(dir, "nvcc")
	require.NoError(t, os.WriteFile(tool, []byte(`#!/bin/sh
case $1 in
--version) echo "Cuda compilation tools, release 11.8, V11.8.0"; exit 0 ;;
--list-gpu-code) echo sm_80; exit 0 ;;
esac
for unit; do :; done
case $unit in
*huge.cu) sleep 0.3; head -c 300M /dev/zero | tail -c 300M >/dev/null; exit 1 ;;
esac
echo "ptxas info    : Compiling entry function 'small' for 'sm_80'"
echo "ptxas info    : Used 77 registers, 1024 bytes smem"
`), 0o777))
	for _, name := range []string{"huge", "small"} {
		src := fmt.Sprintf("extern \"C\" __global__ void %s(float *a) {\n  __shared__ float s[256];\n  s[threadIdx.x] = a[threadIdx.x];\n  __syncthreads();\n  a[threadIdx.x] = s[255 - threadIdx.x];\n}\nvoid of_%[1]s(float *a) { %[1]s<<<1000, 256>>>(a); }\n", name)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".cu"), []byte(src), 0o666))
	}
	t.Chdir(dir)
	run := func(args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		s := newSession(strings.NewReader(""), &stdout, &stderr)
		s.findNVCC = func() (*nvcc.Toolkit, error) {
			toolkit := nvcc.At(tool)
			toolkit.Memory = 100 << 20
			return toolkit, nil
		}
		return s.main(append([]string{"analyze", "-v", "--gpu", "a100", "huge.cu", "small.cu"}, args...)), stdout.String(), stderr.String()
	}
	code, out, errs := run()
	assert.Equal(t, diag.ExitOK, code, errs)
	assert.Contains(t, errs, "huge.cu: nvcc-refused: the compiler can't finish: it needs more than the 0.105 GB of memory that it may have here; registers are estimated\n")
	assert.Equal(t, 1, strings.Count(errs, "    help: smux gives a compiler half of the machine's memory"), errs)
	assert.NotContains(t, errs, "small.cu: nvcc-refused")
	assert.Equal(t, 1, strings.Count(out, "77 registers"), out)

	code, _, errs = run("--resources", "nvcc")
	assert.Equal(t, diag.ExitUsage, code)
	assert.Contains(t, errs, "huge.cu: nvcc-refused: the compiler can't finish: ")
}
