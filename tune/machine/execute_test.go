package machine

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify/execute"
)

// A program may find its own results wrong where memory was put back: its exit status is
// then compared with the original's. What it can't have meant is a failure all the same.
func TestACheckRunMayEndWithAStatus(t *testing.T) {
	for name, c := range map[string]struct {
		ended       execute.Result
		timed, kept record.FailureKind // of a timed run, and of a check run; "" for none
	}{
		"success":          {},
		"a status":         {ended: execute.Result{Exit: 1, Stdout: []byte("FAIL\n")}, timed: record.FailedRun},
		"an error of CUDA": {ended: execute.Result{Exit: 1, Stderr: []byte("an illegal memory access was encountered")}, timed: record.FailedCrash, kept: record.FailedCrash},
		"a signal":         {ended: execute.Result{Exit: -1, Signal: "SIGSEGV", Words: "segmentation fault"}, timed: record.FailedCrash, kept: record.FailedCrash},
		"no end":           {ended: execute.Result{Exit: -1, TimedOut: true}, timed: record.FailedTimeout, kept: record.FailedTimeout},
		"no end of output": {ended: execute.Result{Exit: -1, Truncated: true}, timed: record.FailedRun, kept: record.FailedRun},
	} {
		for kind, want := range map[runKind]record.FailureKind{timedRun: c.timed, checkRun: c.kept, strictRun: c.kept} {
			f := endFailure(kind, &c.ended)
			if want == "" {
				assert.Nil(t, f, "%s, %v", name, kind)
			} else if assert.NotNil(t, f, "%s, %v", name, kind) {
				assert.Equal(t, want, f.Kind, "%s, %v", name, kind)
			}
		}
	}
}
