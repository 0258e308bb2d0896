package cmd

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAVerdictThatTakesLongSaysWhatIsRun: a minute without a word has the look of a hang.
func TestAVerdictThatTakesLongSaysWhatIsRun(t *testing.T) {
	var errs bytes.Buffer
	s := newSession(strings.NewReader(""), io.Discard, &errs)
	s.IsTerminal = func(any) bool { return true }
	s.Getenv = func(string) string { return "" }
	s.verify = func(_ context.Context, r verify.Request) (*verify.Verdict, error) {
		time.Sleep(500 * time.Millisecond)
		r.Progress("vtb named N=2", build.Checked, 3, 40)
		return &verify.Verdict{Outcome: verify.Equal}, nil
	}
	_, err := s.judge(verify.Request{})
	require.NoError(t, err)
	assert.Equal(t, "\r\x1b[Krunning 3 of 40: vtb named N=2, checked build\r\x1b[K", errs.String())
}
