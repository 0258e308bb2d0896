package verify_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/lab/combine"
	"github.com/smux-cuda/smux/lab/kernelgen"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/validate"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

var (
	randomKernels = flag.Int("kernels", 8, "how many random kernels are rewritten and verified")
	randomFirst   = flag.Int("first", 0, "the number of the first random kernel")
	randomSeed    = flag.Uint64("seed", 1, "what random kernels depend on besides their number")
)

// batchSize is the number of kernels that share two programs.
const batchSize = 40

// randomWay is a variant of all random kernels, or one for each of them.
type randomWay struct {
	rewrite.Variant
	of func(*analysis.Kernel) rewrite.Variant // nil: Variant
}

// randomWays are the variants of random kernels: every rewriter
// in each of its sync modes. The factor of the N-th batch is the N-th of the
// rewriter's; some batches tell the compiler the block shape and stage loads.
func randomWays(batch int) (out []randomWay) {
	for _, r := range rewrite.Rewriters {
		for _, sync := range r.Syncs {
			w := rewrite.Variant{Rewriter: r.Name, Sync: sync, Factor: r.Factors[batch%len(r.Factors)]}
			if len(r.SharedSets) > 0 {
				w.SharedSets = r.SharedSets[batch%len(r.SharedSets)]
			}
			w.Assume = r.Has(variant.KnobAssume) && batch%2 == 1
			if r.Has(variant.KnobStage) && batch%3 == 1 {
				w.Stage = 2
			}
			if len(r.Cuts) > 0 {
				for _, c := range r.Cuts {
					w.By, w.Rounds = c.By, c.Rounds
					out = append(out, randomWay{Variant: w})
				}
				continue
			}
			if !r.Searched {
				out = append(out, randomWay{Variant: w})
				continue
			}
			for part := range 3 {
				out = append(out, randomWay{w, func(k *analysis.Kernel) rewrite.Variant {
					w.Recipe = randomRecipe(k, batch, part)
					return w
				}})
			}
		}
	}
	return out
}

// randomRecipe is a part of all that demote can do to a kernel: words in shared
// memory, pins and a bound, or unroll factors.
func randomRecipe(k *analysis.Kernel, batch, part int) string {
	c := demotion.Of(k, nil)
	var r variant.Recipe
	switch part {
	case 0:
		for i, w := range c.Words {
			if (i+batch)%3 > 0 {
				r.Words = append(r.Words, w.Name)
			}
		}
		if batch%2 == 1 {
			r.Form = variant.FormAsm
		}
	case 1:
		r.Threads = 128 + batch%2*896
		for _, p := range c.Pins {
			r.Pins = append(r.Pins, p.Name)
		}
	default:
		for i, l := range c.Loops {
			r.Unroll = append(r.Unroll, variant.UnrolledLoop{Loop: l.Name, Factor: 1 + (i+batch)%2})
		}
	}
	return r.String()
}

// rewriteKernels rewrites what can be of a file with the kernels, and returns
// the kernels that were.
func rewriteKernels(t *testing.T, kernels []kernelgen.Kernel, way randomWay) ([]kernelgen.Kernel, []byte) {
	t.Helper()
	f, err := parser.Parse("k.cu", kernelgen.Source(kernels), parser.Options{})
	require.NoError(t, err)
	prog := parser.NewProgram([]*parser.File{f}, parser.Options{})
	opt := rewrite.Options{Variant: way.Variant, Runtime: "header"}
	if way.of != nil {
		opt.Decisions = map[diag.Position]rewrite.Decision{}
		for _, k := range passes.NewProgram(prog, [3]int{}).Kernels() {
			d := rewrite.Decision{Variant: way.of(k)}
			if d.Recipe == "" {
				d = rewrite.Decision{} // there is nothing to do
			}
			opt.Decisions[k.File.Position(int(k.View.Declared.Start))] = d
		}
	}
	res, err := rewrite.Run(prog, opt)
	require.NoError(t, err)
	var taken []kernelgen.Kernel
	for _, k := range kernels {
		i := slices.IndexFunc(res.Kernels, func(r rewrite.KernelResult) bool { return r.Name == k.Name })
		require.GreaterOrEqual(t, i, 0, k.Name)
		if res.Kernels[i].Rewriter != "" {
			taken = append(taken, k)
		}
	}
	if len(taken) == 0 {
		return nil, nil
	}
	return taken, res.Files[0].After
}

