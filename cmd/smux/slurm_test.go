//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
	"github.com/smux-cuda/smux/tune/record"
)

// TestMain is smux where the program is called so.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "smux" {
		main()
	}
	os.Exit(m.Run())
}

// realSlurm is a Slurm that runs: a controller and two nodes with two devices each. The
// devices, nvcc and nvidia-smi are stand-ins; a form's program takes a time that follows from
// its text.
type realSlurm struct {
	*testing.T
	dir   string // of the cluster
	smux  string
	bin   string
	runs  string // a line for each run of a program
	sleep string // that a run takes, in seconds
}

// startSlurm starts the cluster of scripts/slurm-cluster.sh. It ends with the test.
func startSlurm(t *testing.T, sleep string) *realSlurm {
	t.Helper()
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin")
	for _, tool := range []string{"slurmctld", "slurmd", "sbatch", "munged", "make", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("nothing was run by Slurm: there is no %s; scripts/install-slurm.sh installs it", tool)
		}
	}
	dir, err := os.MkdirTemp("", "smux-slurm-") // short: a socket lies in it
	require.NoError(t, err)
	s := &realSlurm{T: t, dir: dir, bin: filepath.Join(dir, "bin"), smux: filepath.Join(dir, "smux"), runs: filepath.Join(dir, "runs"), sleep: sleep}
	t.Cleanup(func() {
		s.cluster("stop")
		if t.Failed() {
			t.Logf("what is left is in %s", dir)
			return
		}
		assert.NoError(t, os.RemoveAll(dir))
	})
	self, err := os.Executable() // it is smux where it is called so
	require.NoError(t, err)
	require.NoError(t, os.Symlink(self, s.smux))
	require.NoError(t, os.Mkdir(s.bin, 0o755))
	s.put("bin/nvidia-smi", `#!/bin/sh
node=${SLURMD_NODENAME:-login}
case $1 in
*index*) for n in 0 1; do echo "$n, GPU-$node-$n, Tesla P100-PCIE-16GB, 535.104.05"; done ;;
*) echo "1410, 1215, 41, 0x0000000000000000" ;;
esac
`)
	s.put("bin/nvcc", strings.NewReplacer("RUNS", s.runs, "SLEEP", sleep).Replace(`#!/bin/sh
out=/dev/null unit=
while [ $# -gt 0 ]; do
    case $1 in
    --version) echo "Cuda compilation tools, release 11.8, V11.8.0"; exit 0 ;;
    --list-gpu-code) echo sm_90; exit 0 ;;
    -o) out=$2; shift ;;
    *.cu) unit=$1 ;;
    esac
    shift
done
sum=$(cksum <"$unit" | cut -d ' ' -f 1)
cat >"$out" <<END
#!/bin/sh
zero='\000\000\000\000'
sleep SLEEP
echo "$sum" >>RUNS
printf "SUXC\001\000\000\000\$zero\$zero\001\000\000\000\$zero\004\000\000\000\$zero\$zero\$zero\$zero\$zero\004\000\000\000\${zero}42.." >>"\$SMUX_LAUNCH_COPIES"
echo "sum 42"
echo "launch 1.$((100 + sum % 800)) 2 64 0" >>"\$SMUX_LAUNCH_OUT"
END
chmod 755 "$out"
`))
	t.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
	t.Setenv("PATH", s.bin+":"+os.Getenv("PATH"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	s.cluster("start")
	return s
}

func (s *realSlurm) put(name, text string) {
	require.NoError(s, os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o755))
}

// cluster calls the script that keeps the cluster.
func (s *realSlurm) cluster(args ...string) {
	s.Helper()
	c := exec.Command("bash", append([]string{"../../scripts/slurm-cluster.sh", args[0], s.dir}, args[1:]...)...)
	var said bytes.Buffer
	c.Stderr = &said // daemons keep standard output
	assert.NoError(s, c.Run(), "%v: %s", args, said.Bytes())
}

