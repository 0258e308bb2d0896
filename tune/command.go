package tune

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"

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
	root := o.Root
	root = cmp.Or(root, ".")
	if err := s.inRoot(root); err != nil {
		return nil, err
	}
	about := record.Machine{GPU: s.gpu.String()}
	var use []machine.Device
	devices, err := s.devices(ctx)
	switch {
	case err == nil:
		about.Device, about.Driver = devices[0].Name, devices[0].Driver
		if s.Devices != "" {
			use = devices
		}
	case s.Devices != "":
		return nil, err
	}
	m, err := command.New(command.Options{
		Root: root, Build: o.Build, Run: o.Run, Metric: metric,
		Use: use, Timeout: s.Timeout, Tolerance: s.Tolerance, About: about,
		State: func(ctx context.Context, device int) *record.State {
			return machine.ReadState(ctx, s.NVIDIASMI, device)
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
		s.Remark("%s is not copied", left)
	}
	return m, nil
}

// inRoot refuses files that would not be in the copy of a folder: then the commands would
// build the original whatever the form.
func (s *Session) inRoot(root string) error {
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return diag.Usagef("name the folder of the project", "--root %s is not a folder", root)
	}
	dir, err := realPath(root)
	if err != nil {
		return diag.Failed("looking at "+root, err)
	}
	for _, f := range s.job.Program.Files {
		file, err := realPath(f.Name)
		if err != nil {
			return diag.Failed("looking at "+f.Name, err)
		}
		if in, err := filepath.Rel(dir, file); err != nil || !filepath.IsLocal(in) {
			return diag.Usagef("name a folder with --root that holds all files", "%s is not in the folder %s, which --run copies", f.Name, root)
		}
	}
	return nil
}

// realPath returns a path from the root on, without links.
func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
