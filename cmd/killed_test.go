//go:build linux

package cmd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
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
	{"rewrite", "-w", "--variant", "vtb", "--sync", "named", "--resources", "estimate", "k0.cu", "k1.cu", "k2.cu", "k3.cu", "k4.cu", "k5.cu", "k6.cu", "k7.cu", "k8.cu", "k9.cu"},
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
