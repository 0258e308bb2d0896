package cmd

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
)

func TestAFileThatChangedMeanwhileIsNotReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.cu")
	require.NoError(t, os.WriteFile(file, []byte("newer"), 0o666))
	_, err := stageOver(file, []byte("older"), []byte("ours"))
	require.ErrorContains(t, err, "the file has changed since it was read")
	requireFolder(t, filepath.Dir(file), "x.cu")
}

func TestDiscardLeavesNothingBehind(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.cu")
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o666))
	st, err := stage(file, []byte("new"))
	require.NoError(t, err)
	st.discard()
	requireFolder(t, filepath.Dir(file), "x.cu")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "old", string(text))
}

func TestWhatIsCommittedTogetherStaysAsItWasWhereOneFails(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "a.cu")
	require.NoError(t, os.WriteFile(old, []byte("old"), 0o640))
	var staged []*stagedFile
	for _, name := range []string{"a.cu", "b.cu", "c.cu", "d.cu"} {
		st, err := stage(filepath.Join(dir, name), []byte("new"))
		require.NoError(t, err)
		staged = append(staged, st)
	}
	// A folder took the place of c.cu meanwhile.
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "c.cu", "full"), 0o777))
	errs := commitAll(staged)
	require.Len(t, errs, 1)
	require.ErrorContains(t, errs[0], "c.cu")
	requireFolder(t, dir, "a.cu", "c.cu")
	text, err := os.ReadFile(old)
	require.NoError(t, err)
	require.Equal(t, "old", string(text))
	info, err := os.Stat(old)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode())
}

// requireFolder checks that a folder holds these names and no more.
func requireFolder(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	require.Equal(t, want, got)
}

func TestDependentFilesStandOrFallTogether(t *testing.T) {
	kernel := func(name string) *parser.Function {
		return &parser.Function{Name: name, Quals: parser.QualGlobal}
	}
	launch := func(name string) *parser.Launch { return &parser.Launch{Kernel: name} }
	include := func(file string) parser.Include { return parser.Include{File: file} }
	prog := &parser.Program{Files: []*parser.File{
		{Name: "fft.cu", Functions: []*parser.Function{kernel("fft")}},
		{Name: "alone.cu", Functions: []*parser.Function{kernel("alone")}},
		{Name: "./scan.cuh", Functions: []*parser.Function{kernel("scan")}},
		{Name: "user.cu", Includes: []parser.Include{include("scan.cuh")}},
		{Name: "main.cu", Launches: []*parser.Launch{launch("fft"), launch("kept")}},
		{Name: "kept.cu", Functions: []*parser.Function{kernel("kept"), kernel("last")}},
		{Name: "both.cu", Launches: []*parser.Launch{launch("last"), launch("alone")}},
	}}
	result := &rewrite.Result{Kernels: []rewrite.KernelResult{
		{Name: "fft", Variant: rewrite.Variant{Rewriter: "vtb"}}, {Name: "alone", Variant: rewrite.Variant{Rewriter: "vtb"}}, {Name: "scan", Variant: rewrite.Variant{Rewriter: "vtb"}},
		{Name: "kept"}, {Name: "last", Variant: rewrite.Variant{Rewriter: "vtb"}},
	}}
	for _, f := range prog.Files {
		result.Files = append(result.Files, rewrite.FileResult{Name: f.Name})
	}
	var got [][]string
	for _, group := range dependentFiles(prog, result) {
		var names []string
		for _, f := range group {
			names = append(names, f.Name)
		}
		got = append(got, names)
	}
	require.Equal(t, [][]string{
		{"fft.cu", "main.cu"},
		{"alone.cu", "kept.cu", "both.cu"},
		{"./scan.cuh", "user.cu"},
	}, got)
}
