package slurm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/tune/bundle"
)

// cluster is a Slurm in memory, with a folder that its tasks work in. Its tests have a clock
// of their own, which goes on only while all wait: how long the machine takes does not count.
type cluster struct {
	*testing.T
	dir      string
	jobs     []*fakeJob
	outcome  func(task, nth int) outcome // of the nth run of a task, from 0; nil for a task that does its work
	runs     map[int]int
	before   func(command string, args []string) error // before a command does anything
	after    func(command string, args []string) error
	reason   string // of all tasks
	scancels []string
	calls    int
	collects int
}

type fakeJob struct {
	id, name string
	states   map[int]string // as squeue prints it
}

// outcome says what becomes of a task.
type outcome struct {
	state   State
	pairs   int    // that it adds at most; -1 for all
	product string // "" for P
	failed  string
	silent  bool // it writes nothing
	unknown bool // Slurm does not know it
}

func newCluster(t *testing.T) *cluster {
	dir := t.TempDir()
	for _, name := range []string{"jobs", "results"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	return &cluster{T: t, dir: dir, runs: map[int]int{}}
}

var folders = []string{"v00-original", "v01-a", "v02-b", "v03-c"}

// open opens the jobs of the folder, as a process that begins does.
func (c *cluster) open() *Jobs {
	m := &bundle.Manifest{}
	for _, f := range folders {
		m.Forms = append(m.Forms, bundle.Form{Folder: f})
	}
	j := &Jobs{Client: Client{Exec: c.exec}, Dir: c.dir, Manifest: m, Options: Options{Gres: "gpu:1", AtOnce: 2, Tries: 3},
		Settle: 5 * time.Millisecond, Silence: 50 * time.Millisecond, Fastest: time.Millisecond, Slowest: 2 * time.Millisecond,
		Collect: func(context.Context, string) error { c.collects++; return nil }}
	require.NoError(c, j.Open())
	return j
}

func (c *cluster) exec(ctx context.Context, dir, name string, args ...string) (string, error) {
	c.calls++
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if c.before != nil {
		if err := c.before(name, args); err != nil {
			return "", err
		}
	}
	out, err := c.do(name, args)
	if c.after != nil && err == nil {
		err = c.after(name, args)
	}
	return out, err
}

func value(args []string, name string) string {
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, name+"="); ok {
			return v
		}
		if a == name && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

func (c *cluster) do(name string, args []string) (string, error) {
	switch name {
	case "sbatch":
		return c.submit(args) + "\n", nil
	case "squeue":
		var out strings.Builder
		known := false
		for _, b := range c.jobs {
			if b.name == value(args, "--name") {
				fmt.Fprintf(&out, "%s|%s\n", b.id, b.name)
			}
			if b.id == value(args, "--jobs") {
				for task, state := range b.states {
					known = true
					fmt.Fprintf(&out, "%s_%d|%s|node1|%s\n", b.id, task, state, cmp.Or(c.reason, "None"))
				}
			}
		}
		if value(args, "--jobs") != "" && !known {
			return "", &CommandError{Name: "squeue", Text: "slurm_load_jobs error: Invalid job id specified"}
		}
		return out.String(), nil
	case "scancel":
		c.scancels = append(c.scancels, strings.Join(args, " "))
		for _, b := range c.jobs {
			for n, s := range b.states {
				if slices.Contains(args, b.id) || slices.Contains(args, fmt.Sprintf("%s_%d", b.id, n)) {
					if !parseState(s).Ended() {
						b.states[n] = "CANCELLED"
					}
				}
			}
		}
		return "", nil
	}
	return "", &CommandError{Name: name, Text: "Slurm accounting storage is disabled"}
}

// submit runs a job, as far as the outcomes of its tasks say.
func (c *cluster) submit(args []string) string {
	b := &fakeJob{id: strconv.Itoa(7 + len(c.jobs)), name: value(args, "--job-name"), states: map[int]string{}}
	c.jobs = append(c.jobs, b)
	turns, _ := strconv.Atoi(value(args, "--turns"))
	array, limit, _ := strings.Cut(value(args, "--array"), "%")
	assert.Equal(c, "2", limit)
	if _, err := os.Stat(filepath.Join(c.dir, "jobs", b.name+".dropped")); err == nil {
		c.Error("a job came that is fenced off, and is not looked at here")
	}
	for _, task := range parseArray("[" + array + "]") {
		o := outcome{state: Completed, pairs: -1}
		if c.outcome != nil {
			o = c.outcome(task, c.runs[task])
		}
		c.runs[task]++
		c.run(b, task, turns, o)
	}
	return b.id
}

func (c *cluster) run(b *fakeJob, task, turns int, o outcome) {
	if !o.unknown {
		b.states[task] = string(o.state)
	}
	product := o.product
	if product == "" {
		product = "P"
	}
	phase := "search"
	if task >= len(folders) {
		phase = "confirm"
	}
	at := filepath.Join(c.dir, "results", product, "pairs", folders[task%len(folders)])
	require.NoError(c, os.MkdirAll(at, 0o755))
	for n := 0; n < turns && o.pairs != 0; n++ {
		if os.Mkdir(filepath.Join(at, fmt.Sprintf("%s-%d", phase, n)), 0o755) == nil {
			o.pairs--
		}
	}
	if o.silent {
		return
	}
	text := "began 2026-01-01T00:00:00Z on node1\nproduct " + product + "\n"
	if o.failed != "" {
		text += "failed " + o.failed + "\n"
	}
	if o.state.Ended() {
		text += "ended 0\n"
	}
	require.NoError(c, os.WriteFile(filepath.Join(c.dir, "jobs", fmt.Sprintf("%s_%d.note", b.id, task)), []byte(text), 0o644))
}

var all = Want{Tasks: []int{0, 1, 2, 3}, Turns: 6}

func (c *cluster) measure(w Want) (string, []*LostError, error) {
	j := c.open()
	defer j.Close()
	return j.Measure(c.Context(), w)
}

func TestOneArrayMeasuresAllAndNothingTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		for range 2 {
			product, lost, err := c.measure(all)
			require.NoError(t, err)
			assert.Equal(t, "P", product)
			assert.Empty(t, lost)
		}
		assert.Len(t, c.jobs, 1)
		assert.Positive(t, c.collects)
		_, _, err := c.measure(Want{Tasks: []int{5}, Turns: 3})
		require.NoError(t, err)
		assert.Equal(t, 1, c.runs[5])
		_, _, err = c.measure(Want{Tasks: all.Tasks, Turns: 12})
		require.NoError(t, err)
		assert.Len(t, c.jobs, 3, "more pairs are further ones")
	})
}

