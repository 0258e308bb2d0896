package verify_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

// alikeProgram has a main that ends without a return, and a macro; what stands in
// for HEAD and VALUE makes its variants.
const alikeProgram = `#include <cstdio>
#include <cuda_runtime.h>
HEAD
#define SIZE 64
__global__ void fill(int *out) {
    __shared__ int s[SIZE];
    s[threadIdx.x] = VALUE;
    __syncthreads();
    out[threadIdx.x] = s[SIZE - 1 - threadIdx.x];
}
int main() {
    int *device, host[SIZE];
    cudaMalloc(&device, sizeof host);
    fill<<<1, SIZE>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d\n", host[3]);
}
`

func alike(head, value string) verify.Program {
	return oneFile("alike", []byte(strings.NewReplacer("HEAD", head, "VALUE", value).Replace(alikeProgram)))
}

// TestTogetherAsAlone: the verdict on each of many variants is that on it
// alone, though they are compiled together: of right ones, of wrong ones, of such
// as do not compile, and of such as mean something else beside others.
func TestTogetherAsAlone(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("programs are not compiled with -short")
	}
	variant := func(name, head, value string) verify.Variant {
		return verify.Variant{Name: name, Program: alike(head, value)}
	}
	right := []verify.Variant{
		variant("same", "", "threadIdx.x"),
		variant("other macro", "#define ONE 1", "threadIdx.x * ONE"),
		variant("the macro has another value", "#define ONE 2", "threadIdx.x * ONE / 2"),
		variant("only where the macro is not yet defined", "#ifndef ONE\n#define ONE 1\n#endif", "threadIdx.x * ONE"),
		// Beside the other overloads of max, those for int would be hidden in a namespace.
		variant("overload", "__device__ float max(float a, char) { return a + 0.5f; }", "max((int)threadIdx.x, -1)"),
	}
	wrong := []verify.Variant{
		variant("different", "", "threadIdx.x + 1"),
		variant("race", "", "(s[0] = 1, threadIdx.x)"),
		variant("does not compile", "", "nothing"),
		variant("says something before main", "struct early { early() { puts(\"early\"); } }; static early one;", "threadIdx.x"),
		variant("out of bounds", "", "out[99]"),
	}
	all := slices.Concat(right[:2], wrong, right[2:])
	request := func(variants ...verify.Variant) verify.Request {
		return verify.Request{
			Original: alike("", "threadIdx.x"), Variants: variants, Jobs: 1, Timeout: time.Minute,
			Schedules: []execute.Schedule{{Kind: "ascending"}, {Kind: "random", Seed: 1}},
		}
	}
	asked := request(all...)
	told := map[string]bool{}
	asked.Progress = func(program string, _ build.Mode, begun, all int) {
		told[program] = true
		assert.LessOrEqual(t, begun, all)
	}
	together, err := verify.Run(context.Background(), asked)
	require.NoError(t, err)
	assert.Len(t, told, 1+len(all), "each program is named where its runs begin")
	for _, v := range all {
		t.Run(v.Name, func(t *testing.T) {
			suite.Sample(t, v.Name, 4)
			alone, err := verify.Run(context.Background(), request(v))
			require.NoError(t, err)
			assert.Equal(t, findingsOf(alone, v.Name), findingsOf(together, v.Name))
			assert.Equal(t, failuresOf(alone, v.Name), failuresOf(together, v.Name))
			assert.Equal(t, rowsOf(alone, v.Name), rowsOf(together, v.Name))
		})
	}
	// These do compile together, and one disturbs the others.
	few := []verify.Variant{right[0], right[2], wrong[0], wrong[3]}
	disturbed, err := verify.Run(context.Background(), request(few...))
	require.NoError(t, err)
	for _, v := range few {
		assert.Equal(t, findingsOf(together, v.Name), findingsOf(disturbed, v.Name), v.Name)
		assert.Equal(t, rowsOf(together, v.Name), rowsOf(disturbed, v.Name), v.Name)
	}
	for _, v := range right {
		assert.True(t, together.Passed(v.Name), v.Name)
	}
	for _, v := range wrong {
		assert.False(t, together.Passed(v.Name), v.Name)
	}
}

func findingsOf(v *verify.Verdict, variant string) (out []string) {
	for _, f := range v.Findings {
		if f.Variant == variant {
			out = append(out, string(f.Severity)+" "+f.Message.String())
		}
	}
	return out
}

func failuresOf(v *verify.Verdict, variant string) (out []string) {
	for _, f := range v.Failures {
		if f.Variant == variant {
			out = append(out, f.Message.String())
		}
	}
	return out
}

func rowsOf(v *verify.Verdict, variant string) (out []verify.Row) {
	for _, r := range v.Rows {
		if r.Variant == variant {
			out = append(out, r)
		}
	}
	return out
}
