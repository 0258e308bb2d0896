package parser

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what the tests get as what they want")

// TestGolden shows, for each testdata/*.txtar, what the C++ grammar sees of
// input.cu and what the view makes of it. Run with -update to write it anew.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			require.NoError(t, err)
			files := map[string]string{}
			for _, f := range archive.Files {
				files[f.Name] = string(f.Data)
			}
			f := parseClean(t, files["input.cu"])
			masked, view := trimLines(string(f.masked)), describeView(f)
			if *update {
				archive.Files = []txtar.File{
					{Name: "input.cu", Data: []byte(files["input.cu"])}, {Name: "masked", Data: []byte(masked)}, {Name: "view", Data: []byte(view)},
				}
				require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o644))
				return
			}
			assert.Equal(t, files["masked"], masked)
			assert.Equal(t, files["view"], view)
		})
	}
}

// trimLines drops blanks at line ends, which editors do not keep.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func describeView(f *File) string {
	var b strings.Builder
	place := func(at int) string {
		p := f.Position(at)
		return fmt.Sprintf("%d:%d", p.Line, p.Column)
	}
	for _, fn := range f.Functions {
		fmt.Fprintf(&b, "%s function %s\n", place(fn.Start), describeFunction(f, fn))
	}
	for _, l := range f.Launches {
		fmt.Fprintf(&b, "%s launch %s in %s, %d configuration arguments\n", place(l.Open), l.Kernel, l.Function.Name, len(l.Config))
	}
	for _, m := range f.Marks {
		if m.Kind == MarkFix || m.Kind == MarkMacro {
			fmt.Fprintf(&b, "%s %s %s\n", place(m.Start), map[MarkKind]string{MarkFix: "fix", MarkMacro: "macro"}[m.Kind], m.Name)
		}
	}
	return b.String()
}
