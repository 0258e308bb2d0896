package cmd

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
)

var cBlock = regexp.MustCompile("(?s)```c\n(.*?)```")

// TestDocumentationOfAccHasItsProgram holds the program that docs/use/acc-tutorial.md goes on with to what
// smux acc makes of the example, and the C in it to the example. It comes before
// TestDocumentationShowsRealOutput, which runs the page's commands.
func TestDocumentationOfAccHasItsProgram(t *testing.T) {
	const source, result = "examples/acc/product.c", "testdata/acc/product.cu"
	t.Chdir("..")
	var out bytes.Buffer
	s := newSession(strings.NewReader(""), &out, &bytes.Buffer{})
	s.findNVCC = noNVCC
	require.Equal(t, diag.ExitOK, s.main([]string{"acc", "-q", source}))
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		require.NoError(t, os.WriteFile(result, out.Bytes(), 0o666))
	}
	want, err := os.ReadFile(result)
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String(), "go test ./cmd -run Documentation -update renews it")

	page, err := os.ReadFile("docs/use/acc-tutorial.md")
	require.NoError(t, err)
	program, err := os.ReadFile(source)
	require.NoError(t, err)
	blocks := cBlock.FindAllSubmatch(page, -1)
	require.NotEmpty(t, blocks)
	for _, b := range blocks {
		assert.Contains(t, string(program), string(b[1]))
	}
}
