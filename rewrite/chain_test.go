package rewrite

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

const chained = `__global__ void sums(const float *in, float *out, int tiles) {
    __shared__ float tile[64];
    float sum = 0;
    for (int t = 0; t < tiles; ++t) {
        tile[threadIdx.x] = in[(blockIdx.x * tiles + t) * 64 + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < 64; ++i) sum += tile[i] * (i ^ threadIdx.x);
        __syncthreads();
    }
    float *last = &sum;
    out[blockIdx.x * 64 + threadIdx.x] = *last;
}
__global__ void other(float *out) { out[threadIdx.x] = 1; }
void run(const float *in, float *out, int n, int tiles) {
    sums<<<n, 64>>>(in, out, tiles);
    other<<<1, 64>>>(out);
}
`

func chainedProgram(t *testing.T, src string) *parser.Program {
	t.Helper()
	f, err := parser.Parse("k.cu", []byte(src), parser.Options{})
	require.NoError(t, err)
	return parser.NewProgram([]*parser.File{f}, parser.Options{})
}

// placeIn returns the place of a text in the program.
func placeIn(prog *parser.Program, text string) diag.Position {
	f := prog.Files[0]
	return f.Position(strings.Index(string(f.Src), text))
}

func demoted(recipe string) Decision {
	return Decision{Variant: Variant{Rewriter: "demote", Recipe: recipe}}
}

func TestASecondRewriteIsThatOfWhatTheFirstOneLeft(t *testing.T) {
	prog := chainedProgram(t, chained)
	vtb := Options{Variant: Variant{Rewriter: "vtb", Sync: "named", Factor: 2}, Kernels: []string{"sums"}}
	first, err := Run(prog, vtb)
	require.NoError(t, err)
	middle, err := first.After(prog)
	require.NoError(t, err)
	want, err := Run(middle, Options{Variant: demoted("bounds=128,4").Variant, Kernels: vtb.Kernels})
	require.NoError(t, err)

	at := placeIn(prog, "sums(")
	vtb.Then = map[diag.Position]Decision{at: demoted("bounds=128,4")}
	got, err := Run(prog, vtb)
	require.NoError(t, err)
	require.Len(t, got.Files, 1)
	assert.Equal(t, chained, string(got.Files[0].Before))
	assert.Equal(t, string(want.Files[0].After), string(got.Files[0].After))
	require.Len(t, got.Kernels, 1, "the other kernel was not asked for")
	assert.Equal(t, "vtb named N=2 bounds=128,4", got.Kernels[0].Variant.String())
	assert.Equal(t, at, got.Kernels[0].Pos)
}

// TestAMessageOfASecondRewriteNamesAPlaceOfTheOriginal: what the second rewrite says of a
// line of the kernel stands further down in the text that it sees.
func TestAMessageOfASecondRewriteNamesAPlaceOfTheOriginal(t *testing.T) {
	prog := chainedProgram(t, chained)
	at, sum := placeIn(prog, "sums("), placeIn(prog, "sum = 0")
	run := func(way Variant) KernelResult {
		r, err := Run(prog, Options{Variant: way, Kernels: []string{"sums"}, Then: map[diag.Position]Decision{at: demoted("pin=sum")}})
		require.NoError(t, err)
		require.Len(t, r.Kernels, 1)
		return r.Kernels[0]
	}
	alone, err := Run(prog, Options{Variant: demoted("pin=sum").Variant, Kernels: []string{"sums"}})
	require.NoError(t, err)
	require.NotEmpty(t, alone.Kernels[0].Refused, "its address is taken")
	require.Equal(t, sum, alone.Kernels[0].Refused[0].Pos)
	for _, sync := range []string{"named", "lock"} {
		k := run(Variant{Rewriter: "vtb", Sync: sync, Factor: 2})
		assert.Equal(t, "vtb", k.Rewriter)
		assert.Subset(t, k.Notes, alone.Kernels[0].Refused, "in the same words, at the same place")
	}
}

