package rewrite_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// dynamicProgram is a kernel with words sum, count, force (float3) and tap (four
// floats), launched with any block.
const dynamicProgram = `__global__ void k(const float3 *body, float *out, int n)
{
    float sum = out[n];
    int count = 0;
    float3 force = make_float3(sum, 0, 1);
    float tap[4] = {1, 2, sum};
    for (int i = 0; i < n; ++i) {
        sum += force.x + tap[1];
        count += sum > 1;
        force.y = force.z + sum;
        tap[3] += tap[0] + tap[2];
    }
    out[threadIdx.x] = sum + count + force.y + tap[3];
}
void run(const float3 *b, float *a, int n, dim3 s) { k<<<n, s, 512 * 4>>>(b, a, n); }
`

// part returns what a pattern finds in a text.
func part(t *testing.T, pattern, text string) []string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	require.NotNil(t, m, pattern)
	return m[1:]
}

// TestDynamicWordsOfThreadsLieApart: for blocks of all kinds of shape, words of
// the kernel's threads share no byte, lie within what the launch asks for and
// after the kernel's own bytes, also where those begin later; and the addresses
// of a warp are those of 32 banks.
func TestDynamicWordsOfThreadsLieApart(t *testing.T) {
	header := string(runtime.Header())
	place := part(t, `return smux_dynamic \+ \((.*)\);`, header)[0]
	asked := part(t, `size_t all = \(own \? (.*) : 0\) \+ size_t\(b\.x\)(.*);`, header)
	for recipe, words := range map[string]int{
		"demote=sum": 1, "demote=sum,count": 2, "demote=force,count": 4, "demote=sum,count,force,tap": 9, "demote=sum,force,tap form=asm": 8,
	} {
		t.Run(recipe, func(t *testing.T) {
			text := demoted(t, dynamicProgram, recipe)
			w := number(t, part(t, `smux::slots<(\d+)>`, text)[0], nil)
			assert.Equal(t, words|1, w)
			assert.Contains(t, text, fmt.Sprintf("smux::slot_bytes<%d>(s, 512 * 4)", w))
			var first []int // of each component
			for _, m := range regexp.MustCompile(`(?:(vector3|array)<[^;]*, (\d+)> \w+\(|= |\()\(\(\w+ \*\)smux_w\)\[(\d+)\]`).FindAllStringSubmatch(text, -1) {
				components := map[string]int{"": 1, "vector3": 3, "array": 4}[m[1]]
				for c := range components {
					at := number(t, m[3], nil)
					if components > 1 {
						at += c * number(t, m[2], nil)
					}
					first = append(first, at)
				}
			}
			require.Len(t, first, words)
			number4 := emittedNumber.FindStringSubmatch(text)[1]
			for _, shape := range [][3]int{{61, 1, 1}, {7, 9, 1}, {64, 1, 1}, {5, 3, 7}, {1, 1, 33}, {1, 1, 1}} {
				names := map[string]int{"W": w, "blockDim.x": shape[0], "blockDim.y": shape[1], "blockDim.z": shape[2], "b.x": shape[0], "b.y": shape[1], "b.z": shape[2]}
				for _, own := range []int{0, 1, 29, 512} {
					names["own"] = own
					bytes := number(t, "b.x"+asked[1], names)
					behind := 0
					if own > 0 {
						bytes += number(t, asked[0], names)
						behind = own + kit.SlotGap // with the kernel's array aligned to 128 bytes, and this one to 4
					}
					names["bytes"] = bytes
					dynamicApart(t, shape, names, number4, place, first, behind, bytes)
				}
			}
		})
	}
}

// dynamicApart checks the properties for one shape: words lie from the byte after
// on, before the byte end.
func dynamicApart(t *testing.T, shape [3]int, names map[string]int, thread, place string, words []int, behind, end int) {
	t.Helper()
	var at []int // the first words of threads, in the order of the hardware's warps
	for z := range shape[2] {
		for y := range shape[1] {
			for x := range shape[0] {
				names["threadIdx.x"], names["threadIdx.y"], names["threadIdx.z"] = x, y, z
				names["thread"] = number(t, thread, names)
				at = append(at, number(t, place, names))
			}
		}
	}
	taken := map[int]bool{}
	for _, w := range words {
		for first := 0; first < len(at); first += 32 {
			banks := map[int]bool{}
			warp := at[first:min(first+32, len(at))]
			for _, a := range warp {
				require.False(t, taken[a+w], "%v: word %d of two", shape, a+w)
				taken[a+w] = true
				require.True(t, behind <= 4*(a+w) && 4*(a+w)+4 <= end, "%v: word %d, between bytes %d and %d", shape, a+w, behind, end)
				banks[(a+w)%32] = true
			}
			assert.Len(t, banks, len(warp), "%v: a bank twice", shape)
		}
	}
}

// TestDynamicWordsAreRefused where the bytes at the end may be the kernel's own, or
// are looked at.
func TestDynamicWordsAreRefused(t *testing.T) {
	own := strings.Replace(dynamicProgram, "    float sum", "    extern __shared__ float s[];\n    float sum", 1)
	for name, c := range map[string]struct{ src, why string }{
		"a high alignment":       {"struct alignas(256) wide { int a[64]; };\n" + own, "an alignment that may be more than 128 bytes"},
		"an alignment by a type": {"template <class T> struct __align__(sizeof(T)) wide { int a; };\n" + own, "an alignment that may be more than 128 bytes"},
		"a size that is read":    {"__device__ int size() { int n; asm(\"mov.u32 %0, %%dynamic_smem_size;\" : \"=r\"(n)); return n; }\n" + own, "reads how much shared memory a block has"},
		"a size that is unknown": {"const int size = sizeof(struct other);\n" + strings.Replace(own, "extern __shared__ float s[];", "__shared__ float u[size]; extern __shared__ float s[];", 1), "the size of shared variable u is not known"},
		"any size":               {own + "void allow() { cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); }\n", "asks for as much dynamic shared memory as a block can have"},
		"an alignment of 64":     {"struct alignas(64) wide { int a[16]; };\n" + own, ""},
		"its own array":          {own, ""},
		"of any size":            {strings.Replace(own, "512 * 4", "n * 4", 1), "the dynamic shared memory that this launch asks for is unknown"},
		"of nearly all":          {strings.Replace(own, "512 * 4", "12000 * 4", 1), "1 words for each of up to 1024 threads take the shared memory of a block to 52220 bytes"},
	} {
		prog, errs := parser.LoadProgram([]string{"in.cu"}, parser.Options{ReadFile: func(string) ([]byte, error) { return []byte(c.src), nil }})
		require.Empty(t, errs)
		res, err := rewrite.Run(prog, rewrite.Options{Variant: rewrite.Variant{Rewriter: "demote", Recipe: "demote=sum"}})
		require.NoError(t, err)
		require.Len(t, res.Kernels, 1)
		if c.why == "" {
			assert.Empty(t, res.Kernels[0].Refused, name)
		} else if assert.NotEmpty(t, res.Kernels[0].Refused, name) {
			assert.Contains(t, res.Kernels[0].Refused[0].Text, c.why, name)
		}
	}
}
