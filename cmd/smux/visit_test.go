//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify/build"
)

// TestMain is smux where the program is called so.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "smux" {
		main()
	}
	os.Exit(m.Run())
}

// visit is scripts/gpu-visit.sh of one example and a few of its forms, with the CPU engine in the device's place.
func visit(t *testing.T, smux string, args ...string) *exec.Cmd {
	c := exec.Command("bash", append([]string{"../../scripts/gpu-visit.sh", "--smux", smux}, args...)...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	return c
}

// TestAVisitGoesOnWhereItWasKilled: what a visit had measured when it was killed stays and is measured once, what is in the
// folder by its last name is whole, and a page can be made.
func TestAVisitGoesOnWhereItWasKilled(t *testing.T) {
	if _, err := build.Find(""); err != nil {
		t.Skipf("nothing was run: %v", err)
	}
	for _, tool := range []string{"bash", "flock", "timeout", "awk"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("nothing was run: there is no %s", tool)
		}
	}
	self, err := os.Executable() // it is smux where it is called so
	require.NoError(t, err)
	smux := filepath.Join(t.TempDir(), "smux")
	require.NoError(t, os.Symlink(self, smux))
	var dir, store, table string
	var args []string
	read := func(name string) []byte {
		text, err := os.ReadFile(name)
		if !os.IsNotExist(err) {
			require.NoError(t, err)
		}
		return text
	}
	var said bytes.Buffer
	for try := 0; ; try++ {
		dir = t.TempDir()
		store, table = filepath.Join(dir, "measure", "rd.jsonl"), filepath.Join(dir, "measure", "rd.txt")
		args = []string{"--on", "cpu", "--limit", "300", dir, "rd", "--", "--variant", "vtb", "--factor", "2", "--sync", "block", "--budget", "2"}
		first := visit(t, smux, args...)
		first.Stdout, first.Stderr = &said, &said
		require.NoError(t, first.Start())
		for end := time.Now().Add(4 * time.Minute); !bytes.Contains(read(store), []byte(`"pair"`)) && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		require.NoError(t, syscall.Kill(-first.Process.Pid, syscall.SIGKILL))
		require.Error(t, first.Wait(), said.String())
		if _, err := os.Stat(table); os.IsNotExist(err) {
			break
		}
		require.Less(t, try, 5, "it was always killed too late to tell anything")
	}
	before := read(store)
	require.NotEmpty(t, before, said.String())
	before = before[:bytes.LastIndexByte(before, '\n')+1]

	out, err := visit(t, smux, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "measure rd: 3 of 3 forms equal\n")
	assert.NotContains(t, string(out), "check rd", "that was done")
	assert.FileExists(t, table)
	after := read(store)
	assert.True(t, bytes.HasPrefix(after, before), "what was measured stays")
	lines, torn, err := record.ReadTorn(store)
	require.NoError(t, err)
	assert.Zero(t, torn)
	seen := map[string]bool{}
	for _, l := range lines {
		what := l.Key
		if l.Pair != nil {
			what = fmt.Sprint(l.Key, l.Pair.Phase, l.Pair.Turn)
		}
		assert.False(t, seen[what], "%s is measured twice", what)
		seen[what] = true
	}
	left, err := filepath.Glob(filepath.Join(dir, "*", "*.new"))
	require.NoError(t, err)
	assert.Empty(t, left)

	out, err = visit(t, smux, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, 1, strings.Count(string(out), "\n"), "nothing is left to do but the summary: %s", out)
	assert.Contains(t, string(out), "1 kernels checked (3 of 3 forms equal), 1 measured (3 of 3 forms equal)")
	assert.Equal(t, string(after), string(read(store)))

	page, err := visit(t, smux, "--page", dir).CombinedOutput()
	require.NoError(t, err, "%s", page)
	for _, line := range []string{"| rd | 3 of 3 forms equal | 3 of 3 forms equal |", "### rd", "These are times of the CPU engine", "## How well the model predicted it"} {
		assert.Contains(t, string(page), line)
	}
}
