package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A line is left out of the comparison only where the pattern matches it in both runs.
func TestExceptedLinesAreThoseOfBothRuns(t *testing.T) {
	for name, c := range map[string]struct {
		except, got, want string
		equal             bool
	}{
		"no pattern":          {"", "64 threads\nsum 3\n", "32 threads\nsum 3\n", false},
		"a number of threads": {"^[0-9]+ threads$", "64 threads\nsum 3\n", "32 threads\nsum 3\n", true},
		"another length":      {"^[0-9]+ threads$", "128 threads\nsum 3\n", "32 threads\nsum 3\n", true},
		"another line":        {"^[0-9]+ threads$", "64 threads\nsum 4\n", "32 threads\nsum 3\n", false},
		"in one run alone":    {"threads", "64 threads\n", "64 warps\n", false},
		"a line more":         {"threads", "64 threads\n64 threads\nsum 3\n", "32 threads\nsum 3\n", false},
		"a carriage return":   {"threads$", "64 threads\r\n", "32 threads\r\n", true},
	} {
		d := compareStdout([]byte(c.got), []byte(c.want), Tolerance{Except: c.except})
		assert.Equal(t, c.equal, d == nil, name)
	}
}
