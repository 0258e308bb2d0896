package verify_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/combine"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

var full = flag.Bool("full", false, "verify rewrites with all values of all knobs, not with two of each, and all mutants")

// leftToFlag is the reason that is given for what is run with the flag alone.
const leftToFlag = "left to -full"

// matrixProgram is a program whose rewrites are all verified.
type matrixProgram struct {
	name, path string
	// args are those of an odd grid, whose last launched block is not full for any
	// factor, and of one that every factor divides, in each dimension that the
	// grid has.
	args [][]string
	// plane is set if the grid has a second dimension, along which blocks can be
	// merged, too.
	plane bool
}

func (p matrixProgram) values() combine.Values {
	v := combine.Usual
	if *full {
		v = combine.Full
	}
	if !p.plane {
		v = v.AlongX()
	}
	return v
}

func (p matrixProgram) load(t *testing.T) *parser.Program {
	t.Helper()
	prog, errs := parser.LoadProgram([]string{p.path}, parser.Options{})
	require.NoError(t, errors.Join(errs...))
	return prog
}

// matrixPrograms are the ten examples, and what they lack: warps that two blocks
// share, blocks and grids of two and three dimensions, guards, templates, structures.
func matrixPrograms() []matrixProgram {
	args := map[string][][]string{
		"fft": {{"3"}, {"4"}}, "hg": {{"3", "2"}, {"4", "2"}}, "mc": {{"3"}, {"4"}}, "mv": {{"3"}, {"4"}},
		"rd": {{"5"}, {"8"}}, "sp": {{"3"}, {"4"}}, "sto": {{"3"}, {"4"}},
		"partial": {{"5", "3"}, {"4", "2"}}, "scan": {{"5"}, {"4"}}, "dynamic": {{"5", "3"}, {"4", "2"}}, "guard": {{"5", "3"}, {"4", "7"}}, "two": {{"5"}, {"4"}},
	}
	plane := map[string][][]string{
		"cv": {{"3", "2"}, {"4", "1"}, {"2", "4"}}, "mm": {{"3", "3", "2"}, {"4", "4", "1"}}, "tp": {{"3", "5"}, {"4", "4"}},
		"plane": {{"5", "3"}, {"4", "4"}}, "cube": {{"3", "5", "3"}, {"4", "4", "4"}},
	}
	var out []matrixProgram
	for _, pattern := range []string{"../examples/*/*.cu", "testdata/matrix/*.cu"} {
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			p := matrixProgram{name: strings.TrimSuffix(filepath.Base(path), ".cu"), path: path}
			p.args, p.plane = plane[p.name], plane[p.name] != nil
			if !p.plane {
				p.args = args[p.name]
			}
			out = append(out, p)
		}
	}
	return out
}

// isCore reports whether a variant sets no more than N, M and the sync mode. A text
// that such a variant gives is run in the plain build as well, in all orders.
func isCore(w rewrite.Variant) bool {
	return w == rewrite.Variant{Rewriter: w.Rewriter, Sync: w.Sync, Factor: w.Factor, SharedSets: w.SharedSets}
}

// TestRewritesAreEqual: each program in each variant that a rewriter has, with every
// combination of two values of each knob, gives the output of the original, for
// odd and even grids, and has no race, no deadlock and no read across regions or
// bounds, in two orders of threads and blocks: the checked build shows it. What sets
// N, M and the sync mode alone is run, every other one in five orders and an optimised
// build, too; of the other texts every other one is run. Variants that emit the same text are
// run once; the log tells how many there were and why the others were refused. With
// -full, the knobs have all their values, and all texts are run in all orders. The
// sample (package suite) has every third of the first and every sixth of the other
// texts, all in the checked build.
//
// What it can't show: other inputs than these, and a GPU's memory model.
func TestRewritesAreEqual(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("some hundred programs are not run with -short")
	}
	var mu sync.Mutex
	var all combine.Trial
	t.Run("programs", func(t *testing.T) {
		programs := matrixPrograms()
		require.Len(t, programs, 17)
		for number, p := range programs {
			require.NotEmpty(t, p.args, p.name)
			t.Run(p.name, func(t *testing.T) {
				suite.Sample(t, p.name, 3)
				t.Parallel()
				prog := p.load(t)
				trial, err := combine.Try(prog, p.values().Ways(), rewrite.Options{})
				require.NoError(t, err)
				t.Log(trial)
				mu.Lock()
				all.Add(trial)
				mu.Unlock()
				var variants []verify.Variant
				for i, f := range trial.Forms {
					core := slices.ContainsFunc(f.Ways, isCore)
					// Every other one, say, not the same in each program.
					nth := func(n int) bool { return (i+number)%n == 0 }
					var run, checked bool
					switch {
					case *full:
						run = true
					case suite.Full():
						run, checked = core || nth(2), !core || !nth(2)
					case core:
						run, checked = nth(3), true
					default:
						run, checked = nth(6), true
					}
					if !run {
						continue
					}
					variants = append(variants, verify.Variant{
						Name: f.Ways[0].String(), Program: oneFile(p.name, f.Result.Files[0].After), Checked: checked,
					})
				}
				requireEqual(t, p, prog, variants)
			})
		}
	})
	t.Logf("all programs: %s", &all)
}

