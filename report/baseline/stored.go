package baseline

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/project"
	"github.com/smux-cuda/smux/rewrite"
)

// maxBytes is more than any baseline has: a hundred thousand kernels.
const maxBytes = 256 << 20

// CodeMissing reports that there is nothing to compare with.
const CodeMissing diag.Code = "baseline-missing"

// Stored is a baseline as it lies on the disk.
type Stored struct {
	*File        // empty where there is none
	Name  string // as a person knows it
	Dir   string // its folder, absolute; paths of kernels are relative to it
	text  []byte // nil where there is no such file
}

// Open reads a baseline. One that is not there is empty, and made by Record. The error is
// a *FormatError for what is not a baseline, else a diag.Failure.
func Open(name string) (*Stored, error) {
	b := &Stored{File: &File{}, Name: name, Dir: filepath.Dir(project.Located(name))}
	switch info, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return b, nil
	case err != nil:
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	case !info.Mode().IsRegular():
		return nil, diag.Usagef("name the file itself", "%s is %s, and a baseline is a file", name, disk.KindOf(info.Mode()))
	case info.Size() > maxBytes:
		return nil, diag.Usagef("name another file", "%s is not a baseline: it has %d bytes", name, info.Size())
	}
	var err error
	if b.text, err = os.ReadFile(name); err != nil {
		return nil, diag.Failed("reading "+name, diag.PlainCause(err))
	}
	b.File, err = Parse(name, b.text)
	return b, err
}

// Exists reports whether there was such a file.
func (b *Stored) Exists() bool { return b.text != nil }

// Nearest returns the path of the nearest baseline upwards, as far as the
// repository of the working directory goes, and one in that where there is none.
func Nearest() string {
	wd, err := os.Getwd()
	if err != nil {
		return Name
	}
	top := project.Repository(wd)
	for dir, up := wd, ""; ; dir, up = filepath.Dir(dir), filepath.Join(up, "..") {
		if _, err := os.Lstat(filepath.Join(dir, Name)); err == nil {
			return filepath.Join(up, Name)
		}
		if dir == top || dir == filepath.Dir(dir) {
			return Name
		}
	}
}

// Covers reports whether a recorded kernel is among what arguments (files and folders) and
// globs of names ask for.
func (b *Stored) Covers(args, kernels []string) func(Kernel) bool {
	paths := located(args)
	return func(k Kernel) bool {
		return rewrite.Matches(kernels, k.Name) && project.Within(filepath.Join(b.Dir, filepath.FromSlash(k.File)), paths)
	}
}

// located returns the absolute paths that arguments name.
func located(args []string) (paths []string) {
	for _, a := range args {
		if project.IsFolder(a) {
			paths = append(paths, project.Resolved(project.Folder(a)))
		} else {
			paths = append(paths, project.Located(a))
		}
	}
	return paths
}

// Record puts kernels in the place of those that covers selects, and writes the baseline
// unless it holds them already. It returns how many kernels it has then.
func (b *Stored) Record(now []Sight, covers func(Kernel) bool) (kernels int, written bool, err error) {
	all := slices.DeleteFunc(slices.Clone(b.Kernels), covers)
	for _, k := range now {
		all = append(all, k.Kernel)
	}
	written, err = b.replace(Encode(all, b.Findings...))
	return len(all), written, err
}

func (b *Stored) replace(text []byte) (written bool, err error) {
	if bytes.Equal(b.text, text) {
		return false, nil
	}
	var st *disk.Staged
	if b.text == nil {
		st, err = disk.Stage(b.Name, text)
	} else {
		st, err = disk.StageOver(b.Name, b.text, text)
	}
	if err != nil {
		return false, err
	}
	return true, st.Commit()
}
