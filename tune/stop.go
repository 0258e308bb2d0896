package tune

import (
	"context"
	"errors"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/space"
)

// stop stops the program at the kernel's first launch. It returns nil where the machine can't; the error says why
// the kernel's forms can't be measured there.
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

// relaunch prepares the texts in which forms are measured in a stopped program. The original must leave there what it
// leaves in the program itself.
func relaunch(ctx context.Context, s *Session, g *group, stopped *machine.Stopped) (err error) {
	if g.launch, err = space.Relaunch(s.run.Program, g.input.Group.Kernels[0], stopped.Launch()); err != nil {
		return err
	}
	var ok bool
	if g.launched, ok = s.inputOf(analysis.NewProgram(g.launch.Program, s.job.Options.Block), g.name()); !ok {
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
