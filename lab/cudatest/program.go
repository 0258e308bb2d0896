// Package cudatest parses CUDA for tests: a text that a test holds, as a program of one
// file.
package cudatest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
)

// Program parses a text as the only file of a program, which has that name.
func Program(tb testing.TB, name, text string) *parser.Program {
	tb.Helper()
	f, err := parser.Parse(name, []byte(text), parser.Options{})
	require.NoError(tb, err)
	return parser.NewProgram([]*parser.File{f}, parser.Options{})
}
