package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify"
)

// The limits where Options give none.
const (
	defaultBytes   = 512 << 20
	defaultFiles   = 50_000
	defaultTimeout = 10 * time.Minute
)

// Options say how to measure.
type Options struct {
	Root string // the folder of the project, which is copied
	// Build and Run are what sh -c gets; no Build means that there is nothing to build,
	// or that Run does it each time.
	Build, Run string
	Metric     Metric
	// Use are the devices that runs are held to, of machine.FindDevices; none leaves it
	// to the command.
	Use []machine.Device
	// BuildTimeout and Timeout are for one build and one run; 0 stands for ten minutes.
	BuildTimeout, Timeout time.Duration
	Tolerance             verify.Tolerance // of numbers with a fraction in printed lines
	MaxBytes              int64            // of the project, 0 stands for 512 MB
	About                 record.Machine   // On is set here
	// State reads that of a device; nil where there is none to read.
	State func(ctx context.Context, device int) *record.State
}

// Machine is a machine.Machine that measures by commands. One command at a time
// runs for each device.
type Machine struct {
	o       Options
	root    string // real
	scratch string
	base    state
	left    []string
	slots   []*slot

	mutex sync.Mutex
	forms int // built so far
}

var _ machine.Machine = (*Machine)(nil)

// slot is a device with the copy of the project that its commands run in.
type slot struct {
	sync.Mutex
	device  int
	visible string // what CUDA_VISIBLE_DEVICES is set to, "" for what it is
	copy    workCopy
	built   map[*form]state
}

// New copies the project. The error is a *TooLargeError or says what failed.
func New(o Options) (*Machine, error) {
	o.About.On = "command"
	o.BuildTimeout = cmp.Or(o.BuildTimeout, defaultTimeout)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.MaxBytes = cmp.Or(o.MaxBytes, defaultBytes)
	root, err := realPath(o.Root)
	if err != nil {
		return nil, err
	}
	dir, err := disk.TempDir("", "smux-command-")
	if err != nil {
		return nil, err
	}
	m := &Machine{o: o, root: root, scratch: dir}
	base := filepath.Join(dir, "project")
	if err := os.Mkdir(base, 0o700); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	all, left, err := snapshot(root, dir, base, o.MaxBytes, defaultFiles)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("copying the project: %w", err), m.Close())
	}
	m.base, m.left = keptIn(all, base), left
	m.addSlots()
	return m, nil
}

// addSlots makes a slot for each device.
func (m *Machine) addSlots() {
	add := func(device int, visible string) {
		m.slots = append(m.slots, &slot{
			device: device, visible: visible,
			copy:  workCopy{dir: filepath.Join(m.scratch, "device"+strconv.Itoa(device))},
			built: map[*form]state{},
		})
	}
	for _, d := range m.o.Use {
		add(d.Index, d.Visible())
	}
	if len(m.slots) == 0 {
		add(0, "")
	}
}

// About returns what is measured on.
func (m *Machine) About() record.Machine { return m.o.About }

// Devices returns the indices of those of the options, 0 where they name none.
func (m *Machine) Devices() []int {
	var out []int
	for _, s := range m.slots {
		out = append(out, s.device)
	}
	return out
}

// Left names what of the project was not copied: links that lead out of it, and
// what is neither a file nor a folder.
func (m *Machine) Left() []string { return m.left }

// State returns what Options.State says.
func (m *Machine) State(ctx context.Context, device int) *record.State {
	if m.o.State == nil {
		return nil
	}
	return m.o.State(ctx, device)
}

// Close removes all copies.
func (m *Machine) Close() error { return disk.Remove(m.scratch) }

// form is a form of the program.
type form struct {
	m      *Machine
	number int
	texts  map[string][]byte // by path within the project
	flags  []string          // of nvcc
}

// Build builds a form. Where there are several devices that is done in the copy of
// each when the form comes to be used there: what a build has left may hold the
// path of its folder.
func (m *Machine) Build(ctx context.Context, s machine.Source) (machine.Built, error) {
	f := &form{m: m, texts: map[string][]byte{}, flags: slices.Clone(s.Flags)}
	for name, text := range s.Texts {
		inside, err := m.inside(name)
		if err != nil {
			return nil, err
		}
		f.texts[inside] = text
	}
	m.mutex.Lock()
	m.forms++
	f.number = m.forms
	m.mutex.Unlock()
	if len(m.slots) > 1 {
		return f, nil
	}
	at, err := f.enter(ctx, m.slots[0].device)
	if err != nil {
		return nil, err
	}
	at.Unlock()
	return f, nil
}

// inside returns the path of a text within the project, with slashes.
func (m *Machine) inside(name string) (string, error) {
	path, err := realPath(name)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(m.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is not in the project's folder %s, which is copied for the commands", name, m.o.Root)
	}
	return filepath.ToSlash(rel), nil
}

// realPath is absolute, and without links.
func realPath(name string) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}
