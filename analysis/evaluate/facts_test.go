package evaluate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/lab/cudatest"
)

const factsSource = `
typedef double real;
using Index = unsigned short;
#define SCALAR float
#define LENGTH 3
struct Pair { char tag; real value; };
struct Many { Pair pairs[LENGTH]; int *next; float a, b; };
struct Opaque;
enum { FOUR = 4 };
const int eight = 2 * FOUR;

template <typename T, int N>
__global__ void k(real *a, Index *b, SCALAR *c, Pair *d, Many *e, Opaque *f, T *g, float3 *h, int n)
{
	a[0] = eight + N + LENGTH + n;
}

void run(real *a) { k<Pair, 7><<<1, 32>>>(a, 0, 0, 0, 0, 0, (Pair *)0, 0, 1); }
`

func facts(t *testing.T) (*analysis.Kernel, *evaluate.Facts) {
	k := passes.NewProgram(cudatest.Program(t, "facts.cu", factsSource), [3]int{}).Kernels()[0]
	return k, evaluate.FactsOf(k, k.Instances[0])
}

func TestSizesOfTypes(t *testing.T) {
	k, f := facts(t)
	for i, want := range []int{8, 2, 4, 16, 64, 0, 16, 12, 4} {
		p := k.Func.Params[i]
		typ := p.Type
		if typ.Ptr > 0 {
			assert.Equal(t, 8, f.SizeOf(k.Func, typ), "a pointer")
			typ.Ptr--
		}
		assert.Equal(t, want, f.SizeOf(k.Func, typ), "%s %s", typ, p.Name)
	}
}

func TestTypesThatAreLaidOutOtherwise(t *testing.T) {
	const source = `
struct Floats { float a, b; };
struct __align__(16) Aligned { float a, b, c; };
struct alignas(8) Also { char a; };
struct Bits { int a : 3, b : 5; };
struct Inside { char a; Floats f; char b; };
__global__ void k(Floats *a, Aligned *b, Also *c, Bits *d, Inside *e, Floats *f) { a[0].a = 0; }
void run(Floats *a) { k<<<1, 32>>>(a, 0, 0, 0, 0, a); }
`
	k := passes.NewProgram(cudatest.Program(t, "types.cu", source), [3]int{}).Kernels()[0]
	f := evaluate.FactsOf(k, k.Instances[0])
	for i, want := range [][2]int{{8, 4}, {}, {}, {}, {16, 4}, {8, 4}} {
		typ := ir.Type{Base: k.Func.Params[i].Type.Base}
		assert.Equal(t, want, [2]int{f.SizeOf(k.Func, typ), f.Alignment(k.Func, typ)}, typ.Base)
	}
}

func TestConstantsOfTheGrid(t *testing.T) {
	k, f := facts(t)
	want := map[string]int64{"eight": 8, "N": 7}
	k.Func.Body.WalkExprs(func(e *ir.Expr) bool {
		if e.Op == ir.OpIdent {
			n, ok := f.Constant(k.Func, e)
			w, known := want[e.Name]
			assert.Equal(t, known, ok, e.Name)
			assert.Equal(t, w, n, e.Name)
			delete(want, e.Name)
		}
		return true
	})
	assert.Empty(t, want)
}
