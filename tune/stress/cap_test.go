package stress

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/lab/cudatest"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/tune/instrument"
)

// programOf is the program of a text, with a stand-in for nvcc that writes the text and
// its own arguments to the program.
func programOf(t *testing.T, text, kernel string) (*Program, *nvcc.Toolkit) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for nvcc is a shell script")
	}
	path := filepath.Join(t.TempDir(), "nvcc")
	const script = "#!/bin/sh\nall=$*\nwhile [ $# -gt 0 ]; do case $1 in -o) out=$2; shift;; *.cu) unit=$1;; esac; shift; done\n(cat \"$unit\"; echo \"$all\") >\"$out\"\n"
	require.NoError(t, os.WriteFile(path, []byte(script), 0o755))
	ks := passes.NewProgram(cudatest.Program(t, "p.cu", text), [3]int{}).Kernels()
	k := ks[slices.IndexFunc(ks, func(k *analysis.Kernel) bool { return k.Name == kernel })]
	return &Program{
		Parsed: k.Prog.Parsed, Kernel: k, Threads: 64,
		Request: nvcc.Request{Texts: map[string][]byte{"p.cu": []byte(text)}, Arch: "sm_80"},
	}, nvcc.At(path)
}

func textBuilt(t *testing.T, p *Program, toolkit *nvcc.Toolkit, l Level) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program")
	require.NoError(t, p.Build(t.Context(), toolkit, l, out))
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	return string(text)
}

// A cap is launch bounds on the kernel or a flag of the compiler, never both; its
// launches are timed all the same.
func TestACapIsSetOnce(t *testing.T) {
	source, err := os.ReadFile("../instrument/testdata/everywhere.cu") // kernels launched in each place that a launch may stand in
	require.NoError(t, err)
	everywhere := string(source)
	computed := strings.Replace(everywhere, "<<<grid(), 64, 256>>>", "<<<grid(), calls * 0 + 64, 256>>>", 1)
	require.NotEqual(t, everywhere, computed)
	for _, c := range []struct {
		kernel, text string
		launches     int
		flag         bool // only the compiler's flag can do it
	}{{"other", everywhere, 1, false}, {"turn", everywhere, 8, false}, {"turn", computed, 8, true}} {
		p, toolkit := programOf(t, c.text, c.kernel)
		plain := textBuilt(t, p, toolkit, Level{Blocks: 3})
		assert.NotContains(t, plain, "__launch_bounds__")
		assert.NotContains(t, plain, "maxrregcount")
		timed, err := instrument.Launches(p.Kernel)
		require.NoError(t, err)
		assert.Contains(t, plain, string(timed["p.cu"]))

		capped := textBuilt(t, p, toolkit, Level{Blocks: 5, Cap: 5, Registers: 40})
		bounds := strings.Count(capped, "__launch_bounds__(64, 5)")
		flags := strings.Count(capped, "-maxrregcount=40")
		assert.Equal(t, 1, bounds+flags)
		assert.Equal(t, c.flag, flags == 1, "a cap by flag, where the block size of a launch is computed")
		assert.Equal(t, c.launches, strings.Count(capped, "(::smux_launch::smux_begin("))
		assert.Nil(t, p.Request.Flags, "the program's own flags stay")
		assert.Equal(t, c.text, string(p.Request.Texts["p.cu"]))
	}
}
