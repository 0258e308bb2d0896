package space_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/acc"
	"github.com/smux-cuda/smux/acc/space"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

func explore(t *testing.T, text string, choose bool, names ...string) (*acc.Result, space.Report) {
	t.Helper()
	res, _, report := exploreFor(t, text, space.Want{Mappings: choose}, names...)
	return res, report
}

func exploreFor(t *testing.T, text string, want space.Want, names ...string) (*acc.Result, map[string]rewrite.Variant, space.Report) {
	t.Helper()
	opt := acc.Reading()
	f, err := parser.Parse("in.c", []byte(text), opt)
	require.NoError(t, err)
	prog := parser.NewProgram([]*parser.File{f}, opt)
	var gpus []*gpu.GPU
	for _, name := range names {
		g, err := gpu.Default().Lookup(name)
		require.NoError(t, err)
		gpus = append(gpus, g)
	}
	res, staged, report, err := space.Explore(prog, prog.Files[0], acc.Options{}, gpus, want)
	require.NoError(t, err)
	return res, staged, report
}

// programs are one kernel each.
var programs = map[string]string{
	"saxpy": `void f(int n, float *x, float *y) {
#pragma acc parallel loop copyin(x[0:n]) copy(y[0:n])
for (int i = 0; i < n; i++) y[i] += 2 * x[i]; }`,
	"few": `void f(float x[20][20]) {
#pragma acc parallel loop copy(x[0:20])
for (int i = 0; i < 20; i++) for (int j = 0; j < 20; j++) x[i][j] += 1; }`,
	"thin": `void f(int n, double x[][4], double y[][4]) {
#pragma acc parallel loop copyin(x[0:n]) copyout(y[0:n])
for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) y[i][j] = x[i][j] * 2; }`,
	"sum": `float f(int n, float *x) { float s = 0;
#pragma acc parallel loop copyin(x[0:n]) reduction(+:s)
for (int i = 0; i < n; i++) s += x[i];
return s; }`,
	"rows": `void f(int n, int m, float x[][1000], float *y) {
#pragma acc parallel loop gang copyin(x[0:n]) copyout(y[0:n])
for (int i = 0; i < n; i++) { float s = 0;
#pragma acc loop vector reduction(+:s)
for (int j = 0; j < 1000; j++) s += x[i][j];
y[i] = s; } }`,
	"data": `void f(int n, int *x) {
#pragma acc parallel loop copy(x[0:n])
for (int i = 0; i < n; i++) while (x[i] > 1) x[i] = x[i] % 2 ? 3 * x[i] + 1 : x[i] / 2; }`,
}

// TestTheModelChoosesWhatGains has kernels that one shape is as good for as another, too small
// ones, and those that a shape is better for.
func TestTheModelChoosesWhatGains(t *testing.T) {
	for _, c := range []struct{ name, chosen, kept string }{
		{"saxpy", "256", "nothing is expected"},
		{"few", "32x8", "less than the 2 us of a launch"},
		{"data", "", "depends on data"},
		{"thin", "", ""},
		{"sum", "512, grid 864", ""},
	} {
		res, report := explore(t, programs[c.name], true, "a100", "t4")
		require.Len(t, report.Kernels, 1)
		k := report.Kernels[0]
		assert.Contains(t, k.Kept, c.kept, c.name)
		if c.kept == "" {
			assert.Empty(t, k.Kept, c.name)
			assert.NotEqual(t, res.Nests[0].Mappings[0], plain(t, programs[c.name]).Nests[0].Mappings[0])
		} else {
			assert.Equal(t, string(plain(t, programs[c.name]).Text), string(res.Text), "the text is the one without a model")
		}
		if c.chosen != "" {
			assert.Equal(t, c.chosen, res.Nests[0].Mappings[0].Shape(), c.name)
		}
		for _, g := range k.GPUs {
			for _, r := range g.Rows {
				assert.True(t, k.Known || len(r.Along) == len(k.Loops), "all loops have threads where it is not known how many that makes")
			}
			if c.name == "data" {
				assert.Empty(t, g.Rows)
				continue
			}
			marks, usual, chosen := 0, 0.0, 0.0
			for i, r := range g.Rows {
				if r.Default {
					usual = r.Time
				}
				if r.Chosen {
					chosen = r.Time
					marks++
					assert.Equal(t, res.Nests[0].Mappings[0].Block, r.Block)
				}
				if i > 0 && r.Impossible == "" {
					assert.LessOrEqual(t, g.Rows[i-1].Time, r.Time)
				}
				assert.Equal(t, r.Impossible == "", r.Blocks > 0 && r.Time > 0 && r.Comp > 0 && r.Mem > 0, "%+v", r)
			}
			assert.Equal(t, 1, marks, "%s on %s", c.name, g.Name)
			assert.LessOrEqual(t, chosen, usual*1.04+0.1, "%s is slower on %s", c.name, g.Name)
		}
	}
}