func TestWhatComesToNothingIsSubmittedAgainUpToALimit(t *testing.T) {
	for _, state := range []State{Failed, Cancelled, "CANCELLED by 1000", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE"} {
		t.Run(string(state), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t)
				c.outcome = func(task, nth int) outcome {
					if task == 1 || task == 2 && nth < 2 {
						return outcome{state: state, failed: "no luck"}
					}
					return outcome{state: Completed, pairs: -1}
				}
				_, lost, err := c.measure(all)
				require.NoError(t, err)
				require.Len(t, lost, 1)
				assert.Equal(t, "v01-a", lost[0].Form)
				assert.ErrorContains(t, lost[0], "v01-a is not measured: 3 of its jobs in a row came to nothing, the last one by "+string(parseState(string(state)))+" on node1: no luck")
				assert.Equal(t, map[int]int{0: 1, 1: 3, 2: 3, 3: 1}, c.runs)
			})
		})
	}
}

func TestWhoGetsOnIsNotGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.outcome = func(task, nth int) outcome {
			switch {
			case task == 1 && nth%2 == 0:
				return outcome{state: "PREEMPTED", pairs: 1}
			case task == 1:
				return outcome{state: "NODE_FAIL"}
			}
			return outcome{state: Completed, pairs: -1}
		}
		_, lost, err := c.measure(all)
		require.NoError(t, err)
		assert.Empty(t, lost)
		assert.Equal(t, 11, c.runs[1], "six that measure, five that don't")
	})
}

func TestWhatSlurmGivesUpBeginningIsCancelledAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.outcome = func(task, nth int) outcome {
			if task == 1 {
				c.reason = held
				return outcome{state: Pending, silent: true}
			}
			return outcome{state: Completed, pairs: -1}
		}
		_, lost, err := c.measure(all)
		require.NoError(t, err)
		require.Len(t, lost, 1)
		assert.ErrorContains(t, lost[0], "3 of its jobs in a row came to nothing, the last one by FAILED on node1: launch failed requeued held")
		assert.Equal(t, []string{"7_1", "8_1", "9_1"}, c.scancels)
	})
}

func TestWhatSlurmForgetsIsLostOrThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.outcome = func(task, nth int) outcome {
			if task == 1 {
				return outcome{unknown: true, silent: true, pairs: 6 * min(nth, 1)}
			}
			return outcome{state: Completed, pairs: -1, unknown: true}
		}
		_, lost, err := c.measure(all)
		require.NoError(t, err)
		assert.Empty(t, lost)
		assert.Equal(t, map[int]int{0: 1, 1: 2, 2: 1, 3: 1}, c.runs)
	})
}

// killed ends a process at once, with nothing of it left.
type killed struct{}

