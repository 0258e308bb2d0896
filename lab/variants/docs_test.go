package variants

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/nvcc"

	"github.com/smux-cuda/smux/lab/suite"
)

var update = flag.Bool("update", false, "renew the tables in docs/evidence/variants.md")

const (
	opening = "<!-- $ go run ./lab/main.go variants -->\n\n"
	closing = "<!-- end -->"

	// documented is the version whose figures docs/evidence/variants.md shows.
	documented = "11.8"
)

// TestMain runs the tests at the top of the repository, as go run is: what nvcc
// said there is kept under the folder's name.
func TestMain(m *testing.M) {
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// measured are all programs, compiled once for all tests.
var measured = sync.OnceValues(func() ([]*program, error) {
	toolkit, err := nvcc.Find()
	if err != nil {
		return nil, err
	}
	return measureAll(toolkit, "examples")
})

// programs skips a test where there is another nvcc than the one documented.
func programs(t *testing.T) []*program {
	t.Helper()
	suite.OnlyFull(t) // it compiles all rewrites of all examples
	toolkit, err := nvcc.Find()
	if err != nil {
		t.Skip(err)
	}
	if version, err := toolkit.Version(); err != nil || version != documented {
		t.Skipf("nvcc is not %s but %q (%v)", documented, version, err)
	}
	out, err := measured()
	require.NoError(t, err)
	return out
}

// TestDocumentationShowsTheTables holds docs/evidence/variants.md to what the program
// prints.
func TestDocumentationShowsTheTables(t *testing.T) {
	file := filepath.Join("docs", "evidence", "variants.md")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), opening)
	require.True(t, ok, "%s has no line %q", file, opening)
	shown, after, ok := strings.Cut(rest, closing)
	require.True(t, ok, "%s has no line %q", file, closing)

	var tables bytes.Buffer
	require.NoError(t, write(&tables, documented, programs(t)))
	tables.WriteString("\n")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(before+opening+tables.String()+closing+after), 0o644))
		return
	}
	want := strings.Split(tables.String(), "\n")
	for i, line := range strings.Split(shown, "\n") {
		if !assert.Less(t, i, len(want)) || !assert.Equal(t, want[i], line, "renew it with go test ./lab/variants -update") {
			return
		}
	}
	assert.Len(t, strings.Split(shown, "\n"), len(want))
}
