package verify

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

// judged makes a verdict of runs that a test makes up: by program name, for
// each order, plain then checked.
func judged(t *testing.T, variants []string, runs map[string][]*run) *Verdict {
	s := &session{Request: Request{Schedules: DefaultSchedules(1)[:2]}.withDefaults()}
	s.CheckedSchedules = s.Schedules[:1]
	s.Original = program("k.cu", "a\n")
	for _, v := range variants {
		s.Variants = append(s.Variants, Variant{Name: v, Program: s.Original})
	}
	s.addSubjects()
	for _, sub := range s.subjects {
		sub.runs = runs[sub.name]
	}
	v := &Verdict{Rows: []Row{}, Findings: []Finding{}, Failures: []Failure{}}
	s.collect(v)
	v.conclude(len(variants) > 0)
	return v
}

func ran(mode build.Mode, order int, findings ...execute.Finding) *run {
	return &run{mode: mode, order: DefaultSchedules(1)[order], judged: true, result: &execute.Result{Report: findings, End: &execute.End{}}}
}

func complete(findings ...execute.Finding) []*run {
	return []*run{ran(build.Plain, 0), ran(build.Plain, 1), ran(build.Checked, 0, findings...)}
}

func TestEqualProgramsAreEqual(t *testing.T) {
	v := judged(t, []string{"vtb"}, map[string][]*run{OriginalName: complete(), "vtb": complete()})
	assert.Equal(t, Equal, v.Outcome)
	assert.True(t, v.Passed("vtb"))
	assert.False(t, v.Passed("another"))
	assert.Len(t, v.Rows, 2*2*len(Checks))
	assert.Equal(t, "equal: 1 variant, 2 runs", v.Summary())
}

func TestAVariantInWhichAllIsWellIsARow(t *testing.T) {
	v := judged(t, []string{"vtb", "dyn"}, map[string][]*run{OriginalName: complete(), "vtb": complete(*race(1, 1)), "dyn": complete()})
	v.Rows = append(v.Rows, Row{Variant: "dyn", Order: everyOrder.Kind, Check: Races, Result: OK})
	var table bytes.Buffer
	require.NoError(t, v.WriteTable(&table))
	assert.Equal(t, strings.TrimLeft(`
program   order       output  races    deadlocks  bounds  uninitialised  regions
original  2 runs      ok      ok       ok         ok      ok             -
vtb       ascending   ok      1 found  ok         ok      ok             ok
          descending  ok      -        ok         ok      -              -
dyn       ascending   ok      ok       ok         ok      ok             ok
          descending  ok      -        ok         ok      -              -
          all         -       ok       -          -       -              -
`, "\n"), table.String())
}

func TestNewRaceMakesAVariantDifferent(t *testing.T) {
	v := judged(t, []string{"vtb"}, map[string][]*run{OriginalName: complete(*race(1, 1)), "vtb": complete(*race(1, 1), *race(1, 2))})
	assert.Equal(t, Different, v.Outcome)
	assert.False(t, v.Passed("vtb"))
	var table bytes.Buffer
	require.NoError(t, v.WriteTable(&table))
	assert.Equal(t, strings.TrimLeft(`
program   order       output  races    deadlocks  bounds  uninitialised  regions
original  ascending   ok      1 known  ok         ok      ok             -
          descending  ok      -        ok         ok      -              -
vtb       ascending   ok      1 found  ok         ok      ok             ok
          descending  ok      -        ok         ok      -              -
`, "\n"), table.String())
	assert.Equal(t, "not equal: 1 finding (2 more that the original has, too, or without an effect)", v.Summary())
}

func TestKnownRaceIsNotHeldAgainstARewrite(t *testing.T) {
	v := judged(t, []string{"vtb"}, map[string][]*run{OriginalName: complete(*race(1, 1)), "vtb": complete(*race(1, 1))})
	assert.Equal(t, Equal, v.Outcome)
	assert.True(t, v.Passed("vtb"))
}

func TestRaceInTheOneProgramIsFound(t *testing.T) {
	v := judged(t, nil, map[string][]*run{OriginalName: complete(*race(1, 1), *race(1, 1))})
	assert.Equal(t, Found, v.Outcome)
	require.Len(t, v.Findings, 1, "the same finding twice is one")
	assert.Len(t, v.Findings[0].Runs, 1)
}

func TestDifferenceInOneOrderIsEnough(t *testing.T) {
	runs := complete()
	runs[1].difference = &Difference{Line: 3, Want: "a", Got: "b"}
	v := judged(t, []string{"vtb", "co-vtb"}, map[string][]*run{OriginalName: complete(), "vtb": runs, "co-vtb": complete()})
	assert.Equal(t, Different, v.Outcome)
	assert.False(t, v.Passed("vtb"))
	assert.True(t, v.Passed("co-vtb"))
	require.Len(t, v.Findings, 1)
	assert.Equal(t, diag.Code("different-stdout"), v.Findings[0].Message.Code)
	assert.Equal(t, "descending", v.Findings[0].Runs[0].Order)
}

