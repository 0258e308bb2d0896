package tune

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/prose"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/space"
)

func (s *Session) Measure() (Outcome, error) {
	var out Outcome
	if err := s.load(); err != nil {
		return out, err
	}
	groups, err := s.groups()
	if err != nil || len(groups) == 0 {
		return out, err
	}
	path, err := s.storePath()
	if err != nil {
		return out, err
	}
	st, err := record.Open(path)
	if err != nil {
		return out, err
	}
	defer st.Close()
	if n := st.Torn(); n > 0 {
		s.tell("%s: the last line is left out (%s): a run that was killed did not finish it", path, prose.Count(n, "byte"))
	}
	if s.Store == "" {
		s.tell("measurements are kept in %s", path)
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	err = s.Interruptible("measuring", func(ctx context.Context) error {
		if err := order(ctx, s, groups, st.Lines()); err != nil {
			return err
		}
		left, began := s.Budget.Seconds, s.Now()
		for i, g := range groups {
			if s.Budget.Seconds > 0 && left <= 0 {
				s.Remark("the budget of %v is spent, and not tuned are: %s", duration(s.Budget.Seconds), names(groups[i:]))
				return nil
			}
			v, err := s.measureGroup(ctx, g, st, share(left, i == len(groups)-1), began)
			var base *BaseError
			switch {
			case errors.As(err, &base):
				// The other kernels may be measured: one that is not launched has nothing to do with them.
				s.Fail(&diag.Failure{Exit: diag.ExitInternal, Doing: fmt.Sprintf("kernel %q", g.name()), Err: base, Help: s.helpOf(base.Failure)})
				if base.Failure.Kind == record.FailedCompile {
					return nil // nor would it be for the next kernel
				}
			case err != nil:
				return err
			default:
				out.Verdicts = append(out.Verdicts, *v)
				left -= seconds(Of(st.Lines(), v.Subject), record.Search, record.Confirm)
				began = s.Now()
			}
		}
		return nil
	})
	if err != nil {
		return out, measuringFailed(err, path)
	}
	if len(out.Verdicts) == 0 {
		return out, diag.ErrReported
	}
	out.Lines = st.Lines()
	return out, nil
}

func measuringFailed(err error, path string) error {
	if errors.Is(err, diag.ErrInterrupted) {
		return &diag.Failure{Exit: diag.ExitInternal, Err: err, Help: "what was measured is in " + path + "; the same command goes on from there"}
	}
	return record.Explain(err)
}

// helpOf returns a line of help on why the original can't be measured.
func (s *Session) helpOf(f *record.Failure) string {
	switch f.Kind {
	case record.FailedRun:
		if strings.Contains(f.Text, "no code for this GPU") {
			return "take an nvcc that knows this GPU, or name the devices that this one compiles for with --devices"
		}
	case record.FailedUntimed:
		if s.Command.Run != "" {
			return "the first group of --metric must be a number that the command prints"
		}
		if f.Text != machine.NotLaunched {
			return "--kernel chooses others; with --run a command of yours is measured as a whole"
		}
		return "the program must launch the kernel; its arguments stand after \"--\""
	case record.FailedTimeout:
		return "give it more with --timeout"
	case record.FailedUnsteady:
		return "a program whose equal runs differ can't be told from a wrong one; --atol and --rtol let floating-point values differ"
	}
	return ""
}

// measureGroup measures the forms of a group, in some seconds of the budget that count from a time on.
func (s *Session) measureGroup(ctx context.Context, g *group, st *record.Store, share float64, began time.Time) (*judge.Verdict, error) {
	m, err := s.machine(ctx, g)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	line := newProgress(s.Console, &s.Options)
	defer line.end()
	subject := s.subject(g, m.About())
	var stopped machine.Machine
	at, whole := stop(ctx, s, g, m)
	if at != nil {
		defer at.Close()
		stopped, subject.How.Stopped = at, true
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	verdict, err := Run(ctx, Request{
		Subject:  subject,
		Stopped:  stopped,
		Forms:    g.forms,
		Source:   func(ctx context.Context, c record.TunedVariant) (machine.Source, error) { return s.source(g, c) },
		Machine:  m,
		Strategy: s.Strategy,
		Rules:    s.Rules,
		Budget:   Budget{Forms: s.Budget.Forms, Seconds: share},
		Began:    began,
		Store:    st,
		Progress: line.show,
		Now:      s.Now,
		Ahead:    ahead(&s.Options),
	})
	if whole != nil && err == nil {
		s.Remark("kernel %q: each time is that of a whole program, and not of a launch in a program that is stopped there: %s", g.name(), whole)
	}
	return verdict, err
}

// ahead returns how many forms are built at once while others are measured: 0 for commands, in one copy of the tree, and the model.
func ahead(o *Options) int {
	if o.Command.Run != "" || o.On == OnModel {
		return 0
	}
	return runtime.NumCPU()
}

func (s *Session) source(g *group, c record.TunedVariant) (machine.Source, error) {
	result, err := space.Emit(g.input, c)
	if err != nil {
		return machine.Source{}, err
	}
	src := machine.Source{Candidate: c, Texts: result.Texts(s.run.Program)}
	if c.Registers > 0 {
		src.Flags = append(src.Flags, fmt.Sprintf("-maxrregcount=%d", c.Registers))
	}
	if g.launch != nil && !c.Tested() {
		if texts, err := g.launch.Form(g.launched, c, src.Texts); err == nil {
			src.Launch = &machine.LaunchSource{Texts: texts, Unit: g.launch.Unit}
		}
	}
	return src, nil
}

// stop stops the program at the kernel's first launch; nil where the machine can't. The error says why forms can't be measured.
func stop(ctx context.Context, s *Session, g *group, m machine.Machine) (*machine.Stopped, error) {
	stopper, ok := m.(machine.Stopper)
	if !ok {
		return nil, nil
	}
	if len(g.input.Group.Kernels) > 1 {
		return nil, errors.New("it is rewritten together with others")
	}
	stopped, err := stopper.Stop(ctx, s.run.Program.Texts(), g.name())
	if err != nil {
		return nil, err
	}
	if err := relaunch(ctx, s, g, stopped); err != nil {
		g.launch = nil
		return nil, errors.Join(err, stopped.Close())
	}
	return stopped, nil
}

// relaunch prepares the texts in which forms are measured in a stopped program. The original must leave there what it leaves.
func relaunch(ctx context.Context, s *Session, g *group, stopped *machine.Stopped) (err error) {
	if g.launch, err = space.Relaunch(s.run.Program, g.input.Group.Kernels[0], stopped.Launch()); err != nil {
		return err
	}
	var ok bool
	if g.launched, ok = s.inputOf(passes.NewProgram(g.launch.Program, s.job.Options.Block), g.name()); !ok {
		return errors.New("the kernel isn't found any more with a launch more")
	}
	src, err := s.source(g, record.TunedVariant{})
	if err != nil {
		return err
	}
	if src.Launch == nil {
		return errors.New("its launch changes what becomes of other text")
	}
	built, err := stopped.Build(ctx, src)
	if err != nil {
		return err
	}
	defer built.Release()
	out, err := built.Check(ctx, stopped.Devices()[0])
	if err != nil {
		return err
	}
	if _, failure := out.Compare(out); failure != nil {
		return errors.New("the original, launched again, leaves something else: " + failure.Text)
	}
	return nil
}
