package cmd

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
)

// waited returns what a progress line leaves on stderr, where patience is over
// or not.
func waited(terminal bool, env map[string]string, late bool) string {
	var errs bytes.Buffer
	s := newSession(strings.NewReader(""), io.Discard, &errs)
	s.terminal = func(any) bool { return terminal }
	s.getenv = func(name string) string { return env[name] }
	p := s.newProgress()
	if p.timer != nil {
		p.timer.Stop()
	}
	p.late = late && p.w != nil
	p.say("asking nvcc: %s for sm_80, 1 of 2", strings.Repeat("k", 100))
	p.say("asking nvcc: k.cu for sm_80, 2 of 2")
	p.end()
	p.say("too late")
	return errs.String()
}

func TestTheProgressLineDisappears(t *testing.T) {
	got := waited(true, nil, true)
	assert.True(t, strings.HasSuffix(got, "\r\x1b[Kasking nvcc: k.cu for sm_80, 2 of 2\r\x1b[K"), "%q", got)
	assert.NotContains(t, got, "\n")
	for _, line := range strings.Split(got, "\r\x1b[K") {
		assert.Less(t, len(line), plainWidth, "a line that wraps can't be taken back")
	}
}

func TestNobodyIsToldWhatIsDoneAtOnceOrWhereNobodyLooks(t *testing.T) {
	assert.Empty(t, waited(true, nil, false))
	assert.Empty(t, waited(false, nil, true))
	assert.Empty(t, waited(true, map[string]string{"TERM": "dumb"}, true))
}

// TestAVerdictThatTakesLongSaysWhatIsRun: a minute without a word has the look of a hang.
func TestAVerdictThatTakesLongSaysWhatIsRun(t *testing.T) {
	var errs bytes.Buffer
	s := newSession(strings.NewReader(""), io.Discard, &errs)
	s.terminal = func(any) bool { return true }
	s.getenv = func(string) string { return "" }
	s.verify = func(_ context.Context, r verify.Request) (*verify.Verdict, error) {
		time.Sleep(patience + 200*time.Millisecond)
		r.Progress("vtb named N=2", build.Checked, 3, 40)
		return &verify.Verdict{Outcome: verify.Equal}, nil
	}
	_, err := s.judge(verify.Request{})
	require.NoError(t, err)
	assert.Equal(t, "\r\x1b[Krunning vtb named N=2, checked build, 3 of 40\r\x1b[K", errs.String())
}
