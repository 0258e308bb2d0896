package rewrite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEmittedTextChecksWhatItsProofRestsOn: whoever writes a kernel anew has the text check the names, types and shapes
// that the proof rests on. A pragma changes nothing that a program computes.
func TestEmittedTextChecksWhatItsProofRestsOn(t *testing.T) {
	const apply = ") Apply() *kit.Edits {"
	seen := 0
	folders, err := filepath.Glob("*/*.go")
	require.NoError(t, err)
	checks := map[string]bool{"unroll": true}
	applies := map[string]string{}
	for _, path := range folders {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		folder := filepath.Dir(path)
		if strings.Contains(string(text), apply) {
			applies[folder] = path
			seen++
		}
		if strings.Contains(string(text), ".Checks(&") || strings.Contains(string(text), ".Assertions()") {
			checks[folder] = checks[folder] || folder != "kit"
		}
	}
	require.Greater(t, seen, 8)
	for folder, path := range applies {
		assert.True(t, checks[folder], "%s: nothing checks what the proof rests on", path)
	}
}
