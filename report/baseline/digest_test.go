package baseline_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/report/baseline"
	"github.com/smux-cuda/smux/report/finding"
)

func TestADigestTellsTheFirstNotesAndCountsTheRest(t *testing.T) {
	var found []finding.Finding
	for range 7 {
		found = append(found, finding.Finding{Rule: baseline.CodeNew, Level: finding.Note})
	}
	for _, kernel := range []string{"a", "a", "b"} {
		found = append(found, finding.Finding{Rule: baseline.CodeShared, Level: finding.Error, Kernel: kernel, Pos: diag.Position{File: "k.cu"}})
	}
	found = append(found, finding.Finding{Rule: baseline.CodeSource, Level: finding.Error}, finding.Finding{Rule: baseline.CodeRegion, Level: finding.Error, Suppressed: "wanted"})
	d := baseline.NewDigest(found, 9)
	assert.Len(t, d.Told, 5+3+1)
	assert.Equal(t, []string{"baseline-new: 2 more"}, d.More)
	assert.Equal(t, `9 kernels compared, 2 got worse; 1 message ignored; "smux baseline write" records what is new, gone or better`, d.Text)
	assert.True(t, d.Worse)
	assert.True(t, d.Incomparable)
}

func TestADigestOfNothingIsOfNoAlarm(t *testing.T) {
	d := baseline.NewDigest(nil, 1)
	assert.Equal(t, baseline.Digest{Text: "1 kernel compared, 0 got worse"}, d)
}
