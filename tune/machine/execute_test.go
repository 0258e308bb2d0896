package machine

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/record"
)

// A program may find its own results wrong where memory was put back: its exit status is
// then compared with the original's. What it can't have meant is a failure all the same.
func TestACheckRunMayEndWithAStatus(t *testing.T) {
	for name, c := range map[string]struct {
		ended
		printed     string
		timed, kept record.FailureKind // of a timed run, and of a check run; "" for none
	}{
		"success":          {},
		"a status":         {ended: ended{exit: 1}, printed: "FAIL\n", timed: record.FailedRun},
		"an error of CUDA": {ended: ended{exit: 1, stderr: "an illegal memory access was encountered"}, timed: record.FailedCrash, kept: record.FailedCrash},
		"a signal":         {ended: ended{exit: 139, signal: "segmentation fault"}, timed: record.FailedCrash, kept: record.FailedCrash},
		"no end":           {ended: ended{exit: -1, timedOut: true}, timed: record.FailedTimeout, kept: record.FailedTimeout},
		"no end of output": {ended: ended{exit: -1, tooLong: true}, timed: record.FailedRun, kept: record.FailedRun},
	} {
		stdout := filepath.Join(t.TempDir(), "stdout")
		require.NoError(t, os.WriteFile(stdout, []byte(c.printed), 0o600))
		for kind, want := range map[runKind]record.FailureKind{timedRun: c.timed, checkRun: c.kept, strictRun: c.kept} {
			f := c.failure(kind, stdout, time.Second)
			if want == "" {
				assert.Nil(t, f, "%s, %v", name, kind)
			} else if assert.NotNil(t, f, "%s, %v", name, kind) {
				assert.Equal(t, want, f.Kind, "%s, %v", name, kind)
			}
		}
	}
}
