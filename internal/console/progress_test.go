package console

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// waited returns what a progress line leaves on stderr, where patience is over
// or not.
func waited(terminal bool, env map[string]string, late bool) string {
	var errs bytes.Buffer
	s := New(strings.NewReader(""), io.Discard, &errs)
	s.IsTerminal = func(any) bool { return terminal }
	s.Getenv = func(name string) string { return env[name] }
	p := s.NewProgress()
	if p.timer != nil {
		p.timer.Stop()
	}
	p.late = late && p.w != nil
	p.Say("asking nvcc: %s for sm_80, 1 of 2", strings.Repeat("k", 100))
	p.Say("asking nvcc: k.cu for sm_80, 2 of 2")
	p.End()
	p.Say("too late")
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
	synctest.Test(t, func(t *testing.T) { // patience does not end while something is done
		assert.Empty(t, waited(true, nil, false))
		assert.Empty(t, waited(false, nil, true))
		assert.Empty(t, waited(true, map[string]string{"TERM": "dumb"}, true))
	})
}

func TestTheProgressLineIsCutByItsColumns(t *testing.T) {
	var out bytes.Buffer
	p := &Progress{w: &out, width: 8, late: true}
	p.Say("%s", "核核核核核") // each is two columns wide
	assert.Equal(t, "\r\x1b[K核核核", out.String(), "a line that wraps can't be taken back")
}

// TestWhatIsPrintedStandsOnALineOfItsOwn: a message after a line of progress would
// go on where that ends.
func TestWhatIsPrintedStandsOnALineOfItsOwn(t *testing.T) {
	var terminal bytes.Buffer // stdout and stderr are the same one
	c := New(strings.NewReader(""), &terminal, &terminal)
	c.IsTerminal = func(any) bool { return true }
	c.Getenv = func(string) string { return "" }
	outer := c.NewProgress()
	outer.Hurry()
	outer.Say("reading")
	inner := c.NewProgress()
	inner.Hurry()
	inner.Say("asking")
	c.Remark("a word")
	inner.Say("asking on")
	_, err := c.Stdout.Write([]byte("result\n"))
	require.NoError(t, err)
	inner.End()
	outer.Say("at last")
	outer.End()
	c.Remark("the end")
	for line := range strings.Lines(terminal.String()) {
		shown := line[strings.LastIndex(line, "\x1b[K")+len("\x1b[K"):]
		assert.Regexp(t, "^(\x1b\\[1msmux:\x1b\\[m (a word|the end)|result)\n$", shown, "%q", terminal.String())
	}
}
