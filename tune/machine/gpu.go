package machine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/tune/instrument"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/replay"
	"github.com/smux-cuda/smux/verify/shim"
)

// GPU is the GPUs of this machine: programs are built by nvcc, and each run is held to one
// device.
type GPU struct {
	GPUOptions
	about   record.Machine
	scratch *scratch
	checks  checks
}

// GPUOptions say what is built and where it runs.
type GPUOptions struct {
	Program Program
	Toolkit *nvcc.Toolkit
	// Request says how a form is compiled. Texts and units are set for each.
	Request nvcc.Request
	GPU     string // as smux --gpu takes it
	SMI     SMI
	Use     []Device // of FindDevices
}

// NewGPU makes the machine. The error is that of a toolkit that does not run, or of
// this machine.
func NewGPU(o GPUOptions) (*GPU, error) {
	if len(o.Use) == 0 {
		return nil, &DeviceError{"no device is named", noGPUHelp}
	}
	version, err := o.Toolkit.Version()
	if err != nil {
		return nil, fmt.Errorf("asking nvcc for its version: %w", err)
	}
	s, err := newScratch()
	if err != nil {
		return nil, err
	}
	o.Program = o.Program.WithDefaults()
	about := record.Machine{On: "gpu", GPU: o.GPU, Device: o.Use[0].Name, Driver: o.Use[0].Driver, Toolkit: "nvcc " + version}
	return &GPU{GPUOptions: o, about: about, scratch: s}, nil
}

// About returns the first device, whose product the others are, and the toolkit.
func (g *GPU) About() record.Machine { return g.about }

// Devices returns the indices by which nvidia-smi counts.
func (g *GPU) Devices() []int {
	var out []int
	for _, d := range g.Use {
		out = append(out, d.Index)
	}
	return out
}

// State returns what nvidia-smi tells of a device.
func (g *GPU) State(ctx context.Context, device int) *record.State {
	return ReadState(ctx, g.SMI, device)
}

// Close removes the programs and all outputs.
func (g *GPU) Close() error { return g.scratch.Close() }

// Build compiles a form, instrumented.
func (g *GPU) Build(ctx context.Context, s Source) (Built, error) {
	texts, units, err := g.Program.Timed(s.Texts)
	if err != nil {
		return nil, err
	}
	r := g.request(texts, units)
	r.Flags = slices.Concat(r.Flags, s.Flags)
	path, err := g.compile(ctx, "program", r, s.Texts, g.Program.Further, g.Program.Libraries)
	if err != nil {
		return nil, err
	}
	return &onGPU{g, path, s.Candidate.IsOriginal()}, nil
}

// request asks for some units of texts.
func (g *GPU) request(texts map[string][]byte, units []string) nvcc.Request {
	r := g.Request
	r.Texts, r.Units = maps.Clone(texts), units
	return r
}

// compile has nvcc make a file; its messages are told as of the text that a person knows. own are flags that choose
// what is made.
func (g *GPU) compile(ctx context.Context, name string, r nvcc.Request, told map[string][]byte, further, libraries []string, own ...string) (string, error) {
	dir, err := g.scratch.folder("form")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	err = g.Toolkit.Build(ctx, r, further, libraries, path, own...)
	var refused *nvcc.CompileError
	switch {
	case errors.As(err, &refused):
		return "", g.refused(refused, told)
	case err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return "", &record.Failure{Kind: record.FailedCompile, Text: "nvcc takes too long: " + err.Error()}
	}
	return path, err
}

// Stop implements Stopper.
func (g *GPU) Stop(ctx context.Context, texts map[string][]byte, kernel string) (*Stopped, error) {
	if g.Program.FlushL2 > 0 {
		return nil, errors.New("the L2 cache is flushed before each launch")
	}
	prog, err := g.Program.parse(texts)
	if err != nil {
		return nil, err
	}
	sources, unit, wrapped := replay.GPUServer()
	if sources[replayHeader], err = fs.ReadFile(shim.Files(), "runtime/"+replayHeader); err != nil {
		return nil, err
	}
	server, err := g.compile(ctx, "server.o", nvcc.Request{Texts: sources, Units: []string{unit}, Arch: g.Request.Arch}, nil, nil, nil, "-c")
	if err != nil {
		return nil, err
	}
	path, err := g.compile(ctx, "program", g.request(texts, units(prog)), texts, append(slices.Clone(g.Program.Further), server), g.Program.Libraries, wrapped...)
	if err != nil {
		return nil, err
	}
	return stopAt(ctx, g, g.Program, path, kernel, g.environment)
}

// replayHeader is the part of the server that the CPU engine has as well.
const replayHeader = "replay_server.h"

