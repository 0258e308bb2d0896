package tune

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/internal/console"
)

// steps lists what a run tells of itself.
var steps = []Progress{
	{Kernel: "k", Total: 3, Doing: "building the original"},
	{Kernel: "k", Done: 1, Total: 3, Finished: "original: 1.000x (0.999 to 1.001)"},
	{Kernel: "k", Done: 1, Total: 3, Left: 83 * time.Second, Doing: "vtb named N=2: turn 1"},
	{Kernel: "k", Done: 2, Total: 3, Best: "vtb named N=2", Ratio: 1.254, Left: 90*time.Minute + 400*time.Millisecond, Finished: "vtb named N=2: 1.254x (1.250 to 1.260)"},
	{Kernel: "k", Done: 3, Total: 3, Best: "vtb named N=2", Ratio: 1.254, Finished: "vtb lock N=2: crash: \x1b[2Jit is gone"},
}

func TestTheProgressOfTuningInWords(t *testing.T) {
	var got []string
	for _, at := range steps {
		got = append(got, progressText(at))
	}
	assert.Equal(t, []string{
		"k: 0 of 3, building the original",
		"k: 1 of 3",
		"k: 1 of 3, 1m23s left, vtb named N=2: turn 1",
		"k: 2 of 3, best 1.25x vtb named N=2, 1h30m0s left",
		"k: 3 of 3, best 1.25x vtb named N=2",
	}, got)
}

// tuned returns what the steps leave on standard error.
func tuned(terminal, quiet, verbose bool) string {
	var errs bytes.Buffer
	c := console.New(strings.NewReader(""), io.Discard, &errs)
	c.IsTerminal = func(any) bool { return terminal }
	c.Getenv = func(string) string { return "" }
	p := newProgress(c, &Options{Quiet: quiet, Verbose: verbose})
	p.line.Hurry()
	for _, at := range steps {
		p.show(at)
	}
	p.end()
	return errs.String()
}

func TestTheProgressOfTuningIsALineOnATerminal(t *testing.T) {
	got := strings.Split(tuned(true, false, false), "\r\x1b[K")
	assert.Equal(t, []string{"", "k: 0 of 3, building the original", "k: 1 of 3", "k: 1 of 3, 1m23s left, vtb named N=2: turn 1"}, got[:4])
	assert.Empty(t, got[len(got)-1], "the line is taken away in the end")
	assert.NotContains(t, tuned(true, false, false), "\n")
	assert.Empty(t, tuned(true, true, false))
}

func TestTheProgressOfTuningIsLinesElsewhere(t *testing.T) {
	best := strings.Split(strings.TrimSpace(tuned(false, false, false)), "\n")
	got := strings.Split(strings.TrimSpace(tuned(false, false, true)), "\n")
	assert.Len(t, got, 3, "one for each form")
	assert.Equal(t, got[1:2], best, "one for each that is the best so far")
	assert.Equal(t, `smux: kernel "k": 2 of 3: vtb named N=2: 1.254x (1.250 to 1.260)`, got[1])
	assert.NotContains(t, got[2], "\x1b", "what a program prints doesn't steer the terminal")
	assert.Empty(t, tuned(false, true, false))
}
