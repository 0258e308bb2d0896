package kernelsuite

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/verify/build"
)

// TestHeadsOfFilesAreRead: verdict, launch and macros; blocks that no GPU runs become smaller.
func TestHeadsOfFilesAreRead(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		text        string
		want        expected
		grid, block [3]int64
		defines     []string
	}{
		{"//pass\n//--blockDim=64 --gridDim=[8,2] -DN=4 --no-inline\n", pass, [3]int64{8, 2, 1}, [3]int64{64, 1, 1}, []string{"N=4"}},
		{"// XFAIL:NOT_ALL_VERIFIED\n//--gridDim=1 --blockDim=[64,64]\n", defect, [3]int64{1, 1, 1}, [3]int64{32, 32, 1}, nil},
		{"//xfail:CLANG_ERROR\n", compiler, [3]int64{1, 1, 1}, [3]int64{1, 1, 1}, nil},
		{"//xfail:BUGLE_ERROR\n", none, [3]int64{1, 1, 1}, [3]int64{1, 1, 1}, nil},
	} {
		path := filepath.Join(dir, "kernel.cu")
		require.NoError(t, os.WriteFile(path, []byte(c.text), 0o644))
		got, err := readCase(path)
		require.NoError(t, err)
		assert.Equal(t, []any{c.want, c.grid, c.block, c.defines}, []any{got.want, got.grid, got.block, got.defines}, c.text)
		assert.Equal(t, bytes.Count([]byte(c.text), []byte("\n")), bytes.Count(got.text, []byte("\n")), "lines stay where they are")
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kernel.cu"), []byte("__global__ void k() {}\n"), 0o644))
	_, err := readCase(filepath.Join(dir, "kernel.cu"))
	assert.ErrorContains(t, err, "says no verdict")
}

// TestKernelsAreJudged: one of each outcome, whose annotations choose the value that matters.
func TestKernelsAreJudged(t *testing.T) {
	if _, err := build.Find(""); err != nil || testing.Short() {
		t.Skip("no C++ compiler, or -short")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"right.cu": "//xfail:NOT_ALL_VERIFIED\n//--blockDim=64 --gridDim=1\n" +
			"__global__ void k(int *a, int n) { __requires(n == 17); a[threadIdx.x] = a[threadIdx.x + n]; }\n",
		"alarm.cu":  "//pass\n//--blockDim=64 --gridDim=1\n__global__ void k(int *a, int n) { __requires(n != 3); a[threadIdx.x % n] = threadIdx.x; }\n",
		"missed.cu": "//xfail:NOT_ALL_VERIFIED\n//--blockDim=32 --gridDim=1\n__global__ void k(int *a, int n) { __requires(n == 0); __assert(a[0] + 1 != 5000); }\n",
		"cant.cu":   "//pass\n//--blockDim=32 --gridDim=1\nclass s { int *p; };\n__global__ void k(s q) {}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	var out bytes.Buffer
	require.NoError(t, Main([]string{"-v", dir}, &out))
	assert.Contains(t, out.String(), "| all | 4 | 1 | 1 | 1 | 1 | 0 |\n", out.String())
	assert.Regexp(t, `alarm\.cu: false alarm \(wants pass\) .*alarm\.cu:3:\d+ race`, out.String())
	assert.Regexp(t, `cant\.cu: can't say .*bench-parameter`, out.String())
	assert.Error(t, Main(nil, &out))
}
