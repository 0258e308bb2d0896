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

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify"
)

// defaultTimeout is for a build, and for a run where Options give none.
const defaultTimeout = 10 * time.Minute

// Command is a person's own way to build and measure, in a copy of a folder.
type Command struct {
	Root string // the folder of the project, which is copied, "" for the current one
	// Build and Run are what sh -c gets; no Build means that there is nothing to build, or that Run does it each time.
	Build, Run string
	Metric     string // a regular expression whose first group is the time, in what Run prints
	Maximize   bool   // more of the metric is better
}

type Options struct {
	Command
	Files []string // that must be in the folder: else the commands would build the original whatever the form
	// Use are the devices that runs are held to, of machine.FindDevices; none leaves it to the command.
	Use       []machine.Device
	Timeout   time.Duration    // of a run; 0 stands for ten minutes
	Tolerance verify.Tolerance // of numbers with a fraction in printed lines
	About     record.Machine   // On is set here
	SMI       machine.SMI      // tells the state of a device; nil where there is none to read
}

// Machine is a machine.Machine that measures by commands. One command at a time runs for each device.
type Machine struct {
	o            Options
	metric       Metric
	buildTimeout time.Duration
	root         string // real
	scratch      string
	base         string // the copy of the project that nothing runs in
	left         []string
	slots        []*slot

	mutex sync.Mutex
	forms int // built so far
}

var _ machine.Machine = (*Machine)(nil)

// slot is a device with the copy of the project that its commands run in.
type slot struct {
	sync.Mutex
	device  int
	visible string         // what CUDA_VISIBLE_DEVICES is set to, "" for what it is
	dir     string         // the copy
	last    *form          // that ran in it
	built   map[*form]bool // in it
}

// New copies the project. The error is that of a command line, or says what failed.
func New(o Options) (*Machine, error) {
	o.About.On = "command"
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.Root = cmp.Or(o.Root, ".")
	metric, err := NewMetric(o.Metric, o.Maximize)
	if err != nil {
		return nil, diag.Usagef(`write --metric 'time: ([0-9.]+) ms'`, "--metric: %w", err)
	}
	if info, err := os.Stat(o.Root); err != nil || !info.IsDir() {
		return nil, diag.Usagef("name the folder of the project", "--root %s is not a folder", o.Root)
	}
	root, err := realPath(o.Root)
	if err != nil {
		return nil, diag.Failed("looking at "+o.Root, err)
	}
	m := &Machine{o: o, metric: metric, root: root, buildTimeout: defaultTimeout}
	for _, name := range o.Files {
		if _, err := m.inside(name); err != nil {
			return nil, err
		}
	}
	if m.scratch, err = disk.TempDir("", "smux-command-"); err != nil {
		return nil, err
	}
	m.base = filepath.Join(m.scratch, "project")
	if err = os.Mkdir(m.base, 0o700); err == nil {
		m.left, err = snapshot(root, m.scratch, m.base)
	}
	if err != nil {
		if err = fmt.Errorf("copying the project: %w", err); errors.Is(err, errTooLarge) {
			err = diag.Usagef("name a smaller folder with --root", "%w", err)
		}
		return nil, errors.Join(err, m.Close())
	}
	for _, d := range o.Use {
		m.slots = append(m.slots, &slot{device: d.Index, visible: d.Visible()})
	}
	if len(m.slots) == 0 {
		m.slots = []*slot{{}}
	}
	for _, s := range m.slots {
		s.dir, s.built = filepath.Join(m.scratch, "device"+strconv.Itoa(s.device)), map[*form]bool{}
	}
	return m, nil
}

func (m *Machine) About() record.Machine { return m.o.About }

// Devices returns the indices of those of the options, 0 where they name none.
func (m *Machine) Devices() []int {
	return lists.Map(m.slots, func(s *slot) int { return s.device })
}

// Left names what of the project was not copied: links that lead out of it, and what is neither a file nor a folder.
func (m *Machine) Left() []string { return m.left }

func (m *Machine) State(ctx context.Context, device int) *record.State {
	return machine.ReadState(ctx, m.o.SMI, device)
}

func (m *Machine) Close() error { return disk.Remove(m.scratch) }

type form struct {
	m      *Machine
	number int
	texts  map[string][]byte // by path within the project
	flags  []string          // of nvcc
}

// Build builds a form; for several devices when it is used there, since what a build left may hold its folder's path.
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

func (m *Machine) inside(name string) (string, error) {
	path, err := realPath(name)
	if err != nil {
		return "", diag.Failed("looking at "+name, err)
	}
	rel, err := filepath.Rel(m.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", diag.Usagef("name a folder with --root that holds all files", "%s is not in the folder %s, which --run copies", name, m.o.Root)
	}
	return rel, nil
}

// realPath is absolute, and without links.
func realPath(name string) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}
