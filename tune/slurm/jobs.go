package slurm

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/smux-cuda/smux/tune/bundle"
)

// Options say what is asked of Slurm.
type Options struct {
	Partition, Gres, Account string   // "" for what submit.sbatch or the site says
	AtOnce                   int      // tasks that may run at once, 0 for any number
	Further                  []string // options of sbatch, as they are
	Tries                    int      // tasks of a form that may come to nothing in a row
}

// sbatch returns the options as sbatch takes them.
func (o Options) sbatch() []string {
	var out []string
	for _, of := range []struct{ name, value string }{{"partition", o.Partition}, {"gres", o.Gres}, {"account", o.Account}} {
		if of.value != "" {
			out = append(out, "--"+of.name+"="+of.value)
		}
	}
	return append(out, o.Further...)
}

// Status says where things stand, for a line of progress.
type Status struct {
	Running, Waiting int
	Reason           string // why tasks wait, as Slurm has it; "" for no reason
	Again            int    // tasks that were submitted again
	Silent           error  // what Slurm says in place of an answer, nil where it answers
}

// Jobs are the jobs of a folder. One process at a time may have them: the lock of the
// record that results go into sees to it.
type Jobs struct {
	Client
	Options
	Dir      string // absolute
	Manifest *bundle.Manifest
	Report   func(Status)
	// Collect is called when there is something new of a product in the folder.
	Collect func(ctx context.Context, product string) error

	// Settle is the time that something done elsewhere may take to be seen here: a job in
	// squeue, a file on another node. Silence is for how long Slurm may not answer, and Fastest and
	// Slowest how often it is asked. 0 for 30 seconds, 30 minutes, 1 and 15 seconds.
	Settle, Silence, Fastest, Slowest time.Duration

	user, host string
	journal    *journal
	tries      map[string]int    // that came to nothing, in a row, by task and against
	last       map[string]string // how the last of them ended
	again      int
	seen       int // pairs when Collect was called last
}

// Open reads the journal of the folder. The error is that of the file.
func (j *Jobs) Open() error {
	for _, d := range []struct {
		at      *time.Duration
		instead time.Duration
	}{{&j.Settle, 30 * time.Second}, {&j.Silence, 30 * time.Minute}, {&j.Fastest, time.Second}, {&j.Slowest, 15 * time.Second}} {
		if *d.at == 0 {
			*d.at = d.instead
		}
	}
	if j.Report == nil {
		j.Report = func(Status) {}
	}
	j.user, j.seen = strconv.Itoa(os.Getuid()), -1
	if name := os.Getenv("USER"); name != "" {
		j.user = name + " (" + j.user + ")"
	}
	j.host, _ = os.Hostname()
	j.tries, j.last = map[string]int{}, map[string]string{}
	var err error
	j.journal, err = openJournal(filepath.Join(j.Dir, "jobs", "journal.jsonl"))
	if err != nil {
		return err
	}
	for _, b := range j.journal.jobs {
		b.ours = !b.over
	}
	return nil
}

// Close closes the journal. Jobs that run go on.
func (j *Jobs) Close() error { return j.journal.file.Close() }

// open returns the jobs of which something is to be expected.
func (j *Jobs) open() []*job {
	var out []*job
	for _, b := range j.journal.jobs {
		if !b.over {
			out = append(out, b)
		}
	}
	return out
}

// submit submits tasks as one array job. Where sbatch may have done it though it failed, the
// journal has the job, and whether it is there is found out later.
func (j *Jobs) submit(ctx context.Context, w Want, product string, tasks []int) error {
	random := make([]byte, 6)
	if _, err := rand.Read(random); err != nil {
		return err
	}
	slices.Sort(tasks)
	name := "smux-" + hex.EncodeToString(random)
	s := &submission{Tasks: tasks, Turns: w.Turns, Against: w.Against, Options: j.sbatch(), User: j.user, Host: j.host}
	for _, t := range tasks {
		s.Had = append(s.Had, j.held(product, t, w.Against).Pairs)
	}
	if err := j.journal.add(entry{Name: name, Submit: s}); err != nil {
		return err
	}
	b := j.journal.jobs[len(j.journal.jobs)-1]
	b.ours = true
	array := formatArray(tasks)
	if j.AtOnce > 0 {
		array += "%" + strconv.Itoa(j.AtOnce)
	}
	args := append(j.sbatch(), "--job-name="+name, "--array="+array, "submit.sbatch")
	args = append(args, "--turns", strconv.Itoa(w.Turns), "--confirm-turns", strconv.Itoa(w.Turns))
	if w.Against != "" {
		args = append(args, "--against", w.Against)
	}
	if product != "" {
		args = append(args, "--product", product)
	}
	id, err := j.Submit(ctx, j.Dir, args...)
	var failed *CommandError
	switch {
	case err == nil:
		return j.journal.add(entry{Name: name, Job: id})
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &failed) && !failed.Undone():
		return err
	}
	if e := j.journal.add(entry{Name: name, Over: true}); e != nil {
		return e
	}
	return err
}

// held returns what the folder holds of a task.
func (j *Jobs) held(product string, task int, against string) bundle.Held {
	all := j.Manifest.Folders()
	return j.Manifest.Held(j.Dir, product, all[task%len(all)], task >= len(all), against)
}

// Cancel cancels the jobs that are open, without waiting for long: the commands that do it go
// on when this process ends.
func (j *Jobs) Cancel() {
	var started []*exec.Cmd
	for _, b := range j.open() {
		if b.User != j.user || j.journal.add(entry{Name: b.name, Cancelled: true}) != nil {
			continue
		}
		args := []string{b.id}
		if b.id == "" {
			args = []string{"--name=" + b.name}
			_ = fence(j.Dir, b.name)
		}
		if j.Exec != nil {
			_, _ = j.Exec(context.Background(), "", "scancel", args...)
			continue
		}
		c := exec.Command("scancel", args...)
		detach(c)
		if c.Start() == nil {
			started = append(started, c)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, c := range started {
			_ = c.Wait()
		}
	}()
	select {
	case <-done:
	case <-time.After(700 * time.Millisecond):
	}
}

// cancelTask cancels one task.
func (j *Jobs) cancelTask(ctx context.Context, name string) error {
	_, err := j.exec(ctx, "", "scancel", name)
	return err
}

// taskName names a task as messages do.
func (b *job) taskName(task int) string { return fmt.Sprintf("%s_%d", b.id, task) }
