package tune

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/machine/model"
)

// machine returns what the flags measure on, for kernels that are rewritten together.
func (s *Session) machine(ctx context.Context, g *group) (machine.Machine, error) {
	switch {
	case s.Command.Run != "":
		m, err := s.commandMachine(ctx)
		if err != nil {
			return nil, s.machineError(err)
		}
		return m, nil
	case s.On == OnModel:
		devices, _, err := s.deviceList()
		if err != nil {
			return nil, err
		}
		return model.New(model.Options{
			GPU: s.gpu.String(), Name: g.name(), Seed: s.Seed, Error: s.ModelError, Unpredicted: s.ModelError,
			Noise: s.ModelNoise, Jitter: s.ModelNoise / 2, Repetitions: s.Repeats, Devices: max(1, len(devices)),
		}), nil
	case s.On == OnCPU:
		m, err := machine.NewCPU(s.program(g), s.gpu.String())
		if err != nil {
			return nil, s.machineError(err)
		}
		return m, nil
	}
	m, err := s.gpuMachine(ctx, g)
	if err != nil {
		return nil, s.machineError(err)
	}
	return m, nil
}

// machineError is why there is nothing to measure on, as a person is to see it.
func (s *Session) machineError(err error) error {
	var device *machine.DeviceError
	var missing *nvcc.MissingError
	switch {
	case errors.As(err, &device):
		return diag.Usagef(device.Help, "%w", err)
	case errors.As(err, &missing):
		return diag.Usagef(missing.Help, "%w", err)
	}
	return err
}

// gpuMachine returns the GPUs of this machine.
func (s *Session) gpuMachine(ctx context.Context, g *group) (machine.Machine, error) {
	devices, err := s.devices(ctx)
	if err != nil {
		return nil, err
	}
	toolkit, err := s.job.FindNVCC()
	if err != nil {
		return nil, err
	}
	arch, _ := toolkit.NearestArch(s.gpu.CC())
	return machine.NewGPU(s.program(g), machine.GPUOptions{Toolkit: toolkit, Arch: arch, GPU: s.gpu.String(), SMI: s.NVIDIASMI, Use: devices})
}

// devices returns those of --devices.
func (s *Session) devices(ctx context.Context) ([]machine.Device, error) {
	list, all, err := s.deviceList()
	if err != nil {
		return nil, err
	}
	if all {
		if list, err = machine.AllDevices(ctx, s.NVIDIASMI); err != nil {
			return nil, err
		}
	}
	return machine.FindDevices(ctx, s.NVIDIASMI, list)
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

// deviceList reads Devices: nil for the first one, all for "all".
func (s *Session) deviceList() (list []int, all bool, err error) {
	if s.Devices == "" || s.Devices == "all" {
		return nil, s.Devices == "all", nil
	}
	for _, field := range strings.Split(s.Devices, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 0 {
			return nil, false, diag.Usagef("write --devices 0,1 or --devices all", "--devices %q: %q is not an index", s.Devices, field)
		}
		list = append(list, n)
	}
	return list, false, nil
}
