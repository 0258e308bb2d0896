package words

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// plain writes files to a folder and reads the first as C++ takes it.
func plain(t *testing.T, inPlace []string, files ...string) (string, Places, []diag.Message, error) {
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, files[i])), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o666))
	}
	for i := range inPlace {
		inPlace[i] = filepath.ToSlash(filepath.Join(dir, inPlace[i]))
	}
	prog, errs := parser.LoadProgram([]string{filepath.Join(dir, files[0])}, parser.Options{Closed: true, C: true})
	require.Empty(t, errs)
	_, f, from, said, err := Plain(prog, prog.Files[0], inPlace)
	if err != nil {
		return "", nil, nil, err
	}
	for i := range from {
		from[i].File = filepath.Base(from[i].File)
	}
	return string(f.Src), from, said, nil
}

func TestHeadersStandWhereTheyHaveTo(t *testing.T) {
	const plainHeader, directed = "int f(int);\n", "#pragma acc routine seq\nint g(int);\n"
	for _, c := range []struct {
		name    string
		inPlace []string
		files   []string
		want    string
	}{
		{"one without directives", nil, []string{"a.c", "#include \"h.h\"\nint x;\n", "h.h", plainHeader}, "#include \"h.h\"\nint x;\n"},
		{"one that is asked for", []string{"h.h"}, []string{"a.c", "#include \"h.h\"\nint x;\n", "h.h", plainHeader},
			"// what h.h says to a C compiler:\nint f(int);\n// the end of h.h\nint x;\n"},
		{"one with a directive", nil, []string{"a.c", "#include \"h.h\"\nint x;\n", "h.h", directed},
			"// what h.h says to a C compiler:\n" + directed + "// the end of h.h\nint x;\n"},
		{"one that is included once", nil, []string{"a.c", "#include \"h.h\"\n#include \"h.h\"\n", "h.h", "#pragma once\n" + directed},
			"// what h.h says to a C compiler:\n" + directed + "// the end of h.h\n\n"},
		{"one that includes it", nil, []string{"a.c", "#include \"k.h\"\n", "k.h", "#include \"h.h\"\nint y;", "h.h", directed},
			"// what k.h says to a C compiler:\n// what h.h says to a C compiler:\n" + directed + "// the end of h.h\nint y;\n// the end of k.h\n"},
		{"what a header of another folder includes", []string{"sub/k.h"}, []string{"a.c", "#include \"sub/k.h\"\n", "sub/k.h", "#include \"h.h\"\nint y;\n", "sub/h.h", plainHeader},
			"// what sub/k.h says to a C compiler:\n// what h.h says to a C compiler:\n" + plainHeader + "// the end of h.h\nint y;\n// the end of sub/k.h\n"},
		{"a question of the language", nil, []string{"a.c", "#ifdef __cplusplus\nint x;\n#endif\n"}, "#if 0\nint x;\n#endif\n"},
		{"a word of C++", nil, []string{"a.c", "int new = 1;\n"}, "int new_ = 1;\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, from, _, err := plain(t, c.inPlace, c.files...)
			require.NoError(t, err)
			assert.Equal(t, c.want, text)
			if from != nil {
				assert.Equal(t, "a.c", from[0].File)
				assert.LessOrEqual(t, len(from), len(text))
			}
		})
	}
}

func TestLinesKeepTheirPlaces(t *testing.T) {
	_, from, _, err := plain(t, nil, "a.c", "int x;\n#include \"h.h\"\nint y;\n", "h.h", "int z;\n#pragma acc routine seq\nint g(int);\n")
	require.NoError(t, err)
	for line, want := range map[int]diag.Position{1: {File: "a.c", Line: 1}, 2: {File: "a.c", Line: 2}, 3: {File: "h.h", Line: 1}, 5: {File: "h.h", Line: 3}, 7: {File: "a.c", Line: 3}} {
		got := from.Of(diag.Position{File: "a.c", Line: line, Column: 4})
		want.Column = 4
		assert.Equal(t, want, got, "line %d", line)
	}
	assert.Equal(t, diag.Position{File: "a.c", Line: 3}, Places(nil).Of(diag.Position{File: "a.c", Line: 3}))
}

func TestWhatCPlusPlusHasNotIsRefused(t *testing.T) {
	_, _, _, err := plain(t, nil, "a.c", "\n_Complex double z;\n")
	var m diag.Message
	require.ErrorAs(t, err, &m)
	assert.Equal(t, CodeCPlusPlus, m.Code)
	assert.Equal(t, 2, m.Pos.Line)
}
