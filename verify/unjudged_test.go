package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
)

// A slow build that ends badly before it is stopped must not change what is said
// of a program whose plain build does so, too.
func TestASlowBuildCountsAsNotJudgedOnlyWherePlainOnesEndWell(t *testing.T) {
	for name, c := range map[string]struct {
		plain    execute.Result
		failures int
	}{
		"plain crashes":   {execute.Result{Exit: -1, Signal: "signal 11"}, 0},
		"plain hangs":     {execute.Result{Exit: -1, TimedOut: true}, 0},
		"plain ends well": {execute.Result{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			original, sub := &subject{name: OriginalName}, &subject{name: "variant", program: &Program{Files: []File{{Name: "k.cu"}}}}
			s := &session{original: original, subjects: []*subject{original, sub}}
			sub.add(&run{mode: build.Plain, result: &c.plain, judged: true})
			sub.add(&run{mode: build.Checked, result: &execute.Result{}, unjudged: &diag.Message{Code: CodeCrashes, Text: "ends with signal 11"}})
			s.failUnjudged(sub)
			assert.Len(t, sub.failures, c.failures)
		})
	}
}