// TestWhatADecisionSaysStaysAtItsPlace: a reason was found in places of the original.
func TestWhatADecisionSaysStaysAtItsPlace(t *testing.T) {
	prog := chainedProgram(t, chained)
	at := placeIn(prog, "sums(")
	why := diag.Message{Pos: placeIn(prog, "float *last"), Code: "because", Text: "so it is"}
	for name, d := range map[string]Decision{"done": demoted("bounds=128,4"), "left": {}} {
		d.Why = []diag.Message{why}
		r, err := Run(prog, Options{Variant: Variant{Rewriter: "vtb", Factor: 2}, Kernels: []string{"sums"}, Then: map[diag.Position]Decision{at: d}})
		require.NoError(t, err)
		assert.Contains(t, r.Kernels[0].Notes, why, name)
		r, err = Run(prog, Options{Kernels: []string{"other"}, Decisions: map[diag.Position]Decision{placeIn(prog, "other("): {}}, Then: map[diag.Position]Decision{placeIn(prog, "other("): {Why: d.Why}}})
		require.NoError(t, err)
		assert.Equal(t, []diag.Message{why}, r.Kernels[0].Refused, "it was left alone twice")
	}
}

func TestAChainGoesOnFromWhatSomebodyElseMade(t *testing.T) {
	prog := chainedProgram(t, chained)
	begin := passes.NewProgram(prog, [3]int{})
	c := NewChain(begin)
	other := strings.Replace(chained, "float sum = 0;", "// two\n    // lines\n    float sum = 0;", 1)
	require.NoError(t, c.Add(&Result{Files: []FileResult{{Name: "k.cu", Before: []byte(chained), After: []byte(other)}}}))
	further := c.Clone()
	now, err := c.Now()
	require.NoError(t, err)
	f := now.Parsed.Files[0]
	require.Equal(t, other, string(f.Src))
	for _, text := range []string{"__global__ void sums", "float *last", "other(float", "other<<<"} {
		assert.Equal(t, placeIn(prog, text), c.Place(f.Position(strings.Index(other, text))), text)
	}
	k := begin.Kernels()[0]
	same, err := c.Kernel(k)
	require.NoError(t, err)
	assert.Equal(t, k.Name, same.Name)
	assert.Same(t, f, same.File)
	require.NoError(t, c.Edit(map[*parser.File]*edit.Buffer{f: edit.NewBuffer([]edit.Edit{{Start: 0, End: 0, New: "// top\n"}})}))
	assert.Equal(t, "// top\n"+other, string(c.Result().Files[0].After))
	assert.Equal(t, other, string(further.Result().Files[0].After), "a clone goes its own way")
	gone := NewChain(begin)
	require.NoError(t, gone.Add(&Result{Files: []FileResult{{Name: "k.cu", Before: []byte(chained), After: []byte(strings.Replace(chained, "sums(const", "renamed(const", 1))}}}))
	_, err = gone.Kernel(k)
	assert.ErrorContains(t, err, "kernel sums is gone")
}

// TestABlockShapeIsNotThatOfMergedBlocks: --block says of the person's launches how large
// their blocks are; merged, they are larger.
func TestABlockShapeIsNotThatOfMergedBlocks(t *testing.T) {
	prog := chainedProgram(t, chained[:strings.Index(chained, "void run")])
	for name, merged := range map[string]bool{"vtb": true, "stage-loads": false} {
		r, err := Run(prog, Options{Variant: Variant{Rewriter: name, Factor: 2}, Kernels: []string{"sums"}, Block: [3]int{64, 1, 1}})
		require.NoError(t, err)
		begin := passes.NewProgram(prog, [3]int{64, 1, 1})
		c := NewChain(begin)
		require.Equal(t, name, r.Kernels[0].Rewriter, r.Kernels[0].Refused)
		require.NoError(t, c.Add(r))
		now, err := c.Kernel(begin.Kernels()[0])
		require.NoError(t, err)
		for _, in := range now.Instances {
			_, known := in.BlockShape()
			assert.Equal(t, !merged, known, name)
		}
	}
}
