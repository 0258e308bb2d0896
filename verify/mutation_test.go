package verify_test

import (
	"context"
	"flag"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/combine"
	"github.com/smux-cuda/smux/lab/mutate"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/execute"
)

var showMutants = flag.Bool("mutants", false, "print what became of every mutant")

// equivalentMutants lists the mutants that do what the original does. Each line
// is "example variant mutant: reason"; the three may be patterns with *.
const equivalentMutants = "testdata/mutants/equivalent.txt"

// leastKilled is the share of mutants that verify must kill, the equivalent
// ones among them.
const leastKilled = 0.9

// leastMutants is the least number of mutants, if all examples are run.
const leastMutants = 300

// spinning is the processor time after which a mutant that waits for a lock or a flag
// counts as one that never ends: a hundred times what a run takes. Each such
// mutant takes it in each of its runs.
const spinning = 500 * time.Millisecond

// otherVariants are, of each rewriter beside vtb and dyn, one variant of an
// example: another one from example to example, so that a few of them stand for
// all. Texts that a variant of an earlier rewriter gives as well are left out.
func otherVariants(t *testing.T, example string) []exampleVariant {
	t.Helper()
	trial, err := combine.Try(loadExample(t, example), combine.Usual.AlongX().Ways(), rewrite.Options{})
	require.NoError(t, err)
	forms := map[string][]rewrite.Variant{}
	for _, f := range trial.Forms {
		by := func(name string) func(rewrite.Variant) bool {
			return func(w rewrite.Variant) bool { return w.Rewriter == name }
		}
		if slices.ContainsFunc(f.Ways, by("vtb")) || slices.ContainsFunc(f.Ways, by("dyn")) || !f.Ways[0].Merges() {
			continue // what is done in place has the mutants of the original
		}
		way := f.Ways[0]
		forms[way.Rewriter] = append(forms[way.Rewriter], way)
	}
	number := slices.Index(slices.Sorted(maps.Keys(exampleArgs)), example)
	var out []exampleVariant
	for _, r := range rewrite.Rewriters {
		if ways := forms[r.Name]; len(ways) > 0 {
			out = append(out, exampleVariant{way: ways[number%len(ways)]})
		}
	}
	return out
}

// mutatedVariants are the variants of an example whose mutants are judged, those that
// stand for the rewriters beside vtb and dyn from index others on.
func mutatedVariants(t *testing.T, example string) (list []exampleVariant, others int) {
	list = []exampleVariant{{}, {sync: "named", factor: 2}, {sync: "block", factor: 2}}
	switch example { // what waits for a lock takes a watchdog's time: a few will do, as of four v-TBs
	case "hg", "rd":
		list = append(list, exampleVariant{sync: "named", factor: 4}, exampleVariant{sync: "block", factor: 4})
	case "cv":
		list = append(list, exampleVariant{sync: "lock", factor: 2})
	case "fft", "mm", "sto":
		list = append(list, exampleVariant{sync: "lock", factor: 4, slots: 2})
	case "mv", "sp":
		list = append(list, exampleVariant{way: shortTurns()})
	}
	if example == "sto" { // its original has no barrier
		list = list[1:]
	}
	return append(list, otherVariants(t, example)...), len(list)
}

// shortTurns is vtb with all that makes turns shorter, in blocks that stay.
func shortTurns() rewrite.Variant {
	w := rewrite.Variant{Rewriter: "vtb", Sync: "named", Factor: 2}
	for _, knob := range combine.Usual.On {
		*w.Switch(knob) = true
	}
	return w
}

