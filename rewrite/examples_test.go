package rewrite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/combine"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/runtime"
)

// matrixPaths are the ten examples, and the programs that package verify runs
// besides.
func matrixPaths(t *testing.T) []string {
	t.Helper()
	more, err := filepath.Glob("../verify/testdata/matrix/*.cu")
	require.NoError(t, err)
	require.NotEmpty(t, more)
	return append(examplePaths(t), more...)
}

// trials holds what became of each program in all variants: several tests look at
// it, and it takes a while.
var trials sync.Map

// tried rewrites a program as all variants, with the runtime as a header.
func tried(t *testing.T, path string) *combine.Trial {
	t.Helper()
	once, _ := trials.LoadOrStore(path, sync.OnceValues(func() (*combine.Trial, error) {
		prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
		if len(errs) > 0 {
			return nil, errors.Join(errs...)
		}
		return combine.Try(prog, combine.Usual.Ways(), rewrite.Options{Runtime: "header"})
	}))
	trial, err := once.(func() (*combine.Trial, error))()
	require.NoError(t, err)
	require.NotEmpty(t, trial.Forms)
	return trial
}

// rewriteExample rewrites an example as one variant, which changes its one file.
func rewriteExample(t *testing.T, path string, variant rewrite.Variant) rewrite.FileResult {
	t.Helper()
	prog, errs := parser.LoadProgram([]string{path}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	res, err := rewrite.Run(prog, rewrite.Options{Variant: variant})
	require.NoError(t, err)
	require.Len(t, res.Files, 1)
	return res.Files[0]
}

// partsPerCall is the number of programs that one call of nvcc compiles: each costs a
// quarter of what it costs alone, and two calls run at a time.
const partsPerCall = 16

// sampledOthers is the number of a program's rewrites that the sample compiles beside
// those that set N, M and the sync mode alone.
const sampledOthers = 2

// architectures returns the arguments for which rewrites are compiled: for all
// four where N, M and the sync mode alone are set, else for two; for one in the
// sample (package suite), without what the host's compiler makes of them.
func architectures(core bool) (args []string, n int) {
	list, kind := []string{"70", "90"}, "-c"
	switch {
	case !suite.Full():
		list, kind = list[:1], "-cubin"
	case core:
		list = []string{"52", "70", "80", "90"}
	}
	args = []string{kind, "-Xptxas", "-v", "-o", "out.o"}
	for _, arch := range list {
		args = append(args, "-gencode", fmt.Sprintf("arch=compute_%s,code=sm_%s", arch, arch))
	}
	return args, len(list)
}

// isCore reports whether a variant sets no more than N, M and the sync mode.
func isCore(f combine.Form) bool {
	w := f.Ways[0]
	return w == rewrite.Variant{Rewriter: w.Rewriter, Sync: w.Sync, Factor: w.Factor, SharedSets: w.SharedSets}
}

// TestExamplesCompile compiles the examples, rewritten as all variants with two
// values of each knob, for sm_70 and sm_90, most for sm_52 and sm_80 as well:
// without a warning that the original does not give, and with the shared memory
// that the rewrite is to have. Many rewrites are compiled at a time, with the runtime as
// a header; TestCasesCompile compiles it as it stands in emitted files.
func TestExamplesCompile(t *testing.T) {
	needNVCC(t)
	var mu sync.Mutex
	var all combine.Trial
	t.Run("programs", func(t *testing.T) {
		for _, path := range matrixPaths(t) {
			t.Run(filepath.Base(path), func(t *testing.T) {
				suite.Sample(t, filepath.Base(path), 4)
				t.Parallel()
				src, err := os.ReadFile(path)
				require.NoError(t, err)
				trial := tried(t, path)
				t.Log(trial)
				mu.Lock()
				all.Add(trial)
				mu.Unlock()
				var core, others []combine.Form
				for _, f := range trial.Forms {
					if isCore(f) {
						core = append(core, f)
					} else if suite.Full() || len(others) < sampledOthers {
						others = append(others, f)
					}
				}
				chunks := slices.Collect(slices.Chunk(core, partsPerCall-1))
				if !suite.Full() { // all are for one architecture
					chunks, others = nil, append(core, others...)
				}
				for _, forms := range slices.AppendSeq(chunks, slices.Chunk(others, partsPerCall-1)) {
					args, n := architectures(isCore(forms[0]))
					parts := [][]byte{src}
					for _, f := range forms {
						require.Len(t, f.Result.Files, 1)
						parts = append(parts, f.Result.Files[0].After)
					}
					compiled := nvccParts(t, parts, args...)
					require.Len(t, compiled[0].shared, n, "ptxas spoke of all architectures")
					for i, f := range forms {
						t.Run(f.Ways[0].String(), func(t *testing.T) { compiled[i+1].sameAs(t, compiled[0], f.Ways[0]) })
					}
				}
			})
		}
	})
	t.Logf("all programs: %s", &all)
}

// nvccParts compiles programs as one file, and returns what the compiler said
// of each. A warning of a part is that part's; messages of ptxas name a kernel,
// which has its part's namespace.
func nvccParts(t *testing.T, parts [][]byte, args ...string) []compiled {
	t.Helper()
	out, err := tryParts(t, parts, args...)
	require.NoError(t, err)
	return out
}

// tryParts is nvccParts for programs that may not stand in one file.
func tryParts(t *testing.T, parts [][]byte, args ...string) ([]compiled, error) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "parts.cu"), combine.Pack(parts), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "smux.cuh"), runtime.Header(), 0o666))
	out := make([]compiled, len(parts))
	for i := range out {
		out[i].shared = map[string][]int{}
	}
	text, err := callNVCC(dir, append(slices.Clone(args), "parts.cu")...)
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(text, "\n") {
		if !warningText.MatchString(line) {
			continue
		}
		i, err := partOf(partOfMessage, line)
		if err != nil {
			return nil, err
		}
		one := read(t, partText.ReplaceAllString(line, ""))
		out[i].warnings = append(out[i].warnings, one.warnings...)
	}
	// One kernel's lines, from the one that names it to the next.
	for _, piece := range strings.Split(text, "Compiling entry function '")[1:] {
		i, err := partOf(partOfMessage, piece)
		if err != nil {
			return nil, err
		}
		for arch, list := range read(t, "Compiling entry function '"+piece).shared {
			out[i].shared[arch] = append(out[i].shared[arch], list...)
		}
	}
	for _, c := range out {
		for _, list := range c.shared {
			slices.Sort(list)
		}
	}
	return out, nil
}