func plain(t *testing.T, text string) *acc.Result {
	f, err := parser.Parse("in.c", []byte(text), acc.Reading())
	require.NoError(t, err)
	prog := parser.NewProgram([]*parser.File{f}, acc.Reading())
	res, err := acc.Translate(prog, prog.Files[0], acc.Options{})
	require.NoError(t, err)
	return res
}

// TestThreadsOfAGangAreChosen has a thread block for each iteration of the outer loop.
func TestThreadsOfAGangAreChosen(t *testing.T) {
	_, report := explore(t, programs["rows"], true, "a100")
	k := report.Kernels[0]
	assert.Equal(t, []string{"i", "j"}, k.Loops)
	assert.Equal(t, []int64{4194304, 1000}, k.Trips)
	require.Len(t, k.GPUs[0].Rows, 6)
	for _, r := range k.GPUs[0].Rows {
		assert.Equal(t, []string{"j"}, r.Along)
		assert.Equal(t, 132, r.Shared, "the parts of warps and the result")
	}
}

// TestWithoutGPUsTheTextStays has a report that is about what could be.
func TestWithoutGPUsTheTextStays(t *testing.T) {
	res, report := explore(t, programs["sum"], false, "a100")
	assert.Equal(t, string(plain(t, programs["sum"]).Text), string(res.Text))
	assert.Contains(t, report.Kernels[0].Kept, "with --gpu it would be 512")
	for _, r := range report.Kernels[0].GPUs[0].Rows {
		assert.Equal(t, fmt.Sprint(r.Block) == "[256]", r.Chosen)
	}
}

// TestWhatCannotRunIsSaid has a GPU with at most 512 threads in a block.
func TestWhatCannotRunIsSaid(t *testing.T) {
	_, report := explore(t, programs["saxpy"], true, "gtx285")
	var out bytes.Buffer
	report.Text(&out)
	assert.Contains(t, out.String(), "can't run: ")
	assert.Contains(t, out.String(), "assumed: n is taken to be 4194304")
	rows := report.Kernels[0].GPUs[0].Rows
	assert.Equal(t, []int{1024}, rows[len(rows)-1].Block)
}

// stencil reads three elements for each that it writes.
const stencil = `void f(int n, const float *restrict x, float *restrict y) {
#pragma acc parallel loop copyin(x[0:n]) copy(y[0:n])
for (int i = 1; i < n - 1; i++) {%s y[i] = x[i - 1] + x[i] + x[i + 1]; } }`

// TestSchemesAreChosenWhereTheyAreWanted: a form of stage is in the report with its bytes, and is taken
// if that is asked for, on a GPU whose L1 has no global loads.
func TestSchemesAreChosenWhereTheyAreWanted(t *testing.T) {
	text := fmt.Sprintf(stencil, "")
	for _, c := range []struct {
		want  space.Want
		taken bool
		shown bool
	}{
		{space.Want{}, false, false},
		{space.Want{Mappings: true}, false, false},
		{space.Want{Report: true}, false, true},
		{space.Want{Schemes: true}, true, true},
		{space.Want{Mappings: true, Schemes: true}, true, true},
	} {
		_, staged, report := exploreFor(t, text, c.want, "k40")
		assert.Equal(t, c.taken, staged["f_3_kernel"].Rewriter != "", c.want)
		shown, chosen := false, 0
		for _, row := range report.Kernels[0].GPUs[0].Rows {
			shown = shown || row.Scheme != ""
			if row.Scheme != "" {
				assert.Positive(t, row.Shared)
			}
			if row.Chosen {
				chosen++
				assert.Equal(t, c.taken, row.Scheme != "", c.want)
			}
		}
		assert.Equal(t, c.shown, shown, c.want)
		assert.Equal(t, 1, chosen, c.want)
	}
}

