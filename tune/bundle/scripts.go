package bundle

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"text/template"

	"github.com/smux-cuda/smux/tune/machine"
)

//go:embed files/Makefile
var makefile []byte

//go:embed files/run.sh
var runScript []byte

//go:embed files/lock.sh
var lockScript []byte

//go:embed files/README
var readme []byte

// submitText is the script of an array job.
//
//go:embed files/submit.sbatch.tmpl
var submitText string

var submitTemplate = template.Must(template.New("submit.sbatch").Parse(submitText))

// array holds the fields of the template: tasks 0 to Last search, Confirm confirm.
type array struct {
	Array, Confirm string
	Count, Last    int
}

// newArray returns the tasks of some forms. The original is not confirmed.
func newArray(forms int) array {
	a := array{Array: fmt.Sprintf("0-%d", forms-1), Confirm: "none", Count: forms, Last: forms - 1}
	if forms > 1 {
		a.Confirm = fmt.Sprintf("%d-%d", forms+1, 2*forms-1)
		a.Array += "," + a.Confirm
	}
	return a
}

// settingsText is the text that run.sh reads.
//
//go:embed files/settings.sh.tmpl
var settingsText string

var settingsTemplate = template.Must(template.New("settings.sh").Funcs(template.FuncMap{"quoteAll": quoteAll}).Parse(settingsText))

// settings are the fields of the template.
type settings struct {
	Folders                       []string
	Plan                          Plan
	Timeout, CheckTimeout         int // seconds
	WarmUp, Repeats, CheckRepeats int
	Args                          []string
}

// scripts writes what builds and runs the forms.
func (w *writer) scripts(m *Manifest) error {
	s := settings{Plan: m.Plan, WarmUp: m.Plan.WarmUp, Args: w.Program.Args}
	for _, f := range m.Forms {
		if f.Folder != "" {
			s.Folders = append(s.Folders, f.Folder)
		}
	}
	s.Timeout = max(1, int(math.Ceil(m.Plan.Timeout)))
	s.CheckTimeout = s.Timeout * machine.CheckPatience
	if m.Plan.Repeats > 0 {
		s.Repeats, s.CheckRepeats = m.Plan.WarmUpRepeats+m.Plan.Repeats, machine.CheckRepeats
	}
	var text, submit bytes.Buffer
	if err := errors.Join(settingsTemplate.Execute(&text, s), submitTemplate.Execute(&submit, newArray(len(s.Folders)))); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		text []byte
		mode os.FileMode
	}{
		{"settings.sh", text.Bytes(), 0o644}, {"run.sh", runScript, 0o755}, {"lock.sh", lockScript, 0o644}, {"submit.sbatch", submit.Bytes(), 0o755}, {"Makefile", makefile, 0o644}, {"README", readme, 0o644},
		{"arch", []byte(m.Arch + "\n"), 0o644},
	} {
		if err := w.put(f.name, f.text, f.mode); err != nil {
			return err
		}
	}
	return errors.Join(os.Mkdir(filepath.Join(w.dir, resultsName), 0o755), os.Mkdir(filepath.Join(w.dir, jobsName), 0o755))
}

// workName is the folder in whose copy the program runs.
const workName = "work"

// bringData copies the files that the program's arguments name.
func (w *writer) bringData() error {
	if err := os.Mkdir(filepath.Join(w.dir, workName), 0o755); err != nil {
		return err
	}
	if w.Program.Dir != "" {
		w.leave("the program runs in %s: what it reads there has to be put into %s/", w.Program.Dir, workName)
	}
	for _, arg := range w.Program.Args {
		path := arg
		if !filepath.IsAbs(path) {
			path = filepath.Join(w.Program.Dir, path)
		}
		info, err := os.Stat(path)
		if arg == "" || err != nil {
			continue
		}
		text, regular := readRegular(path)
		if !regular || !filepath.IsLocal(arg) {
			w.leave("the argument %q, of %d bytes, is not brought along", arg, info.Size())
			continue
		}
		if err := w.put(filepath.Join(workName, arg), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
