package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/project/config"
)

func TestCMakeNamesArchitecturesInNumbers(t *testing.T) {
	for text, want := range map[string][]string{
		"set(CMAKE_CUDA_ARCHITECTURES 75 80)":                               {"sm_75", "sm_80"},
		`set(CMAKE_CUDA_ARCHITECTURES "90-real;80-virtual;100a")`:           {"sm_80", "sm_90", "sm_100"},
		"set_target_properties(k PROPERTIES CUDA_ARCHITECTURES \"86;86\")":  {"sm_86"},
		"# set(CMAKE_CUDA_ARCHITECTURES 75)":                                nil,
		"set(CMAKE_CUDA_ARCHITECTURES native)":                              nil,
		"set(CMAKE_CUDA_ARCHITECTURES ${ARCHS})":                            nil,
		"set(CMAKE_CUDA_ARCHITECTURES_DEFAULT 75)\nproject(x VERSION 80.1)": nil,
	} {
		assert.Equal(t, want, ofCMake(text), text)
	}
}

func TestAFolderTellsItsFilesAndDatabase(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	look := func() Tree {
		tree, err := Look(t.Context(), dir)
		require.NoError(t, err)
		return tree
	}
	write("src/k.cu", "__global__ void k() {}\n")
	tree := look()
	assert.Equal(t, []string{filepath.Join(dir, "src", "k.cu")}, tree.Files)
	assert.Equal(t, "1 CUDA file", tree.String())
	write("CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES 75)\n")
	tree = look()
	assert.Equal(t, []string{"sm_75"}, tree.Architectures)
	assert.Contains(t, tree.String(), "CMAKE_EXPORT_COMPILE_COMMANDS")
	write("out/compile_commands.json", `[{"directory": "..", "file": "src/k.cu", "command": "nvcc -arch=sm_80 src/k.cu"}]`)
	tree = look()
	assert.Equal(t, "out/compile_commands.json", tree.Database)
	assert.Equal(t, []string{"sm_80"}, tree.Architectures, "the build itself goes before what it is made from")
	assert.Contains(t, string(tree.Settings(tree.Architectures, tree.Source)), "# compile-commands: out #")
}

func TestSettingsCanBeReadAndSayNothingThatNobodySaid(t *testing.T) {
	for _, gpus := range [][]string{nil, {"t4"}, {"sm_75", "a100"}} {
		set, err := config.Read(config.Name, Tree{Database: "build/compile_commands.json"}.Settings(gpus, "x"), os.ReadFile)
		require.NoError(t, err)
		assert.Equal(t, gpus, set.GPUs)
		assert.Empty(t, set.Exclude)
		assert.Empty(t, set.CompileCommands)
	}
}

// files of pre-commit, and whether the hook can be added to them.
var hooksFiles = []struct {
	text  string
	added bool
}{
	{"repos:\n  - repo: https://x\n    rev: 1\n    hooks: [{id: a}]\n", true},
	{"# team\nrepos:\n- repo: https://x # y\n  rev: 1\n  hooks:\n  - id: a\n\n# after\nfail_fast: true\n", true},
	{"fail_fast: true\nrepos:\n    - repo: local\n      hooks: []", true},
	{"repos: []\n", false},
	{"", false},
	{"repos: [{repo: local}]\nfail_fast: true\n", false},
	{"a: &x 1\nrepos:\n  key: *x\n", false},
	{"repos:\n\t- x\n", false},
}

func TestTheHookIsAddedAfterTheOthersAndAllElseStays(t *testing.T) {
	for _, c := range hooksFiles {
		got := WithHook([]byte(c.text), "v1.0.0")
		assert.False(t, HasHook([]byte(c.text)), c.text)
		if !assert.Equal(t, c.added, got != nil, c.text) || got == nil {
			continue
		}
		assert.True(t, HasHook(got), string(got))
		rest := strings.Split(string(got), "\n")
		for line := range strings.Lines(c.text) {
			assert.Contains(t, rest, strings.TrimSuffix(line, "\n"))
		}
	}
}

func FuzzHook(f *testing.F) {
	for _, c := range hooksFiles {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := WithHook([]byte(text), "v1.0.0"); got != nil && !HasHook(got) {
			t.Errorf("no hook in %q", got)
		}
	})
}

func TestAPlanReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	plan := func(known, force bool) Plan {
		p, err := NewPlan(dir, []byte("gpus: t4\n"), "v1.0.0", known, force)
		require.NoError(t, err)
		return p
	}
	p := plan(true, false)
	require.Len(t, p.Files, 1)
	assert.Contains(t, p.Remarks[0], Hook("v1.0.0")[:20], "without a file of pre-commit its lines are told")
	require.NoError(t, os.WriteFile(filepath.Join(dir, config.Name), []byte("gpus: a100\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, HooksFile), []byte(hooksFiles[0].text), 0o666))
	p = plan(true, false)
	require.Len(t, p.Files, 1)
	assert.Equal(t, filepath.Join(dir, HooksFile), p.Files[0].Name)
	assert.Contains(t, p.Remarks[0], "stays")
	assert.Len(t, plan(true, true).Files, 2)
	assert.Empty(t, plan(false, false).Files, "a revision that nobody can check out is written nowhere")
	below, err := NewPlan(filepath.Join(dir, "src"), nil, "v1.0.0", true, false)
	require.NoError(t, err)
	assert.Empty(t, below.Files, "settings that count from above are not shadowed")
	assert.Contains(t, below.Remarks[0], "counts here")
	require.NoError(t, os.WriteFile(filepath.Join(dir, HooksFile), p.Files[0].Text, 0o666))
	assert.Empty(t, plan(true, false).Files, "the second time nothing is left to do")
}
