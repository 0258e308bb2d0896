package rewrite_test

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"testing"

	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// number evaluates an expression of the emitted text: it is one of Go as well.
func number(t *testing.T, text string, names map[string]int) int {
	t.Helper()
	text = regexp.MustCompile(`[A-Za-z_][\w.]*`).ReplaceAllStringFunc(text, func(name string) string {
		n, ok := names[name]
		require.True(t, ok, "%s in %s", name, text)
		return fmt.Sprint(n)
	})
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	require.NoError(t, err, text)
	n, exact := constant.Int64Val(v.Value)
	require.True(t, exact, text)
	return int(n)
}

// emittedLayout says where words lie, as the emitted text has it.
type emittedLayout struct {
	number string // of a thread
	arrays []emittedArray
}

// emittedArray is one array of it, with the expressions for the elements of a
// thread, relative to its number.
type emittedArray struct {
	bytes    int // of an element
	elements int
	rows     []string
}

var (
	emittedNumber = regexp.MustCompile(`const unsigned smux_t = (.*);`)
	emittedWord   = regexp.MustCompile(`__shared__ (float|double|const float \*) ?smux_(\w+)\[(.*)\];`)
	emittedStride = regexp.MustCompile(`, (\d+)> (\w+)\(smux_\w+\[smux_t\]\)`)
	vectorRow     = regexp.MustCompile(`\w\(\(&p\)\[([^\]]+)\]\)`)
	arrayRow      = regexp.MustCompile(`first\[(.+)\]\)`)
)

// layoutOf reads the layout off an emitted program with words sum (float), wide
// (double), p (a pointer), force (float3) and tap (four floats).
func layoutOf(t *testing.T, text string) emittedLayout {
	t.Helper()
	l := emittedLayout{number: emittedNumber.FindStringSubmatch(text)[1]}
	strides := map[string]int{}
	for _, m := range emittedStride.FindAllStringSubmatch(text, -1) {
		strides[m[2]] = number(t, m[1], nil)
	}
	require.Len(t, strides, 2)
	header := string(runtime.Header())
	_, vector, _ := strings.Cut(header, "struct vector3 {")
	vector, _, _ = strings.Cut(vector, "operator")
	_, array, _ := strings.Cut(header, "struct array {")
	for _, m := range emittedWord.FindAllStringSubmatch(text, -1) {
		a := emittedArray{bytes: 8, elements: number(t, m[3], nil), rows: []string{"0"}}
		if m[1] == "float" {
			a.bytes = 4
		}
		stride := fmt.Sprint(strides[m[2]])
		switch m[2] {
		case "force":
			rows := vectorRow.FindAllStringSubmatch(vector, -1)
			require.Len(t, rows, 2)
			for _, r := range rows {
				a.rows = append(a.rows, strings.ReplaceAll(r[1], "N", stride))
			}
		case "tap":
			row := strings.NewReplacer("int(N)", stride).Replace(arrayRow.FindStringSubmatch(array)[1])
			require.NotContains(t, row, "N")
			a.rows = nil
			for i := range 4 {
				a.rows = append(a.rows, regexp.MustCompile(`\bi\b`).ReplaceAllString(row, fmt.Sprint(i)))
			}
		}
		l.arrays = append(l.arrays, a)
	}
	require.Len(t, l.arrays, 5)
	return l
}

// TestWordsOfThreadsLieApart: for blocks of all kinds of shape, no two words of
// any two threads share a byte, none lies beyond its array, and the addresses of
// a warp are those of 32 banks; 64-bit words are accessed by half a warp at a time.
func TestWordsOfThreadsLieApart(t *testing.T) {
	const program = `__global__ void BOUNDSk(const float3 *body, float *out, int n)
{
    float sum = out[n];
    double wide = sum;
    const float *p = out + n;
    float3 force = make_float3(sum, 0, 1);
    float tap[4] = {1, 2, sum};
    for (int i = 0; i < n; ++i) {
        sum += *p++ + force.x + tap[1];
        wide += sum;
        force.y = force.z + sum;
        tap[3] += tap[0] + tap[2];
    }
    out[threadIdx.x] = sum + wide + force.y + tap[3];
}
void run(const float3 *b, float *a, int n, dim3 s) { LAUNCHES }
`
	for name, c := range map[string]struct {
		bounds, launches string
		shapes           [][3]int
	}{
		"a line":           {"", "k<<<n, 96>>>(b, a, n);", [][3]int{{96, 1, 1}}},
		"an odd line":      {"", "k<<<n, 61>>>(b, a, n);", [][3]int{{61, 1, 1}}},
		"lines":            {"", "k<<<n, 61>>>(b, a, n); k<<<n, 64>>>(b, a, n);", [][3]int{{61, 1, 1}, {64, 1, 1}}},
		"a plane":          {"", "k<<<n, dim3(7, 9)>>>(b, a, n);", [][3]int{{7, 9, 1}}},
		"a cube":           {"", "k<<<n, dim3(5, 3, 7)>>>(b, a, n);", [][3]int{{5, 3, 7}}},
		"several":          {"", "k<<<n, dim3(5, 3, 7)>>>(b, a, n); k<<<n, dim3(1, 128)>>>(b, a, n);", [][3]int{{5, 3, 7}, {1, 128, 1}}},
		"bounds":           {"__launch_bounds__(3 * 33) ", "k<<<n, s>>>(b, a, n);", [][3]int{{99, 1, 1}, {11, 3, 3}, {1, 1, 64}, {2, 31, 1}}},
		"bounds, unseen":   {"__launch_bounds__(256) ", "", [][3]int{{256, 1, 1}, {16, 16, 1}}},
		"bounds and shape": {"__launch_bounds__(256) ", "k<<<n, dim3(8, 8)>>>(b, a, n);", [][3]int{{8, 8, 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			src := strings.NewReplacer("BOUNDS", c.bounds, "LAUNCHES", c.launches).Replace(program)
			l := layoutOf(t, demoted(t, src, "demote=sum,wide,p,force,tap"))
			for _, shape := range c.shapes {
				apart(t, l, shape)
			}
		})
	}
}

// apart checks the properties for one shape.
func apart(t *testing.T, l emittedLayout, shape [3]int) {
	t.Helper()
	var threads []int // their numbers, in the order of the hardware's warps
	for z := range shape[2] {
		for y := range shape[1] {
			for x := range shape[0] {
				threads = append(threads, number(t, l.number, map[string]int{
					"threadIdx.x": x, "threadIdx.y": y, "threadIdx.z": z, "blockDim.x": shape[0], "blockDim.y": shape[1],
				}))
			}
		}
	}
	for _, a := range l.arrays {
		taken := map[int]bool{}
		for _, row := range a.rows {
			offset := number(t, row, nil)
			at := func(thread int) int { return offset + threads[thread] }
			for i := range threads {
				require.False(t, taken[at(i)], "%v: element %d of two words", shape, at(i))
				taken[at(i)] = true
				require.True(t, 0 <= at(i) && at(i) < a.elements, "%v: element %d of %d", shape, at(i), a.elements)
			}
			together := 32 * 4 / a.bytes // threads that the banks serve at once
			for first := 0; first < len(threads); first += together {
				banks := map[int]bool{}
				last := min(first+together, len(threads))
				for i := first; i < last; i++ {
					for word := range a.bytes / 4 {
						banks[(at(i)*a.bytes/4+word)%32] = true
					}
				}
				assert.Len(t, banks, (last-first)*a.bytes/4, "%v: a bank twice", shape)
			}
		}
	}
}
