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

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/tune/instrument"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/replay"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/shim"
)

// GPU is the GPUs of this machine: programs are built by nvcc, and each run is held to one device.
type GPU struct {
	*host
	GPUOptions
	about record.Machine
}

type GPUOptions struct {
	Toolkit *nvcc.Toolkit
	Arch    string // that forms are compiled for, "sm_80"
	GPU     string // as smux --gpu takes it
	SMI     SMI
	Use     []Device // of FindDevices
}

// NewGPU makes the machine. The error is that of a toolkit that does not run, or of this machine.
func NewGPU(p Program, o GPUOptions) (*GPU, error) {
	if len(o.Use) == 0 {
		return nil, diag.Usagef(noGPUHelp, "no device is named")
	}
	version, err := o.Toolkit.Version()
	if err != nil {
		return nil, fmt.Errorf("asking nvcc for its version: %w", err)
	}
	h, err := newHost(p, len(o.Use))
	if err != nil {
		return nil, err
	}
	about := record.Machine{On: "gpu", GPU: o.GPU, Device: o.Use[0].Name, Driver: o.Use[0].Driver, Toolkit: "nvcc " + version}
	g := &GPU{h, o, about}
	g.arch, g.environment = o.Arch, g.ofRun
	g.options = execute.Options{Name: "./program", MaxOutput: mostOutput} // every program has that name, for it may print it
	return g, nil
}

// mostOutput bounds the bytes that a program prints.
const mostOutput = 1 << 30

// About returns the first device, whose product the others are, and the toolkit.
func (g *GPU) About() record.Machine { return g.about }

func (g *GPU) Devices() []int {
	return lists.Map(g.Use, func(d Device) int { return d.Index })
}

func (g *GPU) State(ctx context.Context, device int) *record.State {
	return ReadState(ctx, g.SMI, device)
}

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
	return &executable{g.host, &build.Program{Path: path}, s.Candidate.IsOriginal(), s.Texts}, nil
}

func (g *GPU) request(texts map[string][]byte, units []string) nvcc.Request {
	parse := g.Program.Parse
	return nvcc.Request{Texts: maps.Clone(texts), Units: units, Includes: parse.IncludeDirs, Defines: parse.Defines, Flags: parse.Flags, Arch: g.Arch}
}

// compile has nvcc make a file by own flags; its messages are told as of the text that a person knows.
func (g *GPU) compile(ctx context.Context, name string, r nvcc.Request, told map[string][]byte, further, libraries []string, own ...string) (string, error) {
	dir, err := os.MkdirTemp(g.dir, "form-")
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
	server, err := g.compile(ctx, "server.o", nvcc.Request{Texts: sources, Units: []string{unit}, Arch: g.Arch}, nil, nil, nil, "-c")
	if err != nil {
		return nil, err
	}
	path, err := g.compile(ctx, "program", g.request(texts, instrument.Units(prog)), texts, append(slices.Clone(g.Program.Further), server), g.Program.Libraries, wrapped...)
	if err != nil {
		return nil, err
	}
	return stopAt(ctx, g, g.Program, path, kernel, g.held)
}

// replayHeader is the part of the server that the CPU engine has as well.
const replayHeader = "replay_server.h"

// library has a CUDA runtime of its own; all runtimes of a process share the device's context and know each other's streams.
func (g *GPU) library(ctx context.Context, s Source) (string, error) {
	r := g.request(s.Launch.Texts, []string{s.Launch.Unit})
	r.Flags = slices.Concat(r.Flags, s.Flags)
	link := append(replay.GPULibrary(), "-shared", "-Xcompiler", "-fPIC", "-Xlinker", "-Bsymbolic")
	return g.compile(ctx, "form.so", r, s.Texts, nil, nil, link...)
}

func (g *GPU) held(device int) []string {
	at := slices.IndexFunc(g.Use, func(d Device) bool { return d.Index == device })
	return []string{"CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES=" + g.Use[at].Visible()}
}

// ofRun returns this process's environment without what would change an instrumented program, held to a device.
func (g *GPU) ofRun(device int, kind runKind) ([]string, error) {
	if !slices.Contains(g.Devices(), device) {
		return nil, fmt.Errorf("device %d is not one of those that were named", device)
	}
	env := slices.DeleteFunc(os.Environ(), func(e string) bool {
		return strings.HasPrefix(e, "SMUX_LAUNCH_") || strings.HasPrefix(e, "SMUX_BENCH_")
	})
	if env = append(env, g.held(device)...); kind == timedRun {
		env = append(env, instrument.EnvHold+"="+instrument.LongestHold)
	}
	return env, nil
}

// ptxasLimits are the words of ptxas for a kernel that no launch could have room for.
var ptxasLimits = []string{"uses too much shared data", "uses too much parameter space", "uses too much local data", "uses too much global constant data"}

func (g *GPU) refused(e *nvcc.CompileError, texts map[string][]byte) *record.Failure {
	f := &record.Failure{Kind: record.FailedCompile}
	if slices.ContainsFunc(ptxasLimits, func(words string) bool { return strings.Contains(e.Message, words) }) {
		f.Kind = record.FailedResources
	}
	m := diag.Message{Text: e.Unit + ": " + e.Message, Help: e.Help}
	if e.Line > 0 {
		m.Pos, m.Text = diag.Position{File: e.File, Line: e.Line}, e.Message
	}
	f.Text = g.message(m, texts)
	return f
}
