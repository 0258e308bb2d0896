package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/replay"
)

// launchesTimed are a stopped form's launches in a run, launchesChecked in its check: one in two may be wrong.
const launchesTimed, launchesChecked = 7, 5

// Stopper is a machine whose programs can be stopped at a launch.
type Stopper interface {
	Machine
	// Stop builds a program and runs it up to the first launch of a kernel. The error says why forms can't be measured there.
	Stop(ctx context.Context, texts map[string][]byte, kernel string) (*Stopped, error)
	library(ctx context.Context, s Source) (path string, err error)
}

// Stopped is a machine that measures forms in the original, which is stopped at the first launch of a kernel.
type Stopped struct {
	Stopper
	stop  replay.Stop
	on    map[int]*onDevice
	forms atomic.Int64
}

type onDevice struct {
	mu      sync.Mutex
	program replay.Program
	session *replay.Session // nil before the first one, and where the last one ended
	loaded  map[string]bool // forms, in the session
}

// do starts the program, unless it is there, and calls f; once more where somebody kills the program (a form would do so again).
func (d *onDevice) do(ctx context.Context, f func() error) (err error) {
	for again := range 2 {
		if err = nil; d.session == nil {
			d.session, err = replay.Start(ctx, d.program)
			d.loaded = map[string]bool{}
		}
		if err == nil {
			err = f()
		}
		var ended *replay.EndedError
		if again > 0 || !errors.As(err, &ended) || !ended.Killed {
			break
		}
		d.close()
	}
	return err
}

func (d *onDevice) close() {
	if d.session != nil {
		d.session.Close()
		d.session = nil
	}
}

// stopAt stops a program, which was built with the server. environment is that of a device.
func stopAt(ctx context.Context, m Stopper, p Program, path, kernel string, environment func(device int) []string) (*Stopped, error) {
	s := &Stopped{Stopper: m, on: map[int]*onDevice{}}
	for _, d := range m.Devices() {
		s.on[d] = &onDevice{program: replay.Program{
			Path: path, Dir: p.Dir, Args: p.Args, Env: environment(d), Kernel: kernel, Number: 1, Patience: p.Timeout,
		}}
	}
	first := s.on[m.Devices()[0]]
	if err := first.do(ctx, func() error { return nil }); err != nil {
		return nil, err
	}
	s.stop = first.session.Stop
	switch {
	case !s.stop.Steady:
		return nil, errors.Join(errors.New("two equal launches leave other results"), s.Close())
	case s.stop.Changed == 0:
		return nil, errors.Join(errors.New("the launch changes no memory of the device"), s.Close())
	}
	return s, nil
}

// Launch returns the launch at which the program is stopped.
func (s *Stopped) Launch() replay.Launch { return s.stop.Launch }

// Close ends the program. What was built belongs to the machine, which stays open.
func (s *Stopped) Close() error {
	for _, d := range s.on {
		d.mu.Lock()
		d.close()
		d.mu.Unlock()
	}
	return nil
}

func (s *Stopped) Build(ctx context.Context, src Source) (Built, error) {
	if src.Launch == nil {
		return nil, errors.New("the form has no launch that can be made in the stopped program")
	}
	path, err := s.library(ctx, src)
	if err != nil {
		return nil, err
	}
	return &launched{in: s, id: fmt.Sprintf("form%d", s.forms.Add(1)), path: path}, nil
}

type launched struct {
	in       *Stopped
	id, path string
}

func (l *launched) Release() { _ = os.RemoveAll(filepath.Dir(l.path)) }

// at calls f with the session on a device, in which the form is loaded. The program starts anew after a form that left other memory.
func (l *launched) at(ctx context.Context, device int, f func(*replay.Session) error) error {
	d := l.in.on[device]
	d.mu.Lock()
	defer d.mu.Unlock()
	var ended *replay.EndedError
	var refused *replay.RefusedError
	err := d.do(ctx, func() error {
		if !d.loaded[l.id] {
			err := d.session.Load(ctx, l.id, l.path)
			if errors.As(err, &refused) {
				return &record.Failure{Kind: record.FailedRun, Text: refused.Text}
			}
			d.loaded[l.id] = err == nil
			if err != nil {
				return err
			}
		}
		return f(d.session)
	})
	switch {
	case d.session == nil: // the program does not get to its launch again
	case errors.As(err, &ended):
		d.close()
		if said := printedFailure(ended.Said); said != nil {
			return said
		}
		kind := record.FailedCrash
		if ended.TimedOut {
			kind = record.FailedTimeout
		}
		return &record.Failure{Kind: kind, Text: ended.Error()}
	case errors.As(err, &refused) && refused.Word != "differs":
		return launchFailure(refused.Text)
	case refused != nil:
		d.close()
	}
	return err
}

// found returns the outputs of launches: the error that at returns says whether they differ.
func found(changed int64, err error) (launchOutputs, error) {
	var refused *replay.RefusedError
	if errors.As(err, &refused) {
		return launchOutputs{differs: refused.Text}, nil
	}
	return launchOutputs{changed: changed}, err
}

// Run times some launches. turn makes no difference.
func (l *launched) Run(ctx context.Context, device, _ int) (*Run, error) {
	run := &Run{}
	err := l.at(ctx, device, func(s *replay.Session) (err error) {
		run.Milliseconds, err = s.Time(ctx, l.id, launchesTimed)
		return err
	})
	run.Outputs, err = found(0, err)
	for _, ms := range run.Milliseconds {
		run.Seconds += ms / 1000
	}
	return run, err
}

// Check launches the form some times, each from the memory from which the original was launched.
func (l *launched) Check(ctx context.Context, device int) (Outputs, error) {
	var changed int64
	err := l.at(ctx, device, func(s *replay.Session) (err error) {
		for n := 0; n < launchesChecked && err == nil; n++ {
			changed, err = s.Check(ctx, l.id)
		}
		return err
	})
	return found(changed, err)
}

// launchOutputs say what a launch left in the device's memory: the program compares it itself.
type launchOutputs struct {
	changed int64  // bytes that are as the original's, and weren't before the launch
	differs string // where others are not, "" for nowhere
}

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

func (launchOutputs) Release() {}