// call is smux tune --on slurm with a number of forms, at most so many devices at once.
func (s *realSlurm) call(record string, forms, devices int) *exec.Cmd {
	c := exec.Command(s.smux, "tune", "--on", "slurm", "--gpu", "h200", "--gres", "gpu:fake:1", "--resources", "estimate", "--store", filepath.Join(s.dir, record),
		"--budget", fmt.Sprint(forms-1), "--jobs", fmt.Sprint(devices), "--tries", "20", "--min-pairs", "3", "--max-pairs", "3", "--confirm", "3", "fft.cu")
	c.Dir = "../../examples/fft"
	c.Stdout, c.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return c
}

// measured are the lines of a record, without what may differ from run to run: when and on which
// device. Each is there once.
func (s *realSlurm) measured(name string) []string {
	lines, _, err := record.ReadTorn(filepath.Join(s.dir, name))
	require.NoError(s, err)
	var out []string
	for _, l := range lines {
		l.Time = time.Time{}
		if l.Pair != nil {
			p := *l.Pair
			p.Device, p.Seconds, p.Prepare = 0, 0, 0
			l.Pair = &p
		}
		text, err := json.Marshal(l)
		require.NoError(s, err)
		out = append(out, string(text))
	}
	slices.Sort(out)
	assert.Len(s, slices.Compact(slices.Clone(out)), len(out), "nothing is there twice")
	return out
}

// countRuns returns how often programs have run to their end.
func (s *realSlurm) countRuns() int {
	text, err := os.ReadFile(s.runs)
	require.NoError(s, err)
	require.NoError(s, os.Remove(s.runs))
	return bytes.Count(text, []byte("\n"))
}

// Forms are measured by a real Slurm, and again while everything that can go wrong does: in
// the end the record is the same.
func TestARealSlurmMeasuresTheSameWhateverHappens(t *testing.T) {
	forms, accidents, sleep, devices := 8, 4, "0.3", []int{4}
	if suite.Full() {
		forms, accidents, sleep = 40, 20, "0.1"
	}
	if os.Getenv("SMUX_TEST_DEVICES") != "" { // which only tells times: scripts/slurm-test.sh
		sleep, devices = "0.3", []int{4, 2, 1}
	}
	s := startSlurm(t, sleep)
	var want []string
	var plain int
	for _, n := range devices {
		began := time.Now()
		c := s.call(fmt.Sprintf("on%d.jsonl", n), forms, n)
		require.NoError(t, c.Run(), "%s", c.Stderr)
		t.Logf("%d forms on %d devices: %.1f s", forms, n, time.Since(began).Seconds())
		got, runs := s.measured(fmt.Sprintf("on%d.jsonl", n)), s.countRuns()
		if want == nil {
			want, plain = got, runs
			began = time.Now()
			again := s.call("on4.jsonl", forms, 4)
			require.NoError(t, again.Run())
			assert.Equal(t, c.Stdout, again.Stdout, "what is known is not measured again")
			assert.NoFileExists(t, s.runs)
			t.Logf("once more, where all is known: %.1f s", time.Since(began).Seconds())
		}
		assert.Equal(t, want, got)
		assert.Equal(t, plain, runs)
	}
	s.disturb("disturbed.jsonl", forms, accidents)
	assert.Equal(t, want, s.measured("disturbed.jsonl"))
	runs := s.countRuns()
	t.Logf("%d runs, %d where nothing happens", runs, plain)
	assert.LessOrEqual(t, runs, plain+accidents*4*5, "only what was cut off is made anew")
	assert.Empty(t, s.queued(), "no job is left")
	s.interrupt("interrupted.jsonl", forms)
	assert.Equal(t, want, s.measured("interrupted.jsonl"))
}

// queued are the tasks that wait or run. A controller that was killed may not learn that one
// has completed.
func (s *realSlurm) queued() []string {
	out, err := exec.Command("squeue", "--noheader", "--array", "--states=PENDING,RUNNING", "--format=%i").Output()
	require.NoError(s, err)
	return strings.Fields(string(out))
}