// A process is killed before or after any call of Slurm's, and, since each entry of the
// journal stands between two of them, between any of its entries and what it speaks of.
func TestKilledAnywhereNothingIsSubmittedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for at := 1; ; at++ {
			finished := true
			for _, behind := range []bool{false, true} {
				c := newCluster(t)
				c.outcome = func(task, nth int) outcome {
					if task == 2 && nth == 0 {
						return outcome{state: "NODE_FAIL", pairs: 2}
					}
					return outcome{state: Completed, pairs: -1}
				}
				die := func(string, []string) error {
					if c.calls == at {
						panic(killed{})
					}
					return nil
				}
				if behind {
					c.after = die
				} else {
					c.before = die
				}
				func() {
					defer func() {
						if is := recover(); is != nil {
							require.Equal(t, killed{}, is)
							finished = false
						}
					}()
					_, _, err := c.measure(all)
					require.NoError(t, err)
				}()
				_, lost, err := c.measure(all)
				require.NoError(t, err)
				assert.Empty(t, lost)
				assert.Equal(t, map[int]int{0: 1, 1: 1, 2: 2, 3: 1}, c.runs, "killed at call %d", at)
			}
			if finished {
				require.Greater(t, at, 4)
				return
			}
		}
	})
}

func TestAJournalsTornEndCountsForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		path := filepath.Join(c.dir, "jobs", "journal.jsonl")
		_, _, err := c.measure(all)
		require.NoError(t, err)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for cut := 0; cut < len(text); cut += 13 {
			require.NoError(t, os.WriteFile(path, text[:cut], 0o644))
			_, lost, err := c.measure(all)
			require.NoError(t, err, "cut at %d", cut)
			assert.Empty(t, lost)
		}
		require.NoError(t, os.WriteFile(path, []byte("hello\n"), 0o644))
		assert.ErrorContains(t, (&Jobs{Dir: c.dir}).Open(), "journal.jsonl:1: this is not a journal of jobs")
	})
}

func TestAJobWhoseAnswerWasLateIsFoundByItsName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.after = func(name string, _ []string) error {
			if name == "sbatch" {
				return &CommandError{Name: name, Text: "Socket timed out on send/recv operation"}
			}
			return nil
		}
		_, _, err := c.measure(all)
		require.NoError(t, err)
		assert.Len(t, c.jobs, 1)
	})
}

// What was asked for in other words may be another GPU.
func TestProductsAreMeasuredSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		for i, product := range []string{"P", "Q", "P"} {
			c.outcome = func(task, nth int) outcome { return outcome{state: Completed, pairs: -1, product: product} }
			j := c.open()
			j.Gres = "gpu:" + product + ":1"
			got, lost, err := j.Measure(t.Context(), all)
			require.NoError(t, err)
			assert.Empty(t, lost)
			assert.Equal(t, product, got)
			assert.Len(t, c.jobs, min(i+1, 2))
			require.NoError(t, j.Close())
		}
	})
}

func TestAJobMayTakeAMomentToBeSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		var hidden []*fakeJob
		looks := 0
		c.before = func(string, []string) error {
			if looks++; looks == 8 {
				c.jobs = hidden
			}
			return nil
		}
		c.after = func(name string, _ []string) error {
			if name == "sbatch" {
				c.jobs, hidden = nil, c.jobs
				return &CommandError{Name: name, Text: "Socket timed out on send/recv operation"}
			}
			return nil
		}
		c.outcome = func(task, nth int) outcome { return outcome{state: Running, pairs: 2} }
		j := c.open()
		j.Settle = time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, _, err := j.Measure(ctx, all)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Greater(t, looks, 8)
		assert.Equal(t, map[int]int{0: 1, 1: 1, 2: 1, 3: 1}, c.runs)
		assert.Equal(t, []string{"7"}, c.scancels)
	})
}

func TestAJobThatIsNotFoundIsFencedOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.before = func(name string, args []string) error {
			if name == "sbatch" && len(c.jobs) == 0 && c.calls < 3 {
				return &CommandError{Name: name, Text: "Socket timed out on send/recv operation"}
			}
			return nil
		}
		_, _, err := c.measure(all)
		require.NoError(t, err)
		assert.Len(t, c.jobs, 1)
		fences, err := filepath.Glob(filepath.Join(c.dir, "jobs", "*.dropped"))
		require.NoError(t, err)
		assert.Len(t, fences, 1)
	})
}

func TestAJobThatReachedNobodyIsSubmittedAgainAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.before = func(name string, args []string) error {
			if name == "sbatch" && c.calls < 3 {
				return &CommandError{Name: name, Text: "Unable to contact slurm controller (connect failure)"}
			}
			return nil
		}
		j := c.open()
		j.Settle = time.Hour
		_, _, err := j.Measure(t.Context(), all)
		require.NoError(t, err)
		assert.Len(t, c.jobs, 1)
		c.before = func(name string, _ []string) error {
			return &CommandError{Name: name, Text: "Unable to contact slurm controller (connect failure)"}
		}
		_, _, err = j.Measure(t.Context(), Want{Tasks: []int{5}, Turns: 3})
		var silent *SilentError
		assert.ErrorAs(t, err, &silent)
	})
}

func TestSilenceIsWaitedForAndThenSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.outcome = func(task, nth int) outcome { return outcome{state: Running, silent: true} }
		silent := 0
		c.before = func(name string, _ []string) error {
			if name == "squeue" {
				silent++
				return &CommandError{Name: name, Text: "slurm_load_jobs error: Socket timed out on send/recv operation"}
			}
			return nil
		}
		_, _, err := c.measure(all)
		var is *SilentError
		require.ErrorAs(t, err, &is)
		assert.Greater(t, silent, 1)
		assert.Empty(t, c.scancels, "jobs go on")
	})
}

func TestWhatStopsAllIsSaid(t *testing.T) {
	for name, x := range map[string]struct {
		outcome func(task, nth int) outcome
		before  func(string, []string) error
		want    string
		code    string
	}{
		"products": {func(task, nth int) outcome {
			return outcome{state: Running, product: []string{"P", "Q"}[task%2]}
		}, nil, "jobs ran on different GPUs, whose times can't be compared: P (node1), Q (node1)", "mixed-products"},
		"drivers": {func(task, nth int) outcome {
			if task == 3 {
				return outcome{state: Failed, failed: `results/P was measured with another gpu: "a", here "b"`}
			}
			return outcome{state: Running}
		}, nil, "7_3 on node1: results/P was measured with another gpu", "mixed-products"},
		"no trace": {func(task, nth int) outcome { return outcome{state: Failed, silent: true} }, nil, "task 7_0 failed on node1 and left nothing in ", "not-shared"},
		"original": {func(task, nth int) outcome {
			return outcome{state: Failed, failed: "the program as it is failed: exit 3"}
		}, nil, "the program as it is failed: exit 3 (task 7_0 on node1)", ""},
		"refused": {nil, func(name string, _ []string) error {
			return &CommandError{Name: name, Text: "sbatch: error: Batch job submission failed: Invalid partition name specified"}
		}, "sbatch: Batch job submission failed: Invalid partition name specified", "job-refused"},
		"no sbatch": {nil, func(name string, _ []string) error { return &MissingError{name} }, "there is no sbatch on the PATH", "no-slurm"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(t)
				c.outcome, c.before = x.outcome, x.before
				_, _, err := c.measure(all)
				require.ErrorContains(t, err, x.want)
				var coded interface{ Code() diag.Code }
				if assert.Equal(t, x.code != "", errors.As(err, &coded)) && x.code != "" {
					assert.Equal(t, x.code, string(coded.Code()))
				}
				for _, b := range c.jobs {
					for n, state := range b.states {
						assert.True(t, parseState(state).Ended(), "task %d is cancelled, it was %s", n, state)
					}
				}
			})
		})
	}
}

func TestAnInterruptCancelsTheJobsAndTheNextCallGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.outcome = func(task, nth int) outcome {
			if nth == 0 {
				return outcome{state: Running}
			}
			return outcome{state: Completed, pairs: -1}
		}
		ctx, cancel := context.WithCancel(t.Context())
		c.before = func(string, []string) error {
			if c.calls == 6 {
				cancel()
			}
			return nil
		}
		j := c.open()
		_, _, err := j.Measure(ctx, all)
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, j.Close())
		assert.Equal(t, []string{"7"}, c.scancels)
		j = c.open()
		j.Tries = 1 // what was cancelled by us is no try
		_, lost, err := j.Measure(t.Context(), all)
		require.NoError(t, err)
		assert.Empty(t, lost)
		assert.Equal(t, map[int]int{0: 2, 1: 2, 2: 2, 3: 2}, c.runs)
	})
}

func TestAnotherUsersJobsAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCluster(t)
		c.outcome = func(task, nth int) outcome { return outcome{state: Running, pairs: 2} }
		c.before = func(name string, _ []string) error {
			if name == "squeue" && len(c.scancels) == 0 {
				panic(killed{})
			}
			return nil
		}
		func() {
			defer func() { require.Equal(t, killed{}, recover()) }()
			j := c.open()
			j.user = "somebody (7)"
			_, _, _ = j.Measure(t.Context(), all)
		}()
		c.before = nil
		_, _, err := c.measure(all)
		var others *OthersError
		require.ErrorAs(t, err, &others)
		assert.EqualError(t, others, "job 7 of somebody (7) measures for this record")
		assert.Empty(t, c.scancels)
		for n := range c.jobs[0].states {
			c.jobs[0].states[n] = "TIMEOUT"
		}
		c.outcome = nil
		_, lost, err := c.measure(all)
		require.NoError(t, err)
		assert.Empty(t, lost)
		assert.Len(t, c.jobs, 2)
	})
}
