package verify_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

const casesDir = "../testdata/cases"

// trap is a mistake that rewrites by hand made, and what keeps smux from it.
type trap struct {
	what string
	// refused are archives of testdata/cases with the code that a rewriter gives
	// there in place of a wrong rewrite.
	refused []coded
	// caught are archives of testdata/check, in which somebody did it by hand, with
	// a code that verify gives.
	caught []coded
	// right are archives of testdata/check with the right form, against which
	// verify has nothing.
	right []string
	// absent are the tests of package rewrite that look for the wrong form in all
	// that is emitted.
	absent []string
}

type coded struct{ archive, code string }

// traps are those of the design ("What hand-written trials taught"), and those
// that the rewriters beside vtb brought.
var traps = []trap{
	{what: "a whole region, barriers included, under `if (v == k)`",
		caught: []coded{{"rewrite-whole-region", "barrier-divergence"}}, right: []string{"rewrite-right-block"}, absent: []string{"TestNoBarrierIsGuarded"}},
	{what: "a function that holds a barrier is called under the guard, not inlined",
		refused: []coded{{"function-returns-between-barriers", "barrier-call"}, {"barrier-in-expression", "barrier-call"}, {"recursion-with-barrier", "recursion"}},
		caught:  []coded{{"rewrite-barrier-in-function", "barrier-divergence"}}, absent: []string{"TestNoBarrierIsGuarded"}},
	{what: "a piece runs in the turn of another v-TB, or in every turn",
		caught: []coded{{"rewrite-wrong-turn", "region-other"}, {"rewrite-no-guard", "race"}, {"rewrite-no-barrier", "race"}}, right: []string{"rewrite-right-block", "rewrite-volatile-words"}},
	{what: "hand-over in one direction: two arrivals complete it before its time",
		caught: []coded{{"rewrite-hand-over-one-way", "race"}}, right: []string{"rewrite-turns-by-hand"}},
	{what: "an arrival is left over at the end",
		caught: []coded{{"rewrite-no-finish", "bad-barrier"}, {"rewrite-hand-over-extra", "bad-barrier"}}, right: []string{"rewrite-right-named"}},
	{what: "one barrier for all v-TBs, which wait at it outside of regions, too",
		caught: []coded{{"rewrite-shared-barrier", "race"}}, right: []string{"rewrite-right-named"}},
	{what: "an odd grid: a v-TB waits for one that has left",
		refused: []coded{{"return-before-barriers", "early-exit"}, {"lock-block-uniform-exit", "early-exit"}},
		caught:  []coded{{"rewrite-odd-grid", "deadlock"}}, right: []string{"rewrite-right-named", "rewrite-lock-right"}},
	{what: "unequal numbers of region entries with `named`",
		refused: []coded{{"block-uniform-loop", "divergent-barrier"}},
		caught:  []coded{{"rewrite-unequal-entries", "deadlock"}}, right: []string{"rewrite-lock-right"}},
	{what: "a v-TB's own barrier where `__syncthreads` waits for the threads that have not left alone",
		refused: []coded{{"guarded-barrier", "divergent-barrier"}, {"return-before-barriers", "early-exit"}},
		caught:  []coded{{"rewrite-guarded-barrier", "deadlock"}}},
	{what: "blocks that are not a multiple of 32 threads with `named`",
		refused: []coded{{"not-whole-warps", "not-whole-warps"}},
		caught:  []coded{{"rewrite-half-warps", "bad-barrier"}}},
	{what: "a rolled turn loop", absent: []string{"TestTurnLoopsAreUnrolled"}},
	{what: "a barrier's number in a register", absent: []string{"TestBarrierNumbersAreConstants"}},
	{what: "a lock that nobody has cleared",
		caught: []coded{{"rewrite-lock-not-zeroed", "uninitialised"}}, right: []string{"rewrite-lock-by-hand"}},
	{what: "no barrier of the whole block between clearing a lock and its first use",
		caught: []coded{{"rewrite-lock-no-first-barrier", "race"}}, right: []string{"rewrite-lock-by-hand"}},
	{what: "a lock given back before the v-TB's own barrier, or taken without one",
		caught: []coded{{"rewrite-lock-early-signal", "race"}, {"rewrite-lock-no-acquire-barrier", "race"}}, right: []string{"rewrite-lock-by-hand"}},
	{what: "a lock asked for by a v-TB that has it",
		caught: []coded{{"rewrite-lock-nested", "no-progress"}}, right: []string{"rewrite-lock-right"}},
	{what: "a path without a release",
		refused: []coded{{"return-inside-region", "early-exit"}, {"lock-exits", "early-exit"}},
		caught:  []coded{{"rewrite-lock-kept", "no-progress"}, {"rewrite-lock-thread-exit", "deadlock"}}, right: []string{"rewrite-lock-right"}},
	{what: "a region that begins too late or ends too early",
		caught: []coded{{"rewrite-late-acquire", "region-outside"}, {"rewrite-early-release", "region-outside"}, {"rewrite-lock-early-release", "region-outside"}}, right: []string{"rewrite-right-named"}},
	{what: "no barrier of the v-TB's own inside its region",
		caught: []coded{{"rewrite-no-own-barrier", "race"}}, right: []string{"rewrite-right-named"}},
	{what: "v-TBs that take the same block of the grid",
		caught: []coded{{"rewrite-wrong-block", "different-copy"}}, right: []string{"rewrite-right-block"}},
	{what: "loads that stay inside the region: slower, but right", right: []string{"rewrite-loads-inside"}},
	{what: "several sets, and a v-TB uses one that it does not hold",
		refused: []coded{{"slots-refused", "slots"}},
		caught:  []coded{{"rewrite-lock-bound-early", "race"}, {"rewrite-lock-stale-set", "race"}, {"rewrite-lock-one-set", "race"}}, right: []string{"rewrite-lock-right-slots"}},
	{what: "merged without turns, and the copies are one or overlap",
		caught: []coded{{"rewrite-merge-one-copy", "race"}, {"rewrite-merge-overlap", "race"}}, right: []string{"rewrite-merge-right"}},
	{what: "public rows written before the turn",
		caught: []coded{{"rewrite-rows-early", "race"}}, right: []string{"rewrite-rows-right"}},
	{what: "private and public rows told apart by a wrong number",
		caught: []coded{{"rewrite-rows-wrong-select", "region-earlier"}, {"rewrite-rows-few-select", "out-of-bounds"}}, right: []string{"rewrite-rows-right"}},
	{what: "a pipeline that lacks a barrier between its steps, or has two v-TBs in one",
		caught: []coded{{"rewrite-pipe-no-step", "race"}, {"rewrite-pipe-both", "race"}}, right: []string{"rewrite-pipe-right"}},
	{what: "a segment run beside its own region, whose result it needs",
		caught: []coded{{"rewrite-pipe-own-segment", "different-copy"}}, right: []string{"rewrite-pipe-right"}},
	{what: "copies of dynamic shared memory: too few bytes, or not aligned",
		caught: []coded{{"rewrite-bytes-too-few", "out-of-bounds"}, {"rewrite-bytes-last-row", "out-of-bounds"}, {"rewrite-bytes-not-padded", "misaligned"}}, right: []string{"rewrite-bytes-right"}},
	{what: "a block shape told to the compiler that a launch does not have",
		refused: []coded{{"assume-shape-refused", "block-shape"}}, caught: []coded{{"assumptions", "trap"}}},
}

