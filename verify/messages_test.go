package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/diag"
)

func TestWhatAVariantInheritsIsToldOfTheOriginalAlone(t *testing.T) {
	at := diag.Position{File: "a.cu", Line: 3, Column: 1}
	race := func(variant string, s Severity) Finding {
		return Finding{Variant: variant, Severity: s, Message: diag.Message{Pos: at, Code: "race", Text: "a race"}, Runs: []RunName{{Order: "ascending"}},
			Place: &diag.Position{File: "a.cu", Line: 30}, Line: "x = 1;"}
	}
	v := &Verdict{
		Outcome: Different, Rows: []Row{{Variant: OriginalName}, {Variant: "vtb"}},
		Findings: []Finding{race(OriginalName, Inherited), race("vtb", Inherited), race("vtb", Counts), race("vtb", Note)},
		Failures: []Failure{{Variant: "vtb", Message: diag.Message{Text: "no code"}, Output: "the compiler's words"}, {Variant: OriginalName, Message: diag.Message{Pos: at, Text: "placed"}, Output: "more"}},
		Remarks:  []diag.Message{{Text: "a remark"}},
	}
	var all, quiet []string
	for _, m := range v.Messages(false) {
		all = append(all, m.Text)
	}
	for _, m := range v.Messages(true) {
		quiet = append(quiet, m.Text)
	}
	assert.Len(t, all, 6)
	assert.Equal(t, "a remark", all[0])
	assert.Contains(t, all[1], "(original; ascending")
	assert.Contains(t, all[1], "does not count")
	assert.Equal(t, []string{all[2], all[4], all[5]}, quiet, "what counts, and what could not be judged")
	told := v.Messages(true)
	assert.Equal(t, "rewritten line 30: x = 1;", told[0].Rewritten)
	assert.Equal(t, "the compiler's words", told[1].Output)
	assert.Empty(t, told[2].Output, "its message names a place")
}

func TestTheExitCodeSaysTheOutcome(t *testing.T) {
	for o, code := range map[Outcome]int{Equal: diag.ExitOK, Clean: diag.ExitOK, Different: diag.ExitDiffers, Found: diag.ExitDiffers, CouldNotRun: diag.ExitNotRun} {
		assert.Equal(t, code, (&Verdict{Outcome: o}).ExitCode(), o)
	}
}
