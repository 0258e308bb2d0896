package tune

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/tune/bundle"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/slurm"
)

// MeasureByJob has a node of a cluster call a copy of this program with the same record, hands on its output, and returns its exit code.
func (s *Session) MeasureByJob(words []string) (exit int, err error) {
	if err := s.loadFiles(); err != nil {
		return 0, err
	}
	store, err := s.storePath()
	if err == nil {
		store, err = filepath.Abs(store)
	}
	if err != nil {
		return 0, err
	}
	shared, err := filepath.Abs(s.Shared)
	if s.Shared == "" {
		shared = strings.TrimSuffix(store, filepath.Ext(store)) + ".jobs"
	}
	if err == nil {
		err = os.MkdirAll(shared, 0o777)
	}
	dir := ""
	if err == nil { // which stays as long as the job may run, whatever becomes of this process
		dir, err = os.MkdirTemp(shared, "job-")
	}
	if err != nil {
		return 0, diag.Usagef("name a folder that the nodes see with --shared DIR", "%s: a job can't work here: %w", shared, diag.PlainCause(err))
	}
	program, err := bundle.CopySelf(dir)
	if err != nil {
		return 0, diag.Failed("copying smux for the job", err)
	}
	job := slurm.Job{
		Options: s.Slurm, Name: "smux-" + record.Digest([]byte(store))[:record.HashInName], Dir: dir, Results: store,
		Command: append([]string{program, "tune", "--store=" + store}, words...),
		Stdout:  s.Stdout, Stderr: s.Stderr,
		Again: func(why string) { s.Remark("a job %s; it is submitted again, and goes on from what is measured", why) },
	}
	s.tell("submitting job %s", job.Name)
	err = s.Interruptible("measuring", func(ctx context.Context) (err error) {
		exit, err = job.Run(ctx)
		return err
	})
	if err == nil || errors.Is(err, diag.ErrInterrupted) {
		if e := os.RemoveAll(dir); err == nil && e != nil {
			err = diag.Failed("removing what the job left", e)
		}
	}
	var failed *diag.Failure
	if err != nil && !errors.As(err, &failed) {
		err = diag.Failed("measuring by a job", err)
	}
	return exit, measuringFailed(err, store)
}
