package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRunnableProgramsHaveOneMainAndWhatItNeeds gives files by their text, and the programs with the file with main first.
func TestRunnableProgramsHaveOneMainAndWhatItNeeds(t *testing.T) {
	const kernel = "__global__ void k(int *a) { a[0] = 1; }\n"
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"mains that share a header": {
			map[string]string{"a.cu": "#include \"k.cuh\"\nint main() { k<<<1, 1>>>(0); }", "b.cu": "#include \"k.cuh\"\nint main() { k<<<2, 1>>>(0); }", "k.cuh": kernel},
			"a.cu k.cuh; b.cu k.cuh"},
		"an included file is compiled with those that include it": {
			map[string]string{"main.cu": "#include \"kernel.cu\"\nint main() {}", "kernel.cu": kernel, "other.cu": kernel}, "main.cu kernel.cu; other.cu"},
		"a kernel that another file defines": {
			map[string]string{"main.cu": "__global__ void k(int *);\nint main() { k<<<1, 1>>>(0); }", "k.cu": kernel, "far/k.cu": kernel}, "far/k.cu; main.cu k.cu"},
		"a function that another file defines, and one that is its own": {
			map[string]string{"main.cu": "void run();\nint main() { run(); own(); }", "run.cu": kernel + "extern \"C\" void run() { k<<<1, 1>>>(0); }",
				"own.cu": kernel + "static void own() {}", "up/run.cu": kernel + "void walk() { run(); }"}, "main.cu run.cu; own.cu; up/run.cu"},
		"C and C++": {
			map[string]string{"main.cpp": "#include \"part.c\"\nint main() { run<int>(help()); }", "part.c": "int part;", "help.c": "int help(void /* (nothing) */)\n{ return 1; }", "run.cu": kernel + "void run(int n) { k<<<n, 1>>>(0); }",
				"tool.c": "int main(void) { return 0; }"}, "main.cpp help.c run.cu"},
		"neither main nor kernel": {
			map[string]string{"a.cu": "// see main()\nvoid f() {}", "lib/k.cuh": kernel}, "lib/k.cuh"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range tt.files {
				path := filepath.Join(dir, file)
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
				require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
			}
			files, errs := Walk(t.Context(), []string{dir}, Options{Host: true})
			require.Empty(t, errs)
			facts := read(t, files)
			var got []string
			for _, program := range Runnable(facts) {
				var names []string
				for _, i := range program {
					relative, err := filepath.Rel(dir, facts[i].Name)
					require.NoError(t, err)
					names = append(names, relative)
				}
				got = append(got, strings.Join(names, " "))
			}
			assert.Equal(t, tt.want, strings.Join(got, "; "))
		})
	}
}
