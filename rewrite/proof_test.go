package rewrite

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
	"github.com/smux-cuda/smux/rewrite/kit"
	"github.com/smux-cuda/smux/rewrite/merge"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// programOf analyses one file.
func programOf(t *testing.T, src string) *analysis.Program {
	t.Helper()
	read := func(string) ([]byte, error) { return nil, os.ErrNotExist }
	f, err := parser.Parse("k.cu", []byte(src), parser.Options{ReadFile: read})
	require.NoError(t, err)
	return passes.NewProgram(parser.NewProgram([]*parser.File{f}, parser.Options{}), [3]int{})
}

const proofKernel = `#define N 4
__global__ void k(float *a) {
    __shared__ float s[64];
    const int i = blockIdx.x * 64 + threadIdx.x;
    float sum = 0;
    s[threadIdx.x] = a[i];
    __syncthreads();
    for (int j = 0; j < N; ++j)
        sum += s[(threadIdx.x + j) % 64];
    a[i] = sum;
}
void run(float *a) { k<<<8, 64>>>(a); }
`

// TestProofsSayWhatChanges shows proofs without making an edit.
func TestProofsSayWhatChanges(t *testing.T) {
	for _, tt := range []struct {
		variant string
		want    []string
	}{
		{"stage-loads", []string{"before 6:5: float load at 6:5"}},
		{"assume-shape", []string{"__builtin_assume(threadIdx.x < 64);"}},
		{"demote bounds=64,2", []string{"cap at 2:11: __launch_bounds__(64, 2)"}},
		{"demote pin=i", []string{
			"no const at 4:5", "pin behind 4:5: i", "pin before 6:5: i", "pin before 10:5: i",
		}},
		{"demote pin=j", []string{"pin in the body of 8:5: j", "pin at the end of the body of 8:5:"}},
		{"demote unroll=8:2 demote=sum", []string{"word sum: 1 of thread threadIdx.x of 64", "unroll 2 at 8:5"}},
		{"merge named N=2", []string{"blocks of 64 threads", "2 of s", "sync() at 7:5"}},
		{"merge block N=4", []string{"blocks of 64 threads", "4 of s"}},
		{"vtb named N=2", []string{"blocks of 64 threads", "turn from 6:5 to 9:42, float load at 6:5 before it", "sync() at 7:5"}},
		{"vtb named N=4 K=0", []string{"blocks of 64 threads", "turn from 6:5 to 9:42", "sync() at 7:5"}},
		{"vtb block N=2", []string{"blocks of 64 threads", "turn from 6:5 to 9:42, float load at 6:5 before it, piece at 6:5, piece at 8:5"}},
		{"vtb-pipe block N=2", []string{"blocks of 64 threads", "turn from 6:5 to 9:42, float load at 6:5 before it, piece at 6:5, piece at 8:5"}},
		{"co-vtb named N=2 P=16", []string{
			"16 of 64 rows of s private", "either store that waits at 6:5", "either at 9:16", "of what that leaves:",
			"blocks of 64 threads", "2 of s_private", "turn from 9:5 to 12:122", "sync() at 10:5",
		}},
		{"dyn lock N=4 M=2", []string{"blocks of 64 threads", "2 of s", "turn from 6:5 to 9:42, float load at 6:5 before it", "sync() at 7:5"}},
	} {
		t.Run(tt.variant, func(t *testing.T) {
			v, err := variant.Parse(tt.variant)
			require.NoError(t, err)
			k := programOf(t, proofKernel).Kernels()[0]
			p, reasons := rewriter(v.Rewriter).Prove(k, Options{Variant: v}.WithDefaults())
			require.Empty(t, reasons)
			lines := strings.Split(p.String(), "\n\t")
			assert.Equal(t, v.String()+" of k", lines[0])
			assert.Equal(t, tt.want, lines[1:])
		})
	}
}