func TestOrderDependentOriginalIsSaid(t *testing.T) {
	runs := complete()
	runs[1].difference = &Difference{Line: 3}
	differing := complete()
	differing[0].difference = &Difference{Line: 3}
	for name, variant := range map[string][]*run{"a variant that equals the first run": complete(), "one that equals another": differing} {
		v := judged(t, []string{"vtb"}, map[string][]*run{OriginalName: runs, "vtb": variant})
		assert.Equal(t, CouldNotRun, v.Outcome, "%s: it is the original's fault", name)
		require.Len(t, v.Failures, 1, name)
		assert.Equal(t, diag.Code("order-dependent"), v.Failures[0].Message.Code, name)
		assert.Equal(t, OriginalName, v.Failures[0].Variant, name)
		assert.False(t, v.Passed("vtb"), "%s: nothing can be shown equal to it", name)
		for _, f := range v.Findings {
			assert.Equal(t, Inherited, f.Severity, name)
		}
	}
	v := judged(t, nil, map[string][]*run{OriginalName: runs})
	assert.Equal(t, Found, v.Outcome, "alone, that is what is to be found")
}

// TestWhatWasFoundStandsBesideWhatCouldNotBeJudged: a finding is not outranked by
// another variant, or another build of the same one, that tells nothing.
func TestWhatWasFoundStandsBesideWhatCouldNotBeJudged(t *testing.T) {
	differs, hangs := complete(), complete()
	differs[1].difference = &Difference{Line: 3, Want: "a", Got: "b"}
	hangs[2].judged, hangs[2].unjudged = false, &diag.Message{Code: CodeHangs, Text: "it hangs"}
	v := judged(t, []string{"vtb", "dyn"}, map[string][]*run{OriginalName: complete(), "vtb": differs, "dyn": hangs})
	assert.Equal(t, Different, v.Outcome)
	assert.Equal(t, "not equal: 1 finding; 1 of 2 variants could not be judged", v.Summary())

	v = judged(t, []string{"vtb", "dyn"}, map[string][]*run{OriginalName: complete(), "vtb": complete(), "dyn": hangs})
	assert.Equal(t, CouldNotRun, v.Outcome)
	assert.Equal(t, "could not be judged: 1 of 2 variants", v.Summary())

	both := complete(*race(1, 2))
	both[1].judged, both[1].unjudged = false, hangs[2].unjudged
	v = judged(t, nil, map[string][]*run{OriginalName: both})
	assert.Equal(t, Found, v.Outcome)
	assert.Equal(t, "1 finding; not every run could be judged", v.Summary())
}

// TestWhatTheOriginalMayHaveIsNotHeldAgainstAVariant: what the original would show in a
// run that could not be judged is not known; that the output is another one is.
func TestWhatTheOriginalMayHaveIsNotHeldAgainstAVariant(t *testing.T) {
	original := complete()
	original[2].judged, original[2].unjudged = false, &diag.Message{Code: CodeHangs, Text: "it hangs"}
	v := judged(t, []string{"vtb"}, map[string][]*run{OriginalName: original, "vtb": complete(*race(1, 2))})
	assert.Equal(t, CouldNotRun, v.Outcome)
	v = judged(t, []string{"vtb", "dyn"}, map[string][]*run{OriginalName: complete(*race(1, 2)), "vtb": complete(*race(1, 2)), "dyn": original})
	assert.Equal(t, "could not be judged: 1 of 2 variants (2 more that the original has, too, or without an effect)", v.Summary())
	differs := complete()
	differs[0].difference = &Difference{Line: 3, Want: "a", Got: "b"}
	v = judged(t, []string{"vtb"}, map[string][]*run{OriginalName: original, "vtb": differs})
	assert.Equal(t, Different, v.Outcome)
	assert.Equal(t, "not equal: 1 finding; not every run could be judged", v.Summary())
}

func TestRunThatFailedLeavesItsChecksOpen(t *testing.T) {
	runs := complete()
	runs[2].judged = false
	v := judged(t, []string{"vtb"}, map[string][]*run{OriginalName: complete(), "vtb": runs})
	results := map[Check]Result{}
	for _, r := range v.Rows {
		if r.Variant == "vtb" && r.Order == "ascending" {
			results[r.Check] = r.Result
		}
	}
	assert.Equal(t, map[Check]Result{Output: OK, Races: NotRun, Deadlocks: NotRun, Bounds: NotRun, Uninitialised: NotRun, Regions: NotRun}, results)
}

