package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/process"
)

// Client calls Slurm's commands.
type Client struct {
	// Exec runs a command in a folder and returns what it prints. The error is ctx's, a
	// *MissingError or a *CommandError. nil for the commands on the PATH.
	Exec func(ctx context.Context, dir, name string, args ...string) (string, error)
}

// patience is the time that a command has to answer.
const patience = time.Minute

func (c Client) exec(ctx context.Context, dir, name string, args ...string) (string, error) {
	if c.Exec != nil {
		return c.Exec(ctx, dir, name, args...)
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p := process.Command(limited, name, args...)
	p.Dir = dir
	p.Env = plainEnvironment(os.Environ())
	said := process.Head{Limit: 1 << 14}
	p.Stderr = &said
	out, err := p.Output()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return "", &MissingError{name}
	case limited.Err() != nil:
		return "", &CommandError{Name: name, Text: fmt.Sprintf("it does not answer within %v", patience), late: true}
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		text := strings.TrimSpace(string(said.Bytes()))
		if text == "" {
			text = err.Error()
		}
		return string(out), &CommandError{Name: name, Text: text}
	}
	return string(out), nil
}

// plainEnvironment drops what changes the columns that squeue and sacct print, and which
// jobs they list.
func plainEnvironment(env []string) []string {
	var out []string
	for _, e := range env {
		if !strings.HasPrefix(e, "SQUEUE_") && !strings.HasPrefix(e, "SACCT_") {
			out = append(out, e)
		}
	}
	return append(out, "SLURM_TIME_FORMAT=standard")
}

// Submit submits a script of a folder and returns the number of the job.
func (c Client) Submit(ctx context.Context, dir string, args ...string) (job string, err error) {
	out, err := c.exec(ctx, dir, "sbatch", append([]string{"--parsable"}, args...)...)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(out) {
		id, _, _ := strings.Cut(strings.TrimSpace(line), ";") // JOB or JOB;CLUSTER
		if _, err := strconv.Atoi(id); err == nil {
			job = id
		}
	}
	if job == "" {
		return "", &CommandError{Name: "sbatch", Text: fmt.Sprintf("it names no job: %q", out), late: true}
	}
	return job, nil
}

// Find returns the number of the job of a name that no other has; "" where Slurm knows none.
func (c Client) Find(ctx context.Context, name string, since time.Time) (job string, err error) {
	out, err := c.exec(ctx, "", "squeue", "--noheader", "--states=all", "--name="+name, "--format=%F|%j")
	if err != nil {
		return "", err
	}
	if job := named(out, name); job != "" {
		return job, nil
	}
	out, err = c.exec(ctx, "", "sacct", "--noheader", "--parsable2", "--allocations", "--name="+name,
		"--starttime="+since.Local().Add(-24*time.Hour).Format("2006-01-02T15:04:05"), "--format=JobID,JobName")
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", nil // there is no accounting, and squeue has answered
	}
	return named(out, name), nil
}

// named finds a job in lines "JOB|NAME" or "JOB_TASK|NAME".
func named(text, name string) string {
	for line := range strings.Lines(text) {
		id, is, _ := strings.Cut(strings.TrimSpace(line), "|")
		id, _, _ = strings.Cut(id, "_")
		if _, err := strconv.Atoi(id); err == nil && is == name {
			return id
		}
	}
	return ""
}

// Tasks returns what Slurm tells of the tasks of an array job; one that it does not know (any
// more) is missing. Of those that squeue has forgotten sacct is asked, where there is
// accounting.
func (c Client) Tasks(ctx context.Context, job string, wanted []int) (map[int]Task, error) {
	out, err := c.exec(ctx, "", "squeue", "--noheader", "--array", "--states=all", "--jobs="+job, "--format=%i|%T|%N|%r")
	var failed *CommandError
	if err != nil && !(errors.As(err, &failed) && strings.Contains(failed.Text, "Invalid job id specified")) {
		return nil, err
	}
	tasks := parseTasks(out, job)
	for _, n := range wanted {
		if _, ok := tasks[n]; ok {
			continue
		}
		out, err := c.exec(ctx, "", "sacct", "--noheader", "--parsable2", "--allocations", "--array", "--jobs="+job, "--format=JobID,State,NodeList")
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			for n, t := range parseTasks(out, job) {
				if _, ok := tasks[n]; !ok {
					tasks[n] = t
				}
			}
		}
		break
	}
	return tasks, nil
}
