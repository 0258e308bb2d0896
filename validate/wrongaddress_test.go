package validate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// What may be an address in shared memory, and is not known, is one of any place: in a second turn nothing that it leads to
// is known to be written, and a store through it writes nothing for certain.
func TestAnAddressThatIsNotKnownIsOneOfAnyPlace(t *testing.T) {
	const text = `
__device__ void lead(float *&p, float *to) { p = to; }
__device__ float *pick(float *s, int n) { if (n > 5) return s; return s + 1; }
__device__ float *any(float *s, int n) { return s + n; }
__device__ float *any(float *s, float n) { return s + 1; }
__global__ void k(float *a, int n)
{
    __shared__ float s[64];
    for (int r = 0; r < n; ++r) {
        s[threadIdx.x] = a[r * 64 + threadIdx.x];
        __syncthreads();
        float x = s[threadIdx.x]; // here
        __syncthreads();
        a[r * 64 + threadIdx.x] = x;
    }
}
void run(float *a, int n) { k<<<9, 64>>>(a, n); }
`
	old := program(t, text)
	res, err := rewrite.Run(old, rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb", Sync: "named"}})
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	right := string(res.Files[0].After)
	const here = "float x = s[threadIdx.x]; // here\n"
	require.Contains(t, right, here)
	for name, body := range map[string]string{
		"its own":                    "float x = s[threadIdx.x];",
		"a pointer's address":        "float *p = s + threadIdx.x; *&p = s; *p = 1; SYNC; float x = s[threadIdx.x];",
		"a variable's address":       "float *p = s + threadIdx.x; auto q = &p; *q = s; float x = s[threadIdx.x];",
		"by a reference":             "float *p = s + threadIdx.x; float *&q = p; q = s; *p = 1; SYNC; float x = s[threadIdx.x];",
		"by an element":              "float *p = s + threadIdx.x; auto q = &p; q[0] = s; *p = 1; SYNC; float x = s[threadIdx.x];",
		"given to a function":        "float *p = s; lead(p, s + 1); float x = *p;",
		"set under a condition":      "float *p = a; if (a[0] > n) p = s; float x = *p;",
		"of a function":              "float *p = pick(s, n); float x = *p;",
		"of one of two functions":    "float *p = any(s, 3); float x = p[1];",
		"of a function, at once":     "float x = *any(s, 3);",
		"an index that does not fit": "unsigned char c; s[(c = threadIdx.x * 8) / 8] = 1; SYNC; float x = s[threadIdx.x];",
		"an operand of another type": "int i = (threadIdx.x < 64 ? -1 : 1u) < 0 ? threadIdx.x : 0; s[i] = 1; SYNC; float x = s[threadIdx.x];",
		"a reference to an element":  "float &y = *pick(s, n); float x = y;",
	} {
		t.Run(name, func(t *testing.T) {
			was := strings.Replace(text, here, strings.ReplaceAll(body, "SYNC", "__syncthreads()")+"\n", 1)
			now := strings.ReplaceAll(body, "SYNC", "vtb.sync()") + "\n"
			one := validate.Programs(program(t, was), program(t, strings.Replace(right, here, now, 1)))
			assert.NotContains(t, doubts(one), "content:")
			two := validate.Programs(program(t, was), program(t, strings.Replace(right, here, "vtb.release();\n        vtb.acquire();\n        "+now, 1)))
			refused(t, two, validate.Content)
		})
	}
}
