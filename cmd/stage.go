package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/smux-cuda/smux/internal/scratch"
)

// stagedFile is new content that lies complete and synced in a temporary file
// next to its target, one rename away from being there.
type stagedFile struct {
	target, temp string
	before       []byte      // what the target held, where there was one
	replaces     fs.FileInfo // the target as it was, nil where there was none
	committed    bool
}

// stage prepares data for target, which may not exist yet.
func stage(target string, data []byte) (*stagedFile, error) {
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return nil, failure("writing "+target, plainCause(err))
	default:
		if err := replaceable(target, info); err != nil {
			return nil, err
		}
	}
	temp, err := writeTemp(target, data, info)
	if err != nil {
		return nil, failure("writing "+target, plainCause(err))
	}
	st := &stagedFile{target: target, temp: temp, replaces: info}
	if info != nil {
		if st.before, err = os.ReadFile(target); err != nil {
			st.discard()
			return nil, failure("writing "+target, plainCause(err))
		}
	}
	return st, nil
}

// stageOver prepares data for a target that must still hold before.
func stageOver(target string, before, data []byte) (*stagedFile, error) {
	info, err := os.Lstat(target)
	if err != nil {
		return nil, failure("writing "+target, plainCause(err))
	}
	if err := replaceable(target, info); err != nil {
		return nil, err
	}
	now, err := os.ReadFile(target)
	if err != nil {
		return nil, failure("writing "+target, plainCause(err))
	}
	if !bytes.Equal(now, before) {
		return nil, failure("writing "+target, errors.New("the file has changed since it was read"))
	}
	return stage(target, data)
}

// replaceable refuses what a rename would destroy (links, devices, folders)
// and what the person may not write to.
func replaceable(target string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return &exitError{
			code: ExitUsage,
			err:  fmt.Errorf("%s is %s, and only regular files are replaced", target, kindOf(info.Mode())),
			help: "print to standard output instead, or name the file itself",
		}
	}
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return failure("writing "+target, plainCause(err))
	}
	return f.Close()
}

// kindOf names a type of file that is not regular.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "no regular file"
}

// writeTemp writes data to a new file in the target's folder, with the mode
// and owner of the file it will replace, and returns its name.
func writeTemp(target string, data []byte, replaces fs.FileInfo) (name string, err error) {
	name, f, err := scratch.Beside(target)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			scratch.Remove(name)
		}
	}()
	if replaces != nil {
		keepOwner(f, replaces)
		if err := f.Chmod(replaces.Mode().Perm()); err != nil {
			return name, err
		}
	}
	if _, err := f.Write(data); err != nil {
		return name, err
	}
	return name, f.Sync()
}

// commit puts the content in place.
func (st *stagedFile) commit() error {
	if err := st.rename(); err != nil {
		return err
	}
	st.sync()
	return nil
}

// rename puts the content in place, until the machine fails.
func (st *stagedFile) rename() error {
	if err := putInPlace(st.temp, st.target); err != nil {
		return failure("writing "+st.target, plainCause(err))
	}
	st.committed = true
	return nil
}

// sync has a rename last.
func (st *stagedFile) sync() {
	if dir, err := os.Open(filepath.Dir(st.target)); err == nil {
		_ = dir.Sync() // not every file system can; the content itself is synced
		dir.Close()
	}
}

// putInPlace gives a temporary file its name, or removes it.
func putInPlace(temp, target string) error {
	err := errors.Join(scratch.Released(temp), os.Rename(temp, target))
	if err != nil {
		os.Remove(temp)
	}
	return err
}

// discard forgets content that was not committed.
func (st *stagedFile) discard() {
	if !st.committed {
		scratch.Remove(st.temp)
	}
}

// undo puts back what the target held before it was committed.
func (st *stagedFile) undo() error {
	if !st.committed {
		st.discard()
		return nil
	}
	st.committed = false
	if st.replaces == nil {
		return os.Remove(st.target)
	}
	temp, err := writeTemp(st.target, st.before, st.replaces)
	if err == nil {
		err = putInPlace(temp, st.target)
	}
	if err != nil {
		return failure("restoring "+st.target, plainCause(err))
	}
	return nil
}

// commitAll commits files that belong together. Where one can't be committed, those
// before it are put back as they were and the rest is discarded.
func commitAll(staged []*stagedFile) []error {
	// Nothing comes between the renames: a process that is killed there leaves some
	// files new and some old.
	for _, st := range staged {
		err := st.rename()
		if err == nil {
			continue
		}
		failed := []error{err}
		for _, other := range staged {
			if err := other.undo(); err != nil {
				failed = append(failed, err)
			}
		}
		return failed
	}
	for _, st := range staged {
		st.sync()
	}
	return nil
}

// plainCause drops "open <temporary name>: " from an error: it would name a
// file nobody knows.
func plainCause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
