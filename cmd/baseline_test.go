package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smux-cuda/smux/diag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A check right after the baseline was written finds nothing, and what is written is
// the same each time.
func TestABaselineOfTheExamplesIsCleanAndAlwaysTheSame(t *testing.T) {
	file := filepath.Join(t.TempDir(), "b.json")
	run := func(args ...string) (int, string) {
		var out, messages bytes.Buffer
		s := newSession(strings.NewReader(""), &out, &messages)
		s.findNVCC = noNVCC
		code := s.main(append([]string{"baseline"}, args...))
		assert.Empty(t, out.String())
		return code, messages.String()
	}
	code, said := run("write", "-o", file, "--gpu", "a100,t4,gtx480@16", "../examples")
	require.Equal(t, diag.ExitOK, code, said)
	first, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Greater(t, bytes.Count(first, []byte(`"kernel": `)), 10)
	code, said = run("check", "--file", file, "../examples")
	assert.Equal(t, diag.ExitOK, code, said)
	assert.Equal(t, 1, strings.Count(said, "\n"), said)
	for _, jobs := range []string{"1", "8"} {
		require.NoError(t, os.Remove(file))
		code, said = run("write", "-o", file, "-j", jobs, "--gpu", "a100,t4,gtx480@16", "../examples")
		require.Equal(t, diag.ExitOK, code, said)
		again, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(first), string(again))
	}
}