// section returns a section of an archive, "" where it has none.
func section(t *testing.T, dir, archive, name string) string {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join(dir, archive+".txtar"))
	require.NoError(t, err)
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// messages are all that rewriters say in an archive of testdata/cases.
func messages(t *testing.T, archive string) string {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join(casesDir, archive+".txtar"))
	require.NoError(t, err)
	var b strings.Builder
	for _, f := range a.Files {
		if strings.HasSuffix(f.Name, ".messages") {
			b.Write(f.Data)
		}
	}
	return b.String()
}

// TestTrapsAreHeldOff: for each trap there is an archive that shows the refusal,
// or one where verify catches the wrong form with the code that is named, or a
// test that looks for it in all that is emitted; every archive of a rewrite that
// is broken by hand is about a trap. That the archives are true is shown by
// TestCases here and in package rewrite.
func TestTrapsAreHeldOff(t *testing.T) {
	named := map[string]bool{}
	tests := testsOf(t, "../rewrite")
	for _, trap := range traps {
		assert.NotZero(t, len(trap.refused)+len(trap.caught)+len(trap.absent)+len(trap.right), trap.what)
		for _, c := range trap.refused {
			assert.Contains(t, messages(t, c.archive), ": "+c.code+": ", "%s: %s", trap.what, c.archive)
		}
		for _, c := range trap.caught {
			named[c.archive] = true
			assert.Contains(t, section(t, checkDir, c.archive, "want"), " "+c.code+"\n", "%s: %s", trap.what, c.archive)
		}
		for _, archive := range trap.right {
			named[archive] = true
			assert.NotEmpty(t, section(t, checkDir, archive, "other.cu"), archive)
			assert.Empty(t, section(t, checkDir, archive, "want"), archive)
		}
		for _, name := range trap.absent {
			assert.Contains(t, tests, "func "+name+"(t *testing.T)", trap.what)
		}
	}
	paths, err := filepath.Glob(filepath.Join(checkDir, "rewrite-*.txtar"))
	require.NoError(t, err)
	for _, path := range paths {
		assert.True(t, named[strings.TrimSuffix(filepath.Base(path), ".txtar")], "%s is about no trap", path)
	}
}