func TestFindingsOfSeveralRunsAreOne(t *testing.T) {
	runs := []*run{ran(build.Plain, 0, execute.Finding{Code: CodeTrap, Kernel: "k", Frames: frame(1)}), ran(build.Plain, 1, execute.Finding{Code: CodeTrap, Kernel: "k", Frames: frame(1)}), ran(build.Checked, 0)}
	v := judged(t, nil, map[string][]*run{OriginalName: runs})
	require.Len(t, v.Findings, 1)
	assert.Equal(t, []RunName{{Order: "ascending", Build: "plain"}, {Order: "descending", Build: "plain"}}, v.Findings[0].Runs)
}

// One write out of bounds is seen by the checked build, and by the plain one in
// what it left after the array: that is one finding, of the line that writes.
func TestWritesOutOfBoundsAndTheirTracesAreOneFinding(t *testing.T) {
	shared := func(code diag.Code, name string) execute.Finding {
		return execute.Finding{Code: code, Kernel: "k", Space: "shared", Variable: name, VariableFile: "k.cu", VariableLine: 1, Manner: execute.Manner{Write: true}}
	}
	global := func(code diag.Code, line int) execute.Finding {
		f := execute.Finding{Code: code, Kernel: "k", Space: "global", Manner: execute.Manner{Write: true}}
		if code == CodeCanary {
			f.Other = &execute.Access{Frames: frame(line)}
		} else {
			f.Allocated = frame(line)
		}
		return f
	}
	read := shared(CodeOutOfBounds, "s")
	read.Write = false
	other := shared(CodeOutOfBounds, "s")
	other.Kernel = "l"
	for name, tt := range map[string]struct {
		trace, exact execute.Finding
		findings     int
	}{
		"shared":           {shared(CodeCanary, "s"), shared(CodeOutOfBounds, "s"), 1},
		"global":           {global(CodeCanary, 2), global(CodeOutOfBounds, 2), 1},
		"another array":    {shared(CodeCanary, "s"), shared(CodeOutOfBounds, "t"), 2},
		"another made":     {global(CodeCanary, 2), global(CodeOutOfBounds, 1), 2},
		"a read":           {shared(CodeCanary, "s"), read, 2},
		"another kernel":   {shared(CodeCanary, "s"), other, 2},
		"nothing is known": {execute.Finding{Code: CodeCanary, Kernel: "k", Space: "global"}, execute.Finding{Code: CodeOutOfBounds, Kernel: "k", Space: "global", Manner: execute.Manner{Write: true}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			runs := []*run{ran(build.Plain, 0, tt.trace), ran(build.Plain, 1, tt.trace), ran(build.Checked, 0, tt.exact)}
			v := judged(t, nil, map[string][]*run{OriginalName: runs})
			require.Len(t, v.Findings, tt.findings)
			assert.Equal(t, CodeOutOfBounds, v.Findings[0].Message.Code)
			if tt.findings == 1 {
				assert.Len(t, v.Findings[0].Runs, 3)
			}
		})
	}

	// A rewrite of which only the trace was seen has what the original has.
	seen := []*run{ran(build.Plain, 0, shared(CodeCanary, "s")), ran(build.Plain, 1), ran(build.Checked, 0, shared(CodeOutOfBounds, "s"))}
	v := judged(t, []string{"vtb"}, map[string][]*run{OriginalName: seen, "vtb": complete(shared(CodeCanary, "s"))})
	assert.Equal(t, Equal, v.Outcome)
}

func TestWhatWasNotLookedAtIsRemarked(t *testing.T) {
	runs := complete()
	runs[2].result.End.Unchecked = 3
	v := judged(t, nil, map[string][]*run{OriginalName: runs})
	assert.Equal(t, Clean, v.Outcome)
	require.Len(t, v.Remarks, 1)
	assert.Equal(t, "k.cu: partly-checked: original: 3 launches touched more memory than is looked at for races", v.Remarks[0].String())
}

func TestJSONForm(t *testing.T) {
	v := judged(t, []string{"vtb"}, map[string][]*run{OriginalName: complete(), "vtb": complete(*race(1, 1))})
	v.Schema = Schema
	text, err := json.Marshal(v)
	require.NoError(t, err)
	var got map[string]any
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Equal(t, float64(1), got["schema"])
	assert.Equal(t, "different", got["outcome"])
	assert.Len(t, got["rows"], 24)
	assert.Equal(t, map[string]any{"variant": "vtb", "order": "ascending", "check": "races", "result": "found", "count": float64(1)}, got["rows"].([]any)[13])
	finding := got["findings"].([]any)[0].(map[string]any)
	assert.Equal(t, "finding", finding["severity"])
	assert.Equal(t, "race", finding["message"].(map[string]any)["code"])
	assert.Equal(t, []any{float64(5), float64(0), float64(0)}, finding["thread"])
	assert.NotNil(t, got["failures"], "an empty list, not null")
}
