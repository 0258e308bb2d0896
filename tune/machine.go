package tune

import (
	"context"
	"errors"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/pipeline/targets"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/machine/command"
	"github.com/smux-cuda/smux/tune/machine/model"
	"github.com/smux-cuda/smux/tune/record"
)

// machine returns what the flags measure on, for kernels that are rewritten together.
func (s *Session) machine(ctx context.Context, g *group) (machine.Machine, error) {
	switch {
	case s.Command.Run != "":
		return s.commandMachine(ctx)
	case s.On == OnModel:
		devices, err := machine.ParseDevices(s.Devices)
		return model.New(model.Options{
			GPU: s.gpu.String(), Name: g.name(), Seed: s.Seed, Error: s.ModelError, Unpredicted: s.ModelError,
			Noise: s.ModelNoise, Jitter: s.ModelNoise / 2, Repetitions: s.Repeats, Devices: max(1, len(devices)),
		}), err
	case s.On == OnCPU:
		return machine.NewCPU(s.program(g), s.gpu.String())
	}
	devices, err := machine.FindDevices(ctx, s.NVIDIASMI, s.Devices)
	if err != nil {
		return nil, err
	}
	toolkit, err := s.job.FindNVCC()
	var missing *nvcc.MissingError
	if errors.As(err, &missing) {
		return nil, diag.Usagef(missing.Help, "%w", err)
	}
	if err != nil {
		return nil, err
	}
	arch, _ := toolkit.NearestArch(s.gpu.CC())
	return machine.NewGPU(s.program(g), machine.GPUOptions{Toolkit: toolkit, Arch: arch, GPU: s.gpu.String(), SMI: s.NVIDIASMI, Use: devices})
}

func (s *Session) program(g *group) machine.Program {
	p := machine.Program{
		Parse: s.job.Parse, Original: s.run.Program.Texts(), Kernels: []string{g.name()}, Block: s.job.Options.Block, Further: s.further, Libraries: s.Libraries,
		Args: s.Arguments, Dir: s.Dir, Timeout: s.Timeout, Tolerance: s.Tolerance,
	}
	if s.how != "" {
		p.Repeats, p.WarmUp = s.Repeats, s.WarmUp
	}
	if s.FlushL2 {
		p.FlushL2 = max(2*int64(s.gpu.L2Bytes), 128<<20) // enough for any GPU if unknown
	}
	return p
}

// chooseGPU returns the GPU that is predicted for: the one that is measured on, the named one, this machine's, or else some.
func (s *Session) chooseGPU(asked targets.Request) (*gpu.GPU, error) {
	if s.On == OnGPU && s.Command.Run == "" {
		const help = "measure with --store FILE.jsonl on a machine with a GPU, and give --replay FILE.jsonl here; or take what --export writes to one"
		return s.targets().Own(asked, "smux tune", help)
	}
	if len(asked.Names) > 0 {
		gpus, err := s.targets().GPUs(asked)
		if err == nil && len(gpus) > 1 {
			err = diag.Usagef("name one of them", "--gpu names several GPUs, and smux tune predicts for one at a time")
		}
		if err != nil {
			return nil, err
		}
		return gpus[0], nil
	}
	table, err := asked.Table(s.Console)
	if err != nil {
		return nil, err
	}
	here, err := s.targets().Native(table)
	switch {
	case err == nil:
		return here[0], nil
	case errors.Is(err, diag.ErrInterrupted):
		return nil, err
	}
	g, err := table.Lookup(someGPU)
	if err == nil {
		s.tell("no GPU was named and none found here: the model predicts for %s (--gpu NAME chooses)", g)
	}
	return g, err
}

// someGPU is predicted for if nothing tells which one is meant.
const someGPU = "a100"

func (s *Session) targets() targets.Finder {
	return targets.Finder{Console: s.Console, NVIDIASMI: s.NVIDIASMI}
}

func (s *Session) commandMachine(ctx context.Context) (machine.Machine, error) {
	about := record.Machine{GPU: s.gpu.String()}
	var use []machine.Device
	devices, err := machine.FindDevices(ctx, s.NVIDIASMI, s.Devices)
	switch {
	case err == nil:
		about.Device, about.Driver = devices[0].Name, devices[0].Driver
		if s.Devices != "" {
			use = devices
		}
	case s.Devices != "":
		return nil, err
	}
	var files []string
	for _, f := range s.job.Program.Files {
		files = append(files, f.Name)
	}
	m, err := command.New(command.Options{
		Command: s.Command, Files: files, Use: use, Timeout: s.Timeout, Tolerance: s.Tolerance, About: about, SMI: s.NVIDIASMI,
	})
	if err != nil {
		return nil, record.Explain(err)
	}
	for _, left := range m.Left() {
		s.Remark("%s is not copied", left)
	}
	return m, nil
}
