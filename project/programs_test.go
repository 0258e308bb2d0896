package project

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/smux-cuda/smux/parser"
)

var update = flag.Bool("update", false, "rewrite the expected programs in testdata")

// read is Read, file by file.
func read(t testing.TB, files []string, dirs ...string) []Facts {
	facts, err := Read(files, Reading{
		Options: func(string) parser.Options { return parser.Options{IncludeDirs: dirs} },
		Each: func(n int, f func(int)) error {
			for i := range n {
				f(i)
			}
			return nil
		},
	})
	require.NoError(t, err)
	return facts
}

// TestPrograms parts the files of each testdata/*.txtar: the section "programs" has
// a line for each program. A line of the comment that begins with "-I" names folders
// to search.
func TestPrograms(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, scripts)
	for _, script := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(script), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(script)
			require.NoError(t, err)
			var dirs []string
			for line := range strings.Lines(string(archive.Comment)) {
				if rest, ok := strings.CutPrefix(line, "-I "); ok {
					dirs = append(dirs, strings.Fields(rest)...)
				}
			}
			dir := t.TempDir()
			want := -1
			for i, f := range archive.Files {
				if f.Name == "programs" {
					want = i
					continue
				}
				path := filepath.Join(dir, f.Name)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
				require.NoError(t, os.WriteFile(path, f.Data, 0o666))
			}
			require.GreaterOrEqual(t, want, 0, "no section programs")
			path, err := filepath.Abs(script)
			require.NoError(t, err)
			t.Chdir(dir)
			files, errs := Walk(context.Background(), []string{"."}, Options{})
			require.Empty(t, errs)
			facts := read(t, files, dirs...)
			var got bytes.Buffer
			for _, p := range Programs(facts) {
				var names []string
				for _, i := range p {
					names = append(names, facts[i].Name)
				}
				fmt.Fprintln(&got, strings.Join(names, " "))
			}
			if *update {
				archive.Files[want].Data = got.Bytes()
				require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o666))
				return
			}
			assert.Equal(t, string(archive.Files[want].Data), got.String())
		})
	}
}
