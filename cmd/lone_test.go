package cmd

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
)

var allLone = flag.Bool("lone", false, "check all kernels of testdata/lone, which takes minutes")

// TestLoneKernels: of right kernels without a program nothing counts that is found with the launches that smux chooses, of wrong
// ones it does, or is told where "guessed" stands above the kernel.
func TestLoneKernels(t *testing.T) {
	if _, err := build.Find(""); err != nil || testing.Short() {
		t.Skip("compiles and runs programs")
	}
	files, err := filepath.Glob("../testdata/lone/*.cu")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := filepath.Base(file)
		if strings.Contains(name, "more") && !*allLone {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			kernels := regexp.MustCompile(`(// guessed\n)?(?:template <[^;{}]*>\s*)?__global__ void (\w+)\(`).FindAllStringSubmatch(string(text), -1)
			words := []string{"check", "--json", "--order", "ascending", file}
			if !*allLone {
				kernels = slices.DeleteFunc(kernels, func(k []string) bool { return !suite.InSample(k[2], 3) })
				for _, k := range kernels {
					words = append(words, "--kernel", k[2])
				}
			}
			var v verify.Verdict
			require.NoError(t, json.Unmarshal(documentOutput(t, words), &v))
			assert.Empty(t, v.Failures)
			worst := map[string]verify.Severity{}
			for _, f := range v.Findings {
				if worst[f.Kernel] != verify.Counts && f.Severity != verify.Note {
					worst[f.Kernel] = f.Severity
				}
			}
			for _, k := range kernels {
				kernel, found := k[2], worst[k[2]]
				switch {
				case strings.HasPrefix(name, "right"):
					assert.NotEqual(t, verify.Counts, found, kernel)
				case k[1] != "":
					assert.Equal(t, verify.Guessed, found, kernel)
				default:
					assert.Equal(t, verify.Counts, found, kernel)
				}
			}
		})
	}
}

// TestRunsThatDependOnTheOrderAreLeftOut: where the pointers of a kernel are one, blocks overwrite what others read, and one order of
// --fast does not tell.
func TestRunsThatDependOnTheOrderAreLeftOut(t *testing.T) {
	if _, err := build.Find(""); err != nil || testing.Short() {
		t.Skip("compiles and runs programs")
	}
	file := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(file, []byte(`__global__ void k(const int *a, int *b, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) b[i] = a[n - 1 - i] + 1;
}`), 0o666))
	var v verify.Verdict
	require.NoError(t, json.Unmarshal(documentOutput(t, []string{"verify", "--json", "--fast", "--variant", "coarsen", "--factor", "2", file}), &v))
	assert.Equal(t, verify.Equal, v.Outcome, "%v", v.Findings)
}
