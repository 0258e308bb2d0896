// Package disk keeps what smux has on disk whole, whoever is killed meanwhile.
//
// Files are written whole or not at all (Stage): the new content lies complete and synced beside its target before it
// takes the target's name, and files that belong together are put back where one of them can't be written. Links,
// devices and files that the person may not write are not replaced.
//
// Temporary folders and files (TempDir, TempBeside) go with the process that made them, however it ends. Each is
// locked while its process lives, and its name ends in ".tmp"; the moment before it is locked, in ".new". Who made
// one removes it (Remove); a process that ends without returning calls RemoveAll; and what a killed process left is
// removed by the next one that makes something beside it.
//
// Locks on open files (Lock) are released by the system when the file is closed or the process ends, however it ends.
// They hold between processes and between two openings in one process, and bind only those who ask for them. Where
// the system has no such locks every lock is granted, and nothing is taken for left; LocksWork says so. Libraries
// such as gofrs/flock open a path themselves. Here what is locked is open already: the file that a store appends to,
// and temporary files as they are made.
package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/smux-cuda/smux/diag"
)

// Staged is new content that lies complete and synced in a temporary file
// next to its target, one rename away from being there.
type Staged struct {
	Target, temp string
	before       []byte      // what the target held, where there was one
	after        string      // hash of the new content
	replaces     fs.FileInfo // the target as it was, nil where there was none
	committed    bool
}

// Stage prepares data for target, which may not exist yet.
func Stage(target string, data []byte) (*Staged, error) {
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info = nil
	case err != nil:
		return nil, diag.Failed("writing "+target, diag.PlainCause(err))
	default:
		if err := Replaceable(target, info); err != nil {
			return nil, err
		}
	}
	temp, err := writeTemp(target, data, info)
	if err != nil {
		return nil, diag.Failed("writing "+target, diag.PlainCause(err))
	}
	st := &Staged{Target: target, temp: temp, after: hashOf(data), replaces: info}
	if info != nil {
		if st.before, err = os.ReadFile(target); err != nil {
			st.Discard()
			return nil, diag.Failed("writing "+target, diag.PlainCause(err))
		}
	}
	return st, nil
}

// File is a file to be written, with its whole text.
type File struct {
	Name string
	Text []byte
}

// StageAll prepares files that belong together: all of them, or none.
func StageAll(files []File) (out []*Staged, err error) {
	for _, f := range files {
		st, err := Stage(f.Name, f.Text)
		if err != nil {
			for _, st := range out {
				st.Discard()
			}
			return nil, err
		}
		out = append(out, st)
	}
	return out, nil
}

// StageOver prepares data for a target that must still hold before.
func StageOver(target string, before, data []byte) (*Staged, error) {
	info, err := os.Lstat(target)
	if err != nil {
		return nil, diag.Failed("writing "+target, diag.PlainCause(err))
	}
	if err := Replaceable(target, info); err != nil {
		return nil, err
	}
	now, err := os.ReadFile(target)
	if err != nil {
		return nil, diag.Failed("writing "+target, diag.PlainCause(err))
	}
	if !bytes.Equal(now, before) {
		return nil, diag.Failed("writing "+target, errors.New("the file has changed since it was read"))
	}
	return Stage(target, data)
}

// Replaceable refuses what a rename would destroy (links, devices, folders) and what the person may not write to.
func Replaceable(target string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return &diag.Failure{
			Exit: diag.ExitUsage,
			Err:  fmt.Errorf("%s is %s, and only regular files are replaced", target, KindOf(info.Mode())),
			Help: "print to standard output instead, or name the file itself",
		}
	}
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return diag.Failed("writing "+target, diag.PlainCause(err))
	}
	return f.Close()
}

// KindOf names a type of file that is not regular.
func KindOf(mode fs.FileMode) string {
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
	name, f, err := TempBeside(target)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			Remove(name)
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

// Commit puts the content in place.
func (st *Staged) Commit() error {
	if err := st.rename(); err != nil {
		return err
	}
	st.sync()
	return nil
}

// rename puts the content in place, until the machine fails.
func (st *Staged) rename() error {
	if err := putInPlace(st.temp, st.Target); err != nil {
		return diag.Failed("writing "+st.Target, diag.PlainCause(err))
	}
	st.committed = true
	return nil
}

// sync has a rename last.
func (st *Staged) sync() {
	_ = SyncFolder(filepath.Dir(st.Target))
}

// putInPlace gives a temporary file its name, or removes it.
func putInPlace(temp, target string) error {
	if err := os.Rename(temp, target); err != nil {
		Remove(temp)
		return err
	}
	return Released(temp)
}

// Discard forgets content that was not committed.
func (st *Staged) Discard() {
	if !st.committed {
		Remove(st.temp)
	}
}

// undo puts back what the target held before it was committed.
func (st *Staged) undo() error {
	if !st.committed {
		st.Discard()
		return nil
	}
	st.committed = false
	if st.replaces == nil {
		return os.Remove(st.Target)
	}
	temp, err := writeTemp(st.Target, st.before, st.replaces)
	if err == nil {
		err = putInPlace(temp, st.Target)
	}
	if err != nil {
		return diag.Failed("restoring "+st.Target, diag.PlainCause(err))
	}
	return nil
}

// CommitGroups commits groups of files. Those of a group belong together: where one can't be committed, those before
// it are put back as they were and the rest of the group is discarded. It returns the errors of each group. Where the
// process is killed meanwhile, the next run that looks at one of the folders finishes all of it: see journal.
func CommitGroups(groups [][]*Staged) [][]error {
	failed := make([][]error, len(groups))
	if all := slices.Concat(groups...); len(all) > 1 {
		j, err := record(all)
		if err != nil {
			for _, st := range all {
				st.Discard()
			}
			for i := range failed {
				failed[i] = []error{err}
			}
			return failed
		}
		defer j.remove()
	}
	for i, group := range groups {
		failed[i] = renameAll(group)
	}
	for _, st := range slices.Concat(groups...) {
		if st.committed {
			st.sync()
		}
	}
	return failed
}

// renameAll puts all files of a group in place, or none.
func renameAll(group []*Staged) []error {
	for _, st := range group {
		err := st.rename()
		if err == nil {
			continue
		}
		failed := []error{err}
		for _, other := range group {
			if err := other.undo(); err != nil {
				failed = append(failed, err)
			}
		}
		return failed
	}
	return nil
}

// Committed reports whether the content is in place.
func (st *Staged) Committed() bool { return st.committed }
