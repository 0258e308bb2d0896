package machine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/replay"
	"github.com/smux-cuda/smux/verify/build"
)

// launchesTimed is the number of launches in a run of a form in the stopped program, and launchesChecked in its check: what
// one launch in two gets wrong passes a single one half the time.
const launchesTimed, launchesChecked = 7, 5

// Stopped is a machine that measures forms in the original, which is stopped at the first launch of a kernel.
type Stopped struct {
	*CPU
	program replay.Program
	stop    replay.Stop

	mu      sync.Mutex
	session *replay.Session // nil where the last one ended
	forms   atomic.Int64
}

// Stop builds the program of some texts and runs it up to the first launch of a kernel. The error says why its forms can't be
// measured there.
func (c *CPU) Stop(ctx context.Context, texts map[string][]byte, kernel string) (*Stopped, error) {
	prog, err := c.Program.parse(texts)
	if err != nil {
		return nil, err
	}
	program, err := c.compile(ctx, texts, units(prog), build.Plain, texts)
	if err != nil {
		return nil, err
	}
	s := &Stopped{CPU: c, program: replay.Program{
		Path: program.Path, Dir: c.Program.Dir, Args: c.Program.Args, Kernel: kernel, Number: 1, Patience: c.Program.Timeout,
	}}
	if s.session, err = replay.Start(ctx, s.program); err != nil {
		return nil, err
	}
	s.stop = s.session.Stop
	switch {
	case !s.stop.Steady:
		err = errors.New("two equal launches leave other results")
	case s.stop.Changed == 0:
		err = errors.New("the launch changes no memory of the device")
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Launch returns the launch at which the program is stopped.
func (s *Stopped) Launch() replay.Launch { return s.stop.Launch }

// Close ends the program. What was built belongs to the CPU, which stays open.
func (s *Stopped) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil {
		s.session.Close()
		s.session = nil
	}
	return nil
}

// Build compiles the unit with the launch.
func (s *Stopped) Build(ctx context.Context, src Source) (Built, error) {
	if src.Launch == nil {
		return nil, errors.New("the form has no launch that can be made in the stopped program")
	}
	program, err := s.compile(ctx, src.Launch.Texts, []string{src.Launch.Unit}, build.Library, src.Texts)
	if err != nil {
		return nil, err
	}
	return &launched{onCPU: onCPU{s.CPU, program, src.Candidate.IsOriginal(), src.Texts}, in: s, id: fmt.Sprintf("form%d", s.forms.Add(1))}, nil
}

// launched is a form in the stopped program.
type launched struct {
	onCPU
	in     *Stopped
	id     string
	loaded *replay.Session
}

// at calls f with the session, in which the form is loaded; the program starts anew where it ended.
func (l *launched) at(ctx context.Context, f func(*replay.Session) error) error {
	l.in.mu.Lock()
	defer l.in.mu.Unlock()
	var err error
	if l.in.session == nil {
		if l.in.session, err = replay.Start(ctx, l.in.program); err != nil {
			return err
		}
	}
	if l.loaded != l.in.session {
		if err = l.in.session.Load(ctx, l.id, l.program.Path); err == nil {
			l.loaded = l.in.session
		}
	}
	if err == nil {
		err = f(l.in.session)
	}
	var ended *replay.EndedError
	var refused *replay.RefusedError
	switch {
	case errors.As(err, &ended):
		l.in.session.Close()
		l.in.session = nil
		kind := record.FailedCrash
		if ended.TimedOut {
			kind = record.FailedTimeout
		}
		return &record.Failure{Kind: kind, Text: ended.Error()}
	case errors.As(err, &refused) && refused.Word != "differs":
		return &record.Failure{Kind: record.FailedRun, Text: refused.Text}
	}
	return err
}

// Run times some launches. turn makes no difference.
func (l *launched) Run(ctx context.Context, _, _ int) (*Run, error) {
	run := &Run{Outputs: launchOutputs{}}
	err := l.at(ctx, func(s *replay.Session) (err error) {
		run.Milliseconds, err = s.Time(ctx, l.id, launchesTimed)
		return err
	})
	for _, ms := range run.Milliseconds {
		run.Seconds += ms / 1000
	}
	return run, err
}

// Check launches the form some times, each from the memory from which the original was launched.
func (l *launched) Check(ctx context.Context, _ int) (Outputs, error) {
	var out launchOutputs
	err := l.at(ctx, func(s *replay.Session) (err error) {
		for n := 0; n < launchesChecked && err == nil; n++ {
			out.changed, err = s.Check(ctx, l.id)
		}
		return err
	})
	var differs *replay.RefusedError
	if errors.As(err, &differs) {
		out.differs, err = differs.Text, nil
	}
	return out, err
}

// launchOutputs say what a launch left in the device's memory: the program compares it itself.
type launchOutputs struct {
	changed int64  // bytes that are as the original's, and weren't before the launch
	differs string // where others are not, "" for nowhere
}

// Compare returns what was found in the program.
func (launchOutputs) Compare(got Outputs) (record.Evidence, *record.Failure) {
	o, ok := got.(launchOutputs)
	switch {
	case !ok:
		return record.Evidence{}, &record.Failure{Kind: record.FailedUnsteady, Text: "the outputs are of different kinds of runs"}
	case o.differs != "":
		return record.Evidence{}, &record.Failure{Kind: record.FailedOutput, Text: o.differs}
	}
	return record.Evidence{Memory: o.changed}, nil
}

// Release has nothing to give up.
func (launchOutputs) Release() {}

// compile builds some units of texts; messages are told as of the text that a person knows.
func (c *CPU) compile(ctx context.Context, texts map[string][]byte, names []string, mode build.Mode, told map[string][]byte) (*build.Program, error) {
	dir, err := c.scratch.folder("form")
	if err != nil {
		return nil, err
	}
	compiled, err := c.translate(texts, names, dir)
	if err != nil {
		return nil, err
	}
	r := build.Request{Units: compiled, Mode: mode, Dir: dir, IncludeDirs: c.Includes, Defines: c.Defines}
	if mode == build.Plain {
		r.Sources, r.Libraries, r.Loads = c.Program.Further, c.Program.Libraries, true
	}
	program, err := c.toolchain.Build(ctx, r)
	var refused *build.CompileError
	if errors.As(err, &refused) {
		return nil, &record.Failure{Kind: record.FailedCompile, Text: c.message(refused.Messages[0], told)}
	}
	if err == nil {
		program.Path, err = filepath.Abs(program.Path)
	}
	return program, err
}
