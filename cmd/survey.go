package cmd

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/parallel"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/project/load"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/rewrite"
)

// surveyor looks at one program, and returns nil where none of its files can be
// read. What it prints is printed in the order of the programs.
type surveyor func(*session, targets.Program) (*report.Program, error)

// survey looks at each program that the arguments name. Those of a tree are looked at side by side, and one that
// fails does not stop the others; choice, if it is not nil, is made the same for all.
func (s *session) survey(args []string, in load.Options, walk load.Tree, opt rewrite.Options, choice *choiceFlags, f surveyor) ([]report.Program, error) {
	if err := walk.Check(); err != nil {
		return nil, err
	}
	if choice != nil {
		defer choice.remarkOnUnused(s.Console)
	}
	if !load.AsksTree(args, walk) {
		return s.surveyOne(args, in, f)
	}
	var out []report.Program
	err := s.Interruptible("looking at the files", func(ctx context.Context) error {
		line := s.NewProgress()
		defer line.End()
		looked, err := findPrograms(s, ctx, args, in, walk, choice, line)
		if err != nil {
			return err
		}
		out, err = s.surveyAll(ctx, looked, walk.Jobs, line, f)
		return err
	})
	return out, err
}

// findPrograms finds the programs that the arguments name, with their settings and GPUs: those of choice, which
// may be nil.
func findPrograms(s *session, ctx context.Context, args []string, in load.Options, walk load.Tree, choice *choiceFlags, line *console.Progress) ([]targets.Program, error) {
	found, err := load.Find(ctx, s.Console, args, in, walk, line)
	if err != nil {
		return nil, err
	}
	programs, err := load.Configure(s.Console, found, in)
	switch {
	case err != nil:
		return nil, err
	case choice == nil:
		return targets.Unsettled(programs), nil
	case len(found) == 0 && choice.gpus.Asked():
		_, err = s.targets().GPUs(choice.gpus) // a wrong name is reported in any case
		return nil, err
	}
	return s.targets().Programs(programs, choice.gpus)
}

// surveyOne is survey for files that are one program.
func (s *session) surveyOne(args []string, in load.Options, f surveyor) ([]report.Program, error) {
	line := s.NewProgress()
	defer line.End()
	line.Say("reading and analysing %s", prose.Count(max(1, len(args)), "file"))
	programs, err := load.Find(s.Context(), s.Console, args, in, load.Tree{}, nil)
	if err != nil {
		return nil, err
	}
	if programs, err = load.Configure(s.Console, programs, in); err != nil {
		return nil, err
	}
	p, err := f(s, targets.Unsettled(programs)[0])
	if p == nil {
		return nil, err
	}
	return []report.Program{*p}, err
}

// outcome holds what one program's surveyor returned and printed.
type outcome struct {
	program        *report.Program
	err            error
	session        *session
	stdout, stderr bytes.Buffer
	done           chan struct{}
}

// surveyAll looks at programs side by side and prints what each prints in their order, as soon as that can be.
func (s *session) surveyAll(ctx context.Context, programs []targets.Program, jobs int, line *console.Progress, f surveyor) ([]report.Program, error) {
	outcomes := make([]outcome, len(programs))
	for i := range outcomes {
		outcomes[i].done = make(chan struct{})
	}
	as := s.apart() // what s prints and notes meanwhile is none of the others' business
	as.share = max(1, jobs/max(1, len(programs)))
	ended := make(chan error, 1)
	go func() {
		ended <- parallel.Each(ctx, len(programs), jobs, func(i int) error {
			o := &outcomes[i]
			defer close(o.done)
			line.Say("%d of %d programs: %s", i+1, len(programs), programs[i].Files[0])
			o.session = as.with(as.Console.Beside(&o.stdout, &o.stderr))
			o.err = diag.Guard(func() (err error) {
				o.program, err = f(o.session, programs[i])
				return err
			})
			return nil
		})
	}()
	var out []report.Program
	for i := range outcomes {
		o := &outcomes[i]
		select {
		case <-o.done:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			return nil, <-ended
		}
		s.take(o, line)
		if o.program != nil {
			out = append(out, *o.program)
		}
	}
	return out, <-ended
}

// with returns a session like s with another console.
func (s *session) with(c *console.Console) *session {
	b := *s
	b.Console = c
	return &b
}

// apart returns a session like s at this moment.
func (s *session) apart() *session {
	own := *s.Console
	return s.with(&own)
}

// take passes on what a program's session printed and how it ended.
func (s *session) take(o *outcome, line *console.Progress) {
	line.Hide()
	s.Stdout.Write(o.stdout.Bytes())
	s.Stderr.Write(o.stderr.Bytes())
	s.Note(o.session.Code)
	s.Unread = append(s.Unread, o.session.Unread...)
	if err := console.Quietly(o.err); err != nil && !errors.Is(err, diag.ErrInterrupted) {
		s.Fail(err)
	}
	o.stdout, o.stderr = bytes.Buffer{}, bytes.Buffer{}
}

// kernelsOf returns all kernels of some programs.
func kernelsOf(programs []report.Program) []report.Kernel {
	var out []report.Kernel
	for _, p := range programs {
		out = slices.Concat(out, p.Kernels)
	}
	return out
}
