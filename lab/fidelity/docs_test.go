package fidelity_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/fidelity"
)

var update = flag.Bool("update", false, "renew the tables in docs/evidence/simulation.md")

const (
	opening = "<!-- $ go run ./lab/main.go simulation -->\n\n"
	closing = "<!-- end -->"
)

// TestDocumentationShowsTheTables holds docs/evidence/simulation.md to what the program prints.
func TestDocumentationShowsTheTables(t *testing.T) {
	root := filepath.Join("..", "..")
	file := filepath.Join(root, "docs", "evidence", "simulation.md")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), opening)
	require.True(t, ok, "docs/evidence/simulation.md has no line %q", opening)
	shown, after, ok := strings.Cut(rest, closing)
	require.True(t, ok, "docs/evidence/simulation.md has no line %q", closing)

	var tables bytes.Buffer
	require.NoError(t, fidelity.Main([]string{"-examples", filepath.Join(root, "examples")}, &tables))
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(before+opening+tables.String()+closing+after), 0o644))
		return
	}
	want := strings.Split(tables.String(), "\n")
	for i, line := range strings.Split(shown, "\n") {
		if !assert.Less(t, i, len(want)) || !assert.Equal(t, want[i], line, "renew it with go test ./lab/fidelity -update") {
			return
		}
	}
	assert.Len(t, strings.Split(shown, "\n"), len(want))
}
