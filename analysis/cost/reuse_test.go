package cost_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/cost"
	"github.com/smux-cuda/smux/model/workload"
)

// largeOf profiles a kernel in blocks of 16x16 with sizes that are not known taken for large.
func largeOf(t *testing.T, body string) *workload.Kernel {
	t.Helper()
	src := "__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n) {\n" +
		"const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;\nfloat sum = 0;\n" + body +
		"\nc[row * m + col] = sum;\n}\nvoid run(const float *a, const float *b, float *c, int m, int n, int p) { k<<<dim3(p, p), dim3(16, 16)>>>(a, b, c, m, n); }\n"
	ks := kernelsOf(t, "k.cu", src)
	require.Len(t, ks, 1)
	w, err := cost.Of(ks[0], nil, cost.Options{Large: true})
	require.NoError(t, err)
	return w
}

const (
	plainProduct = "for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * m + col];"
	tiledProduct = `__shared__ float s[16][T], u[T][16];
for (int k0 = 0, k_len; k0 < n; k0 += k_len) {
    k_len = min(T, n - k0);
    for (int i = threadIdx.x; i < T; i += 16) if (row < m && k0 + i < n) s[threadIdx.y][i] = a[row * n + k0 + i];
    for (int i = threadIdx.y; i < T; i += 16) if (k0 + i < n && col < m) u[i][threadIdx.x] = b[(k0 + i) * m + col];
    __syncthreads();
    for (int k = k0; k < k0 + k_len; k++) sum += s[threadIdx.y][k - k0] * u[k - k0][threadIdx.x];
    __syncthreads();
}`
)

// A loop over tiles, whose turns are not known, runs as often as the loop that was cut, by its tiles.
func TestALoopOverTilesStandsForTheLoopThatWasCut(t *testing.T) {
	before := total(largeOf(t, plainProduct))
	for _, tile := range []string{"16", "48"} {
		w := largeOf(t, "constexpr int T = "+tile+";\n"+tiledProduct)
		after := total(w)
		assert.Greater(t, after.Shared, 256*2.0, "two reads a turn, and what the copies store: %s", tile)
		assert.Less(t, after.Shared, 256*2.5, tile)
		assert.InEpsilon(t, before.Loads/8, after.Loads, 0.2, "each block loads its rows and columns once, not for each of 8 warps: %s", tile)
		assert.InEpsilon(t, before.Issue, after.Issue, 0.5, tile)
		assert.Equal(t, [3]int{64, 64, 0}, w.Grid, "of a large grid")
	}
}

// Threads read rows and columns of their neighbours at once: what lies between fits any L1, though rows and
// columns together do not.
func TestAProductReadsAgainAtOnce(t *testing.T) {
	w := largeOf(t, plainProduct)
	require.NotEmpty(t, w.Again)
	sum, near := 0.0, 0.0
	for i, r := range w.Again {
		sum += r.Part
		if r.Between <= 8<<10 {
			near += r.Part
		}
		if i > 0 {
			assert.Greater(t, r.Between, w.Again[i-1].Between)
		}
	}
	assert.InDelta(t, 1, sum, 1e-9)
	assert.Greater(t, near, 0.95)
	assert.Greater(t, w.Footprint, 24e3)

	far := largeOf(t, "for (int r = 0; r < 2; r++) for (int k = 0; k < 64; k++) sum += a[(row * 64 + k) * 256 + col];")
	require.NotEmpty(t, far.Again)
	assert.GreaterOrEqual(t, far.Again[len(far.Again)-1].Between, float64(32<<10), "a second pass over all")
}

// A table has so many sectors as its subscripts can reach, which the block has loaded after a while.
func TestATableIsLoadedOnce(t *testing.T) {
	for text, bytes := range map[string]float64{"(int)(b[col] * k) & 255": 1024, "((const unsigned char *)b)[k * 16 + row]": 1024, "(int)(b[col] * k) % 64": 256} {
		w := largeOf(t, "for (int k = 0; k < n; k++) sum += a["+text+"];")
		all := total(w)
		assert.Greater(t, all.Again, 0.8*all.Loads, text)
		assert.Less(t, w.Footprint, bytes+9000, "the table, and what its subscripts are made of: %s", text)
	}
	w := largeOf(t, "for (int k = 0; k < n; k++) sum += a[(int)(b[col] * k)];")
	assert.Less(t, total(w).Again, 0.2*total(w).Loads, "no table: anywhere")
}
