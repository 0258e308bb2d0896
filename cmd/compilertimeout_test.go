//go:build unix

package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/nvcc"
)

// TestACompilerThatDoesNotEndIsAskedOnce: not for the instructions of each line and
// then for the registers, and not about each rewrite.
func TestACompilerThatDoesNotEndIsAskedOnce(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	tool, asked := filepath.Join(dir, "nvcc"), filepath.Join(dir, "asked")
	require.NoError(t, os.WriteFile(tool, []byte(`#!/bin/sh
case $1 in
--version) echo "Cuda compilation tools, release 11.8, V11.8.0"; exit 0 ;;
--list-gpu-code) echo sm_80; exit 0 ;;
esac
echo >>`+asked+`
exec sleep 60
`), 0o777))
	src := "__global__ void k(float *a) {\n  __shared__ float s[8000];\n  s[threadIdx.x] = a[threadIdx.x];\n  __syncthreads();\n  a[threadIdx.x] = s[63 - threadIdx.x];\n}\nvoid f(float *a) { k<<<1000, 64>>>(a); }\n"
	for _, args := range [][]string{{}, {"--variant", "vtb"}} {
		var times []byte
		for timeout := 300 * time.Millisecond; len(times) == 0 && timeout < time.Minute; timeout *= 4 {
			var stdout, stderr bytes.Buffer
			s := newSession(strings.NewReader(src), &stdout, &stderr)
			s.findNVCC = func() (*nvcc.Toolkit, error) {
				toolkit := nvcc.At(tool)
				toolkit.Timeout = timeout
				return toolkit, nil
			}
			code := s.main(append([]string{"rewrite", "-d", "--gpu", "a100", "-"}, args...))
			assert.Less(t, code, diag.ExitUsage, stderr.String())
			assert.Contains(t, stderr.String(), fmt.Sprintf("did not end within %v", timeout))
			assert.NotContains(t, stderr.String(), "rewritten text")
			times, _ = os.ReadFile(asked) // none where the machine had other work
			_ = os.Remove(asked)
		}
		assert.Equal(t, "\n", string(times), "%q: how often it was asked", args)
	}
}
