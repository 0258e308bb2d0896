package cmd

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/atomicfile"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/pipeline/resources"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/report/baseline"
	"github.com/smux-cuda/smux/rewrite"
)

// maxBaselineBytes is more than any baseline has: a hundred thousand kernels.
const maxBaselineBytes = 256 << 20

// baselineFile is a baseline as it lies on the disk.
type baselineFile struct {
	name string         // as a person knows it
	dir  string         // its folder, absolute
	root string         // of all that it is about, absolute
	text []byte         // nil where there is no such file
	file *baseline.File // empty where there is none

	settings *config.Settings // of the working directory, nil for none
	built    []string         // the architectures of a compilation database
}

// openBaseline reads the baseline that the flags or the settings of the working
// directory name, or else the nearest one upwards. Where there is none it would be
// in the working directory.
func (s *session) openBaseline(o *baselineFlags) (*baselineFile, error) {
	set, err := o.in.Settings.For(s.Console, []string{"-"})
	if err != nil {
		return nil, err
	}
	how, err := o.in.Reading(s.Console, set)
	if err != nil {
		return nil, err
	}
	named := o.file != ""
	*o = o.with(set)
	name := o.file
	if name == "" {
		name = nearestBaseline()
	}
	b := &baselineFile{name: name, settings: set, built: how.Commands.Below("/"), root: project.Resolved("."), file: &baseline.File{}}
	b.dir = filepath.Dir(inFolder(name))
	switch {
	case named:
	case o.file != "":
		b.root = set.Dir
	default:
		b.root = b.dir
	}
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return b, nil
	case err != nil:
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	case !info.Mode().IsRegular():
		return nil, diag.Usagef("name the file itself", "%s is %s, and a baseline is a file", name, atomicfile.KindOf(info.Mode()))
	case info.Size() > maxBaselineBytes:
		return nil, diag.Usagef("name another file", "%s is no baseline: it has %d bytes", name, info.Size())
	}
	if b.text, err = os.ReadFile(name); err != nil {
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	}
	b.file, err = baseline.Parse(name, b.text)
	var format *baseline.FormatError
	if errors.As(err, &format) {
		s.Note(diag.ExitUsage)
		s.Message(format.Message)
		return nil, diag.ErrReported
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
	top := project.Repository(wd)
	for dir, up := wd, ""; ; dir, up = filepath.Dir(dir), filepath.Join(up, "..") {
		if _, err := os.Lstat(filepath.Join(dir, baseline.Name)); err == nil {
			return filepath.Join(up, baseline.Name)
		}
		if dir == top || dir == filepath.Dir(dir) {
			return baseline.Name
		}
	}
}

// everything is the folder of all that a baseline is about, as it is seen from here:
// that of the baseline where it was found, that of the settings where they name it, the
// working directory where a person does.
func (b *baselineFile) everything() string {
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(project.Resolved(wd), b.root); err == nil {
			return rel
		}
	}
	return b.root
}

// covers reports whether a recorded kernel is among what the arguments and --kernel
// ask for.
func (b *baselineFile) covers(args, kernels []string) func(baseline.Kernel) bool {
	var paths []string
	for _, a := range args {
		if project.IsFolder(a) {
			paths = append(paths, project.Resolved(project.Folder(a)))
		} else {
			paths = append(paths, inFolder(a))
		}
	}
	return func(k baseline.Kernel) bool {
		return rewrite.Matches(kernels, k.Name) && project.Within(filepath.Join(b.dir, filepath.FromSlash(k.File)), paths)
	}
}

// inFolder is a file's absolute path, without links in its folder: the file itself
// may be a link, or gone.
func inFolder(name string) string {
	return filepath.Join(project.Resolved(filepath.Dir(name)), filepath.Base(name))
}

// sighting settles how kernels are looked at: as they are recorded, where nobody
// says otherwise.
func (b *baselineFile) sighting(s *session, o *baselineFlags) (how sighting, err error) {
	how = sighting{dir: b.dir, resources: o.resources}
	switch {
	case how.resources != "":
	case b.file.Compiled(), len(b.file.Kernels) == 0 && resourcesWith("", false, b.settings) == resources.NVCC:
		how.resources = resources.NVCC
	default:
		how.resources = resources.Estimate
	}
	if recorded := b.file.GPUs(); len(o.gpus.names) == 0 && len(recorded) > 0 {
		o.gpus.names = recorded
	} else {
		o.gpus = o.gpus.with(b.settings)
		o.gpus.built = built{archs: b.built}
	}
	if _, err := resources.New(s.Console, s.findNVCC, how.resources, &parser.Program{}, parser.Options{}); err != nil {
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
	var st *atomicfile.Staged
	if b.text == nil {
		st, err = atomicfile.Stage(b.name, text)
	} else {
		st, err = atomicfile.StageOver(b.name, b.text, text)
	}
	if err != nil {
		return false, err
	}
	return true, st.Commit()
}

// CodeNoBaseline says that there is nothing to compare with.
const CodeNoBaseline diag.Code = "baseline-missing"
