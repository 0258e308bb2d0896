package rewrite_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	toolkit "github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// demoted rewrites a program of one file by a recipe, and fails where a kernel is
// refused.
func demoted(t *testing.T, src, recipe string) string {
	t.Helper()
	prog, errs := parser.LoadProgram([]string{"in.cu"}, parser.Options{ReadFile: func(string) ([]byte, error) { return []byte(src), nil }})
	require.Empty(t, errs)
	res, err := rewrite.Run(prog, rewrite.Options{Variant: rewrite.Variant{Rewriter: "demote", Recipe: recipe}})
	require.NoError(t, err)
	for _, k := range res.Kernels {
		require.Empty(t, k.Refused, k.Name)
	}
	require.Len(t, res.Files, 1)
	return string(res.Files[0].After)
}

// TestWordsCompileForEachArchitecture compiles what the cases show for 8.0 and
// 9.0, all in one file; TestCasesCompile does for 7.0.
func TestWordsCompileForEachArchitecture(t *testing.T) {
	needNVCC(t)
	var parts [][]byte
	for _, c := range loadCases(t) {
		if !strings.HasPrefix(c.name, "demote-words") || len(c.sources) > 1 {
			continue
		}
		for _, v := range c.variants() {
			if res := c.rewrite(t, v, "header"); len(res.Files) > 0 {
				// Parts have namespaces, in which names of C meet.
				parts = append(parts, bytes.ReplaceAll(res.Files[0].After, []byte(`extern "C" `), nil))
			}
		}
	}
	require.Greater(t, len(parts), 5)
	nvccParts(t, parts, "-fatbin", "-o", "out.fatbin", "-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90")
}

// accumulators is a kernel whose eight accumulators are read once for each of n
// rounds, in which an inner loop needs the registers.
func accumulators() string {
	lines := func(n int, format string) string {
		var b strings.Builder
		for j := range n {
			fmt.Fprint(&b, strings.NewReplacer("#", strconv.Itoa(j), "@", strconv.Itoa((j+5)%24)).Replace(format))
		}
		return b.String()
	}
	return `__global__ void __launch_bounds__(256, 6) gather(float *a, const float *b, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
` + lines(8, "    float s# = a[# * n + i];\n") + `    for (int o = 0; o < n; ++o) {
` + lines(24, "        float u# = b[(# * n + o) * 256 + threadIdx.x];\n") + `#pragma unroll 1
        for (int k = 0; k < n; ++k) {
            const float v = b[k];
` + lines(24, "            u# = u# * v + u@;\n") + `        }
` + lines(8, "        s# += u# * u@;\n") + `    }
` + lines(8, "    a[# * n + i] = s#;\n") + `}

void launch_gather(float *a, const float *b, int n) { gather<<<n, 256>>>(a, b, n); }
`
}

// TestWordsLeaveTheRegisters: with a cap on registers a kernel spills; with its
// accumulators in shared memory, in either form, it does not, and they are loaded
// and stored there. A plain shared word is not enough: the compiler keeps what
// was stored in a register, and never loads it.
func TestWordsLeaveTheRegisters(t *testing.T) {
	needNVCC(t)
	tool, err := toolkit.Find()
	require.NoError(t, err)
	const words = "demote=s0,s1,s2,s3,s4,s5,s6,s7"
	src := accumulators()
	volatile := demoted(t, src, words)
	texts := map[string]string{
		"original": src,
		"volatile": volatile,
		"asm":      demoted(t, src, words+" form=asm"),
		"plain":    shapeCheck.ReplaceAllString(strings.ReplaceAll(volatile, "volatile float &", "float &"), ""),
	}
	require.NotEqual(t, texts["volatile"], texts["plain"])
	var all strings.Builder
	for name, text := range texts {
		all.WriteString(strings.ReplaceAll(text, "gather", name+"_gather")) // the runtime is in one of them
	}
	listings, err := tool.Lines(t.Context(), toolkit.Request{Texts: map[string][]byte{"in.cu": []byte(all.String())}, Arch: "sm_80"})
	require.NoError(t, err)
	require.Len(t, listings, len(texts))
	spills, loads, stores := map[string]int{}, map[string]int{}, map[string]int{}
	for _, listing := range listings {
		name, _, _ := strings.Cut(listing.Name, "_gather")
		for _, l := range listing.Lines {
			loads[name] += l.SharedLoads
			stores[name] += l.SharedStores
			spills[name] += l.LocalLoads + l.LocalStores
		}
	}
	assert.Positive(t, spills["original"])
	assert.Zero(t, spills["volatile"])
	assert.Zero(t, spills["asm"])
	assert.Equal(t, spills["original"], spills["plain"])
	assert.Zero(t, loads["original"])
	assert.Zero(t, loads["plain"])
	for _, form := range []string{"volatile", "asm"} {
		// Each is stored at first and in each round, and loaded in each round and at
		// last.
		assert.GreaterOrEqual(t, loads[form], 16, form)
		assert.GreaterOrEqual(t, stores[form], 16, form)
	}
}

// shapeCheck is the line that stops the kernel in blocks of another shape: the original has none.
var shapeCheck = regexp.MustCompile(`(?m)^ *if \(blockDim\..*__trap\(\); \}\n`)