// partOf is the number of the part that a message is about.
func partOf(where *regexp.Regexp, message string) (int, error) {
	m := where.FindStringSubmatch(message)
	if m == nil {
		return 0, fmt.Errorf("it belongs to no part: %s", message)
	}
	return strconv.Atoi(strings.Join(m[1:], ""))
}

// partOfMessage finds the part in a message: a place in it, or a kernel's name.
var partOfMessage = regexp.MustCompile(`part-(\d+)\.cu|_ZN\d+w(\d+)_`)

// sameAs checks that emitted code gives no warning that the original does not
// give, and that each kernel has the shared memory that the variant is to have.
func (c compiled) sameAs(t *testing.T, original compiled, variant rewrite.Variant) {
	t.Helper()
	for _, w := range c.warnings {
		assert.True(t, slices.Contains(original.warnings, w), "a new warning: %s", w)
	}
	for arch, list := range c.shared {
		before := original.shared[arch]
		require.Len(t, list, len(before), "kernels for %s", arch)
		for i, n := range list {
			least, most := sharedBytes(variant, before[i])
			if n != before[i] { // a kernel that was left alone
				assert.GreaterOrEqual(t, n, least, "shared bytes for %s, of %d", arch, before[i])
				assert.LessOrEqual(t, n, most, "shared bytes for %s, of %d", arch, before[i])
			}
		}
	}
}

