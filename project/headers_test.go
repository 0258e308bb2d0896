//go:build unix

package project

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFoldersOfHeaders(t *testing.T) {
	for _, c := range []struct{ name, files, text, want string }{
		{"one that the repository has once", "lib/include/a.cuh", `#include "a.cuh"`, "lib/include"},
		{"by the path that is written", "lib/include/x/a.cuh other/a.cuh", `#include "x/a.cuh"`, "lib/include"},
		{"one that it has twice", "lib/a.cuh other/a.cuh:b.cuh", `#include "a.cuh"`, ""},
		{"the nearest of several with one text", "lib/a.cuh:b.cuh p/inc/a.cuh:b.cuh q/a.cuh:b.cuh p/inc/b.cuh", `#include "a.cuh"`, "p/inc"},
		{"one whose name ends so", "lib/ba.cuh", `#include "a.cuh"`, ""},
		{"none that lies beside it", "p/src/a.cuh lib/x.cuh", `#include "a.cuh"`, ""},
		{"none of a folder that is searched", "given/a.cuh lib/a.cuh", `#include "a.cuh"`, ""},
		{"none of the system", "lib/a.cuh", `#include <a.cuh>`, ""},
		{"none that is hidden", ".cache/a.cuh", `#include "a.cuh"`, ""},
		{"none from above", "lib/a.cuh", `#include "../x/a.cuh"`, ""},
		{"what a header includes", "lib/include/a.cuh:b.cuh more/b.cuh", "  #  include \"a.cuh\"", "lib/include more"},
		{"headers that include each other", "lib/a.cuh:b.cuh lib/b.cuh:a.cuh", `#include "b.cuh"`, "lib"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plants := []string{".git/", "given/", "p/src/k.cu: " + c.text}
			for _, f := range strings.Fields(c.files) {
				name, includes, _ := strings.Cut(f, ":")
				plants = append(plants, name+": #include \""+includes+"\"\n")
			}
			dir := plant(t, plants...)
			var got []string
			for _, folder := range NewBuildFiles().FoldersOfHeaders(filepath.Join(dir, "p/src/k.cu"), []string{filepath.Join(dir, "given")}) {
				relative, err := filepath.Rel(dir, folder)
				require.NoError(t, err)
				got = append(got, relative)
			}
			assert.Equal(t, c.want, strings.Join(got, " "))
		})
	}
}

func TestFoldersOfHeadersOutsideOfARepository(t *testing.T) {
	dir := plant(t, "p/k.cu: #include \"a.cuh\"", "lib/a.cuh")
	assert.Empty(t, NewBuildFiles().FoldersOfHeaders(filepath.Join(dir, "p/k.cu"), nil))
}
