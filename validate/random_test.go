package validate_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/kernelgen"
	"github.com/smux-cuda/smux/lab/mutate"
	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/rewrite/variant"
	"github.com/smux-cuda/smux/validate"
)

// randomWays are the forms of random kernels: those of every rewriter that merges, in each sync mode, with a factor
// that goes round, and unroll pragmas and a cap of demote.
func randomWays(number int) (out []rewrite.Variant) {
	for _, r := range rewrite.Rewriters {
		if len(r.Factors) == 0 {
			continue
		}
		for _, sync := range r.Syncs {
			w := rewrite.Variant{Rewriter: r.Name, Sync: sync, Factor: r.Factors[number%len(r.Factors)]}
			if len(r.SharedSets) > 0 {
				w.SharedSets = r.SharedSets[number%len(r.SharedSets)]
			}
			if r.Has(variant.KnobStage) && number%3 == 1 {
				w.Stage = 2
			}
			out = append(out, w)
		}
	}
	return append(out, rewrite.Variant{Rewriter: "demote", Recipe: "bounds=1024,1"})
}

// Of random kernels validate shows what rewriters make of them or names a reason, and shows no mutant of it. That the
// CPU engine finds all of these forms equal is TestRandomControlAroundBarriers of package verify, which tries the same
// kernels.
func TestRandomKernels(t *testing.T) {
	n, each := 40, 1
	if suite.Full() {
		n = 1000
	}
	forms, shown, mutants := map[string]int{}, map[string]int{}, 0
	why := map[string]int{}
	var wrong []string
	for i := range n {
		k := kernelgen.New(1, i)
		old := program(t, string(kernelgen.Source([]kernelgen.Kernel{k})))
		random := rand.New(rand.NewPCG(1, uint64(i)))
		for _, w := range randomWays(i) {
			res, err := rewrite.Run(old, rewrite.Options{Variant: w, Runtime: "header"})
			require.NoError(t, err)
			if len(res.Files) == 0 {
				continue
			}
			kind := strings.TrimSpace(w.Rewriter + " " + w.Sync)
			forms[kind]++
			now, err := res.After(old)
			require.NoError(t, err)
			if r := validate.Programs(old, now); !r.Proved() {
				m := r.Messages()[0]
				_, text, _ := strings.Cut(m.Text, ": ")
				why[kind+": "+text]++
				continue
			}
			shown[kind]++
			all := mutate.Mutants(now.Files[0])
			for range min(each, len(all)) {
				m := all[random.IntN(len(all))]
				bad, err := now.With(now.Files[0], mutate.Apply(now.Files[0], m))
				require.NoError(t, err)
				mutants++
				if validate.Programs(old, bad).Proved() {
					wrong = append(wrong, fmt.Sprintf("kernel %d, %v: %s (%s)", i, w, m.ID, m.Text))
				}
			}
		}
	}
	assert.Empty(t, wrong, "mutants that are shown")
	all, is := 0, 0
	for _, kind := range slices.Sorted(maps.Keys(forms)) {
		t.Logf("%s: %d of %d shown", kind, shown[kind], forms[kind])
		all, is = all+forms[kind], is+shown[kind]
	}
	reasons := slices.SortedFunc(maps.Keys(why), func(a, b string) int { return why[b] - why[a] })
	for _, reason := range reasons[:min(12, len(reasons))] {
		t.Logf("not shown %d: %s", why[reason], reason)
	}
	t.Logf("%d kernels, %d of %d forms shown, %d mutants refused", n, is, all, mutants-len(wrong))
	assert.Greater(t, is, all/2, "too few are shown to tell anything")
}
