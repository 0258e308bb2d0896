package build

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAProgramIsClosedUnlessItCallsWhatGetsAtMore compiles each text by itself, with and without checks of the C library.
func TestAProgramIsClosedUnlessItCallsWhatGetsAtMore(t *testing.T) {
	compiler, err := Find("")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no C++ compiler, or other objects: ", err)
	}
	toolchain, err := open(compiler, t.TempDir(), embedded())
	require.NoError(t, err)
	defer toolchain.Close()
	for text, closed := range map[string]bool{
		"#include <cstdio>\nint f() { return printf(\"%d\", getchar()); }":                                                 true,
		"#include <fstream>\nint f() { std::ofstream o(\"x\"); o << 1; return 0; }":                                        false, // it may read what it has written before
		"#include <cstdio>\ninline FILE *unused() { return fopen(\"x\", \"r\"); }\nint f() { return 0; }":                  true,
		"#include <cstdio>\nFILE *f() { return fopen(\"x\", \"r\"); }":                                                     false,
		"#include <fcntl.h>\nint f(const char *p, int how) { return open(p, how); }":                                       false,
		"#include <fstream>\n#include <string>\nint f() { std::ifstream i(\"x\"); int n = 0; i >> n; return n; }":          false,
		"#include <filesystem>\nbool f() { return std::filesystem::exists(\"x\"); }":                                       false,
		"#include <sys/stat.h>\nint f(struct stat *s) { return stat(\"x\", s); }":                                          false,
		"#include <cstdlib>\nint f() { return system(\"ls\"); }":                                                           false,
		"#include <dlfcn.h>\nvoid *f() { return dlopen(\"x\", RTLD_NOW); }":                                                false,
		"#include <random>\nint f() { return std::random_device()(); }":                                                    false,
		"#include <vector>\n#include <algorithm>\nint f(std::vector<int> &v) { std::sort(v.begin(), v.end()); return 0; }": true,
	} {
		for _, flags := range [][]string{{"-O1"}, {"-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"}} {
			dir := t.TempDir()
			source, object := filepath.Join(dir, "x.cc"), filepath.Join(dir, "x.o")
			require.NoError(t, os.WriteFile(source, []byte(text), 0o666))
			out, err := toolchain.command(t.Context(), dir, append(flags, standard, "-c", source, "-o", object))
			require.NoError(t, err, out)
			assert.Equal(t, closed, isClosed([]*job{{object: object}}), text)
		}
	}
	assert.False(t, isClosed([]*job{{object: "missing.o"}}))
}