// TestProofsApplyAnew applies a proof twice: the second time makes the same edits.
func TestProofsApplyAnew(t *testing.T) {
	for _, text := range []string{"stage-loads", "assume-shape", "demote pin=i demote=sum unroll=8:2 bounds=64", "slice by=window", "merge named N=2", "merge block N=2", "vtb named N=2", "vtb lock N=2", "vtb block N=2", "vtb-pipe block N=2", "co-vtb block N=2 P=16", "co-vtb lock N=2 P=16", "dyn lock N=3 M=2"} {
		v, err := variant.Parse(text)
		require.NoError(t, err)
		k := programOf(t, proofKernel).Kernels()[0]
		p, reasons := rewriter(v.Rewriter).Prove(k, Options{Variant: v}.WithDefaults())
		require.Empty(t, reasons)
		before := p.String()
		first := p.Apply()
		require.NotEmpty(t, first.Files[k.File].Edits())
		assert.Equal(t, first, p.Apply(), text)
		assert.Equal(t, before, p.String(), text)
	}
}

// TestProofsHoldNoEdits looks through all that proofs hold of the rewriters.
func TestProofsHoldNoEdits(t *testing.T) {
	own := strings.TrimSuffix(reflect.TypeFor[kit.Findings]().PkgPath(), "/kit")
	type visited struct {
		at uintptr
		as reflect.Type
	}
	seen := map[visited]bool{}
	var look func(v reflect.Value, path string)
	look = func(v reflect.Value, path string) {
		assert.NotContains(t, []reflect.Type{reflect.TypeFor[edit.Buffer](), reflect.TypeFor[edit.Edit](), reflect.TypeFor[kit.Emitter]()}, v.Type(), path)
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if v.IsNil() {
				return
			}
			if v.Kind() == reflect.Pointer {
				at := visited{v.Pointer(), v.Type()}
				if seen[at] {
					return
				}
				seen[at] = true
			}
			look(v.Elem(), path)
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				look(v.Index(i), path)
			}
		case reflect.Map:
			for i := v.MapRange(); i.Next(); {
				look(i.Value(), path)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if strings.HasPrefix(v.Type().PkgPath(), own) {
					look(v.Field(i), path+"."+v.Type().Field(i).Name)
				}
			}
		}
	}
	for _, r := range Rewriters {
		for _, sync := range r.Syncs {
			opt := Options{Variant: Variant{Rewriter: r.Name, Sync: sync, Recipe: "pin=i unroll=8:2"}}.WithDefaults()
			if p, _ := r.Check(programOf(t, proofKernel).Kernels()[0], opt); p != nil {
				look(reflect.ValueOf(p), opt.Variant.String())
			}
		}
	}
	assert.Greater(t, len(seen), 50)
}

// TestProofOfACutSaysWhatIsTakenApart shows what is declared before a region that is cut,
// and with which type; what is computed ahead; and how a function is cut.
func TestProofOfACutSaysWhatIsTakenApart(t *testing.T) {
	k := programOf(t, `__device__ float sum(float *s, float x) {
    float y = x + 1;
    s[threadIdx.x] = y;
    __syncthreads();
    return s[0] + y + blockIdx.x;
}
__global__ void k(float *a) {
    __shared__ float s[64];
    const auto v = 2.0f * a[threadIdx.x];
    s[threadIdx.x] = v;
    int first(threadIdx.x), second = 2;
    const int q = __syncthreads_count(s[first] > 2);
    float z = sum(s, 2);
    __syncthreads();
    a[q] = s[63] + z + v + first + second;
}
void run(float *a) { k<<<8, 64>>>(a); }
`).Kernels()[0]
	p, reasons := rewriter("vtb").Prove(k, Options{Variant: Variant{Rewriter: "vtb", Sync: "block", Factor: 2}}.WithDefaults())
	require.Empty(t, reasons)
	assert.Equal(t, []string{
		"turn from 10:5 to 12:53, int first at 11:9 before it, int second at 11:29 before it, int q at 12:15 before it, " +
			"assignment at 11:5, piece at 10:5, vote at 12:5, result at 12:5",
		"turn from 13:5 to 15:43, float z at 13:11 before it, result at 13:5, piece at 15:5, sum at 13:15",
		"in sum: assignment at 2:5, piece at 2:5 after float y at 2:11, return at 5:5",
	}, strings.Split(p.String(), "\n\t")[2:])
	assert.Len(t, p.Apply().Clones, 1)
}

