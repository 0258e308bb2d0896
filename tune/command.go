package tune

import (
	"cmp"
	"context"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/machine/command"
	"github.com/smux-cuda/smux/tune/record"
)

// commandMachine returns the person's commands.
func (s *Session) commandMachine(ctx context.Context) (machine.Machine, error) {
	o := s.Command
	metric, err := command.NewMetric(o.Metric, o.Maximize)
	if err != nil {
		return nil, diag.Usagef(`write --metric 'time: ([0-9.]+) ms'`, "--metric: %w", err)
	}
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
		Root: cmp.Or(o.Root, "."), Files: files, Build: o.Build, Run: o.Run, Metric: metric,
		Use: use, Timeout: s.Timeout, Tolerance: s.Tolerance, About: about, SMI: s.NVIDIASMI,
	})
	if err != nil {
		return nil, record.Explain(err)
	}
	for _, left := range m.Left() {
		s.Remark("%s is not copied", left)
	}
	return m, nil
}
