package cmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/machine/command"
	"github.com/smux-cuda/smux/tune/machine/model"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify"
)

// machine is what the flags measure on, for kernels that are rewritten together.
func (t *tuning) machine(ctx context.Context, g *tuneGroup) (machine.Machine, error) {
	o := t.flags
	switch {
	case o.run != "":
		m, err := t.commandMachine(ctx)
		if err != nil {
			return nil, t.machineError(err)
		}
		return m, nil
	case o.on == onModel:
		devices, _, err := o.deviceList()
		if err != nil {
			return nil, err
		}
		return model.New(model.Options{
			GPU: t.gpu.String(), Name: g.name(), Seed: o.seed, Error: o.simulatedError / 100, Unpredicted: o.simulatedError / 100,
			Noise: o.simulatedNoise / 100, Jitter: o.simulatedNoise / 200, Repetitions: o.inner, Devices: max(1, len(devices)),
		}), nil
	case o.on == onCPU:
		m, err := machine.NewCPU(machine.CPUOptions{Program: t.program(g), GPU: t.gpu.String(), Includes: t.parse.IncludeDirs, Defines: t.parse.Defines})
		if err != nil {
			return nil, t.machineError(err)
		}
		return m, nil
	}
	m, err := t.gpuMachine(ctx, g)
	if err != nil {
		return nil, t.machineError(err)
	}
	return m, nil
}

// machineError is why there is nothing to measure on, as a person is to see it.
func (t *tuning) machineError(err error) error {
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

// gpuMachine is the GPUs of this machine.
func (t *tuning) gpuMachine(ctx context.Context, g *tuneGroup) (machine.Machine, error) {
	devices, err := t.devices(ctx)
	if err != nil {
		return nil, err
	}
	toolkit, err := t.session.findNVCC()
	if err != nil {
		return nil, err
	}
	request := nvcc.Request{Includes: t.parse.IncludeDirs, Defines: t.parse.Defines}
	request.Arch, _ = toolkit.NearestArch(t.gpu.CC())
	return machine.NewGPU(machine.GPUOptions{
		Program: t.program(g), Toolkit: toolkit, Request: request, GPU: t.gpu.String(), SMI: t.session.nvidiaSMI, Use: devices,
	})
}

// devices are those of --devices.
func (t *tuning) devices(ctx context.Context) ([]machine.Device, error) {
	list, all, err := t.flags.deviceList()
	if err != nil {
		return nil, err
	}
	if all {
		if list, err = machine.AllDevices(ctx, t.session.nvidiaSMI); err != nil {
			return nil, err
		}
	}
	return machine.FindDevices(ctx, t.session.nvidiaSMI, list)
}

// program says how forms of the program are built and run.
func (t *tuning) program(g *tuneGroup) machine.Program {
	o := t.flags
	p := machine.Program{
		Parse: t.parse, Original: t.run.Texts(), Kernels: g.kernels(), Block: t.opt.Block, Further: t.further, Libraries: o.libraries,
		Args: t.after, Dir: o.dir, Timeout: o.timeout, Tolerance: verify.Tolerance{Abs: o.abs, Rel: o.rel},
	}
	if t.how != "" {
		p.Repeats, p.WarmUp = o.inner, o.warmUp
	}
	if o.flush {
		p.FlushL2 = flushBytes(t.gpu)
	}
	return p
}

// flushBytes is how much is written to flush the L2 cache of a GPU: twice what it
// holds, and enough for any GPU where that is not known.
func flushBytes(g *gpu.GPU) int64 {
	return max(2*int64(g.L2Bytes), 128<<20)
}

// commandMachine is the person's commands.
func (t *tuning) commandMachine(ctx context.Context) (machine.Machine, error) {
	o := t.flags
	metric, err := command.NewMetric(o.metric, o.maximize)
	if err != nil {
		return nil, diag.Usagef(`write --metric 'time: ([0-9.]+) ms'`, "--metric: %w", err)
	}
	root := o.root
	if root == "" {
		root = "."
	}
	if err := t.inRoot(root); err != nil {
		return nil, err
	}
	about := record.Machine{GPU: t.gpu.String()}
	var use []machine.Device
	devices, err := t.devices(ctx)
	switch {
	case err == nil:
		about.Device, about.Driver = devices[0].Name, devices[0].Driver
		if o.devices != "" {
			use = devices
		}
	case o.devices != "":
		return nil, err
	}
	m, err := command.New(command.Options{
		Root: root, Build: o.build, Run: o.run, Metric: metric,
		Use: use, Timeout: o.timeout, Tolerance: verify.Tolerance{Abs: o.abs, Rel: o.rel}, About: about,
		State: func(ctx context.Context, device int) *record.State {
			return machine.ReadState(ctx, t.session.nvidiaSMI, device)
		},
	})
	var large *command.TooLargeError
	if errors.As(err, &large) {
		return nil, diag.Usagef("name a smaller folder with --root", "%w", err)
	}
	if err != nil {
		return nil, &diag.Failure{Exit: diag.ExitInternal, Err: err}
	}
	for _, left := range m.Left() {
		t.session.Remark("%s is not copied", left)
	}
	return m, nil
}

// inRoot refuses files that would not be in the copy of a folder: then the commands would
// build the original whatever the form.
func (t *tuning) inRoot(root string) error {
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return diag.Usagef("name the folder of the project", "--root %s is no folder", root)
	}
	dir, err := realPath(root)
	if err != nil {
		return diag.Failed("looking at "+root, err)
	}
	for _, f := range t.prog.Files {
		file, err := realPath(f.Name)
		if err != nil {
			return diag.Failed("looking at "+f.Name, err)
		}
		if in, err := filepath.Rel(dir, file); err != nil || !filepath.IsLocal(in) {
			return diag.Usagef("name a folder with --root that holds all files", "%s is not in the folder %s, which is what is copied for --run", f.Name, root)
		}
	}
	return nil
}

// realPath is a path from the root on, without links.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// name is that of the kernels, which share it.
func (g *tuneGroup) name() string { return g.input.Group.Kernels[0].Name }

// kernels are the names of the kernels whose launches are timed.
func (g *tuneGroup) kernels() []string { return []string{g.name()} }
