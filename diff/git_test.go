package diff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// gitRepository makes an empty repository whose settings are git's defaults
// and not those of the person who runs the tests.
func gitRepository(t *testing.T) (dir string, git func(stdin []byte, args ...string)) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	dir = t.TempDir()
	git = func(stdin []byte, args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		cmd.Stdin = bytes.NewReader(stdin)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s\n%s", args, err, out, stdin)
		}
	}
	git(nil, "init", "-q")
	return dir, git
}

// All pairs go through one `git apply`: a patch of many files.
func TestGitAppliesRandomEdits(t *testing.T) {
	dir, git := gitRepository(t)
	rng := rand.New(rand.NewPCG(5, 6))
	var patch bytes.Buffer
	want := map[string][]byte{}
	for i := range 1000 {
		a, b := randomPair(rng)
		if len(b) == 0 && len(a) > 0 {
			b = []byte("kept\n")
		}
		name := fmt.Sprintf("f%d.cu", i)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), a, 0o666))
		patch.Write(Unified(name, name, a, b))
		want[name] = b
	}
	git(patch.Bytes(), "apply", "--check", "-")
	git(patch.Bytes(), "apply", "-")
	for name, b := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, string(b), string(got), name)
	}
}

func TestGitAppliesOddNamesAndEmptyFiles(t *testing.T) {
	dir, git := gitRepository(t)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "a dir"), 0o777))
	for _, tt := range []struct{ name, a, b string }{
		{"plain.cu", "a\n", "b\n"},
		{"a dir/with blanks.cu", "a\n", "b\n"},
		{"grün.cu", "a\n", "b\n"},
		{`quo"te\.cu`, "a\n", "b\n"},
		{"tab\t.cu", "a\n", "b\n"},
		{"filled.cu", "", "b\n"},
		{"emptied.cu", "a", ""},
	} {
		file := filepath.Join(dir, filepath.FromSlash(tt.name))
		require.NoError(t, os.WriteFile(file, []byte(tt.a), 0o666))
		patch := Unified(tt.name, tt.name, []byte(tt.a), []byte(tt.b))
		git(patch, "apply", "--check", "-")
		git(patch, "apply", "-")
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, tt.b, string(got), tt.name)
	}
}