// randomCount counts the outcomes of random kernels.
type randomCount struct {
	kernels, taken, pairs int
	shown                 int // pairs that package validate shows to be right: none of them may differ
	byWay                 map[string]int
}

// TestOperatorsOfRandomClasses: what operators, conversions and copies do is neither repeated nor moved. What is
// taken of kernels with such objects does what the original does; and where a rewriter that is blind to it would
// have taken more, package validate shows nothing that differs.
func TestOperatorsOfRandomClasses(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("random kernels are not run with -short")
	}
	var taken, blind, shown int
	for from := *randomFirst; from < *randomFirst+*randomKernels; from += batchSize {
		size := min(batchSize, *randomFirst+*randomKernels-from)
		t.Run(fmt.Sprintf("from %d", from), func(t *testing.T) {
			var kernels, quiet []kernelgen.Kernel
			for i := range size {
				k := kernelgen.NewWithObjects(*randomSeed, from+i)
				if !k.Matched {
					kernels, quiet = append(kernels, k), append(quiet, k.Quiet())
				}
			}
			b := randomBatch{kernels: kernels}
			for _, way := range randomWays(from / batchSize) {
				sure, text := rewriteKernels(t, kernels, way)
				b.add(way, sure, text)
				taken += len(sure)
				again, _ := rewriteKernels(t, quiet, way)
				blind += len(again)
				again = slices.DeleteFunc(again, func(k kernelgen.Kernel) bool { return !shownLoud(t, kernels, k, way) })
				if len(again) == 0 {
					continue
				}
				_, text = rewriteKernels(t, again, way)
				for _, k := range again {
					text = []byte(named(kernels, k.Name).Loud(string(text)))
				}
				b.add(way, again, text)
				shown += len(again)
			}
			b.verify(t, from)
		})
	}
	t.Logf("%d rewrites taken; %d by one that is blind to what operators do, of which validate shows %d", taken, blind, shown)
	assert.Greater(t, blind, shown, "none of them is wrong")
}

func named(kernels []kernelgen.Kernel, name string) kernelgen.Kernel {
	return kernels[slices.IndexFunc(kernels, func(k kernelgen.Kernel) bool { return k.Name == name })]
}

// shownLoud reports whether package validate shows the rewrite of a quiet kernel with the operators of the real one.
func shownLoud(t *testing.T, kernels []kernelgen.Kernel, quiet kernelgen.Kernel, way randomWay) bool {
	t.Helper()
	real := named(kernels, quiet.Name)
	_, text := rewriteKernels(t, []kernelgen.Kernel{quiet}, way)
	return shows(t, kernelgen.Source([]kernelgen.Kernel{real}), []byte(real.Loud(string(text))))
}

// TestRandomControlAroundBarriers: what a rewriter takes of random kernels with
// random control around their barriers does what the original does: no deadlock,
// no abort, no difference, no finding. make random tries 2,000. What package validate shows to be right is among it.
func TestRandomControlAroundBarriers(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("random kernels are not run with -short")
	}
	count := randomCount{byWay: map[string]int{}}
	for from := *randomFirst; from < *randomFirst+*randomKernels; from += batchSize {
		size := min(batchSize, *randomFirst+*randomKernels-from)
		t.Run(fmt.Sprintf("from %d", from), func(t *testing.T) { verifyRandom(t, from, size, &count) })
	}
	ways := make([]string, 0, len(count.byWay))
	for w, n := range count.byWay {
		ways = append(ways, fmt.Sprintf("%s %d", w, n))
	}
	slices.Sort(ways)
	t.Logf("%d kernels, of which %d are rewritten in one way at least; %d pairs of a kernel and a way, of which validate shows %d: %s", count.kernels, count.taken, count.pairs, count.shown, strings.Join(ways, ", "))
	assert.Greater(t, count.pairs, count.kernels/2, "too few are taken to show anything")
}

// shownBefore reports whether package validate shows a kernel's rewrite to be right, of the texts alone.
func shownBefore(t *testing.T, k kernelgen.Kernel, way randomWay) bool {
	t.Helper()
	one := []kernelgen.Kernel{k}
	_, text := rewriteKernels(t, one, way)
	return shows(t, kernelgen.Source(one), text)
}

