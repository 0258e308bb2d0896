package nvcc

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearestArchIsExactOrTheNextLower(t *testing.T) {
	known := []int{35, 37, 50, 52, 80, 86, 90}
	for cc, want := range map[string]struct {
		arch  string
		exact bool
	}{
		"8.0": {"sm_80", true}, "sm_86": {"sm_86", true}, "90": {"sm_90", true}, "sm_90a": {"sm_90", true},
		"8.9": {"sm_86", false}, "7.5": {"sm_52", false}, "10.0": {"sm_90", false}, "sm_120": {"sm_90", false}, "12.0": {"sm_90", false},
		"1.3": {"sm_35", false}, "2.0": {"sm_35", false}, "3.0": {"sm_35", false},
	} {
		n, ok := parseCC(cc)
		require.True(t, ok, cc)
		arch, exact := nearest(n, known)
		require.Equal(t, want.arch, arch, cc)
		require.Equal(t, want.exact, exact, cc)
	}
	for _, cc := range []string{"", "x", "sm_", "8", "a100", "-3", "8.0.1", "1000"} {
		_, ok := parseCC(cc)
		require.False(t, ok, cc)
	}
	arch, exact := nearest(80, nil)
	require.Empty(t, arch)
	require.False(t, exact)
}

func TestArchsAreReadFromListsAndHelp(t *testing.T) {
	require.Equal(t, []int{35, 90, 120}, parseArchs("sm_35\nsm_90\nsm_90a\nsm_120\n"))
	require.Equal(t, []int{52, 75}, parseArchs("Allowed values: 'compute_52','sm_75','sm_52','sm_75'."))
}

func TestNewestToolkitComesFirst(t *testing.T) {
	require.Negative(t, compareVersions("/usr/local/cuda-9.2", "/usr/local/cuda-11.8"))
	require.Positive(t, compareVersions("/usr/local/cuda-12.10", "/usr/local/cuda-12.9"))
}

func TestFindLooksOnPathThenInFolders(t *testing.T) {
	empty := t.TempDir()
	t.Setenv("PATH", empty)
	home := t.TempDir()
	executable(t, filepath.Join(home, "bin", "nvcc"), "#!/bin/sh\n")
	t.Setenv("CUDA_HOME", home)
	found, err := Find()
	require.NoError(t, err)
	require.Equal(t, filepath.Join(home, "bin", "nvcc"), found.Path)

	onPath := filepath.Join(empty, "nvcc")
	executable(t, onPath, "#!/bin/sh\n")
	found, err = Find()
	require.NoError(t, err)
	require.Equal(t, onPath, found.Path)
}

func TestMissingToolkitSaysWhatToDo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("CUDA_HOME", "")
	t.Setenv("CUDA_PATH", "")
	for _, pattern := range searched {
		if found, _ := filepath.Glob(filepath.Join(pattern, "bin", "nvcc")); len(found) > 0 {
			t.Skip("a toolkit is in " + found[0])
		}
	}
	_, err := Find()
	var missing *MissingError
	require.ErrorAs(t, err, &missing)
	require.Equal(t, "nvcc", missing.Tool)
	require.Contains(t, missing.Help, "CUDA_HOME")
}

func executable(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
}
