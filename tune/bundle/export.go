package bundle

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
)

// Input holds what is exported.
type Input struct {
	Subject record.Subject
	Program machine.Program
	Request nvcc.Request // Includes, Defines, Flags and Arch of all forms
	Forms   []Source     // the original first
	// Root is the folder of the project, "" for the current one: what lies in it is
	// brought along where it is included.
	Root            string
	Search, Confirm int // pairs of each form
}

// Source is a form with its texts, or why it has none.
type Source struct {
	Variant record.MeasuredVariant
	Source  machine.Source
	Failure *record.Failure
}

// Export writes a folder. It appears when it is whole. One that is there already is
// replaced only if it is empty, or an export of the same subject without results. The
// error is an *Error where the folder can't be used, a *record.Failure where the
// original can't be timed, or says what failed.
func Export(dir string, in Input) (*Manifest, error) {
	old, err := replaceable(dir, in.Subject)
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, err
	}
	temporary, err := disk.TempDir(filepath.Dir(dir), ".smux-export-")
	if err != nil {
		return nil, err
	}
	defer disk.Remove(temporary)
	w, err := newWriter(temporary, in)
	if err != nil {
		return nil, err
	}
	m, err := w.write()
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(temporary, 0o755); err != nil {
		return nil, err
	}
	if old {
		aside := temporary + ".old"
		if err := os.Rename(dir, aside); err != nil {
			return nil, err
		}
		defer os.RemoveAll(aside)
	}
	if err := os.Rename(temporary, dir); err != nil {
		return nil, err
	}
	return m, disk.Released(temporary)
}

// replaceable reports whether there is a folder, which may be replaced.
func replaceable(dir string, s record.Subject) (there bool, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if len(entries) == 0 {
		return true, nil
	}
	m, err := ReadManifest(dir)
	if err != nil {
		return false, &Error{dir, "the folder is not empty, and --export has not written it; name another"}
	}
	if m.Subject.Key() != s.Key() {
		return false, &Error{dir, "the folder is an export of something else; name another"}
	}
	results, err := os.ReadDir(filepath.Join(dir, resultsName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if len(results) > 0 {
		return false, &Error{dir, "the folder holds results; take them in with --import, and name another folder"}
	}
	return true, nil
}

// writer writes a folder.
type writer struct {
	Input
	dir  string
	root string // absolute
	left map[string]bool
}

func newWriter(dir string, in Input) (*writer, error) {
	if len(in.Forms) == 0 || !in.Forms[0].Variant.Candidate.IsOriginal() {
		return nil, errors.New("the original is not among the forms")
	}
	in.Root = cmp.Or(in.Root, ".")
	root, err := filepath.Abs(in.Root)
	if err != nil {
		return nil, err
	}
	in.Program = in.Program.WithDefaults()
	return &writer{in, dir, root, map[string]bool{}}, nil
}

// write writes everything, the manifest last.
func (w *writer) write() (*Manifest, error) {
	p := w.Program
	m := &Manifest{
		Schema: Schema, Subject: w.Subject, Arch: w.Request.Arch,
		Plan: Plan{
			Search: w.Search, Confirm: w.Confirm, WarmUp: w.Subject.How.WarmUp, Repeats: p.Repeats, WarmUpRepeats: p.WarmUp,
			FlushL2: p.FlushL2, Timeout: p.Timeout.Seconds(),
		},
		Compare: Compare{p.Tolerance, p.Repeats > 0},
	}
	for i, s := range w.Forms {
		f, err := w.form(i, s)
		if err != nil {
			return nil, err
		}
		m.Forms = append(m.Forms, f)
	}
	if err := m.Forms[0].Failure; err != nil {
		return nil, err
	}
	if err := w.bringData(); err != nil {
		return nil, err
	}
	for left := range w.left {
		m.Left = append(m.Left, left)
	}
	slices.Sort(m.Left)
	if err := w.scripts(m); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	return m, w.put(manifestName, append(text, '\n'), 0o644)
}

// form writes a form.
func (w *writer) form(number int, s Source) (Form, error) {
	s.Variant.Subject = w.Subject
	s.Variant.Name = s.Variant.Candidate.String()
	f := Form{Key: s.Variant.Key(), Variant: s.Variant, Failure: s.Failure}
	if s.Failure != nil {
		return f, nil
	}
	texts, units, err := w.Program.Timed(s.Source.Texts)
	if errors.As(err, &f.Failure) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	f.Flags = nvcc.PassedOn(slices.Concat(w.Request.Flags, s.Source.Flags))
	f.Folder = folderName(fmt.Sprintf("v%02d-%s", number, s.Variant.Name))
	files, err := w.files(f, texts, units)
	if err != nil {
		return f, fmt.Errorf("%s: %w", s.Variant.Name, err)
	}
	f.Files = map[string]string{}
	for name, text := range files {
		f.Files[name] = sum(text)
		if err := w.put(filepath.Join(variantsName, f.Folder, filepath.FromSlash(name)), text, 0o644); err != nil {
			return f, err
		}
	}
	return f, nil
}

// put writes a file below the folder.
func (w *writer) put(name string, text []byte, mode os.FileMode) error {
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, mode)
}
