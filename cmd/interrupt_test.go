//go:build linux

package cmd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// promptly is the time that a command may go on after a signal. It is meant to be two
// seconds; a machine with too much to do may need longer.
const promptly = time.Minute

// workplace is a folder with sources that keep smux busy, and everything else
// that it writes to.
type workplace struct {
	t                *testing.T
	smux             string
	src, cache, temp string
	before           map[string]string // texts of the sources
}

// newWorkplace makes one in which a program of a name works.
func newWorkplace(t *testing.T, name string) *workplace {
	dir := t.TempDir()
	w := &workplace{t: t, smux: filepath.Join(dir, name), src: filepath.Join(dir, "src"), cache: filepath.Join(dir, "cache"), temp: filepath.Join(dir, "temp"),
		before: map[string]string{}}
	for _, d := range []string{w.src, w.cache, w.temp} {
		require.NoError(t, os.Mkdir(d, 0o777))
	}
	self, err := os.Executable() // it is smux where it is called so; see TestMain
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, w.smux))
	rows := string(sourceOfLines(800))
	w.before["a.cu"], w.before["b.cu"] = rows, rows
	example, err := os.ReadFile("../testdata/readme/race.cu")
	require.NoError(t, err)
	w.before["race.cu"] = string(example)
	for name, text := range w.before {
		require.NoError(t, os.WriteFile(filepath.Join(w.src, name), []byte(text), 0o666))
	}
	return w
}

// ended says how a command ended.
type ended struct {
	code           int // -1 for a signal
	stdout, stderr string
	after          time.Duration // the first signal
}

// interrupt starts a command, waits, and sends it a signal, again and again where it is
// impatient.
func (w *workplace) interrupt(wait func(), impatient bool, signal syscall.Signal, args ...string) ended {
	c := exec.Command(w.smux, args...)
	c.Dir = w.src
	c.Env = append(os.Environ(), "XDG_CACHE_HOME="+w.cache, "TMPDIR="+w.temp, w.mark(), begunFile+"="+w.begun())
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	require.NoError(w.t, c.Start())
	wait()
	start := time.Now()
	_ = c.Process.Signal(signal) // it may be done
	late := time.AfterFunc(promptly, func() { _ = c.Process.Kill() })
	defer late.Stop()
	done := make(chan struct{})
	go func() { _ = c.Wait(); close(done) }()
	for tick := time.Tick(20 * time.Millisecond); ; { // signals of a kind do not queue
		select {
		case <-done:
			return ended{c.ProcessState.ExitCode(), stdout.String(), stderr.String(), time.Since(start)}
		case <-tick:
			if impatient {
				_ = c.Process.Signal(signal)
			}
		}
	}
}

// begun is a file that endlessRewrite makes.
func (w *workplace) begun() string { return filepath.Join(filepath.Dir(w.temp), "begun") }

// hasBegun waits for endlessRewrite.
func (w *workplace) hasBegun() {
	require.Eventually(w.t, func() bool { _, err := os.Stat(w.begun()); return err == nil }, promptly, time.Millisecond)
}

func (w *workplace) mark() string { return "SMUX_TEST_WORKPLACE=" + w.temp }

// childrenEnd says that nothing goes on that a command of the workplace started. The
// guard of package process ends after the command, and so does what it kills.
func (w *workplace) childrenEnd(about string) {
	w.t.Helper()
	var left []string
	ended := func() bool { left = w.children(); return len(left) == 0 }
	if !assert.Eventually(w.t, ended, promptly, 20*time.Millisecond, about) {
		w.t.Logf("still there: %q", left)
	}
}

// children are the processes that a command of the workplace left behind.
func (w *workplace) children() (out []string) {
	for _, pid := range w.marked("") {
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		out = append(out, strings.ReplaceAll(string(command), "\x00", " "))
	}
	return out
}

// marked are the processes of the workplace whose environment has something more.
func (w *workplace) marked(more string) (out []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range all {
		env, err := os.ReadFile(name)
		if err == nil && bytes.Contains(env, []byte(w.mark())) && bytes.Contains(env, []byte(more)) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			out = append(out, pid)
		}
	}
	return out
}

