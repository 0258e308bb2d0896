package rewrite_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pack joins programs into one file, each in a namespace of its own, w0_, w1_ and
// so on, so that a compiler reads the headers once for all of them. Their
// includes come first; their macros end with them; main is called otherwise.
// What the compiler says names the part, part-0.cu, and its line there.
//
// It is good for programs of one file that don't change what their headers mean
// by macros, and that use no namespace of this name.
func pack(programs [][]byte) []byte {
	var includes []string
	var parts strings.Builder
	for i, text := range programs {
		var macros []string
		fmt.Fprintf(&parts, "namespace w%d_ {\n#line 1 \"part-%d.cu\"\n", i, i)
		for line := range strings.Lines(string(text)) {
			switch m := directive.FindStringSubmatch(line); {
			case m == nil:
				parts.WriteString(mainFunction.ReplaceAllString(line, "int ${1}_of_part("))
			case m[1] == "include":
				if include := strings.TrimSpace(line); !slices.Contains(includes, include) {
					includes = append(includes, include)
				}
				parts.WriteString("\n") // the lines behind keep their numbers
			default:
				macros = append(macros, m[2])
				parts.WriteString(line)
			}
		}
		parts.WriteString("\n")
		for _, name := range macros {
			fmt.Fprintf(&parts, "#undef %s\n", name)
		}
		fmt.Fprintf(&parts, "}  // namespace w%d_\n", i)
	}
	return []byte(strings.Join(includes, "\n") + "\n" + parts.String())
}

var (
	directive    = regexp.MustCompile(`^\s*#\s*(include|define)\s+(\w+|\S)`)
	mainFunction = regexp.MustCompile(`^int (main)\(`)
	// partOfKernel finds the part in a kernel's mangled name.
	partOfKernel = regexp.MustCompile(`^_ZN\d+w(\d+)_`)
	// partText is what tells one part's message from another's.
	partText = regexp.MustCompile(`w\d+_::`)
)

// TestPartsAreToldApart: of two programs in one file, the one that is warned of
// and the one that has more shared memory are told from the other; lines keep
// their numbers, and what both define does not meet.
func TestPartsAreToldApart(t *testing.T) {
	needNVCC(t)
	const text = `#include <cstdio>
#define SIZE %d
__global__ void k(float *a)
{
    __shared__ float s[SIZE];
    %s
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[SIZE - 1 - threadIdx.x];
}
int main()
{
    k<<<1, SIZE>>>(nullptr);
    return 0;
}
`
	parts := [][]byte{fmt.Appendf(nil, text, 64, ""), fmt.Appendf(nil, text, 32, "int unused;")}
	got := nvccParts(t, parts, "-c", "-Xptxas", "-v", "-o", "out.o", "-arch=sm_70")
	require.Len(t, got, 2)
	assert.Equal(t, map[string][]int{"sm_70": {256}}, got[0].shared)
	assert.Equal(t, map[string][]int{"sm_70": {128}}, got[1].shared)
	assert.Empty(t, got[0].warnings)
	require.Len(t, got[1].warnings, 1)
	assert.Contains(t, got[1].warnings[0], "unused")
	assert.Contains(t, string(pack(parts)), "}  // namespace w1_\n")
}
