//go:build linux

package cmd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify/build"
)

// tenFiles are the sources of a program; each launches what the next one has.
func tenFiles() map[string]string {
	const n = 10
	out := map[string]string{}
	for i := range n {
		out[fmt.Sprintf("k%d.cu", i)] = fmt.Sprintf(`__global__ void turn%[1]d(int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = a[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    a[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void turn%[2]d(int *a);
void run%[1]d(int *a) { turn%[2]d<<<32, 64>>>(a); }
`, i, (i+1)%n)
	}
	return out
}

// killedCommands are those that write, compile or run something.
var killedCommands = [][]string{
	{"rewrite", "-w", "--runtime", "inline", "--variant", "vtb", "--sync", "named", "--resources", "estimate", "k0.cu", "k1.cu", "k2.cu", "k3.cu", "k4.cu", "k5.cu", "k6.cu", "k7.cu", "k8.cu", "k9.cu"},
	{"tune", "--on", "cpu", "--gpu", "p100", "--resources", "estimate", "race.cu"},
	{"verify", "--variant", "vtb", "race.cu"},
	{"check", "race.cu"},
}

// TestTheNextRunCleansUpBehindAKilledOne: whenever smux is killed, or asked to end, all
// that it had started ends, too, and when it has run again all its files are as they were
// or all as they were to be, and nothing lies beside them.
func TestTheNextRunCleansUpBehindAKilledOne(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	sources := tenFiles()
	for n, args := range killedCommands {
		moments := 20
		switch {
		case suite.Full():
		case n == 0:
			moments = 3
		default:
			moments = 1
		}
		for m := range moments {
			w := newWorkplace(t, "smux")
			for name, text := range sources {
				w.before[name] = text
				require.NoError(t, os.WriteFile(filepath.Join(w.src, name), []byte(text), 0o666))
			}
			if cache, err := os.UserCacheDir(); err == nil {
				w.cache = cache // the runtime of package verify takes seconds to compile
			}
			signal := []syscall.Signal{syscall.SIGKILL, syscall.SIGINT}[r.IntN(2)]
			// Files are put in place within moments: some signals have to wait for those.
			sign := ""
			after := time.Duration(r.IntN(800)) * time.Millisecond
			if n == 0 && m%4 < 2 {
				sign = []string{".smux-*.journal", ".*.tmp"}[m%4]
				signal, after = syscall.SIGKILL, time.Duration(r.IntN(3000*(m%4)+1))*time.Microsecond
			}
			about := fmt.Sprintf("seed %d: %v, %v after the start, or after there is %q: smux %s", seed, signal, after, sign, strings.Join(args, " "))
			w.kill(signal, after, sign, args)
			w.childrenEnd(about)
			next := args
			if n == 0 {
				next = append([]string{"rewrite", "-l"}, args[2:]...) // which writes nothing by itself
			}
			w.aMinuteLater()
			again := w.run(next)
			assert.Empty(t, w.leftoversInFolders(), "%s\n%s", about, again)
			w.childrenEnd(about)
			changed := 0
			for name, before := range w.before {
				text, err := os.ReadFile(filepath.Join(w.src, name))
				require.NoError(t, err, about)
				if string(text) != before {
					changed++
					assert.True(t, bytes.HasSuffix(text, []byte("}\n")), "%s is cut off\n%s", name, about)
				}
			}
			assert.Contains(t, []int{0, len(sources)}, changed, "%s\n%s", about, again)
		}
	}
}

// kill starts a command and sends it a signal, some time after its start or after a file
// of a pattern lies beside the sources.
func (w *workplace) kill(signal syscall.Signal, after time.Duration, sign string, args []string) {
	c := w.command(args)
	require.NoError(w.t, c.Start())
	done := make(chan struct{})
	go func() { _ = c.Wait(); close(done) }()
	wait := func(d time.Duration) bool {
		select {
		case <-done:
			return false
		case <-time.After(d):
			return true
		}
	}
	for sign != "" && wait(50*time.Microsecond) {
		if beside, _ := filepath.Glob(filepath.Join(w.src, sign)); len(beside) > 0 {
			break
		}
	}
	if wait(after) {
		_ = c.Process.Signal(signal)
	}
	<-done
}

func (w *workplace) run(args []string) string {
	out, _ := w.command(args).CombinedOutput()
	return string(out)
}

func (w *workplace) command(args []string) *exec.Cmd {
	c := exec.Command(w.smux, args...)
	c.Dir = w.src
	c.Env = append(os.Environ(), "XDG_CACHE_HOME="+w.cache, "XDG_DATA_HOME="+w.temp+"/data", "TMPDIR="+w.temp, w.mark())
	return c
}

// aMinuteLater lets what was killed before it had its lock look as old as it must be for the next run to know
// that nobody is about to lock it.
func (w *workplace) aMinuteLater() {
	then := time.Now().Add(-2 * time.Minute)
	for _, path := range w.leftoversInFolders() {
		if strings.HasSuffix(path, ".new") {
			require.NoError(w.t, os.Chtimes(path, then, then))
		}
	}
}

// leftoversInFolders lists what lies about in the folders of sources and for temporary files.
func (w *workplace) leftoversInFolders() (out []string) {
	for _, path := range w.leftovers() {
		if strings.HasPrefix(path, w.src) || strings.HasPrefix(filepath.Base(path), "smux-") {
			out = append(out, path)
		}
	}
	return out
}