// testsOf is the text of a package's tests.
func testsOf(t *testing.T, dir string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	var b strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		b.Write(text)
	}
	return b.String()
}

const trapsPage = "../docs/develop/traps.md"

// TestTrapsPage: docs/develop/traps.md shows the table; -update writes it.
func TestTrapsPage(t *testing.T) {
	list := func(dir string, archives []coded) string {
		var out []string
		for _, c := range archives {
			out = append(out, fmt.Sprintf("[%s](../../testdata/%s/%s.txtar) `%s`", c.archive, dir, c.archive, c.code))
		}
		return strings.Join(out, ", ")
	}
	var b strings.Builder
	b.WriteString(`# Traps, and the tests for them

Rewrites by hand revealed these traps of shared memory multiplexing, most of them silent. Each trap is a test.

- *Refused*: an archive of ` + "`testdata/cases`" + `, in which a rewriter gives a reason instead of a rewrite.
- *Caught*: an archive of ` + "`testdata/check`" + `, in which somebody did it by hand, and ` + "`smux verify`" + ` tells.
- *Right*: the right form, against which verify has nothing.
- *Not emitted*: a test that looks for it in every rewrite of every example.

| trap | refused | caught | right | not emitted |
|---|---|---|---|---|
`)
	for _, trap := range traps {
		var right []string
		for _, archive := range trap.right {
			right = append(right, fmt.Sprintf("[%s](../../testdata/check/%s.txtar)", archive, archive))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", trap.what, list("cases", trap.refused), list("check", trap.caught), strings.Join(right, ", "), strings.Join(trap.absent, ", "))
	}
	b.WriteString(`
verify can't catch two of them here. A lock orders only by its atomics. A missing barrier after clearing it appears only in
orders in which another v-TB comes first, such as descending. A rolled loop or a barrier's number in a register
does not change a program's results.
`)
	if *update {
		require.NoError(t, os.WriteFile(trapsPage, []byte(b.String()), 0o644))
	}
	page, err := os.ReadFile(trapsPage)
	require.NoError(t, err)
	assert.Equal(t, b.String(), string(page), "run the test with -update")
}
