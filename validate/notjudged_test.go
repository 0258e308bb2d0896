package validate_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/validate"
)

// How far a loop is unrolled changes nothing; of rewrites that nobody here judges that is said, and not that they are wrong.
func TestWhatIsNotJudgedIsSaid(t *testing.T) {
	old := program(t, `
__global__ void k(const float *a, float *__restrict__ b, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++) s += a[blockIdx.y * n + i];
    b[blockIdx.y * n + blockIdx.x] = s;
}
void run(float *a, float *b) { k<<<dim3(9, 9), 64>>>(a, b, 9); }
`)
	for name, doubt := range map[string]string{
		"unroll":  "",
		"swizzle": "not validated: swizzle is no rewrite that smux validate judges, so nothing is said for or against it",
	} {
		t.Run(name, func(t *testing.T) {
			res, err := rewrite.Run(old, rewrite.Options{Variant: rewrite.Variant{Rewriter: name}})
			require.NoError(t, err)
			require.Len(t, res.Files, 1)
			r := validate.Programs(old, program(t, string(res.Files[0].After)))
			require.Len(t, r.Kernels, 1)
			assert.Equal(t, doubt == "", r.Proved())
			if doubt != "" {
				require.Len(t, r.Kernels[0].Doubts, 1)
				assert.Equal(t, doubt, r.Kernels[0].Doubts[0].Text)
				assert.Equal(t, name, r.Kernels[0].Variant)
			}
		})
	}
}

func TestLaunchesOfAnotherShapeAreNotJudged(t *testing.T) {
	old := program(t, `
__global__ void k(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
void run(float *a) { k<<<9, 64>>>(a); }
`)
	res, err := rewrite.Run(old, rewrite.Options{Variant: rewrite.Variant{Rewriter: "reshape"}})
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	r := validate.Programs(old, program(t, string(res.Files[0].After)))
	assert.False(t, r.Proved())
	require.Len(t, r.Doubts, 1)
	assert.Equal(t, "not validated: reshape is no rewrite that smux validate judges, so nothing is said for or against it", r.Doubts[0].Text)
}

// TestFormsThatWereDoubtedAreProved holds proofs that were lost once, of forms that only the long test of the page makes.
func TestFormsThatWereDoubtedAreProved(t *testing.T) {
	for example, variant := range map[string]rewrite.Variant{
		"mm":  {Rewriter: "vtb", Factor: 2, GridAxis: "y"},
		"rd":  {Rewriter: "vtb", Factor: 2, Persistent: true}, // hands the object on as the one that it is made of
		"sto": {Rewriter: "vtb", Factor: 2, Persistent: true}, // takes turns in a loop
	} {
		t.Run(example, func(t *testing.T) {
			old, errs := parser.LoadProgram([]string{"../examples/" + example + "/" + example + ".cu"}, parser.Options{})
			require.NoError(t, errors.Join(errs...))
			res, err := rewrite.Run(old, rewrite.Options{Runtime: "header", Variant: variant})
			require.NoError(t, err)
			now, err := res.After(old)
			require.NoError(t, err)
			r := validate.Programs(old, now)
			assert.True(t, r.Proved(), "%s", doubts(r))
		})
	}
}
