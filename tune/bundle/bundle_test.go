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

	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify"
)

// schema2 is a folder as --export wrote it, with results: seven forms, of which one is equal, one gives 7.75 in place of
// 7.5, and the others crash, take too long, are not compiled or not rewritten.
func schema2(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.Command("tar", "xzf", "testdata/schema2.tar.gz", "-C", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dir
}

func TestResultsOfBeforeAreRead(t *testing.T) {
	dir := schema2(t)
	got, err := Import(dir, Options{})
	require.NoError(t, err)
	assert.Equal(t, record.Machine{On: "gpu", GPU: "a100", Device: "NVIDIA Test GPU", Driver: "550.1", Toolkit: "nvcc 12.9"}, got.Subject.Machine)
	failures, names, turns := map[string]string{}, map[string]string{}, map[string][]int{}
	for _, l := range got.Lines {
		switch {
		case l.Variant != nil:
			assert.Equal(t, l.Variant.Key(), l.Key)
			assert.Equal(t, got.Subject, l.Variant.Subject)
			names[l.Key] = l.Variant.Name
		case l.Failure != nil:
			failures[names[l.Key]] = string(l.Failure.Kind)
		default:
			p := l.Pair
			what := names[l.Key] + " " + p.Phase
			turns[what] = append(turns[what], p.Turn)
			want := []float64{3}
			if names[l.Key] == "original" {
				want = p.Base
			}
			assert.Equal(t, []float64{6}, p.Base)
			assert.Equal(t, want, p.Variant)
			assert.Equal(t, p.Turn%2 == 1, p.VariantFirst)
			assert.Equal(t, 3, p.Device)
			assert.Equal(t, 1, p.Checked.Lines, "the line with the time says nothing")
			assert.Equal(t, &record.State{ClockSM: 1410, ClockMemory: 1593, Temperature: 41, Throttled: "sw_power_cap"}, p.State)
		}
	}
	assert.Equal(t, map[string]string{"vtb N=2 cap=2": "output", "vtb N=2 cap=3": "crash", "vtb N=2 cap=4": "timeout", "vtb N=2 cap=5": "compile", "original cap=99": "rewrite"}, failures)
	assert.Equal(t, map[string][]int{"original search": {0, 1, 2}, "vtb N=2 cap=1 search": {0, 1, 2}, "vtb N=2 cap=1 confirm": {0, 1}}, turns)
	again, err := Import(dir, Options{Known: got.Lines})
	require.NoError(t, err)
	assert.Empty(t, again.Lines, "a second import adds nothing")
	near, err := Import(dir, Options{Tolerance: &verify.Tolerance{Abs: 1}})
	require.NoError(t, err)
	assert.Equal(t, 5, near.Pairs["vtb N=2 cap=2"], "a tolerance can be said afterwards")
	assert.Empty(t, Unknown(near.Lines[:3], near.Lines))
	assert.Equal(t, near.Lines[2:3], Unknown(near.Lines[:3], near.Lines[:2]))
}

func TestWhatIsNotTakenBack(t *testing.T) {
	dir := t.TempDir()
	refused := func(want string) {
		t.Helper()
		_, err := Import(dir, Options{})
		var is *Error
		require.ErrorAs(t, err, &is, want)
		assert.ErrorContains(t, err, want)
	}
	refused("this is not a folder that --export has written")
	dir = schema2(t)
	require.NoError(t, os.Rename(filepath.Join(dir, "results"), filepath.Join(dir, "away")))
	refused("nothing has been measured in this folder")
	require.NoError(t, os.Rename(filepath.Join(dir, "away"), filepath.Join(dir, "results")))
	unit := filepath.Join(dir, "variants", "v01-vtb-N2-cap1", "src", "p.cu")
	was, err := os.ReadFile(unit)
	require.NoError(t, err)
	put(t, unit, string(was)+"\n")
	refused("v01-vtb-N2-cap1/src/p.cu is not what was exported")
	require.NoError(t, os.Remove(unit))
	refused("lacks a text that was exported")
	put(t, unit, string(was))
	manifest := filepath.Join(dir, manifestName)
	text, err := os.ReadFile(manifest)
	require.NoError(t, err)
	for from, to := range map[string]string{`"schema": 2,`: `"schema": 9,`, `"kernel": "k"`: `"kernel": "j"`, `"cap": 1`: `"cap": 2`, `"v01`: `"../v01`} {
		put(t, manifest, strings.Replace(string(text), from, to, 1))
		assert.NotEqual(t, string(text), strings.Replace(string(text), from, to, 1))
		refused(manifestName)
	}
	put(t, manifest, strings.TrimRight(string(text), "}\n"))
	refused("is damaged")
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"schema":1,"forms":[{"folder":"v00","variant":{}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, why := parseManifest(text)
		if (m == nil) == (why == "") {
			t.Fatal("a manifest or a reason")
		}
	})
}

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
		var is *Error
		require.ErrorAs(t, err, &is)
		assert.ErrorContains(t, err, test.fails)
		assert.NoDirExists(t, "other")
	}
	left, err := filepath.Glob(".smux-export-*")
	require.NoError(t, err)
	assert.Empty(t, left, "nothing half-written is left")
}