// library has a CUDA runtime of its own, as a program's libraries have; all runtimes of a process share the device's
// context, and a stream of one is known to the others.
func (g *GPU) library(ctx context.Context, s Source) (string, error) {
	r := g.request(s.Launch.Texts, []string{s.Launch.Unit})
	r.Flags = slices.Concat(r.Flags, s.Flags)
	link := append(replay.GPULibrary(), "-shared", "-Xcompiler", "-fPIC", "-Xlinker", "-Bsymbolic")
	return g.compile(ctx, "form.so", r, s.Texts, nil, nil, link...)
}

// environment holds a program to a device.
func (g *GPU) environment(device int) []string {
	at := slices.IndexFunc(g.Use, func(d Device) bool { return d.Index == device })
	return []string{"CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES=" + g.Use[at].Visible()}
}

// ptxasLimits are the words of ptxas for a kernel that no launch could have room
// for.
var ptxasLimits = []string{"uses too much shared data", "uses too much parameter space", "uses too much local data", "uses too much global constant data"}

// refused returns the failure of a form that nvcc doesn't take.
func (g *GPU) refused(e *nvcc.CompileError, texts map[string][]byte) *record.Failure {
	f := &record.Failure{Kind: record.FailedCompile}
	for _, words := range ptxasLimits {
		if strings.Contains(e.Message, words) {
			f.Kind = record.FailedResources
		}
	}
	f.Text = e.Unit + ": " + e.Message
	if e.Line > 0 {
		f.Text = g.Program.place(texts, e.File, e.Line) + e.Message
	}
	if e.Help != "" {
		f.Text += " (" + e.Help + ")"
	}
	return f
}

// onGPU is a form that was built.
type onGPU struct {
	*GPU
	path     string
	original bool
}

// Release removes the program.
func (b *onGPU) Release() { _ = os.RemoveAll(filepath.Dir(b.path)) }

// Run runs the program on a device. turn makes no difference.
func (b *onGPU) Run(ctx context.Context, device, _ int) (*Run, error) {
	files, e, err := b.run(ctx, device, timedRun)
	if err != nil {
		return nil, b.explained(err)
	}
	var times []float64
	launches, failure := readLaunches(files.path(LaunchesFile))
	if failure == nil {
		times, failure = b.Program.samples(launches)
	}
	if failure != nil {
		files.Release()
		return nil, b.explained(failure)
	}
	return &Run{Milliseconds: times, Seconds: e.seconds, Outputs: files}, nil
}

// Check makes the check run.
func (b *onGPU) Check(ctx context.Context, device int) (Outputs, error) {
	out, err := b.checks.check(ctx, b.original, b.Program.Timeout, func(ctx context.Context, kind runKind) (*Files, error) {
		files, _, err := b.run(ctx, device, kind)
		if err != nil {
			return nil, err
		}
		return checked(files)
	})
	return out, b.explained(err)
}

// run runs the program to an end that is not an error. What a launch says of
// itself comes before what the program makes of it.
func (b *onGPU) run(ctx context.Context, device int, kind runKind) (*Files, *ended, error) {
	if !slices.Contains(b.Devices(), device) {
		return nil, nil, &DeviceError{fmt.Sprintf("device %d is not one of those that were named", device), ""}
	}
	dir, err := b.scratch.folder("run")
	if err != nil {
		return nil, nil, err
	}
	files := &Files{dir: dir, original: b.original, check: kind != timedRun, rules: b.Program.rules()}
	timeout := b.Program.timeout(kind)
	env := append(b.Program.environment(dir, kind), b.environment(device)...)
	if kind == timedRun {
		env = append(env, instrument.EnvHold+"="+instrument.LongestHold)
	}
	e, err := command{
		path: b.path, args: b.Program.Args, dir: b.Program.Dir, timeout: timeout, files: dir,
		env: env,
	}.execute(ctx)
	if err != nil {
		files.Release()
		return nil, nil, err
	}
	failure := e.failure(kind, files.path(StdoutFile), timeout)
	if failure != nil && !e.timedOut {
		if _, launch := readLaunches(files.path(LaunchesFile)); launch != nil && launch.Kind != record.FailedUntimed {
			failure = launch
		}
	}
	if failure != nil {
		files.Release()
		return nil, nil, failure
	}
	files.exit = e.exit
	return files, e, nil
}

// explained returns for what the program was compiled, where the GPU can't run it.
func (b *onGPU) explained(err error) error {
	var f *record.Failure
	if !errors.As(err, &f) {
		return err
	}
	if why, ok := strings.CutPrefix(f.Text, noCode+": "); ok {
		f.Text = fmt.Sprintf("%s: it was compiled for %s; %s", noCode, b.Request.Arch, why)
	}
	return f
}
