// Package slurm runs a command on a node of a cluster that Slurm looks after, as one job, and hands on what it prints.
//
// It calls sbatch, which waits for the job, and scancel. All jobs of a name run one after the other, so a killed process's job is
// waited for, and not doubled. A job that ended before its command is submitted again as long as the results grow.
package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/internal/prose"
)

const (
	CodeNoSlurm   diag.Code = "no-slurm"    // Slurm's commands are not here
	CodeRefused   diag.Code = "job-refused" // sbatch does not take the job
	CodeNotShared diag.Code = "not-shared"  // the node does not see the folder
	CodeLost      diag.Code = "jobs-lost"   // jobs came to nothing too often
)

type Options struct {
	Partition, Account string // "" for the site's
	Gres               string
	Further            []string // options of sbatch, as they are
	Tries              int      // jobs in a row that bring no results
}

type Job struct {
	Options
	Name    string   // only one job of this name runs at a time
	Dir     string   // an absolute folder of its own that the nodes see: the script, and what the command prints
	Command []string // of a shell, run in the working directory, which the nodes see as well
	Results string   // the file that grows as results come
	Stdout  io.Writer
	Stderr  io.Writer
	Again   func(why string) // called before a job is submitted again

	// Settle is the time in which the node's last word must be seen here, and Look that between two looks; 0 for 30 s and 1 s.
	Settle, Look time.Duration

	said int64 // bytes of the command's messages that were handed on
}

// The files in the folder. The command's exit status appears in endedName when everything else is there.
const (
	scriptName = "job.sh"
	stdoutName = "stdout"
	stderrName = "stderr"
	endedName  = "ended"
)

// unseen is the exit status of a job that does not see its folder.
const unseen = 66

// Run runs the command, and returns its exit status. The error is ctx's, that of a file, or a *diag.Failure.
func (j *Job) Run(ctx context.Context) (exit int, err error) {
	if j.Settle == 0 {
		j.Settle, j.Look = 30*time.Second, time.Second
	}
	if err := j.writeScript(); err != nil {
		return 0, err
	}
	for lost := 0; ; {
		before := size(j.Results)
		ended, why, err := j.submit(ctx)
		if ctx.Err() != nil {
			j.cancel()
			return 0, ctx.Err()
		}
		if err != nil || ended {
			return j.end(err)
		}
		lost++
		if size(j.Results) > before {
			lost = 0
		}
		if lost >= max(1, j.Tries) {
			return 0, failure(diag.ExitInternal, CodeLost, "%s in a row came to nothing; the last one %s; its messages are in %s", prose.Count(lost, "job"), why, j.Dir)
		}
		j.Again(why)
	}
}

// writeScript writes what the node runs. A signal that ends the job ends the shell without a word.
func (j *Job) writeScript() error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	text := fmt.Sprintf("#!/bin/sh\ntrap 'exit 143' HUP INT TERM\ncd %s 2>/dev/null || exit %d\nout=$PWD\n(cd %s && exec %s) >\"$out/%s\" 2>>\"$out/%s\"\necho $? >%[7]s.new && mv %[7]s.new %[7]s\n",
		prose.ShellWords(j.Dir), unseen, prose.ShellWords(here), prose.ShellWords(j.Command...), stdoutName, stderrName, endedName)
	return os.WriteFile(filepath.Join(j.Dir, scriptName), []byte(text), 0o777)
}

// submit submits a job and waits for it. why says how it ended where its command did not.
func (j *Job) submit(ctx context.Context) (ended bool, why string, err error) {
	args := []string{"--parsable", "--wait", "--job-name=" + j.Name, "--dependency=singleton", "--nodes=1", "--ntasks=1", "--requeue",
		"--open-mode=append", "--output=/dev/null", "--gres=" + j.Gres}
	if j.Partition != "" {
		args = append(args, "--partition="+j.Partition)
	}
	if j.Account != "" {
		args = append(args, "--account="+j.Account)
	}
	c := process.Command(ctx, "sbatch", append(append(args, j.Further...), filepath.Join(j.Dir, scriptName))...)
	var id bytes.Buffer
	refused := process.Head{Limit: 1 << 14}
	c.Stdout, c.Stderr = &id, &refused
	if err := c.Start(); errors.Is(err, exec.ErrNotFound) {
		return false, "", failure(diag.ExitUsage, CodeNoSlurm, "there is no sbatch on the PATH")
	} else if err != nil {
		return false, "", err
	}
	waited := make(chan error, 1)
	go func() { waited <- c.Wait() }()
	look := time.NewTicker(j.Look)
	defer look.Stop()
	var late <-chan time.Time
	for {
		select {
		case <-look.C:
		case <-late:
			return false, fmt.Sprintf("(%s) ended before its command", strings.TrimSpace(id.String())), nil
		case <-waited:
			switch {
			case ctx.Err() != nil:
				return false, "", ctx.Err()
			case strings.TrimSpace(id.String()) == "":
				said := strings.Split(strings.TrimSpace(string(refused.Bytes())), "\n")
				return false, "", failure(diag.ExitUsage, CodeRefused, "sbatch: %s", strings.TrimPrefix(said[len(said)-1], "sbatch: error: "))
			case c.ProcessState.ExitCode() == unseen:
				return false, "", failure(diag.ExitInternal, CodeNotShared, "the node does not see %s", j.Dir)
			}
			late = time.After(j.Settle)
		}
		j.handOn()
		if _, err := os.Stat(filepath.Join(j.Dir, endedName)); err == nil {
			_ = c.Cancel() // it looks at the job now and then only
			return true, "", nil
		}
	}
}

func (j *Job) handOn() {
	f, err := os.Open(filepath.Join(j.Dir, stderrName))
	if err != nil {
		return
	}
	defer f.Close()
	if _, err := f.Seek(j.said, io.SeekStart); err == nil {
		n, _ := io.Copy(j.Stderr, f)
		j.said += n
	}
}

func (j *Job) end(err error) (exit int, _ error) {
	if err != nil {
		return 0, err
	}
	j.handOn()
	text, err := os.ReadFile(filepath.Join(j.Dir, endedName))
	if err != nil {
		return 0, err
	}
	if exit, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
		return 0, err
	}
	out, err := os.Open(filepath.Join(j.Dir, stdoutName))
	if err != nil {
		return 0, err
	}
	defer out.Close()
	_, err = io.Copy(j.Stdout, out)
	return exit, err
}

// cancel cancels the jobs of the name, without waiting for long: the command goes on when this process ends.
func (j *Job) cancel() {
	c := exec.Command("scancel", "--name="+j.Name, "--user="+strconv.Itoa(os.Getuid()))
	if c.Start() != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		_ = c.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(700 * time.Millisecond):
	}
}

func failure(exit int, code diag.Code, format string, args ...any) error {
	return &diag.Failure{Exit: exit, Err: fmt.Errorf("%s: "+format, append([]any{code}, args...)...), Help: diag.Help(code)}
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
