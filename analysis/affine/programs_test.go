package affine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/affine"
	"github.com/smux-cuda/smux/parser"
)

// programs calls f for the kernels of the examples and of the rewriters' cases.
func programs(t testing.TB, f func(name string, k *analysis.Kernel)) {
	t.Helper()
	paths, err := filepath.Glob("../../examples/*/*.cu")
	require.NoError(t, err)
	cases, err := filepath.Glob("../../testdata/cases/*.txtar")
	require.NoError(t, err)
	for _, path := range append(paths, cases...) {
		sources := map[string][]byte{}
		if strings.HasSuffix(path, ".cu") {
			sources[path], err = os.ReadFile(path)
			require.NoError(t, err)
		} else {
			archive, err := txtar.ParseFile(path)
			require.NoError(t, err)
			for _, file := range archive.Files {
				if strings.HasSuffix(file.Name, ".cu") {
					sources[file.Name] = file.Data
				}
			}
		}
		for name, src := range sources {
			file, err := parser.Parse(name, src, parser.Options{})
			require.NoError(t, err)
			for _, k := range analysis.NewProgram(parser.NewProgram([]*parser.File{file}, parser.Options{}), [3]int{}).Kernels() {
				f(filepath.Base(path)+" "+k.Name, k)
			}
		}
	}
}

func TestAccessesOfWholeProgramsAreSound(t *testing.T) {
	seen, known := 0, 0
	programs(t, func(name string, k *analysis.Kernel) {
		var in *analysis.Instance
		if len(k.Instances) > 0 {
			in = k.Instances[0]
		}
		found := affine.Of(k, in, [3]int{})
		for _, x := range found.Accesses {
			seen++
			if x.Sized {
				known++
			}
			assert.NotNil(t, x.Stmt, name)
			assert.NotNil(t, x.Top(), name)
			n, _ := x.Sectors([3]int{64, 2, 1})
			assert.LessOrEqual(t, n, float64(32*(1+(x.Bytes+30)/32)), "%s: %s", name, x.Address)
			for i, l := range x.Loops {
				if i > 0 {
					assert.Same(t, x.Loops[i-1], l.Outer, name)
				}
			}
		}
	})
	assert.Greater(t, seen, 100)
	assert.Greater(t, known, seen/2, "most elements have a size")
}

func TestTheSameKernelHasTheSameForms(t *testing.T) {
	programs(t, func(name string, k *analysis.Kernel) {
		if len(k.Instances) > 0 {
			a, b := affine.Of(k, k.Instances[0], [3]int{}), affine.Of(k, k.Instances[0], [3]int{})
			assert.Equal(t, forms(a), forms(b), name)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	src, err := os.ReadFile("../../examples/mm/mm.cu")
	require.NoError(b, err)
	f, err := parser.Parse("mm.cu", src, parser.Options{})
	require.NoError(b, err)
	k := analysis.NewProgram(parser.NewProgram([]*parser.File{f}, parser.Options{}), [3]int{}).Kernels()[0]
	for b.Loop() {
		affine.Of(k, k.Instances[0], [3]int{})
	}
}
