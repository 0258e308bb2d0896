//go:build unix

package bundle

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
}

// project is a folder that tests are called in, with files.
func project(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "project")
	require.NoError(t, os.Mkdir(root, 0o755))
	t.Chdir(root)
	for name, text := range files {
		put(t, filepath.Join(root, name), text)
	}
	return root
}

func TestWhatIsBroughtAlong(t *testing.T) {
	root := project(t, map[string]string{
		"include/deep/a b.h": "#include \"../c.h\"\n", "include/c.h": "", "src/near.h": "#include <deep/a b.h>\n#include \"cublas_v2.h\"\n", "src/more.cpp": "#include \"own.h\"\n", "src/own.h": "", "unused.h": "",
		"../outside/far.h": "", "src/p.cu": "#include \"near.h\"\n#include <far.h>\n#include <cstdio>\n", "run/data/in put": "seven\n", "../.smux.yaml": "block: 64\n",
	})
	dir := filepath.Join(t.TempDir(), "the bundle's")
	left, err := Export(dir, Input{
		Files: []string{"src/p.cu", "src/more.cpp"}, Includes: []string{"include", "../outside"}, Named: map[string]string{"config": "../.smux.yaml"}, Words: []string{"--define=NAME='a b'"},
		Dir: "run", Args: []string{"data/in put", "it's", "a\nb", `"$HOME`, "", "*", "/etc/passwd"},
	})
	require.NoError(t, err)
	var files []string
	require.NoError(t, filepath.WalkDir(filepath.Join(dir, "src"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			files = append(files, name)
		}
		return err
	}))
	assert.ElementsMatch(t, []string{"src/src/p.cu", "src/src/near.h", "src/src/more.cpp", "src/src/own.h", "src/include/c.h", "src/include/deep/a b.h", "src/.smux.yaml", "src/run/data/in put"}, files)
	for _, want := range []string{"outside/far.h, which src/p.cu includes, lies outside", `"cublas_v2.h", which src/near.h includes`, "-I " + filepath.Dir(root) + "/outside lies outside", `"/etc/passwd"`, "the program runs in run"} {
		assert.Contains(t, strings.Join(left, "\n"), want)
	}
	here, err := os.Stat(filepath.Join(dir, "smux"))
	require.NoError(t, err)
	assert.NotZero(t, here.Mode()&0o100, "this program is there")

	asks := filepath.Join(t.TempDir(), "asks")
	put(t, asks, "#!/bin/sh\npwd\nprintf '[%s]' \"$@\"")
	c := exec.Command("sh", filepath.Join(dir, ScriptName), "--budget", "3")
	c.Env = append(os.Environ(), "SMUX="+asks)
	out, err := c.CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "src")+"\n[tune][--store=../results.jsonl][--define=NAME='a b'][--include=include][--include="+filepath.Dir(root)+
		"/outside][--config=.smux.yaml][--chdir=run][--budget][3][./src/p.cu][./src/more.cpp][--][data/in put][it's][a\nb][\"$HOME][][*][/etc/passwd]", string(out))
}

func TestWhatIsNotExported(t *testing.T) {
	project(t, map[string]string{"p.cu": "", "../far.cu": "", "full/x": ""})
	require.NoError(t, os.Mkdir("empty", 0o755))
	for _, test := range []struct {
		dir   string
		in    Input
		fails string
	}{
		{"empty", Input{Files: []string{"p.cu"}}, ""},
		{"new/one", Input{Files: []string{"p.cu"}}, ""},
		{"full", Input{Files: []string{"p.cu"}}, "full: the folder is not empty; name another"},
		{"empty", Input{Files: []string{"p.cu"}}, "not empty"},
		{"other", Input{Files: []string{"../far.cu"}}, "../far.cu: the file lies outside of the project's folder "},
		{"other", Input{Files: []string{"p.cu"}, Dir: "/tmp"}, "lies outside"},
	} {
		_, err := Export(test.dir, test.in)
		if test.fails == "" {
			require.NoError(t, err)
			assert.FileExists(t, filepath.Join(test.dir, "src", "p.cu"))
			continue
		}
		var is *diag.Failure
		require.ErrorAs(t, err, &is)
		assert.Equal(t, diag.ExitUsage, is.Exit)
		assert.ErrorContains(t, err, test.fails)
		assert.NoDirExists(t, "other")
	}
	left, err := filepath.Glob(".smux-export-*")
	require.NoError(t, err)
	assert.Empty(t, left, "nothing half-written is left")
}
