//go:build unix

package cmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// kernelSource is one kernel with its launch, 25 lines.
const kernelSource = `
// Sums each row of 256 numbers.
__global__ void rows%[1]d(const float *in, float *out, int n) {
    __shared__ float part[256];
    int row = blockIdx.x;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < n; i += 256) {
        sum += in[row * n + i];
    }
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half >>= 1) {
        if (threadIdx.x < half) {
            part[threadIdx.x] += part[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[row] = part[0];
    }
}

void launchRows%[1]d(const float *in, float *out, int n, int rows) {
    rows%[1]d<<<rows, 256>>>(in, out, n);
}
`

// sourceOfLines makes a file of about n lines.
func sourceOfLines(n int) []byte {
	var sb strings.Builder
	for i := range n / strings.Count(kernelSource, "\n") {
		fmt.Fprintf(&sb, kernelSource, i)
	}
	return []byte(sb.String())
}

// BenchmarkRewriteProcess takes the time of whole runs of smux, start of the
// process included. 2,000 lines are to take less than 100 ms.
func BenchmarkRewriteProcess(b *testing.B) {
	// The test binary is smux where it is called so; see TestMain.
	self, err := os.Executable()
	require.NoError(b, err)
	smux := filepath.Join(b.TempDir(), "smux")
	require.NoError(b, os.Symlink(self, smux))
	for _, lines := range []int{200, 2000, 20000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "rows.cu")
			require.NoError(b, os.WriteFile(file, sourceOfLines(lines), 0o666))
			for b.Loop() {
				out, err := exec.Command(smux, "rewrite", "-q", "--variant", "vtb", file).Output()
				require.NoError(b, err)
				require.NotEmpty(b, out)
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/run")
		})
	}
}
