package space_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/space"
)

// carved is the host code of a text whose launches prefer a carve-out, or the
// error's words.
func carved(t *testing.T, kernel, host string) string {
	t.Helper()
	in := text(t, kernel+host, "h200")
	r, err := space.Emit(in, record.TunedVariant{Carveout: 100})
	if err != nil {
		var failure *record.Failure
		require.ErrorAs(t, err, &failure)
		assert.Equal(t, record.FailedRewrite, failure.Kind)
		return failure.Text
	}
	require.Len(t, r.Files, 1)
	after, ok := strings.CutPrefix(string(r.Files[0].After), kernel)
	require.True(t, ok, "the kernel stays as it is")
	return after
}

const plain = "__global__ void k(float *a) { __shared__ float s[32]; s[threadIdx.x] = *a; __syncthreads(); *a = s[0]; }\n"

func TestTheCarveOutIsSetInFrontOfEachLaunch(t *testing.T) {
	const set = "cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, 100);"
	for name, c := range map[string]struct{ host, want string }{
		"own line": {
			"void run(float *a) {\n    k<<<1, 32>>>(a);\n\tk<<<2, 32>>>(a);\n}\n",
			"void run(float *a) {\n    " + set + "\n    k<<<1, 32>>>(a);\n\t" + set + "\n\tk<<<2, 32>>>(a);\n}\n",
		},
		"line breaks":     {"void run(float *a) {\r\n  k<<<1, 32>>>(a);\r\n}\r\n", "void run(float *a) {\r\n  " + set + "\r\n  k<<<1, 32>>>(a);\r\n}\r\n"},
		"within a line":   {"void run(float *a) { k<<<1, 32>>>(a); }", "void run(float *a) { " + set + " k<<<1, 32>>>(a); }"},
		"several lines":   {"void run(float *a) {\n  k<<<1,\n      32>>>(a);\n}\n", "void run(float *a) {\n  " + set + "\n  k<<<1,\n      32>>>(a);\n}\n"},
		"if":              {"void run(float *a) {\n  if (a)\n    k<<<1, 32>>>(a);\n  else k<<<2, 32>>>(a);\n}\n", "void run(float *a) {\n  if (a)\n    { " + set + " k<<<1, 32>>>(a); }\n  else { " + set + " k<<<2, 32>>>(a); }\n}\n"},
		"loop":            {"void run(float *a) {\n  for (int i = 0; i < 3; ++i) k<<<1, 32>>>(a);\n}\n", "void run(float *a) {\n  for (int i = 0; i < 3; ++i) { " + set + " k<<<1, 32>>>(a); }\n}\n"},
		"case":            {"void run(float *a, int n) {\n  switch (n) {\n  case 1:\n    k<<<1, 32>>>(a);\n    break;\n  }\n}\n", "void run(float *a, int n) {\n  switch (n) {\n  case 1:\n    " + set + "\n    k<<<1, 32>>>(a);\n    break;\n  }\n}\n"},
		"macro argument":  {"#define CHECK(x) x\nvoid run(float *a) { CHECK((k<<<1, 32>>>(a))); }\n", "the launch is not a statement of its own"},
		"comma":           {"void run(float *a) { a++, k<<<1, 32>>>(a); }\n", "the launch is not a statement of its own"},
		"label":           {"void run(float *a) {\nagain: k<<<1, 32>>>(a);\n if (*a) goto again;\n}\n", "the launch is not a statement of its own"},
		"capture":         {"void run(float *a, cudaStream_t s) { cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); k<<<1, 32, 0, s>>>(a); }\n", "captures launches"},
		"nobody launches": {"", "no launch of it is in view"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := carved(t, plain, c.host); strings.Contains(c.want, "{") {
				assert.Equal(t, c.want, got)
			} else {
				assert.Contains(t, got, c.want)
			}
		})
	}
}

func TestTheCarveOutNamesAnInstanceOfATemplate(t *testing.T) {
	const one = "template <int N> __global__ void k(float *a) { __shared__ float s[N]; s[threadIdx.x] = *a; __syncthreads(); *a = s[0]; }\n"
	const two = "template <int N, class T> __global__ void k(T *a) { __shared__ T s[N]; s[threadIdx.x] = *a; __syncthreads(); *a = s[0]; }\n"
	const given = "template <int N, class T = float> __global__ void k(T *a) { __shared__ T s[N]; s[threadIdx.x] = *a; __syncthreads(); *a = s[0]; }\n"
	for _, c := range []struct{ kernel, launch, want string }{
		{one, "k<32><<<1, 32>>>(a);", "cudaFuncSetAttribute(k<32>, cudaFunc"},
		{two, "k<32, float><<<1, 32>>>(a);", "cudaFuncSetAttribute(k<32, float>, cudaFunc"},
		{given, "k<32><<<1, 32>>>(a);", "cudaFuncSetAttribute(k<32>, cudaFunc"},
		{two, "k<32><<<1, 32>>>(a);", "leaves the template's arguments to the compiler"},
		{plain + "__global__ void k(int *a) { *a = 1; }\n", "k<<<1, 32>>>(a);", "several functions have the kernel's name"},
	} {
		assert.Contains(t, carved(t, c.kernel, "void run(float *a) { "+c.launch+" }\n"), c.want, c.launch)
	}
}
