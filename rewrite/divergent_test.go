package rewrite_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// accepts reports whether a rewriter takes the kernels of a text with a sync
// mode, and the codes that it gives where it does not.
func accepts(t *testing.T, text, variant, sync string) (bool, string) {
	t.Helper()
	f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
	require.NoError(t, err)
	opt := rewrite.Options{Variant: rewrite.Variant{Rewriter: variant, Sync: sync, Factor: 2}}
	if variant == "dyn" {
		opt.Factor, opt.SharedSets = 3, 2
	}
	res, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), opt)
	require.NoError(t, err)
	var codes []string
	for _, k := range res.Kernels {
		for _, m := range k.Refused {
			codes = append(codes, string(m.Code))
		}
	}
	return len(codes) == 0, strings.Join(codes, " ")
}

// TestABarrierOfAVTBsOwnIsMetByAllItsThreads: whatever keeps single threads from a
// barrier keeps the kernel from the modes in which a v-TB has barriers of its own.
// Those modes take what whole blocks do together. "@" is the barrier.
func TestABarrierOfAVTBsOwnIsMetByAllItsThreads(t *testing.T) {
	const divergent = "divergent-barrier"
	for _, c := range []struct {
		name, body string
		code       string // that each refusal gives, "" where the kernel is taken
	}{
		{"none", "@;", ""},
		{"a guard of threads", "if (i < n) { @; }", divergent},
		{"a guard to the end", "if (i < n) { @; a[i] = s[0]; @; a[i] += 1; }", divergent},
		{"an else", "if (i >= n) { a[i] = 0; } else { @; }", divergent},
		{"both branches", "if (t < 16) { @; } else { @; }", divergent},
		{"both branches, by warps", "if (t < 32) { @; } else { @; }", divergent},
		{"a switch", "switch (t) { case 0: @; break; default: @; }", divergent},
		{"an operand", "if (i < n && __syncthreads_or(i)) a[i] = 0;", divergent},
		{"a choice", "a[i] = i < n ? __syncthreads_count(i) : 0;", divergent},
		{"a trip count", "for (int j = t; j < n; j += 64) { @; }", divergent},
		{"a break", "for (int j = 0; j < n; j++) { if (t == j) break; @; }", divergent},
		{"a continue", "for (int j = 0; j < n; j++) { if (t == j) continue; @; }", divergent},
		{"a continue past a switch", "for (int j = 0; j < n; j++) { switch (n) { case 1: if (t) break; continue; } @; }", divergent},
		{"a function in a guard", "if (i < n) meet();", divergent},
		{"a function that returns before", "meetUnless(i < n);", divergent},
		{"a macro in a guard", "GUARDED(i < n)", divergent},
		{"a guard of the block", "if (b < n) { @; }", ""},
		{"a trip count of the block", "for (int j = b; j < n; j += 64) { @; }", ""},
		{"both branches, by blocks", "if (b < n) { @; } else { @; @; }", ""},
		{"behind a guard", "if (i < n) a[i] = 0; @;", ""},
		{"the condition of its own guard", "if (__syncthreads_or(i) && i < n) a[i] = 0;", ""},
	} {
		text := strings.ReplaceAll(`
__device__ void meet() { @; }
__device__ void meetUnless(bool leaves) { if (leaves) return; @; }
#define GUARDED(c) if (c) { @; }
__global__ void k(float *a, int n) {
    __shared__ float s[64];
    int t = threadIdx.x, b = blockIdx.x, i = b * 64 + t;
    s[t] = a[i];
    `+c.body+`
    a[i] = s[t];
}
void run(float *a, int n) { k<<<8, 64>>>(a, n); }
`, "@", "__syncthreads()")
		t.Run(c.name, func(t *testing.T) {
			for _, variant := range [][2]string{{"vtb", "named"}, {"vtb", "lock"}, {"dyn", "lock"}, {"merge", "named"}} {
				ok, codes := accepts(t, text, variant[0], variant[1])
				if c.code == "" {
					assert.True(t, ok, "%v: %s", variant, codes)
				} else {
					assert.Contains(t, codes, c.code, "%v", variant)
				}
			}
			if c.code != "" {
				ok, _ := accepts(t, text, "vtb", "block")
				assert.False(t, ok, "block")
			}
		})
	}
}

// TestTheWholeBlocksBarrierWaitsForWhoIsLeft: in block mode barriers stay what they
// are, and threads that a guard around the rest sends away are gone as those that
// return. In the other modes both forms are refused.
func TestTheWholeBlocksBarrierWaitsForWhoIsLeft(t *testing.T) {
	for _, c := range []struct {
		name, body string
		block      bool
	}{
		{"a return", "if (i >= n) return; s[t] = a[i]; __syncthreads(); a[i] = s[t / 2];", true},
		{"a guard", "if (i < n) { s[t] = a[i]; __syncthreads(); a[i] = s[t / 2]; }", true},
		{"a guard inside of a region that another one holds", "if (i < n) { s[t] = a[i]; __syncthreads(); a[i] = s[0]; if (t < 8) { __syncthreads(); s[t] = 1; __syncthreads(); a[i] += s[0]; } }", false},
		{"a guard of warps", "if (t < 32) { s[t] = a[i]; __syncthreads(); a[i] = s[t / 2]; }", true},
		{"a region that begins before the guard", "s[t] = a[i]; if (i < n) { __syncthreads(); a[i] = s[t / 2]; }", false},
		{"elements that others may not have written", "s[t] = 0; __syncthreads(); if (i < n) { s[t] = a[i]; __syncthreads(); a[i] = s[63 - t]; }", false},
		{"a barrier behind the guard", "if (i < n) { s[t] = a[i]; __syncthreads(); a[i] = s[t / 2]; } __syncthreads();", false},
	} {
		text := "__global__ void k(float *a, int n) { __shared__ float s[64]; int t = threadIdx.x, i = blockIdx.x * 64 + t;\n" + c.body + "\n}\nvoid run(float *a, int n) { k<<<8, 64>>>(a, n); }\n"
		t.Run(c.name, func(t *testing.T) {
			for _, variant := range [][2]string{{"vtb", "named"}, {"vtb", "lock"}, {"dyn", "lock"}, {"merge", "named"}} {
				ok, _ := accepts(t, text, variant[0], variant[1])
				assert.False(t, ok, "%v", variant)
			}
			ok, codes := accepts(t, text, "vtb", "block")
			assert.Equal(t, c.block, ok, codes)
		})
	}
}
