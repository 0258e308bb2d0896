//go:build unix

package bundle

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lockText returns the text that a process of this machine writes into its lock.
func lockText(t *testing.T, pid int) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", `. ./files/lock.sh; echo "$lock_here $1 $(started $1)"`, "sh", strconv.Itoa(pid)).Output()
	require.NoError(t, err)
	return string(out)
}

func TestOnlyOneMeasuresOnAGPU(t *testing.T) {
	held := lockText(t, os.Getpid())
	e := newElsewhere(t, "took 1")
	e.export()
	lock := filepath.Join(e.dir, "results", "locks", "GPU-aa.1")
	e.put(lock, held)
	out, err := e.command("sh", "run.sh").CombinedOutput()
	assert.Error(t, err)
	assert.Contains(t, string(out), fmt.Sprintf("process %d of ", os.Getpid()))
	assert.Contains(t, string(out), "measures on this GPU already")
	e.run("sh", "--device", "3")
	for what, gone := range map[string]string{
		"given back":                   held + "..free\n",
		"of a process that is gone":    regexp.MustCompile(` \d+ \d+\n`).ReplaceAllString(held, " 4194304 1\n"),
		"of another with its number":   regexp.MustCompile(` \d+\n`).ReplaceAllString(held, " 1\n"),
		"that was never written whole": strings.TrimSuffix(regexp.MustCompile(` \d+ \d+\n`).ReplaceAllString(held, " "), "\n"),
	} {
		e.put(lock, gone)
		require.NoError(t, os.RemoveAll(filepath.Join(e.dir, "results", "locks", "GPU-aa.2")))
		e.run("sh")
		assert.FileExists(t, filepath.Join(e.dir, "results", "locks", "GPU-aa.2"), "it is taken over from one %s", what)
	}
	e.put(filepath.Join(e.path, "nvidia-smi"), strings.ReplaceAll(smi, "550.1", "560.2"))
	c := e.command("sh", "run.sh")
	out, err = c.CombinedOutput()
	assert.Error(t, err)
	assert.Equal(t, 3, c.ProcessState.ExitCode())
	assert.Contains(t, string(out), "results/NVIDIA-Test-GPU was measured with another gpu")
}

// Many that want the same lock, and give it back or end with it, have it one at a time.
func TestALockExcludesAllOthers(t *testing.T) {
	lock, err := filepath.Abs("files/lock.sh")
	require.NoError(t, err)
	const script = `. "$1"
fail() { echo "$*"; exit 9; }
new=$PWD/$$; mkdir "$new"
for round in 1 2 3 4 5 6 7 8; do
	until lock locks/x; do sleep 0.01; done
	mkdir inside || exit 7
	echo $$ >>order
	rmdir inside
	[ "$round$2" = 83 ] && kill -9 $$
	unlock
done`
	dir := t.TempDir()
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			c := exec.Command("sh", "-c", script, "sh", lock, strconv.Itoa(n))
			c.Dir = dir
			out, err := c.CombinedOutput()
			assert.Equal(t, n == 3, err != nil, "%v: %s", err, out)
			assert.Empty(t, string(out))
		})
	}
	all.Wait()
	text, err := os.ReadFile(filepath.Join(dir, "order"))
	require.NoError(t, err)
	assert.Equal(t, 6*8, strings.Count(string(text), "\n"))
}

// Of a process on another machine nothing is known but whether it says something.
func TestAnotherMachinesLockIsTakenOverWhenItIsSilent(t *testing.T) {
	held := strings.Replace(lockText(t, os.Getpid()), " ", "x ", 1)
	e := newElsewhere(t, "took 1", "took 2")
	e.Setenv("SMUX_STALE", "3")
	e.export()
	e.run("sh", "--turns", "1", "--confirm-turns", "0", "v00-original")
	form := filepath.Join(e.dir, "results", "NVIDIA-Test-GPU", "locks", "v01-vtb-N2-cap1.1")
	e.put(form, held)
	began, last, longest := time.Now(), time.Now(), time.Duration(0)
	beats := make(chan struct{})
	go func() {
		defer close(beats)
		for time.Since(began) < 5*time.Second {
			longest, last = max(longest, time.Since(last)), time.Now()
			f, err := os.OpenFile(form, os.O_APPEND|os.O_WRONLY, 0)
			if err == nil {
				_, _ = f.WriteString(".")
				f.Close()
			}
			time.Sleep(300 * time.Millisecond)
		}
	}()
	out := e.run("sh", "--turns", "1", "--confirm-turns", "0")
	took := time.Since(began)
	<-beats
	if longest < 2*time.Second { // else the machine has too much to do to say something in time
		assert.Greater(t, took, 7*time.Second, "it said something for 5 seconds, and nothing for 3")
	}
	assert.Contains(t, out, "waiting for v01-vtb-N2-cap1, which process ")
	assert.Equal(t, map[string]int{"original": 1, "vtb N=2 cap=1": 1}, e.fetch(nil).Pairs)
}