// TestMutantsAreKilled: verify rejects every mutant of the examples and of their
// variants from the original, unless the mutant is listed as equivalent.
func TestMutantsAreKilled(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("some hundred programs are not run with -short")
	}
	listed := readEquivalent(t, equivalentMutants)
	var mu sync.Mutex
	killed, all := 0, 0
	t.Run("examples", func(t *testing.T) {
		for number, name := range slices.Sorted(maps.Keys(exampleArgs)) {
			list, others := mutatedVariants(t, name)
			for i, v := range list {
				t.Run(name+"/"+v.String(), func(t *testing.T) {
					switch {
					case i == number%len(list) && number%8 == 2: // the sample has one of every eighth example
					case i >= others && (i+number)%2 != 0 && !*full: // and all tests every second one of the other rewriters
						t.Skip(leftToFlag)
					default:
						suite.OnlyFull(t)
					}
					t.Parallel()
					mutants, deaths := runMutants(t, name, v)
					mu.Lock()
					defer mu.Unlock()
					for i, m := range mutants {
						key := name + " " + v.String() + " " + m.ID
						reason := listed.reason(name, v.String(), m.ID)
						all++
						if *showMutants {
							t.Logf("%-40s %-60s %v %s", m.ID, m.Text, deaths[i], reason)
						}
						if len(deaths[i]) > 0 {
							killed++
							assert.Empty(t, reason, "%s is listed as equivalent, but is killed: %v", key, deaths[i])
						} else {
							assert.NotEmpty(t, reason, "%s survives: %s: %s", key, m.Pos, m.Text)
						}
					}
				})
			}
		}
	})
	t.Logf("%d of %d mutants killed, %.1f %%", killed, all, 100*float64(killed)/float64(all))
	assert.GreaterOrEqual(t, float64(killed), leastKilled*float64(all))
	if *full && all > leastMutants { // not with -run
		for _, e := range listed {
			assert.True(t, e.used, "%s:%d is about no mutant", equivalentMutants, e.line)
		}
	}
}

// runMutants lets verify judge all mutants of a variant, and returns for each
// why it is not equal to the original. The unmutated variant must be equal.
func runMutants(t *testing.T, name string, v exampleVariant) ([]mutate.Mutant, [][]string) {
	t.Helper()
	original, err := mutate.Switched(loadExample(t, name).Files[0], nil)
	require.NoError(t, err)
	f := variantOf(t, name, v, rewrite.UnsafeShrink{})
	mutants := slices.DeleteFunc(mutate.Mutants(f), func(m mutate.Mutant) bool {
		// The grids of the examples have no second group (TestPersistentMutantsAreKilled).
		return strings.HasPrefix(m.ID, "runtime:groups-")
	})
	require.NotEmpty(t, mutants)
	switched, err := mutate.Switched(f, mutants)
	require.NoError(t, err)
	request := verify.Request{
		Original:         oneFile(name, original),
		Variants:         []verify.Variant{{Name: "mutants", Program: oneFile(name, switched), Separate: true}},
		Schedules:        []execute.Schedule{{Kind: "ascending"}, {Kind: "random", Seed: 1}},
		CheckedSchedules: []execute.Schedule{{Kind: "random", Seed: 1}},
		Timeout:          time.Minute, Watchdog: spinning, Jobs: 1,
	}
	for i := range len(mutants) + 1 {
		request.Args = append(request.Args, append(slices.Clone(exampleArgs[name]), strconv.Itoa(i)))
	}
	verdict, err := verify.Run(context.Background(), request)
	require.NoError(t, err)
	deaths := causes(t, verdict, request)
	require.Empty(t, deaths[0], "the variant itself")
	return mutants, deaths[1:]
}

// causes returns, for each list of arguments, the codes of all that counts
// against the one variant.
func causes(t *testing.T, v *verify.Verdict, r verify.Request) [][]string {
	t.Helper()
	out := make([][]string, len(r.Args))
	for _, f := range v.Findings {
		if f.Severity != verify.Counts {
			continue
		}
		require.NotEqual(t, verify.OriginalName, f.Variant, "%v", f.Message)
		for _, run := range f.Runs {
			for i, args := range r.Args {
				if slices.Equal(run.Args, args) && !slices.Contains(out[i], string(f.Message.Code)) {
					out[i] = append(out[i], string(f.Message.Code))
				}
			}
		}
	}
	for _, f := range v.Failures {
		require.NotEqual(t, verify.OriginalName, f.Variant, "%v\n%s", f.Message, f.Output)
		require.NotEqual(t, verify.CodeDoesNotCompile, f.Message.Code, "%v\n%s", f.Message, f.Output)
	}
	for _, row := range v.Rows {
		if row.Result != verify.NotRun {
			continue
		}
		for i, args := range r.Args {
			if slices.Equal(row.Args, args) && !slices.Contains(out[i], "not-run") {
				out[i] = append(out[i], "not-run")
			}
		}
	}
	return out
}
