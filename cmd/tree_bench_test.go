//go:build unix

package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/hardtext"
	"github.com/smux-cuda/smux/lab/kernelgen"
)

const (
	treePrograms = 529
	treeBytes    = 8_800_000
)

// writeTree writes a tree of programs as large as that of a team: about 1,430 kernels,
// a quarter of which use shared memory and a barrier. They are the hard texts, each of
// some ten kilobytes, random kernels with their launches, the examples, and kernels
// without shared memory, with host code up to the size of files that people write.
func writeTree(tb testing.TB, root string) (programs, bytes int) {
	write := func(name, text string) {
		dir := filepath.Join(root, name)
		require.NoError(tb, os.MkdirAll(dir, 0o777))
		require.NoError(tb, os.WriteFile(filepath.Join(dir, name+".cu"), []byte(text), 0o666))
		programs, bytes = programs+1, bytes+len(text)
	}
	for _, s := range hardtext.Shapes {
		n := s.Size
		for n > 8 && len(s.Text(n)) > 30_000 {
			n = n * 3 / 4
		}
		write("hard-"+s.Name, s.Text(n))
	}
	for i := range 30 {
		var kernels []kernelgen.Kernel
		for j := range 4 {
			kernels = append(kernels, kernelgen.New(1, 4*i+j))
		}
		write(fmt.Sprintf("random-%d", i), string(kernelgen.Source(kernels)))
	}
	examples, err := filepath.Glob("../examples/*/*.cu")
	require.NoError(tb, err)
	for i := 0; programs < treePrograms; i++ {
		text, name := []byte(plainKernels), fmt.Sprintf("plain-%d", i)
		if i < 150 {
			name = fmt.Sprintf("example-%d", i)
			text, err = os.ReadFile(examples[i%len(examples)])
			require.NoError(tb, err)
		}
		room := (treeBytes-bytes)/(treePrograms-programs) - len(text)
		write(name, string(text)+hostCode(room))
	}
	return programs, bytes
}

// plainKernels are four kernels without shared memory.
const plainKernels = `#include <cstdio>
__global__ void scale(float *a, float s, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= s;
}
__global__ void add(const float *a, const float *b, float *c, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}
__global__ void stencil(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) return;
    float sum = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) sum += in[(y + dy) * w + x + dx];
    out[y * w + x] = sum / 9.0f;
}
__global__ void gather(const float *in, const int *index, float *out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] = in[index[i]];
}
void all(float *a, float *b, float *c, int *index, int w, int h) {
    int n = w * h;
    scale<<<(n + 127) / 128, 128>>>(a, 2.0f, n);
    add<<<256, 256>>>(a, b, c, n);
    stencil<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(c, a, w, h);
    gather<<<(n + 255) / 256, 256>>>(a, index, b, n);
}
`

// hostCode is about n bytes of functions that run on the host.
func hostCode(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, `
// Checks the result of step %[1]d against a slow way to compute it.
static bool checkStep%[1]d(const float *got, const float *want, int n) {
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        double error = got[i] - want[i];
        worst = error > worst ? error : worst;
    }
    if (worst > 1e-5 * %[1]d) {
        printf("step %[1]d: %%g\n", worst);
        return false;
    }
    return true;
}
`, i)
	}
	return b.String()
}

// BenchmarkAnalyzeTree takes the time and the memory of smux analyze on a tree of 529
// programs of 8.8 MB. On two cores it is to take less than 30 s and 500 MB.
func BenchmarkAnalyzeTree(b *testing.B) {
	self, err := os.Executable()
	require.NoError(b, err)
	dir := b.TempDir()
	smux := filepath.Join(dir, "smux")
	require.NoError(b, os.Symlink(self, smux))
	tree := filepath.Join(dir, "tree")
	programs, bytes := writeTree(b, tree)
	var wall, cpu time.Duration
	var memory int64
	for b.Loop() {
		c := exec.Command(smux, "analyze", "--gpu", "a100", "--json", tree)
		c.Dir = dir
		begin := time.Now()
		out, err := c.Output()
		var exit *exec.ExitError
		if err != nil { // hard texts that are too deep count as input that can't be read
			require.ErrorAs(b, err, &exit)
			require.Equal(b, diag.ExitUsage, exit.ExitCode(), string(exit.Stderr))
		}
		require.Greater(b, strings.Count(string(out), `"regionShareEstimate"`), 1400)
		wall += time.Since(begin)
		cpu += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		memory = max(memory, c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss/1024)
	}
	b.ReportMetric(float64(programs), "programs")
	b.ReportMetric(float64(bytes)/1e6, "MB-text")
	b.ReportMetric(wall.Seconds()/float64(b.N), "s")
	b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s")
	b.ReportMetric(float64(memory), "MB-RSS")
}
