package runtime

import (
	"regexp"
	"strings"
	"sync"
)

// lexeme matches what the runtime's text is made of, as far as names go: comments, strings and
// directives, which hold none, and words.
var lexeme = regexp.MustCompile(`(?m)//.*$|"(?:\\.|[^"])*"|'[^']*'|^[ \t]*#.*$|\b[A-Za-z_]\w*`)

// foreign are the words of the runtime that C++, the C library and CUDA give it.
const foreign = ` alignof asm auto bool char class const decltype double else explicit extern float for if inline int long
 namespace operator private return short sizeof static static_assert struct template this thread_local typedef typename
 unsigned void volatile while abort fprintf size_t stderr __cvta_generic_to_shared __device__ __forceinline__ __shared__
 __syncthreads __syncthreads_count __syncwarp __threadfence_block atomicAnd atomicOr blockDim blockIdx gridDim threadIdx
 cudaDevAttrMultiProcessorCount cudaDeviceGetAttribute cudaFuncAttributes cudaFuncGetAttributes cudaGetDevice
 cudaOccupancyMaxActiveBlocksPerMultiprocessor cudaSuccess dim3 double2 dynamicSmemBytes float2 float3 float4 int2 int3 int4
 make_uint3 maxThreadsPerBlock uint2 uint3 uint4 x y z w smux_dynamic `

// Names returns the names that the runtime declares: its namespace, types, functions and members, and
// template parameters and variables inside of these. It must not be changed.
var Names = sync.OnceValue(func() map[string]bool {
	taken := map[string]bool{}
	for _, word := range strings.Fields(foreign) {
		taken[word] = true
	}
	names := map[string]bool{}
	for _, word := range lexeme.FindAllString(header, -1) {
		if isWord(word) && !taken[word] {
			names[word] = true
		}
	}
	return names
})

// Renamed returns a text of the runtime in which names are replaced by others.
func Renamed(text string, names map[string]string) string {
	if len(names) == 0 {
		return text
	}
	return lexeme.ReplaceAllStringFunc(text, func(word string) string {
		if other, ok := names[word]; ok && isWord(word) {
			return other
		}
		return word
	})
}

// Prefix stands in front of a name that a macro of the program has.
const Prefix = "smux_"

func isWord(lexeme string) bool { return strings.IndexByte("/\"'# \t", lexeme[0]) < 0 }
