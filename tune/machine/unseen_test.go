package machine

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/tune/record"
)

// puts makes a program print what is right for any results.
var puts = [2]string{`printf("sum %g\n", sum);`, `puts("done");`}

const copiesBack = "cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);"

// unseen are programs whose results no copy shows, by where they are.
var unseen = map[string][][2]string{
	"in managed memory": {puts, {copiesBack, "cudaDeviceSynchronize();"}, {"cudaMalloc(&out, sizeof h);", "cudaMallocManaged(&out, sizeof h);"}},
	"in memory of the host": {
		puts, {copiesBack, "cudaDeviceSynchronize();"}, {"cudaFree(out);", "cudaFreeHost(shared);"},
		{"cudaMalloc(&out, sizeof h);", "float *shared; cudaHostAlloc((void **)&shared, sizeof h, cudaHostAllocMapped); cudaHostGetDevicePointer((void **)&out, shared, 0);"},
	},
	"in memory that is registered": {
		puts, {copiesBack, "cudaDeviceSynchronize();"}, {"cudaFree(out);", "cudaHostUnregister(shared);"},
		{"cudaMalloc(&out, sizeof h);", "static float shared[n]; cudaHostRegister(shared, sizeof h, cudaHostRegisterMapped); cudaHostGetDevicePointer((void **)&out, shared, 0);"},
	},
	"left on the device": {puts, {copiesBack, ""}},
}

func rewritten(t *testing.T, text string, changes ...[2]string) string {
	t.Helper()
	for _, c := range changes {
		require.Contains(t, text, c[0])
		text = strings.Replace(text, c[0], c[1], 1)
	}
	return text
}

// The check run shows them, and counts as what was compared; what is printed doesn't.
func TestResultsThatNoCopyShowsAreCompared(t *testing.T) {
	for where, changes := range unseen {
		t.Run(where, func(t *testing.T) {
			suite.Sample(t, where, 3)
			text := rewritten(t, program, changes...)
			c := onCPUEngine(t, text, Program{Dir: t.TempDir()})
			original := built(t, c, ofText(text, true))
			r := try(t, original, built(t, c, ofText(variants["the same"](text), false)))
			assert.False(t, r.refused(), "%v %v", r.check, r.run)
			assert.Equal(t, record.Evidence{Lines: 1}, r.compared)
			assert.EqualValues(t, 4*4000, r.checked.Memory, "behind each launch")
			r = try(t, original, built(t, c, ofText(variants["skips work"](text), false)))
			assert.NotNil(t, r.check)
		})
	}
}

func TestFurtherWaysToSkipWorkAreRefused(t *testing.T) {
	c := onCPUEngine(t, program, Program{Dir: t.TempDir()})
	original := built(t, c, ofText(program, true))
	const hidden = "#if __cplusplus\n__device__ float seen[1000];\n#endif\n__global__"
	for name, changes := range map[string][][2]string{
		"the grid's last blocks":                {{ahead, "    if (i >= n || blockIdx.x + 3 > gridDim.x) return;\n"}},
		"every second launch":                   {{ahead, ahead + "    if ((seen[i] = 1 - seen[i]) == 0) return;\n"}, {"__global__", hidden}},
		"inputs whose results are there":        {{ahead, ahead + "    if (seen[i] == in[i] + 1) return;\n    seen[i] = in[i] + 1;\n"}, {"__global__", hidden}},
		"a counter in memory that is looked at": {{ahead, ahead + "    if (seen[i]++ > 0) return;\n"}, {"__global__", "__device__ int seen[1000];\n__global__"}},
	} {
		t.Run(name, func(t *testing.T) {
			suite.Sample(t, name, 4)
			r := try(t, original, built(t, c, ofText(rewritten(t, program, changes...), false)))
			assert.NotNil(t, r.check)
		})
	}
}
