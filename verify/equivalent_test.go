package verify_test

import (
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// equivalent is a line of a list of mutants that need not be killed.
type equivalent struct {
	example, variant, mutant string // patterns
	why                      string
	line                     int
	used                     bool
}

type equivalents []*equivalent

// reason returns why a mutant need not be killed, "" if it must be.
func (list equivalents) reason(example, variant, mutant string) string {
	for _, e := range list {
		all := true
		for _, pair := range [][2]string{{e.example, example}, {e.variant, variant}, {e.mutant, mutant}} {
			ok, err := path.Match(pair[0], pair[1])
			all = all && ok && err == nil
		}
		if all {
			e.used = true
			return e.why
		}
	}
	return ""
}

func readEquivalent(t *testing.T, name string) (out equivalents) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, why, _ := strings.Cut(line, ": ")
		fields := strings.Fields(key)
		require.True(t, len(fields) == 3 && why != "", "%s:%d: write \"example variant mutant: reason\"", name, i+1)
		out = append(out, &equivalent{fields[0], fields[1], fields[2], why, i + 1, false})
	}
	return out
}