// TestProofOfStepsSaysWhatRunsAhead shows what one v-TB does during the other's turn, and
// which barriers the steps come in place of.
func TestProofOfStepsSaysWhatRunsAhead(t *testing.T) {
	k := programOf(t, `__global__ void k(float *a, int n) {
    __shared__ float s[64];
    for (int i = 0; i < n; ++i) {
        float x = sqrtf(a[threadIdx.x]), y = 2;
        s[threadIdx.x] = x;
        __syncthreads();
        a[threadIdx.x] = s[63 - threadIdx.x] + y;
        __syncthreads();
    }
}
void run(float *a) { k<<<8, 64>>>(a, 2); }
`).Kernels()[0]
	p, reasons := rewriter("vtb-pipe").Prove(k, Options{Variant: Variant{Rewriter: "vtb-pipe", Sync: "block", Factor: 2}}.WithDefaults())
	require.Empty(t, reasons)
	assert.Equal(t, []string{
		"turn from 5:9 to 7:50, float x at 4:15 before it, float y at 4:42 before it, ahead assignment at 4:9, ahead piece at 4:9, " +
			"piece at 5:9, piece at 7:9",
		"no barrier at 8:9", "barrier after the loop at 3:5",
	}, strings.Split(p.String(), "\n\t")[2:])
}

// TestWhatRunsAheadIsNotTakenApartWhereItChanges: a question that the v-TB answers stands
// in a declaration of two variables that would have to be declared before the loop.
func TestWhatRunsAheadIsNotTakenApartWhereItChanges(t *testing.T) {
	k := programOf(t, `#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float *a) {
    __shared__ float s[64];
    auto block = cg::this_thread_block();
    float x = sqrtf(a[threadIdx.x]) + block.size(), y = 2;
    s[threadIdx.x] = x;
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x] + y;
}
void run(float *a) { k<<<8, 64>>>(a); }
`).Kernels()[0]
	for name, want := range map[string][]diag.Code{"vtb": nil, "vtb-pipe": {merge.CodeHoist}} {
		_, reasons := rewriter(name).Prove(k, Options{Variant: Variant{Rewriter: name, Sync: "block", Factor: 2}}.WithDefaults())
		var codes []diag.Code
		for _, m := range reasons {
			codes = append(codes, m.Code)
			assert.Equal(t, 6, m.Pos.Line)
		}
		assert.Equal(t, want, codes, name)
	}
}

// TestProofOfMergedFunctionsSaysWhatTheyNeed: the proof follows calls, and says what
// changes in which function.
func TestProofOfMergedFunctionsSaysWhatTheyNeed(t *testing.T) {
	k := programOf(t, `__device__ int number() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ float half(float *s) { __syncthreads(); return s[number() % 64] / 2; }
__device__ float twice(float x) { return 2 * x; }
__global__ void k(float *a) {
    __shared__ float s[64], all;
    s[threadIdx.x] = twice(a[number()]);
    if (threadIdx.x == 0) all = 1;
    a[number()] = half(s);
}
void run(float *a) { k<<<8, 64>>>(a); }
`).Kernels()[0]
	opt := Options{Variant: Variant{Rewriter: "merge", Sync: "named", Factor: 2}}.WithDefaults()
	p, reasons := rewriter("merge").Prove(k, opt)
	require.Empty(t, reasons)
	assert.Equal(t, []string{
		"merge named N=2 of k", "blocks of 64 threads", "2 of s", "2 of all",
		"number at 6:30", "number at 8:7", "half at 8:19",
		"in number:", "in half: sync() at 2:35 number at 2:61",
	}, strings.Split(p.String(), "\n\t"))
	assert.Len(t, p.Apply().Clones, 2)
}

