package verify_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/verify"
)

// TestCheckedBuildTellsDifferences: a variant of which the checked build is run
// alone is distinguished from the original by its output and by how it ends,
// too, and passes where it is right. Nothing of it counts as run in a plain build.
func TestCheckedBuildTellsDifferences(t *testing.T) {
	needCompiler(t)
	if testing.Short() {
		t.Skip("programs are not compiled with -short")
	}
	for archive, code := range map[string]string{
		"rewrite-right-block": "", "rewrite-pipe-own-segment": "different-copy", "pair-stdout": "different-stdout",
		"rewrite-whole-region": "barrier-divergence", "pair-kernel-crash": "division-by-zero",
	} {
		t.Run(archive, func(t *testing.T) {
			t.Parallel()
			c := loadCheckCase(t, filepath.Join(checkDir, archive+".txtar"))
			c.request.CheckedSchedules = c.request.Schedules[:1]
			c.request.Variants[0].Checked = true
			verdict, err := verify.Run(context.Background(), c.request)
			require.NoError(t, err)
			var codes []string
			for _, f := range verdict.Findings {
				for _, r := range f.Runs {
					assert.Equal(t, "checked", r.Build)
				}
				codes = append(codes, string(f.Message.Code))
			}
			assert.Empty(t, verdict.Failures)
			if code != "" {
				assert.Contains(t, codes, code)
				assert.Equal(t, verify.Different, verdict.Outcome)
				return
			}
			assert.Empty(t, codes)
			assert.Equal(t, verify.Equal, verdict.Outcome)
			for _, row := range verdict.Rows {
				if row.Variant != verify.OriginalName && row.Check == verify.Output {
					want := verify.NotMade
					if row.Order == c.request.Schedules[0].String() {
						want = verify.OK
					}
					assert.Equal(t, want, row.Result, row.Order)
				}
			}
		})
	}
}
