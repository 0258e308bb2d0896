package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/tune/record"
)

const source = "__global__ void k(float *a) { a[0] = 1; }\n__global__ void other(float *a) { a[0] = 2; }\n"

// measured are the lines of a record in which some forms of kernel k of the source take
// 1 ms where the original takes as many as the list says.
func measuredLines(t *testing.T, on string, defines []string, original ...float64) []byte {
	t.Helper()
	s := record.Subject{
		Source: record.HashProgram(cudatest.Program(t, "k.cu", source)), Kernel: "k",
		Flags: record.CompilerFlags(parser.Options{Defines: defines}), Machine: record.Machine{On: on, GPU: "a100"},
	}
	var lines []record.Line
	add := func(c record.TunedVariant, ms float64) {
		v := record.MeasuredVariant{Subject: s, Candidate: c, Name: c.String(), Text: c.String()}
		lines = append(lines, record.Line{Schema: record.Schema, Key: v.Key(), Variant: &v})
		for turn := range 6 {
			p := record.Pair{Phase: record.Search, Turn: turn, Base: []float64{ms}, Variant: []float64{1}}
			lines = append(lines, record.Line{Schema: record.Schema, Key: v.Key(), Pair: &p})
		}
	}
	add(record.TunedVariant{}, 1)
	for i, ms := range original {
		add(record.TunedVariant{Variant: vtb(2 + i)}, ms)
	}
	text, err := record.Encode(lines...)
	require.NoError(t, err)
	return text
}

func vtb(factor int) rewrite.Variant {
	return rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: factor}
}

// shownOf returns what is shown of the kernels of a text, with what is remarked on.
func shownOf(t *testing.T, text string, chosen *rewrite.Variant, stores ...string) (map[string][]report.Evidence, string) {
	t.Helper()
	var stderr bytes.Buffer
	c := console.New(strings.NewReader(""), &bytes.Buffer{}, &stderr)
	e, err := openMeasurements(c, stores)
	require.NoError(t, err)
	prog := cudatest.Program(t, "k.cu", text)
	p := report.Program{}
	for _, k := range passes.NewProgram(prog, [3]int{}).Kernels() {
		p.Kernels = append(p.Kernels, report.Kernel{KernelReport: summary.Report(k)})
		if chosen != nil {
			p.Kernels[len(p.Kernels)-1].Result = &rewrite.KernelResult{Variant: *chosen}
		}
	}
	e.add(prog, parser.Options{}, &p)
	e.remarkOnUnused(c)
	out := map[string][]report.Evidence{}
	for _, k := range p.Kernels {
		out[k.Name] = k.Evidence
	}
	return out, stderr.String()
}

func writtenBy(t *testing.T, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "k.jsonl")
	require.NoError(t, os.WriteFile(path, text, 0o666))
	return path
}

func TestTheFastestFormIsShownOfItsKernelAlone(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	got, remarks := shownOf(t, source, nil, writtenBy(t, measuredLines(t, "gpu", nil, 1.2, 1.5)))
	assert.Empty(t, remarks)
	assert.Empty(t, got["other"])
	require.Len(t, got["k"], 1)
	assert.Equal(t, "vtb named N=3", got["k"][0].Form)
	assert.InDelta(t, 1.5, got["k"][0].Ratio, 1e-9)
	assert.Equal(t, 6, got["k"][0].Pairs)
}

func TestTheFormThatTheKernelIsRewrittenToIsShown(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	slower := vtb(2)
	got, _ := shownOf(t, source, &slower, writtenBy(t, measuredLines(t, "gpu", nil, 0.8, 0.9)))
	require.Len(t, got["k"], 1)
	assert.Equal(t, "vtb named N=2", got["k"][0].Form)
	assert.InDelta(t, 0.8, got["k"][0].Ratio, 1e-9)
}

func TestMeasurementsOfOtherTextsOrMacrosAreNotShown(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for name, c := range map[string]struct {
		text    string
		defines []string
	}{"another text": {source + "\n", nil}, "another -D": {source, []string{"N=2"}}} {
		got, remarks := shownOf(t, c.text, nil, writtenBy(t, measuredLines(t, "gpu", c.defines, 1.5)))
		assert.Empty(t, got["k"], name)
		assert.Contains(t, remarks, "it measured other texts, or other -D", name)
	}
}

// TestOnlyWhatWasMeasuredAndNamedIsShown: times that nothing measured are shown from no file, and
// nothing is of a person's cache.
func TestOnlyWhatWasMeasuredAndNamedIsShown(t *testing.T) {
	for on, want := range map[string]int{"gpu": 1, "command": 1, "model": 0, "cpu": 0} {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
		file, err := record.DefaultStore("k.cu", record.HashProgram(cudatest.Program(t, "k.cu", source)))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, measuredLines(t, on, nil, 1.5), 0o666))
		got, remarks := shownOf(t, source, nil)
		assert.Empty(t, got["k"], on)
		assert.Empty(t, remarks)
		got, remarks = shownOf(t, source, nil, file)
		assert.Len(t, got["k"], want, on)
		assert.Equal(t, want == 0, strings.Contains(remarks, "its times were not measured on a GPU"), remarks)
	}
}