// TestTheFastestMappingsAreStaged has schemes looked at for the default and for the two mappings with the
// best mean over the GPUs, also where none is as fast as the default on all of them.
func TestTheFastestMappingsAreStaged(t *testing.T) {
	text, err := os.ReadFile("../../examples/acc/product.c")
	require.NoError(t, err)
	gpus := []string{"t4", "h100"}
	_, _, report := exploreFor(t, string(text), space.Want{Report: true}, gpus...)
	mean, staged, standard := map[string]float64{}, map[string]bool{}, ""
	for _, g := range report.Kernels[0].GPUs {
		for _, row := range g.Rows {
			name := fmt.Sprint(row.Block, row.Along)
			if row.Default {
				standard = name
			}
			if row.Scheme != "" {
				staged[name] = true
			} else {
				mean[name] += math.Log(row.Time)
			}
		}
	}
	delete(mean, standard)
	require.Greater(t, len(mean), 4)
	for name := range staged {
		better := 0
		for _, time := range mean {
			if time < mean[name]-1e-3 { // a launch is included where they are compared
				better++
			}
		}
		assert.True(t, name == standard || better < 2, "%s is staged, of %v", name, mean)
	}
	assert.Greater(t, len(staged), 1)
}

// TestTextsToCountAreNotChecked: the call that each check is around stays.
func TestTextsToCountAreNotChecked(t *testing.T) {
	opt := acc.Reading()
	f, err := parser.Parse("in.c", []byte(programs["sum"]), opt)
	require.NoError(t, err)
	prog := parser.NewProgram([]*parser.File{f}, opt)
	run, err := acc.Translate(prog, prog.Files[0], acc.Options{})
	require.NoError(t, err)
	counted, err := acc.Translate(prog, prog.Files[0], acc.Options{Count: true})
	require.NoError(t, err)
	assert.Positive(t, bytes.Count(run.Text, []byte("ACC_CHECK(cuda")))
	assert.Zero(t, bytes.Count(counted.Text, []byte("ACC_CHECK(cuda")))
	assert.Equal(t, bytes.Count(run.Text, []byte("(cudaMalloc(")), bytes.Count(counted.Text, []byte(" cudaMalloc(")))
}

// TestFewLongIterationsGetSmallThreadBlocks has the model agree with what is taken without it, and that rests on no macro.
func TestFewLongIterationsGetSmallThreadBlocks(t *testing.T) {
	rows := func(n int, body string) string {
		return fmt.Sprintf(`#define N %d
void f(float x[N][512], float *y) {
#pragma acc parallel loop copyin(x[0:N]) copyout(y[0:N])
for (int i = 0; i < N; i++) { %s } }`, n, body)
	}
	const sum = "float s = 0; for (int j = 0; j < 512; j++) s += x[i][j]; y[i] = s;"
	for _, c := range []struct {
		name, text, block string
	}{
		{"few", rows(4096, sum), "64"},
		{"more", rows(20000, sum), "128"},
		{"many", rows(100000, sum), "256"},
		{"short", rows(4096, "y[i] = x[i][0];"), "256"},
	} {
		res := plain(t, c.text)
		assert.Equal(t, c.block, res.Nests[0].Mappings[0].Shape(), c.name)
		assert.NotContains(t, string(res.Text), "static_assert", c.name)
	}
	_, report := explore(t, rows(4096, sum), false, "h100")
	times := map[int]float64{}
	for _, r := range report.Kernels[0].GPUs[0].Rows {
		times[r.Block[0]] = r.Time
	}
	assert.Less(t, times[64], times[128])
	assert.Less(t, times[128], times[256])
}
