package analysis

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
)

// TestAllocationsAreThoseThatSurelyHappen: only an allocation that every launch has behind it counts,
// and only of a pointer that nothing else can set.
func TestAllocationsAreThoseThatSurelyHappen(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want int64 // 0 for none
	}{
		"plain":        {"int *p; cudaMalloc(&p, 256 * sizeof(int)); k<<<1, 64>>>(p);", 1024},
		"cast":         {"int *p = nullptr; cudaMalloc((void **)&p, 100); k<<<1, 64>>>(p);", 100},
		"checked":      {"int *p; CHECK(cudaMalloc(&p, N * sizeof *p)); cudaMemcpy(p, h, 4, cudaMemcpyHostToDevice); k<<<1, 64>>>(p); cudaFree(p);", 0},
		"constant":     {"int *p; CHECK(cudaMalloc(&p, N * sizeof(int))); cudaMemcpy(p, h, 4, cudaMemcpyHostToDevice); k<<<1, 64>>>(p); cudaFree(p);", 64},
		"variable":     {"int *p; const int n = 7; cudaMalloc(&p, n * 4); k<<<1, 64>>>(p);", 28},
		"argument":     {"int *p; cudaMalloc(&p, n * 4); k<<<1, 64>>>(p);", 0},
		"the least":    {"int *p, *q; cudaMalloc(&p, 40); cudaMalloc(&q, 30); k<<<1, 64>>>(p); k<<<1, 64>>>(q);", 30},
		"in a block":   {"int *p; { cudaMalloc(&p, 40); } k<<<1, 64>>>(p);", 0},
		"in an if":     {"int *p; if (n) cudaMalloc(&p, 40); k<<<1, 64>>>(p);", 0},
		"in &&":        {"int *p; n && cudaMalloc(&p, 40); k<<<1, 64>>>(p);", 0},
		"around":       {"int *p; cudaMalloc(&p, 40); for (int i = 0; i < n; i++) { k<<<1, 64>>>(p); }", 40},
		"behind":       {"int *p = h; k<<<1, 64>>>(p); cudaMalloc(&p, 40);", 0},
		"twice":        {"int *p; cudaMalloc(&p, 40); cudaMalloc(&p, 80); k<<<1, 64>>>(p);", 0},
		"moved":        {"int *p; cudaMalloc(&p, 40); p += 3; k<<<1, 64>>>(p);", 0},
		"offset":       {"int *p; cudaMalloc(&p, 40); k<<<1, 64>>>(p + 3);", 0},
		"set":          {"int *p; cudaMalloc(&p, 40); p = h; k<<<1, 64>>>(p);", 0},
		"handed on":    {"int *p; cudaMalloc(&p, 40); other(p); k<<<1, 64>>>(p);", 0},
		"by address":   {"int *p; cudaMalloc(&p, 40); cudaMemcpy(&p, h, 8, cudaMemcpyHostToHost); k<<<1, 64>>>(p);", 0},
		"by macro":     {"int *p; cudaMalloc(&p, 40); RESET; k<<<1, 64>>>(p);", 0},
		"by reference": {"int *p; int *&r = p; cudaMalloc(&p, 40); r = h; k<<<1, 64>>>(p);", 0},
		"a parameter":  {"cudaMalloc(&h, 40); k<<<1, 64>>>(h);", 0},
		"jumped over":  {"int *p; if (n) goto there; cudaMalloc(&p, 40); there: k<<<1, 64>>>(p);", 0},
		"of another":   {"int *p; { int *p; cudaMalloc(&p, 40); } k<<<1, 64>>>(p);", 0},
		"member":       {"S s; cudaMalloc(&s.p, 40); k<<<1, 64>>>(s.p);", 0},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := parser.Parse("k.cu", []byte(`
#define N 16
#define CHECK(call) do { if ((call) != cudaSuccess) abort(); } while (0)
`+map[bool]string{true: "#define RESET p = h\n"}[name == "by macro"]+`
struct S { int *p; };
void other(int *&);
__global__ void k(const int *table) {}
void run(int *h, int n) { `+c.body+` }
`), parser.Options{})
			require.NoError(t, err)
			k := NewProgram(&parser.Program{Files: []*parser.File{f}}, [3]int{}).Kernels()[0]
			require.NotEmpty(t, k.Launches)
			got, ok := k.Allocated(0)
			assert.Equal(t, c.want != 0, ok)
			if ok {
				assert.Equal(t, c.want, got)
			}
		})
	}
}
