package cmd

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/smux-cuda/smux/verify"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// watched is a terminal that tells what is on it.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// TestAVerdictSaysWhatIsRunWhileItsFirstStepRuns: a minute without a word has the look of a hang. The first step
// ends here only when the terminal has told what it is.
func TestAVerdictSaysWhatIsRunWhileItsFirstStepRuns(t *testing.T) {
	var errs watched
	s := newSession(strings.NewReader(""), io.Discard, &errs)
	s.IsTerminal = func(any) bool { return true }
	s.Getenv = func(string) string { return "" }
	const told = "\r\x1b[Krunning 1 of 40: vtb named N=2, checked build"
	s.verify = func(_ context.Context, r verify.Request) (*verify.Verdict, error) {
		r.Progress("vtb named N=2", build.Checked, 1, 40)
		require.Eventually(t, func() bool { return errs.String() == told }, time.Minute, time.Millisecond)
		return &verify.Verdict{Outcome: verify.Equal}, nil
	}
	_, err := s.judge(verify.Request{})
	require.NoError(t, err)
	assert.Equal(t, told+"\r\x1b[K", errs.String())
}