// leftovers are the temporary files and folders.
func (w *workplace) leftovers() []string {
	var out []string
	for _, d := range []string{w.src, w.temp} {
		entries, err := os.ReadDir(d)
		require.NoError(w.t, err)
		for _, e := range entries {
			if _, source := w.before[e.Name()]; !source && e.Name() != ".smux-baseline.json" && e.Name() != "out" {
				out = append(out, filepath.Join(d, e.Name()))
			}
		}
	}
	_ = filepath.WalkDir(w.cache, func(path string, e os.DirEntry, err error) error {
		if err == nil && strings.Contains(e.Name(), ".new-") {
			out = append(out, path)
		}
		return nil
	})
	return out
}

// slowCommands are one of each kind that has something to do.
var slowCommands = [][]string{
	{"analyze", "-j", "1", "."},
	{"rewrite", "-w", "--gpu", "p100", "--resources", "estimate", "a.cu", "b.cu"},
	{"rewrite", "-w", "--variant", "vtb", "--verify", "race.cu"},
	{"rewrite", "--variant", "demote", "--gpu", "p100", "a.cu"},
	{"report", "--gpu", "p100", "-o", "out", "."},
	{"baseline", "write", "--gpu", "p100", "."},
	{"simulate", "--gpu", "p100", "a.cu"},
	{"occupancy", "--gpu", "p100", "a.cu"},
	{"verify", "--variant", "vtb", "race.cu"},
	{"check", "race.cu"},
	{"tune", "--on", "cpu", "--gpu", "p100", "race.cu"},
	{"tune", "--on", "model", "--gpu", "p100", "--resources", "estimate", "a.cu"},
	{"doctor"},
}

func TestASignalEndsEveryCommandAtAnyMoment(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	slowest := time.Duration(0)
	for _, args := range slowCommands {
		signal := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[r.IntN(2)]
		w := newWorkplace(t, "smux")
		after := time.Duration(r.IntN(600)) * time.Millisecond
		about := fmt.Sprintf("seed %d: %v after %v: smux %s", seed, signal, after, strings.Join(args, " "))
		e := w.interrupt(func() { time.Sleep(after) }, false, signal, args...)
		about += "\n" + e.stderr
		assert.Less(t, e.after, promptly, about)
		slowest = max(slowest, e.after)
		if e.code != diag.ExitInternal {
			// The signal came too late, or before the process could listen.
			assert.NotContains(t, e.stderr, "interrupted", about)
			assert.NotContains(t, e.stderr, "internal error", about)
		} else {
			assert.Regexp(t, regexp.MustCompile(`(?m)^smux: (.*: )?interrupted( after writing .*)?$`), e.stderr, about)
		}
		if e.code != -1 {
			assert.Empty(t, w.leftovers(), about)
		}
		w.childrenEnd(about)
		w.checkSources(about)
	}
	t.Logf("the slowest ended %v after its signal", slowest.Round(time.Millisecond))
}

// checkSources says that files that belong together were written all or not at all.
func (w *workplace) checkSources(about string) {
	for name, before := range w.before {
		text, err := os.ReadFile(filepath.Join(w.src, name))
		require.NoError(w.t, err, about)
		if string(text) != before {
			assert.True(w.t, bytes.HasSuffix(text, []byte("}\n")), "%s is cut off\n%s", name, about)
		}
	}
}

// pureComputation is a command that asks nobody whether it may go on.
var pureComputation = []string{"rewrite", "--variant", "vtb", "race.cu"}

func TestPureComputationEndsOnASignal(t *testing.T) {
	w := newWorkplace(t, "smux-endless")
	e := w.interrupt(w.hasBegun, false, syscall.SIGTERM, pureComputation...)
	assert.Equal(t, diag.ExitInternal, e.code)
	assert.Equal(t, "smux: interrupted\n", e.stderr)
	assert.Empty(t, e.stdout)
	assert.Greater(t, e.after, time.Second/2, "it has time to return by itself")
}

func TestASecondSignalEndsAtOnce(t *testing.T) {
	w := newWorkplace(t, "smux-patient")
	e := w.interrupt(w.hasBegun, true, syscall.SIGINT, pureComputation...)
	assert.Equal(t, diag.ExitInternal, e.code, "it does not go on for an hour")
	assert.Equal(t, "smux: interrupted\n", e.stderr)
}