// requireEqual verifies variants of a program: nothing counts against any.
func requireEqual(t *testing.T, p matrixProgram, prog *parser.Program, variants []verify.Variant) {
	t.Helper()
	require.NotEmpty(t, variants, "no variant is offered")
	request := verify.Request{Original: oneFile(p.name, prog.Files[0].Src), Variants: variants, Args: p.args, Timeout: 5 * time.Minute, Jobs: 1}
	verdict, err := verify.Run(context.Background(), request)
	require.NoError(t, err)
	for _, f := range verdict.Failures {
		assert.Fail(t, "could not be run", "%s: %s\n%s", f.Variant, f.Message, f.Output)
	}
	for _, f := range verdict.Findings {
		assert.NotEqual(t, verify.Counts, f.Severity, "%s: %s", f.Variant, f.Message)
	}
	assert.Equal(t, verify.Equal, verdict.Outcome)
	for _, v := range variants {
		assert.True(t, verdict.Passed(v.Name), v.Name)
	}
}

// TestKernelsRewrittenDifferently: the two kernels of a program, each in a variant
// of its own, as decisions ask, are as equal as if they were alike. Every variant of
// each kernel is seen beside some variant of the other.
func TestKernelsRewrittenDifferently(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("dozens of programs are not run with -short")
	}
	i := slices.IndexFunc(matrixPrograms(), func(p matrixProgram) bool { return p.name == "two" })
	p := matrixPrograms()[i]
	prog := p.load(t)
	values := p.values()
	values.Assume = values.Assume[:1]
	type kernel struct {
		at   diag.Position
		ways []rewrite.Variant
	}
	var kernels []kernel
	for _, name := range []string{"pairs", "sums"} {
		trial, err := combine.Try(prog, values.Ways(), rewrite.Options{Kernels: []string{name}})
		require.NoError(t, err)
		require.NotEmpty(t, trial.Forms)
		k := kernel{at: trial.Forms[0].Result.Kernels[0].Pos}
		for _, f := range trial.Forms {
			k.ways = append(k.ways, f.Ways[0])
		}
		kernels = append(kernels, k)
	}
	var variants []verify.Variant
	for i := range max(len(kernels[0].ways), len(kernels[1].ways)) {
		if !suite.Full() && i%3 != 0 {
			continue
		}
		a, b := kernels[0].ways[i%len(kernels[0].ways)], kernels[1].ways[(i+1)%len(kernels[1].ways)]
		res, err := rewrite.Run(prog, rewrite.Options{Decisions: map[diag.Position]rewrite.Decision{
			kernels[0].at: {Variant: a}, kernels[1].at: {Variant: b},
		}})
		require.NoError(t, err)
		require.Len(t, res.Files, 1)
		for _, k := range res.Kernels {
			require.NotEmpty(t, k.Rewriter, "%s and %s: %v", a, b, k.Refused)
		}
		variants = append(variants, verify.Variant{Name: fmt.Sprintf("%s, %s", a, b), Program: oneFile(p.name, res.Files[0].After)})
	}
	t.Logf("%d pairs of ways", len(variants))
	requireEqual(t, p, prog, variants)
}
