package baseline_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/report/baseline"
)

const source = `__global__ void k(float *a) {
    __shared__ float s[1024];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[63 - threadIdx.x];
}
void run(float *a) { k<<<8, 64>>>(a); k<<<8, 64>>>(a + 1); }
`

// looked looks at a file's kernels for GPUs, by estimates.
func looked(t *testing.T, dir, file, text string, names ...string) []baseline.Sight {
	t.Helper()
	f, err := parser.Parse(filepath.Join(dir, file), []byte(text), parser.Options{})
	require.NoError(t, err)
	prog := parser.NewProgram([]*parser.File{f}, parser.Options{})
	c := console.New(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	from, err := resources.New(c, nil, resources.Estimate, prog, parser.Options{})
	require.NoError(t, err)
	var gpus []*gpu.GPU
	for _, n := range names {
		g, err := gpu.Default().Lookup(n)
		require.NoError(t, err)
		gpus = append(gpus, g)
	}
	found, err := baseline.Look(passes.NewProgram(prog, [3]int{}).Kernels(), gpus, from, project.Resolved(dir), config.ReadDirectives(prog))
	require.NoError(t, err)
	return baseline.Sort(found)
}

func TestAKernelStandsOncePerGPUHoweverOftenItIsLaunchedAlike(t *testing.T) {
	dir := t.TempDir()
	found := looked(t, dir, "k.cu", source, "a100", "t4")
	require.Len(t, found, 1)
	k := found[0]
	assert.Equal(t, "k.cu", k.File)
	require.Len(t, k.Stands, 2)
	for _, s := range k.Stands {
		assert.Equal(t, "64", s.Block)
		assert.Equal(t, 4096, s.Static)
		assert.Equal(t, resources.Estimated, s.From)
		assert.Positive(t, s.Blocks)
		assert.NotEmpty(t, s.Limits)
	}
}

func TestWhatIsLookedAtIsComparedWithWhatWasRecorded(t *testing.T) {
	dir := t.TempDir()
	b, err := baseline.Open(filepath.Join(dir, baseline.Name))
	require.NoError(t, err)
	assert.False(t, b.Exists())
	all := b.Covers([]string{dir}, nil)
	now := looked(t, dir, "k.cu", source, "gtx480@16")
	n, written, err := b.Record(now, all)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.True(t, written)

	b, err = baseline.Open(b.Name)
	require.NoError(t, err)
	assert.True(t, b.Exists())
	assert.Equal(t, []string{"gtx480@16"}, b.GPUs())
	_, written, err = b.Record(now, all)
	require.NoError(t, err)
	assert.False(t, written, "it says so already")
	assert.Empty(t, baseline.Compare(b.File, now, baseline.Options{Covers: all}))

	worse := looked(t, dir, "k.cu", strings.Replace(source, "s[1024]", "s[2048]", 1), "gtx480@16")
	d := baseline.NewDigest(baseline.Compare(b.File, worse, baseline.Options{Covers: all}), len(worse))
	assert.True(t, d.Worse)
	assert.False(t, d.Incomparable)
	assert.Equal(t, "1 kernel compared, 1 got worse", d.Text)
}

func TestOnlyWhatIsAskedForIsCovered(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "src"), 0o777))
	b, err := baseline.Open(filepath.Join(dir, baseline.Name))
	require.NoError(t, err)
	k := baseline.Kernel{File: "src/k.cu", Name: "first"}
	for _, tt := range []struct {
		arg, kernel string
		want        bool
	}{
		{"", "", true}, {"src", "", true}, {"src/...", "", true}, {"src/k.cu", "", true}, {"src/other.cu", "", false}, {"sr", "", false},
		{"", "f*", true}, {"", "k", false},
	} {
		var kernels []string
		if tt.kernel != "" {
			kernels = []string{tt.kernel}
		}
		assert.Equal(t, tt.want, b.Covers([]string{filepath.Join(dir, tt.arg)}, kernels)(k), "%v", tt)
	}
}

func TestWhatIsNoBaselineIsRefused(t *testing.T) {
	dir := t.TempDir()
	_, err := baseline.Open(dir)
	var failure *diag.Failure
	require.ErrorAs(t, err, &failure)
	assert.Equal(t, diag.ExitUsage, failure.Exit)
	file := filepath.Join(dir, "x")
	require.NoError(t, os.WriteFile(file, []byte("{}"), 0o666))
	_, err = baseline.Open(file)
	var format *baseline.FormatError
	assert.ErrorAs(t, err, &format)
}

func TestTheNearestBaselineIsWithinTheRepository(t *testing.T) {
	top := t.TempDir()
	below := filepath.Join(top, "repository", "src")
	require.NoError(t, os.MkdirAll(below, 0o777))
	require.NoError(t, os.Mkdir(filepath.Join(top, "repository", ".git"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(top, baseline.Name), nil, 0o666))
	t.Chdir(below)
	assert.Equal(t, baseline.Name, baseline.Nearest())
	require.NoError(t, os.WriteFile(filepath.Join(top, "repository", baseline.Name), nil, 0o666))
	assert.Equal(t, filepath.Join("..", baseline.Name), baseline.Nearest())
}