// lockBytes is the largest size of a lock: its word, which slot each v-TB has,
// and what aligning the arrays may add.
const lockBytes = 4 + 4*15 + 15

// mostStaged is the largest number of bytes that stage takes where nobody says how many.
const mostStaged = 16 << 10

// sharedBytes are the bounds of the shared bytes of a rewritten kernel that had
// some number of them. A rewriter that is not known here may have as many
// copies as there are v-TBs.
func sharedBytes(variant rewrite.Variant, before int) (least, most int) {
	least, most = before, before
	switch variant.Rewriter {
	case "vtb", "vtb-pipe", "stage-loads", "assume-shape":
	case "slice", "overlay", "stage":
	case "dyn":
		least, most = before*max(1, variant.SharedSets), before*max(1, variant.SharedSets)
	default:
		most = before*max(1, variant.Factor) + 15
	}
	if variant.Sync == "lock" {
		most += lockBytes
	}
	for _, step := range variant.Steps() { // what stands in front of turns makes them smaller
		switch step.Rewriter {
		case "slice": // arrays beside may become variables, which is less than another round would save
			least = min(least, before/(max(step.Rounds, 2)+1))
		case "overlay":
			least = 1
		case "stage":
			most += mostStaged
		}
	}
	return least, most
}

// TestEmittedTextIsGoodForCUDA13: none of the lines that a rewrite adds, in any
// way, and nothing in the runtime uses what CUDA 13 no longer has. The words are those of features that were
// removed up to then; nothing is compiled, so this shows no more than their
// absence: not how CUDA 13's compiler takes the rest.
func TestEmittedTextIsGoodForCUDA13(t *testing.T) {
	assert.NotRegexp(t, goneInCUDA13, string(runtime.Header()))
	for _, path := range matrixPaths(t) {
		for _, f := range tried(t, path).Forms {
			for _, file := range f.Result.Files {
				before := map[string]bool{}
				for line := range strings.Lines(string(file.Before)) {
					before[strings.TrimSpace(line)] = true
				}
				for line := range strings.Lines(string(file.After)) {
					if !before[strings.TrimSpace(line)] {
						assert.NotRegexp(t, goneInCUDA13, line, "%s, %s", path, f.Ways[0])
					}
				}
			}
		}
	}
}

// goneInCUDA13 are warp intrinsics without a mask, texture and surface
// references, calls of the runtime's early days, and vector types of 32 bytes
// without a word on alignment.
var goneInCUDA13 = regexp.MustCompile(`\b(__shfl(_up|_down|_xor)?|__any|__all|__ballot)\s*\(` +
	`|\b(texture|surface)\s*<` +
	`|\bcudaThread(Synchronize|Exit|SetLimit|SetCacheConfig)\b|\bcuda(Bind|Unbind)Texture|\bcudaConfigureCall\b|\bcudaSetupArgument\b` +
	`|\b(double|long|ulong|longlong|ulonglong)4\b` +
	`|\bcooperative_groups::(multi_grid_group|this_multi_grid)\b|\bmulti_grid_group\b`)

// TestGoneInCUDA13IsSeen: the words are found where they stand, and not in what
// looks like them.
func TestGoneInCUDA13IsSeen(t *testing.T) {
	for _, bad := range []string{"v += __shfl_down(v, 1);", "if (__any(p))", "texture<float> t;", "cudaThreadSynchronize();", "const double4 v = a[i];", "auto g = multi_grid_group();"} {
		assert.Regexp(t, goneInCUDA13, bad)
	}
	for _, good := range []string{"v += __shfl_down_sync(m, v, 1);", "if (__any_sync(m, p))", "double4_16a v;", "float4 v;", "cudaDeviceSynchronize();"} {
		assert.NotRegexp(t, goneInCUDA13, good)
	}
}