// TestProofOfATurnSaysWhenItIsOver: a last read of shared memory ends the turn before the
// statement that it stands in.
func TestProofOfATurnSaysWhenItIsOver(t *testing.T) {
	k := programOf(t, `__global__ void k(float *out, const float *a) {
    __shared__ float s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = 2 * s[63 - threadIdx.x] + out[i];
}
void run(float *out, float *a) { k<<<8, 64>>>(out, a); }
`).Kernels()[0]
	opt := Options{Variant: Variant{Rewriter: "vtb", Sync: "lock", Factor: 2, Stage: variant.NoStage}}.WithDefaults()
	p, reasons := rewriter("vtb").Prove(k, opt)
	require.Empty(t, reasons)
	assert.Contains(t, p.String(), "turn from 3:5 to 6:47, over before 6:5")
}

// defective is a proof that nobody may apply.
type defective struct{ Proof }

func (defective) Apply() *kit.Edits { panic("applied") }

// forbidApply lets the rewriters prove, and panic where they make edits.
func forbidApply(t *testing.T) {
	old := Rewriters
	t.Cleanup(func() { Rewriters = old })
	Rewriters = slices.Clone(old)
	for i, r := range old {
		own := *r
		own.Check = func(k *analysis.Kernel, opt Options) (Proof, []diag.Message) {
			p, reasons := r.Prove(k, opt)
			if len(reasons) > 0 {
				return nil, reasons
			}
			return defective{p}, nil
		}
		Rewriters[i] = &own
	}
}

// TestAskingMakesNoEdits asks what can be done, with proofs that can't be applied.
func TestAskingMakesNoEdits(t *testing.T) {
	forbidApply(t)
	prog := programOf(t, proofKernel)
	kernels := prog.Kernels()
	groups := Groups(prog, kernels, Options{})
	require.Len(t, groups, 1)
	can := map[string]bool{}
	for _, o := range groups[0].Variants {
		can[o.Rewriter] = can[o.Rewriter] || o.Can
	}
	for _, o := range CheckedVariants(prog, kernels, Options{})[kernels[0]] {
		assert.Equal(t, can[o.Rewriter] && o.Can, o.Can)
	}
	demote := Options{Variant: Variant{Rewriter: "demote", Recipe: "pin=i"}}
	assert.Empty(t, Refusals(prog, kernels, groups[0], demote))
	for _, name := range []string{"vtb", "co-vtb", "vtb-pipe", "dyn", "merge", "stage-loads", "assume-shape", "slice"} {
		assert.True(t, can[name], name)
	}
}

// TestDefectOfApplyRefusesTheKernel: what goes wrong while edits are made keeps the
// rewriter from the kernel, and nothing is changed.
func TestDefectOfApplyRefusesTheKernel(t *testing.T) {
	forbidApply(t)
	prog := programOf(t, proofKernel)
	res, err := RunAnalysed(prog, Options{Variant: Variant{Rewriter: "stage-loads"}})
	require.NoError(t, err)
	assert.Empty(t, res.Files)
	require.Len(t, res.Kernels, 1)
	assert.Empty(t, res.Kernels[0].Rewriter)
	assert.Equal(t, analysis.CodeInternal, res.Kernels[0].Refused[0].Code)
}

// TestUnknownRewriterIsAnError: a misspelt name means no rewriter, in the options and in
// a decision on one kernel.
func TestUnknownRewriterIsAnError(t *testing.T) {
	prog := programOf(t, proofKernel)
	kernels := prog.Kernels()
	wrong := Variant{Rewriter: "vbt"}
	_, err := RunAnalysed(prog, Options{Variant: wrong})
	require.ErrorContains(t, err, `"vbt"`)
	_, err = RunAnalysed(prog, Options{Decisions: map[diag.Position]Decision{kit.Position(kernels[0]): {Variant: wrong}}})
	require.ErrorContains(t, err, `"vbt"`)
	assert.False(t, wrong.Merges())
	assert.Empty(t, Groups(prog, kernels, Options{Variant: wrong})[0].Variants)
	assert.NotEmpty(t, Refusals(prog, kernels, Group{Kernels: kernels}, Options{Variant: wrong}))
}

// The table of what a person can ask for and that of proofs are of the same rewriters.
func TestEachRewriterHasItsProof(t *testing.T) {
	require.Len(t, Rewriters, len(variant.Rewriters))
	for i, r := range Rewriters {
		assert.Same(t, variant.Rewriters[i], r.Rewriter)
	}
}