// Several that share a folder divide the forms, and measure none twice.
func TestSeveralDivideTheForms(t *testing.T) {
	const script = `took 4; echo "$0 run" >>"$HOME/runs"; sleep 0.05`
	e := newElsewhere(t, script, script, script, script, script, script, script)
	e.in.Subject.How.WarmUp = 0
	home := t.TempDir()
	e.Setenv("HOME", home)
	e.export()
	out, err := e.command("make", "-j4").CombinedOutput()
	require.NoError(t, err, "%s", out)
	var all sync.WaitGroup
	for _, device := range []string{"0", "3"} {
		all.Go(func() {
			out, err := e.command("sh", "run.sh", "--device", device).CombinedOutput()
			assert.NoError(t, err, "%s", out)
		})
	}
	all.Wait()
	got := e.fetch(nil)
	on := map[int]int{}
	pairs := 0
	for _, l := range got.Lines {
		if l.Pair != nil {
			pairs++
			on[l.Pair.Device]++
		}
	}
	assert.Equal(t, 3+6*5, pairs)
	assert.Positive(t, on[0])
	assert.Positive(t, on[3])
	text, err := os.ReadFile(filepath.Join(home, "runs"))
	require.NoError(t, err)
	assert.Equal(t, 2*pairs+6+2+1, strings.Count(string(text), "run"), "those of pairs, a check of each form, two of the original, and the reference")
}

func TestProductsStandSideBySide(t *testing.T) {
	e := newElsewhere(t, "took 4", "took 2")
	e.export()
	e.run("sh", "--turns", "1", "--confirm-turns", "0")
	e.put(filepath.Join(e.path, "nvidia-smi"), strings.ReplaceAll(smi, "NVIDIA Test GPU", "NVIDIA Other (80 GB)"))
	c := e.command("sh", "run.sh", "--product", "NVIDIA-Test-GPU")
	out, err := c.CombinedOutput()
	assert.Error(t, err)
	assert.Equal(t, 3, c.ProcessState.ExitCode(), "%s", out)
	e.run("sh", "--turns", "2", "--confirm-turns", "0", "--arch", "sm_90")
	products, err := Products(e.dir)
	require.NoError(t, err)
	assert.Equal(t, []string{"NVIDIA-Other--80-GB-", "NVIDIA-Test-GPU"}, products)
	_, err = Import(e.dir, Options{})
	assert.ErrorContains(t, err, "results are of several GPUs: NVIDIA-Other--80-GB-, NVIDIA-Test-GPU")
	for i, want := range []struct {
		device string
		pairs  int
	}{{"NVIDIA Other (80 GB)", 2}, {"NVIDIA Test GPU", 1}} {
		got, err := Import(e.dir, Options{Product: products[i]})
		require.NoError(t, err)
		assert.Equal(t, want.device, got.Subject.Machine.Device)
		assert.Equal(t, map[string]int{"original": want.pairs, "vtb N=2 cap=1": want.pairs}, got.Pairs)
		assert.Empty(t, got.Unbuilt)
	}
	for _, arch := range []string{"sm_80", "sm_90"} {
		assert.FileExists(t, filepath.Join(e.dir, "bin", arch, "v01-vtb-N2-cap1"))
	}
}

func TestOnlyWhatIsNamedIsBuilt(t *testing.T) {
	e := newElsewhere(t, "took 4", "took 2", "took 1")
	e.export()
	e.run("sh", "--turns", "1", "--confirm-turns", "0", "v02-vtb-N2-cap2")
	built, err := filepath.Glob(filepath.Join(e.dir, "bin", "sm_80", "*.done"))
	require.NoError(t, err)
	assert.Equal(t, []string{"v00-original.done", "v02-vtb-N2-cap2.done"}, []string{filepath.Base(built[0]), filepath.Base(built[1])})
	out, err := e.command("make", "--no-print-directory", "-j2", "v01-vtb-N2-cap1").CombinedOutput() // make test may be around it
	require.NoError(t, err, "%s", out)
	assert.Equal(t, "building v01-vtb-N2-cap1\n", string(out))
}

// A task of an array is a form: first all are searched, after them those confirm that can.
func TestATaskMeasuresOneForm(t *testing.T) {
	e := newElsewhere(t, "took 4", "took 2", "took 1")
	e.export()
	task := func(n string, want int) string {
		t.Helper()
		c := e.command("sh", "submit.sbatch")
		c.Env = append(c.Env, "SLURM_ARRAY_TASK_ID="+n, "SLURM_ARRAY_JOB_ID=7", "SLURM_JOB_ID=9", "SLURM_SUBMIT_DIR="+e.dir, "SLURMD_NODENAME=node1")
		out, _ := c.CombinedOutput()
		assert.Equal(t, want, c.ProcessState.ExitCode(), "%s", out)
		return string(out)
	}
	task("1", 0)
	assert.Equal(t, map[string]int{"vtb N=2 cap=1": 3}, e.fetch(nil).Pairs)
	task("5", 0)
	task("3", 0)
	assert.Equal(t, map[string]int{"vtb N=2 cap=1": 3, "vtb N=2 cap=2": 2}, e.fetch(nil).Pairs)
	assert.Contains(t, task("6", 2), "there is no task")
	note, err := os.ReadFile(filepath.Join(e.dir, "jobs", "7_1.note"))
	require.NoError(t, err)
	assert.Regexp(t, `^began \S+ on node1\nproduct NVIDIA-Test-GPU\nended 0\n$`, string(note))

	for _, c := range [][]string{{"run.sh", "--help"}, {"submit.sbatch", "--help"}} {
		out, err := e.command("sh", c...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		assert.Contains(t, string(out), "usage")
	}
	script, err := os.ReadFile(filepath.Join(e.dir, "submit.sbatch"))
	require.NoError(t, err)
	assert.Contains(t, string(script), "#SBATCH --array=0-2,4-5\n")
}
