package machine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/tune/instrument"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/translate"
)

// CPU is the CPU engine of package verify, for trials and tests: the processor's times say nothing of a GPU.
type CPU struct {
	*host
	gpu       string // that predictions are for, as smux --gpu takes it
	toolchain *build.Toolchain
}

// NewCPU makes the machine, a *build.NoCompilerError without a C++ compiler. One run at a time, so that none takes another's.
func NewCPU(p Program, gpu string) (*CPU, error) {
	compiler, err := build.Find("")
	if err != nil {
		return nil, err
	}
	toolchain, err := build.Open(compiler, "")
	if err != nil {
		return nil, fmt.Errorf("preparing the compiler: %w", err)
	}
	h, err := newHost(p, 1)
	if err != nil {
		return nil, errors.Join(err, toolchain.Close())
	}
	h.environment = func(int, runKind) ([]string, error) { return []string{"SMUX_EVENT_CLOCK=processor"}, nil }
	return &CPU{h, gpu, toolchain}, nil
}

func (c *CPU) About() record.Machine {
	return record.Machine{On: "cpu", GPU: c.gpu, Toolkit: c.toolchain.Compiler.Version}
}

func (c *CPU) Devices() []int { return []int{0} }

// State is nil: there is none.
func (c *CPU) State(context.Context, int) *record.State { return nil }

func (c *CPU) Close() error { return errors.Join(c.toolchain.Close(), c.host.Close()) }

func (c *CPU) Build(ctx context.Context, s Source) (Built, error) {
	texts, names, err := c.Program.Timed(s.Texts)
	if err != nil {
		return nil, err
	}
	built, err := c.compile(ctx, texts, names, build.Plain, s.Texts)
	if err != nil {
		return nil, err
	}
	return &executable{c.host, built, s.Candidate.IsOriginal(), s.Texts}, nil
}

// Stop implements Stopper.
func (c *CPU) Stop(ctx context.Context, texts map[string][]byte, kernel string) (*Stopped, error) {
	prog, err := c.Program.parse(texts)
	if err != nil {
		return nil, err
	}
	program, err := c.compile(ctx, texts, instrument.Units(prog), build.Plain, texts)
	if err != nil {
		return nil, err
	}
	return stopAt(ctx, c, c.Program, program.Path, kernel, func(int) []string { return nil })
}

func (c *CPU) library(ctx context.Context, s Source) (string, error) {
	program, err := c.compile(ctx, s.Launch.Texts, []string{s.Launch.Unit}, build.Library, s.Texts)
	if err != nil {
		return "", err
	}
	return program.Path, nil
}

// compile builds some units of texts; messages are told as of the text that a person knows.
func (c *CPU) compile(ctx context.Context, texts map[string][]byte, names []string, mode build.Mode, told map[string][]byte) (*build.Program, error) {
	dir, err := os.MkdirTemp(c.dir, "form-")
	if err != nil {
		return nil, err
	}
	compiled, err := c.translate(texts, names, dir)
	if err != nil {
		return nil, err
	}
	r := build.Request{Units: compiled, Mode: mode, Dir: dir, IncludeDirs: c.Program.Parse.IncludeDirs, Defines: c.Program.Parse.Defines}
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

func (c *CPU) translate(texts map[string][]byte, names []string, dir string) ([]*translate.Unit, error) {
	prog, err := c.Program.parse(texts)
	if err != nil {
		return nil, fmt.Errorf("reading the instrumented program: %w", err)
	}
	headers, units := map[string]*parser.File{}, []*parser.File(nil)
	maps.Copy(headers, prog.Headers)
	for _, f := range prog.Files {
		if slices.Contains(names, f.Name) {
			units = append(units, f)
		} else {
			headers[filepath.ToSlash(filepath.Clean(f.Name))] = f
		}
	}
	var out []*translate.Unit
	for _, f := range units {
		unit, err := translate.Translate(f, headers, translate.Options{Parse: c.Program.reading(texts), Dir: filepath.Join(dir, fmt.Sprintf("unit%d", len(out)))})
		if err != nil {
			return nil, fmt.Errorf("translating %s: %w", f.Name, err)
		}
		out = append(out, unit)
	}
	return out, nil
}
