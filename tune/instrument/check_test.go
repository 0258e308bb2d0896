package instrument

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// steps launches a kernel three times, on memory that it changes.
const steps = `#include <cstdio>

__device__ int done;
namespace { __device__ float limits[2]; }

__global__ void step(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 2 + out[i];
}

int main() {
    float *in, *out, h[64];
    for (int i = 0; i < 64; ++i) h[i] = i;
    cudaMalloc((void **)&in, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof h);
    for (int turn = 0; turn < 3; ++turn) step<<<2, 32>>>(in, out, 64);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (float x : h) sum += x;
    printf("%g\n", sum);
    cudaFree(in);
    cudaFree(out);
}
`

// A check finds what no output shows: launches that rely on what earlier ones did.
func TestCheckFindsWhatOutputsDoNotShow(t *testing.T) {
	toolchain := engine(t)
	const body = "if (i < n) out[i] = in[i] * 2 + out[i];"
	texts := func(body string) map[string][]byte {
		return map[string][]byte{"p.cu": []byte(strings.Replace(steps, "if (i < n) out[i] = in[i] * 2 + out[i];", body, 1))}
	}
	original := compiled(t, toolchain, timed(t, texts(body), "step"))
	want, wantChecked := run(t, original, nil), run(t, original, []string{EnvCheck + "=1"})
	require.NoError(t, want.err)
	assert.Len(t, want.Launches, 3)
	assert.Equal(t, "12096\n", want.stdout)
	assert.Equal(t, "4032\n", wantChecked.stdout, "each launch begins with the memory of the first")
	for name, c := range map[string]struct{ body, shown, found string }{
		"the same":                              {"if (i < n) out[i] = 2 * in[i] + out[i];", "", ""},
		"it does all at once, and then nothing": {"if (i < n && !done) out[i] = in[i] * 6 + out[i]; __syncthreads(); if (i == 63) done = 1;", "", "copy 1, of device memory after a launch, is changed by the launch, in the original as it was before the launch"},
		"it changes its input":                  {"if (i < n) { out[i] = in[i] * 2 + out[i]; if (i == 0) ((float *)in)[0] = -0.0f; }", "", "copy 3, of device memory after a launch, is changed by the launch, in the original as it was before the launch"},
		"it leaves something out":               {"if (i < n && i != 5) out[i] = in[i] * 2 + out[i];", "copy 1: float 5 is 0, in the original 30", "copy 4, of device memory after a launch: float 5 is 0, in the original 10"},
	} {
		p := compiled(t, toolchain, timed(t, texts(c.body), "step"))
		got := run(t, p, nil)
		found, _ := difference(t, got.copies, want.copies)
		assert.Equal(t, c.shown, found, name)
		found, equal := difference(t, run(t, p, []string{EnvCheck + "=1"}).copies, wantChecked.copies)
		assert.Equal(t, c.found, found, name)
		if c.found == "" {
			assert.Equal(t, 13, equal.Copies, "three launches, four pieces of memory each, and a copy")
		}
	}
}

// overwrites launches a kernel three times that depends on nothing that it writes.
var overwrites = strings.NewReplacer("in[i] * 2 + out[i];", "in[i] * 2 + 1;", "\n__device__ int done;", "").Replace(steps)

// What looks whether its output is there finds it in every launch but the first,
// and is found out where that is another's.
func TestCheckWithStaleResults(t *testing.T) {
	toolchain := engine(t)
	body := func(body string) map[string][]byte {
		return map[string][]byte{"p.cu": []byte(strings.Replace(overwrites, "if (i < n) out[i] = in[i] * 2 + 1;", body, 1))}
	}
	original := compiled(t, toolchain, timed(t, body("if (i < n) out[i] = in[i] * 2 + 1;"), "step"))
	skips := compiled(t, toolchain, timed(t, body("if (i < n && out[i] == 0) out[i] = in[i] * 2 + 1;"), "step"))
	for check, want := range map[string]string{
		"1": "",
		"2": "copy 6, of device memory after a launch: float 0 is 9, in the original 1",
	} {
		env := []string{EnvCheck + "=" + check}
		found, equal := difference(t, run(t, skips, env).copies, run(t, original, env).copies)
		assert.Equal(t, want, found)
		if found == "" {
			assert.Equal(t, 10, equal.Copies, "three launches, three pieces of memory each, and a copy")
		}
	}
	// What a launch adds to is still a function of what it finds.
	adds := map[string][]byte{"p.cu": []byte(steps)}
	same := map[string][]byte{"p.cu": []byte(strings.Replace(steps, "in[i] * 2 + out[i]", "out[i] + 2 * in[i]", 1))}
	env := []string{EnvCheck + "=2"}
	found, _ := difference(t, run(t, compiled(t, toolchain, timed(t, same, "step")), env).copies, run(t, compiled(t, toolchain, timed(t, adds, "step")), env).copies)
	assert.Empty(t, found)
}
