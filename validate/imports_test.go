package validate_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A second opinion is one only as long as it shares nothing with the first: the validator reads programs by
// parser and analysis/ir, speaks by diag, and imports nothing else of smux but the loops of internal/lists. Which of its parts know which is held by
// internal/arrows.
func TestItSharesNothingWithTheRewriters(t *testing.T) {
	const smux = "github.com/smux-cuda/smux/"
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	rooms, err := filepath.Glob("*/*.go")
	require.NoError(t, err)
	for _, name := range append(files, rooms...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range f.Imports {
			if own, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), smux); ok && !strings.HasPrefix(own, "validate/") {
				assert.Contains(t, []string{"parser", "analysis/ir", "analysis/ir/effect", "diag", "internal/lists"}, own, name)
			}
		}
	}
}
