package cmd

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/survey/baseline"
)

// maxBaselineBytes is more than any baseline has: a hundred thousand kernels.
const maxBaselineBytes = 256 << 20

// baselineFile is a baseline as it lies on the disk.
type baselineFile struct {
	name string         // as a person knows it
	dir  string         // its folder, absolute
	text []byte         // nil where there is no such file
	file *baseline.File // empty where there is none
}

// openBaseline reads the baseline that is named, or else the nearest one from the
// working directory upwards. Where there is none it would be in the working directory.
func (s *session) openBaseline(name string) (*baselineFile, error) {
	if name == "" {
		name = nearestBaseline()
	}
	b := &baselineFile{name: name, file: &baseline.File{}}
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, failure("reading "+name, err)
	}
	b.dir = filepath.Dir(abs)
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return b, nil
	case err != nil:
		return nil, failure("reading "+name, plainCause(err))
	case !info.Mode().IsRegular():
		return nil, usagef("name the file itself", "%s is %s, and a baseline is a file", name, kindOf(info.Mode()))
	case info.Size() > maxBaselineBytes:
		return nil, usagef("name another file", "%s is no baseline: it has %d bytes", name, info.Size())
	}
	if b.text, err = os.ReadFile(name); err != nil {
		return nil, failure("reading "+name, plainCause(err))
	}
	b.file, err = baseline.Parse(name, b.text)
	var format *baseline.FormatError
	if errors.As(err, &format) {
		s.note(ExitUsage)
		s.message(format.Message)
		return nil, errReported
	}
	return b, err
}

// nearestBaseline is the path of the nearest baseline upwards, as far as the
// repository goes.
func nearestBaseline() string {
	wd, err := os.Getwd()
	if err != nil {
		return baseline.Name
	}
	for dir, up := wd, ""; ; up = filepath.Join(up, "..") {
		if _, err := os.Lstat(filepath.Join(dir, baseline.Name)); err == nil {
			return filepath.Join(up, baseline.Name)
		}
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		parent := filepath.Dir(dir)
		if err == nil || parent == dir {
			return baseline.Name
		}
		dir = parent
	}
}

// everything is the folder of the baseline, as it is seen from here.
func (b *baselineFile) everything() string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, b.dir); err == nil {
			return rel
		}
	}
	return b.dir
}

// covers reports whether a recorded kernel is among what the arguments and --kernel
// ask for.
func (b *baselineFile) covers(args, kernels []string) func(baseline.Kernel) bool {
	return func(k baseline.Kernel) bool {
		return wanted(kernels, k.Name) && below(filepath.Join(b.dir, filepath.FromSlash(k.File)), args)
	}
}

// sighting settles how kernels are looked at: as they are recorded, where nobody
// says otherwise.
func (b *baselineFile) sighting(s *session, o *baselineFlags) (how sighting, err error) {
	how = sighting{dir: b.dir, resources: o.resources}
	if how.resources == "" {
		how.resources = resourcesEstimate
		if b.file.Compiled() {
			how.resources = resourcesNVCC
		}
	}
	if len(o.gpus.names) == 0 {
		o.gpus.names = b.file.GPUs()
	}
	if _, err := s.newResourceReader(how.resources, &parser.Program{}, parser.Options{}); err != nil {
		return how, err // told once, not for each program
	}
	how.gpus, err = o.gpus.gpus(s)
	return how, err
}

// replace writes a baseline, unless it is there already.
func (b *baselineFile) replace(text []byte) (written bool, err error) {
	if bytes.Equal(b.text, text) {
		return false, nil
	}
	var st *stagedFile
	if b.text == nil {
		st, err = stage(b.name, text)
	} else {
		st, err = stageOver(b.name, b.text, text)
	}
	if err != nil {
		return false, err
	}
	return true, st.commit()
}

// CodeNoBaseline says that there is nothing to compare with.
const CodeNoBaseline diag.Code = "baseline-missing"