// interrupt interrupts smux when its jobs run, beside which no other one may measure for the
// record, and calls it again.
func (s *realSlurm) interrupt(record string, forms int) {
	c := s.call(record, forms, 4)
	require.NoError(s, c.Start())
	require.Eventually(s, func() bool { return len(s.queued()) > 0 }, time.Minute, 50*time.Millisecond)
	beside := s.call(record, forms, 4)
	assert.Error(s, beside.Run())
	assert.Contains(s, fmt.Sprint(beside.Stderr), "is writing to it")
	require.NoError(s, c.Process.Signal(os.Interrupt))
	assert.Error(s, c.Wait())
	assert.Contains(s, fmt.Sprint(c.Stderr), "interrupted")
	assert.Eventually(s, func() bool { return len(s.queued()) == 0 }, 20*time.Second, 50*time.Millisecond, "its jobs are cancelled")
	again := s.call(record, forms, 4)
	require.NoError(s, again.Run(), "%s", again.Stderr)
}

// disturb measures, with accidents at random moments, and calls smux again whenever it was
// killed.
func (s *realSlurm) disturb(record string, forms, accidents int) {
	random := rand.New(rand.NewPCG(22, 5))
	var order []string
	for len(order) < accidents {
		order = append(order, "smux is killed", "a node is killed", "the controller is restarted", "a task is cancelled", "smux is killed", "all is cancelled")
	}
	order = order[:accidents]
	random.Shuffle(accidents, func(a, b int) { order[a], order[b] = order[b], order[a] })
	counts := map[string]int{}
	began := time.Now()
	var c *exec.Cmd
	var ended chan error
	start := func() {
		c, ended = s.call(record, forms, 4), make(chan error, 1)
		require.NoError(s, c.Start())
		running, done := c, ended
		go func() { done <- running.Wait() }()
	}
	start()
	for n := 0; n < accidents; n++ {
		select {
		case err := <-ended: // early: what comes then comes to an idle cluster
			require.NoError(s, err, "%s", c.Stderr)
			require.Greater(s, n, 1, "it is over before much could happen")
			n = accidents
			start()
			continue
		case <-time.After(time.Duration(200+random.IntN(1300)) * time.Millisecond):
		}
		what := order[n]
		counts[what]++
		switch what {
		case "smux is killed":
			require.NoError(s, c.Process.Signal(syscall.SIGKILL))
			<-ended
			start()
		case "the controller is restarted":
			s.cluster("kill-controller")
			time.Sleep(time.Duration(random.IntN(2000)) * time.Millisecond)
			s.cluster("start-controller")
		case "a node is killed":
			node := fmt.Sprint(1 + random.IntN(2))
			s.cluster("kill-node", node)
			time.Sleep(time.Duration(random.IntN(1000)) * time.Millisecond)
			s.cluster("start-node", node)
		default:
			out, _ := exec.Command("squeue", "--noheader", "--array", "--format=%i").Output()
			jobs := strings.Fields(string(out))
			if len(jobs) == 0 {
				break
			}
			if what == "a task is cancelled" {
				jobs = []string{jobs[random.IntN(len(jobs))]}
			}
			_ = exec.Command("scancel", jobs...).Run()
		}
	}
	// Slurm lets what it has requeued wait for two minutes, and takes nodes out of service whose
	// jobs a controller that was killed knows nothing of: an administrator sees to it.
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	late := time.After(5 * time.Minute)
	for {
		select {
		case err := <-ended:
			require.NoError(s, err, "%s", c.Stderr)
			s.Logf("%d forms, %v: %.1f s", forms, counts, time.Since(began).Seconds())
			return
		case <-tick.C:
			out, _ := exec.Command("squeue", "--noheader", "--states=PENDING", "--format=%A").Output()
			for _, job := range strings.Fields(string(out)) {
				_ = exec.Command("scontrol", "update", "JobId="+job, "StartTime=now").Run()
			}
			if out, _ := exec.Command("sinfo", "--noheader", "--states=drain").Output(); bytes.Contains(out, []byte("node")) {
				_ = exec.Command("scontrol", "update", "NodeName=node1,node2", "State=RESUME").Run()
			}
		case <-late:
			_ = c.Process.Kill()
			s.Fatalf("it does not come to an end: %s", c.Stderr)
		}
	}
}