// stoppedTuning measures all forms in a stopped program, each in few pairs, and confirms none.
var stoppedTuning = []string{"tune", "--on", "cpu", "--gpu", "a100", "--resources", "estimate", "--strategy", "exhaustive", "--precision", "90", "--min-gain", "1000", "--store", "../measured.jsonl", "rd.cu"}

// TestNothingIsMeasuredTwiceWhoeverIsKilled: smux, its process group or the stopped program are killed as often as the
// whole run lets, and in the end the record has every form once.
func TestNothingIsMeasuredTwiceWhoeverIsKilled(t *testing.T) {
	if _, err := build.Find(""); err != nil {
		t.Skipf("nothing was run: %v", err)
	}
	seed := rand.Uint64()
	if s := os.Getenv("SMUX_TEST_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	t.Logf("SMUX_TEST_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	text, err := os.ReadFile("../examples/rd/rd.cu")
	require.NoError(t, err)
	left := 3
	if suite.Full() {
		left = 30
	}
	kills := map[string]int{}
	forms := -1
	for left > 0 {
		w := newWorkplace(t, "smux")
		if cache, err := os.UserCacheDir(); err == nil {
			w.cache = cache
		}
		w.before["rd.cu"] = string(text)
		require.NoError(t, os.WriteFile(filepath.Join(w.src, "rd.cu"), text, 0o666))
		tuning := &killedTuning{workplace: w, path: filepath.Join(filepath.Dir(w.src), "measured.jsonl")}
		for ended := false; left > 0 && !ended; {
			var n int
			n, ended = tuning.kill(r, left, kills)
			left -= n
		}
		out, err := w.command(stoppedTuning).CombinedOutput()
		require.NoError(t, err, "%s", out)
		w.childrenEnd("the end")
		tuning.look()
		pairs := map[string]int{}
		for _, l := range tuning.lines {
			require.Nil(t, l.Failure, "no form is to blame for a kill")
			if l.Variant != nil {
				assert.True(t, l.Variant.Subject.How.Stopped)
				pairs[l.Key] += 0
			} else {
				pairs[l.Key]++
			}
		}
		for key, n := range pairs {
			assert.GreaterOrEqual(t, n, judge.DefaultRules().MinPairs, key)
		}
		if forms < 0 {
			forms = len(pairs)
		}
		assert.Equal(t, forms, len(pairs), "all forms")
		w.run(stoppedTuning)
		before := len(tuning.lines)
		tuning.look()
		assert.Len(t, tuning.lines, before, "a run more measures nothing")
		assert.Empty(t, w.leftoversInFolders())
	}
	assert.Greater(t, forms, 10)
	t.Logf("killed: %v; %d forms", kills, forms)
}

// killedTuning is a run that is killed and started again.
type killedTuning struct {
	*workplace
	path  string // of the record
	lines []record.Line
}

// kill starts the run and kills, each time after some more lines of the record, the stopped program alone until it kills smux
// or its process group, or the run ends.
func (k *killedTuning) kill(r *rand.Rand, most int, kills map[string]int) (n int, ended bool) {
	c := k.command(stoppedTuning)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(k.t, c.Start())
	done := make(chan struct{})
	go func() { _ = c.Wait(); close(done) }()
	whom := ""
	for until := len(k.lines) + r.IntN(20); n < most && whom != "smux" && whom != "its group"; until = len(k.lines) + 2 + r.IntN(20) {
		for len(k.lines) < until && !ended {
			select {
			case <-done:
				ended = true
			case <-time.After(5 * time.Millisecond):
			}
			k.look()
		}
		select {
		case <-done:
			return n, true
		case <-time.After(time.Duration(r.IntN(30)) * time.Millisecond):
		}
		whom = []string{"smux", "its group", "the program"}[r.IntN(3)]
		switch whom {
		case "smux":
			_ = c.Process.Kill()
		case "its group":
			_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		default:
			program := k.marked("SMUX_REPLAY=")
			if len(program) == 0 { // it is being built
				continue
			}
			_ = syscall.Kill(program[0], syscall.SIGKILL)
		}
		n++
		kills[whom]++
		k.look()
	}
	if whom == "the program" {
		_ = c.Process.Kill() // there were enough
	}
	<-done
	k.childrenEnd(fmt.Sprintf("after %s was killed", whom))
	k.look()
	return n, false
}

// look reads the record, which holds what it held, and nothing twice.
func (k *killedTuning) look() {
	k.t.Helper()
	lines, _, err := record.ReadTorn(k.path)
	if os.IsNotExist(err) {
		require.Empty(k.t, k.lines)
		return
	}
	require.NoError(k.t, err)
	require.GreaterOrEqual(k.t, len(lines), len(k.lines))
	seen := map[string]bool{}
	for i, l := range lines {
		if i < len(k.lines) {
			require.Equal(k.t, k.lines[i], l, "what was measured stays")
		}
		name := l.Key
		if l.Pair != nil {
			name += fmt.Sprintf(" %s %d %q", l.Pair.Phase, l.Pair.Turn, l.Pair.Against)
		}
		require.False(k.t, seen[name], "%s is there twice", name)
		seen[name] = true
	}
	k.lines = lines
}