// shows reports whether package validate shows that a text does what another does.
func shows(t *testing.T, original, text []byte) bool {
	t.Helper()
	var progs [2]*parser.Program
	for i, src := range [][]byte{original, text} {
		f, err := parser.Parse("k.cu", src, parser.Options{})
		require.NoError(t, err)
		progs[i] = parser.NewProgram([]*parser.File{f}, parser.Options{})
	}
	return validate.Programs(progs[0], progs[1]).Proved()
}

// randomBatch is one program with original kernels and one with all that was made of them, each in a namespace.
type randomBatch struct {
	kernels []kernelgen.Kernel
	parts   [][]byte
	runs    []kernelgen.Run
	names   []string
	seen    map[string]bool
}

// add adds what was made in one way of some of the kernels.
func (b *randomBatch) add(way randomWay, taken []kernelgen.Kernel, text []byte) {
	if b.seen == nil {
		b.seen = map[string]bool{}
	}
	if len(taken) == 0 {
		return
	}
	for _, k := range taken {
		b.runs = append(b.runs, kernelgen.Run{Kernel: k.Name, Scope: fmt.Sprintf("w%d_::", len(b.parts))})
		b.seen[k.Name] = true
	}
	b.names = append(b.names, fmt.Sprintf("w%d: %s", len(b.parts), way))
	b.parts = append(b.parts, text)
}

// verifyRandom verifies one batch of random kernels in all ways.
func verifyRandom(t *testing.T, from, size int, count *randomCount) {
	var kernels []kernelgen.Kernel
	for i := range size {
		kernels = append(kernels, kernelgen.New(*randomSeed, from+i))
	}
	b := randomBatch{kernels: kernels}
	for _, way := range randomWays(from / batchSize) {
		taken, _ := rewriteKernels(t, kernels, way)
		for _, k := range taken {
			assert.False(t, k.Matched && way.Merges(), "%s takes %s, which holds barriers in both branches of an if", way, k.Name)
		}
		taken = slices.DeleteFunc(taken, func(k kernelgen.Kernel) bool { return k.Matched })
		if len(taken) == 0 {
			continue
		}
		again, text := rewriteKernels(t, taken, way)
		require.Equal(t, taken, again, "%s", way)
		for _, k := range taken {
			if shownBefore(t, k, way) {
				count.shown++
			}
		}
		b.add(way, taken, text)
		count.byWay[way.Rewriter+" "+way.Sync] += len(taken)
	}
	count.kernels += size
	count.taken += len(b.seen)
	count.pairs += len(b.runs)
	b.verify(t, from)
}

// verify expects that all of a batch do what the originals do.
func (b *randomBatch) verify(t *testing.T, from int) {
	t.Helper()
	registers := from / batchSize % 2 * 255 // in every other batch merged blocks may lack some
	original := append(kernelgen.Source(slices.DeleteFunc(slices.Clone(b.kernels), func(k kernelgen.Kernel) bool { return !b.seen[k.Name] })), kernelgen.Main(b.runs, true, registers)...)
	rewritten := append(combine.Pack(b.parts), kernelgen.Main(b.runs, false, registers)...)
	verdict, err := verify.Run(context.Background(), verify.Request{
		Original: oneFile("random", original),
		// The checked build tells most, and takes half of the time.
		Variants:         []verify.Variant{{Name: "rewritten", Program: oneFile("random", rewritten), Separate: true, Checked: from != *randomFirst}},
		Schedules:        []execute.Schedule{{Kind: "ascending"}, {Kind: "descending"}, {Kind: "random", Seed: uint64(from) + 1}},
		CheckedSchedules: []execute.Schedule{{Kind: "random", Seed: uint64(from) + 2}, {Kind: "descending"}},
		Timeout:          2 * time.Minute,
	})
	require.NoError(t, err)
	for _, f := range verdict.Findings {
		if f.Severity == verify.Inherited && f.Message.Code == verify.CodeBarrierDivergence {
			continue // kernels of a generator have barriers in branches that go on to the end
		}
		assert.Fail(t, "a finding", "%s: %v\n%s", f.Variant, f.Message, strings.Join(b.names, "\n"))
	}
	for _, f := range verdict.Failures {
		assert.Fail(t, "a failure", "%s: %v\n%s\n%s", f.Variant, f.Message, f.Output, strings.Join(b.names, "\n"))
	}
	assert.Equal(t, verify.Equal, verdict.Outcome)
}
