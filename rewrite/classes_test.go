package rewrite_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

// A type whose header isn't found may be a class. The emitted text then says that it is none, wherever the rewrite rests on what
// its operators or its copies do.
func TestTypesOfHeadersThatAreNotFound(t *testing.T) {
	for name, tt := range map[string]struct{ typ, store, check string }{
		"operators": {"number", "s[threadIdx.x] + s[63 - threadIdx.x]", "static_assert(!__is_class(number) &&"},
		"copies":    {"number", "s[63 - threadIdx.x]", "static_assert(__is_trivially_copyable(number),"},
		"neither":   {"int", "s[63 - threadIdx.x]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := "#include \"number.h\"\n__global__ void k(const " + tt.typ + " *in, " + tt.typ + " *out, number *)\n{\n    __shared__ " + tt.typ + " s[64];\n" +
				"    s[threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];\n    __syncthreads();\n    out[blockIdx.x * 64 + threadIdx.x] = " + tt.store + ";\n}\n" +
				"void run(" + tt.typ + " *in, " + tt.typ + " *out) { k<<<7, 64>>>(in, out, nullptr); }\n"
			f, err := parser.Parse("k.cu", []byte(text), parser.Options{})
			require.NoError(t, err)
			result, err := rewrite.Run(parser.NewProgram([]*parser.File{f}, parser.Options{}), rewrite.Options{Variant: rewrite.Variant{Rewriter: "vtb"}})
			require.NoError(t, err)
			require.Len(t, result.Files, 1, "%v", result.Kernels)
			if after := string(result.Files[0].After); tt.check == "" {
				assert.NotContains(t, after, "(number)")
			} else {
				assert.Contains(t, after, tt.check)
			}
		})
	}
}
