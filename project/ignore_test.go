package project

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// git runs git in a folder, without a person's own configuration.
func git(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir, c.Stdin = dir, strings.NewReader(stdin)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "XDG_CONFIG_HOME="+dir, "HOME="+dir)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	require.NoError(t, err, "git %v: %s", args, errs.String())
	return string(out)
}

// words are the parts of patterns and names: few, so that they meet.
var words = []string{"a", "b", "ab", "x.cu", "y.cu", "a.b", "é", "[", "]", "-", "a b", `\`, "!", "#", "*"}

// randomPattern is a line that somebody may write into a .gitignore, or not.
func randomPattern(r *rand.Rand) string {
	pieces := []string{"a", "b", "ab", "x.cu", "y.cu", ".cu", "é", "*", "**", "?", "/", "/", "/", "**/", "/**", "/**/", "*.cu",
		"[ab]", "[!a]", "[^b-z]", "[a-c]", "[]a]", "[a", "[[:alpha:]]", "[[:nope:]]", "[a-]", `[\]]`, "[[]", "[!/]", "[é]",
		`\*`, `\`, `\a`, `\!`, `\#`, " ", `\ `, "-", "\r", "***"}
	var out strings.Builder
	if r.IntN(6) == 0 {
		out.WriteString("!")
	}
	for range 1 + r.IntN(4) {
		out.WriteString(pieces[r.IntN(len(pieces))])
	}
	return out.String()
}

// TestIgnoredAsGitDoes compares walks of random trees with what git lists of them.
func TestIgnoredAsGitDoes(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	r := rand.New(rand.NewPCG(1, 2))
	top := plant(t)
	git(t, top, "", "init", "-q")
	info := filepath.Join(top, ".git", "info", "exclude")
	var names []string
	for range 250 {
		var parts []string
		for range r.IntN(4) {
			parts = append(parts, words[r.IntN(len(words))])
		}
		name := filepath.Join(append(parts, words[r.IntN(len(words))])...)
		if name == "." || strings.HasPrefix(name, "..") {
			continue
		}
		path := filepath.Join(top, name)
		if os.MkdirAll(filepath.Dir(path), 0o777) != nil {
			continue // a file is there
		}
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		require.NoError(t, os.WriteFile(path, nil, 0o666))
		names = append(names, name)
	}
	folders := []string{"."}
	for _, n := range names {
		if dir := filepath.Dir(n); !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	require.Greater(t, len(names), 80)
	differing := 0
	for range 60 {
		said := map[string]string{}
		write := func(file string, most int) {
			var lines []string
			for range r.IntN(most) {
				lines = append(lines, randomPattern(r))
			}
			said[file] = strings.Join(lines, "\n")
			require.NoError(t, os.WriteFile(filepath.Join(top, file), []byte(said[file]), 0o666))
		}
		write(".gitignore", 6)
		write(".git/info/exclude", 3)
		for range 3 {
			write(filepath.Join(folders[r.IntN(len(folders))], ".gitignore"), 4)
		}
		var want []string
		for name := range strings.SplitSeq(git(t, top, "", "ls-files", "-z", "--others", "--exclude-standard"), "\x00") {
			if name != "" && filepath.Base(name) != ".gitignore" {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		got := taken(t, top)
		for i := range max(len(want), len(got)) {
			if i >= min(len(want), len(got)) || want[i] != got[i] {
				t.Fatalf("git leaves %q, the walk %q: %q", want[i:min(i+1, len(want))], got[i:min(i+1, len(got))], said)
			}
		}
		if len(want) < len(names) {
			differing++
		}
		for file := range said {
			if file != ".git/info/exclude" {
				require.NoError(t, os.Remove(filepath.Join(top, file)))
			}
		}
	}
	assert.Greater(t, differing, 20, "patterns that ignore nothing say little")
	require.NoError(t, os.Remove(info))
}

// taken lists all files below a repository's top that its .gitignore files leave.
func taken(t *testing.T, top string) []string {
	var out []string
	var enter func(f folder)
	enter = func(f folder) {
		entries, err := os.ReadDir(f.real)
		require.NoError(t, err)
		list, err := readIgnoreFile(f.path, filepath.Join(f.real, ".gitignore"), os.Lstat)
		require.NoError(t, err)
		f.ignored = f.ignored.and(list)
		for _, e := range entries {
			at := f.entry(e.Name())
			switch {
			case e.Name() == ".git" || e.Name() == ".gitignore" || at.isIgnored(e.IsDir()):
			case e.IsDir():
				enter(at)
			default:
				out = append(out, at.path)
			}
		}
	}
	lists, errs := ignoresAt(top, top)
	require.Empty(t, errs)
	enter(folder{real: top, ignored: lists})
	slices.Sort(out)
	return out
}
