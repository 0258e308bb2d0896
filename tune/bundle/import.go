package bundle

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/tune/machine"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/verify"
)

// Imported holds the content of a folder.
type Imported struct {
	Manifest *Manifest
	Subject  record.Subject // with the machine that it was measured on
	// Lines are those that weren't known before, in the order of the forms.
	Lines []record.Line
	// Pairs counts the pairs that the folder holds of each form, in both phases, by the
	// form's name; a form that isn't there was not measured.
	Pairs map[string]int
	// Unbuilt names the forms that have neither been built nor refused yet.
	Unbuilt []string
}

// UnsteadyError reports that runs of the original differ from each other, so that
// nothing can be compared with them.
type UnsteadyError struct{ Failure *record.Failure }

func (e *UnsteadyError) Error() string { return "the program as it is: " + e.Failure.Text }

// Unwrap returns the failure.
func (e *UnsteadyError) Unwrap() error { return e.Failure }

// Options say how to take results back.
type Options struct {
	// Product is one of Products: whose results are taken. "" stands for the only one.
	Product string
	// Known are the lines that a store holds: what is among them is not given again.
	Known []record.Line
	// Tolerance stands for that of the export, where it isn't nil: all outputs that
	// differ are in the folder.
	Tolerance *verify.Tolerance
}

// Import reads what was measured in a folder so far, and compares the outputs. The
// error is an *Error where the folder isn't what was exported or nothing was measured,
// or an *UnsteadyError.
func Import(dir string, o Options) (*Imported, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	if err := m.verifyTexts(dir); err != nil {
		return nil, err
	}
	if o.Product == "" {
		products, err := Products(dir)
		if err != nil {
			return nil, err
		}
		switch len(products) {
		case 0:
			return nil, nothingMeasured(dir)
		case 1:
			o.Product = products[0]
		default:
			return nil, &Error{dir, "results are of several GPUs: " + strings.Join(products, ", ")}
		}
	}
	results := filepath.Join(dir, resultsName, o.Product)
	about, arch, err := readMachine(dir, results, m.Subject.Machine)
	if err != nil {
		return nil, err
	}
	temporary, err := disk.TempDir("", "smux-import-")
	if err != nil {
		return nil, err
	}
	defer disk.Remove(temporary)
	m.Subject.Machine = about
	if o.Tolerance != nil {
		m.Compare.Tolerance = *o.Tolerance
	}
	r := &reader{
		manifest: m, dir: dir, results: results, bin: filepath.Join(dir, "bin", arch), temporary: temporary, subject: m.Subject,
		program: m.program(), known: newKnown(o.Known),
		out: &Imported{Manifest: m, Subject: m.Subject, Pairs: map[string]int{}},
	}
	for _, f := range m.Forms {
		if err := r.form(f); err != nil {
			return nil, err
		}
	}
	return r.out, nil
}

// program returns how the runs were made, as far as their outputs depend on it.
func (m *Manifest) program() machine.Program {
	return machine.Program{
		Repeats: m.Plan.Repeats, WarmUp: m.Plan.WarmUpRepeats, Tolerance: m.Compare.Tolerance,
		Timeout: time.Duration(m.Plan.Timeout * float64(time.Second)),
	}
}

// reader reads the results.
type reader struct {
	manifest                *Manifest
	dir, results, temporary string
	bin                     string // the programs, and what nvcc said
	subject                 record.Subject
	program                 machine.Program
	known                   known
	out                     *Imported

	folders              int
	reference, checkedBy machine.Outputs // of the original
	compared             int64           // bytes in which the form's check run was the same
}

// form adds the lines of a form.
func (r *reader) form(f Form) error {
	v := f.Variant
	v.Subject = r.subject
	key := v.Key()
	failure := f.Failure
	if f.Folder != "" {
		switch built := r.built(f.Folder); {
		case built != nil:
			failure = built
		case !exists(filepath.Join(r.bin, f.Folder+".done")):
			r.out.Unbuilt = append(r.out.Unbuilt, v.Name)
		}
	}
	var pairs []record.Line
	if failure == nil {
		var err error
		if failure, err = r.checked(f); err != nil {
			return err
		}
	}
	if failure == nil {
		var err error
		if pairs, failure, err = r.pairs(f, key); err != nil {
			return err
		}
	}
	r.out.Pairs[v.Name] = len(pairs)
	if failure == nil && len(pairs) == 0 {
		delete(r.out.Pairs, v.Name)
		return nil // not measured yet
	}
	now := time.Now().UTC().Truncate(time.Second)
	if len(pairs) > 0 {
		now = pairs[0].Time
	}
	r.add(record.Line{Schema: record.Schema, Key: key, Time: now, Variant: &v})
	for _, l := range pairs {
		r.add(l)
	}
	if failure != nil {
		r.add(record.Line{Schema: record.Schema, Key: key, Time: now, Failure: failure})
	}
	return nil
}

func (r *reader) add(l record.Line) {
	if r.known.note(l) {
		r.out.Lines = append(r.out.Lines, l)
	}
}

// known tells lines apart by what they say, not by when.
type known map[string]bool

// Unknown returns the lines that say what no known one says.
func Unknown(lines, already []record.Line) (out []record.Line) {
	k := newKnown(already)
	for _, l := range lines {
		if k.note(l) {
			out = append(out, l)
		}
	}
	return out
}

func newKnown(lines []record.Line) known {
	k := known{}
	for _, l := range lines {
		k.note(l)
	}
	return k
}

// note notes a line, and says whether it is a new one.
func (k known) note(l record.Line) bool {
	text := k.text(l)
	if k[text] {
		return false
	}
	k[text] = true
	return true
}

func (known) text(l record.Line) string {
	text := l.Key
	switch {
	case l.Variant != nil:
		text += " variant"
	case l.Pair != nil:
		text += fmt.Sprintf(" %s %q %d", l.Pair.Phase, l.Pair.Against, l.Pair.Turn)
	case l.Failure != nil:
		text += fmt.Sprintf(" %s %q", l.Failure.Kind, l.Failure.Text)
	}
	return text
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
