package tune

import (
	"context"
	"errors"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/machine/model"
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

// program returns how forms of the program are built and run.
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
