package command

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
)

// entry describes a file, a folder or a link, as far as one can see without reading it.
type entry struct {
	mode fs.FileMode
	size int64     // of a file
	time time.Time // of a file: of its last change
	link string    // where a link leads to
}

// versionControl are folders that hold the history of a project: large, and nothing is built of them.
var versionControl = map[string]bool{".git": true, ".hg": true, ".svn": true, ".bzr": true, ".jj": true, "_darcs": true, "CVS": true}

// What is copied of a project at most.
var (
	mostBytes int64 = 512 << 20
	mostFiles       = 50_000
)

var errTooLarge = errors.New("each device works in a copy of it; name a folder with less in it")

// snapshot copies a project but for version control, the scratch folder, and what it returns: links out of it, pipes and such.
func snapshot(root, scratch, to string) (left []string, err error) {
	own, err := os.Stat(scratch)
	if err != nil {
		return nil, err
	}
	size, files := int64(0), 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || rel == "." {
			return err
		}
		name := filepath.ToSlash(rel)
		if d.IsDir() {
			is, err := os.Stat(path)
			if versionControl[d.Name()] || err == nil && os.SameFile(is, own) {
				return filepath.SkipDir
			}
		}
		e, err := look(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a temporary file that has gone meanwhile
		}
		if err != nil {
			return err
		}
		switch {
		case e.mode.IsDir(), e.mode.IsRegular():
		case e.mode&fs.ModeSymlink != 0:
			inside, ok := within(rel, e.link, root)
			if !ok {
				left = append(left, name+" -> "+e.link)
				return nil
			}
			e.link = inside
		default:
			left = append(left, name)
			return nil
		}
		files++
		if size += e.size; size > mostBytes || files > mostFiles {
			return fmt.Errorf("%s holds more than %d MB or %d files, and %w", root, mostBytes>>20, mostFiles, errTooLarge)
		}
		return e.write(filepath.Join(to, rel), path)
	})
	return left, err
}

// within returns a link's target without leaving the root; ok is false where it leads out of it.
func within(rel, target, root string) (link string, ok bool) {
	from := filepath.Join(root, filepath.Dir(rel))
	if !filepath.IsAbs(target) {
		target = filepath.Join(from, target)
	}
	inside, err := filepath.Rel(root, target)
	if err != nil || !filepath.IsLocal(inside) {
		return "", false
	}
	link, err = filepath.Rel(from, target)
	return link, err == nil
}

func look(path string) (entry, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return entry{}, err
	}
	e := entry{mode: info.Mode()}
	switch {
	case e.mode.IsRegular():
		e.size, e.time = info.Size(), info.ModTime()
	case e.mode&fs.ModeSymlink != 0:
		e.link, err = os.Readlink(path)
	}
	return e, err
}

// is reports whether nothing has changed as far as one can see.
func (e entry) is(o entry) bool {
	return e.mode == o.mode && e.size == o.size && e.time.Equal(o.time) && e.link == o.link
}

// list returns what is in a folder, by path within it.
func list(root string) (map[string]entry, error) {
	all := map[string]entry{}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		e, err := look(path)
		all[strings.TrimPrefix(path, root+string(filepath.Separator))] = e
		return err
	})
	return all, err
}

// mirror makes a folder what another one is. A file is taken to be as it was if its size and time of change are.
func mirror(from, to string) error {
	want, err := list(from)
	err = errors.Join(err, os.MkdirAll(to, 0o700))
	now, wrong := list(to)
	if err = errors.Join(err, wrong); err != nil {
		return err
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(now))) { // what is in a folder first
		if w, wanted := want[name]; wanted && w.mode.Type() == now[name].mode.Type() {
			continue
		}
		if err := os.RemoveAll(filepath.Join(to, name)); err != nil {
			return err
		}
		delete(now, name)
	}
	for _, name := range slices.Sorted(maps.Keys(want)) { // a folder before what is in it
		if is, there := now[name]; there && is.is(want[name]) {
			continue
		}
		if err := want[name].write(filepath.Join(to, name), filepath.Join(from, name)); err != nil {
			return err
		}
	}
	return nil
}

// keep copies a folder, but for files that are as in the base, which are linked to those.
func keep(base, from, to string) error {
	all, err := list(from)
	if err = errors.Join(err, os.MkdirAll(to, 0o700)); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, err := look(filepath.Join(base, name))
		if err == nil && was.mode.IsRegular() && was.is(all[name]) && os.Link(filepath.Join(base, name), filepath.Join(to, name)) == nil {
			continue
		}
		if err := all[name].write(filepath.Join(to, name), filepath.Join(from, name)); err != nil {
			return err
		}
	}
	return nil
}

// replace gives a file another text. The time of its change is now, so that make builds anew what is made of it.
func replace(path string, text []byte) error {
	mode := os.FileMode(0o600)
	if e, err := look(path); err == nil && e.mode.IsRegular() {
		mode = e.mode.Perm()
	}
	err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700))
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	return errors.Join(err, os.Chmod(path, mode))
}

// write makes a path what the entry says, with a file's text from another path. What was there may have more names.
func (e entry) write(path, from string) error {
	if e.mode.IsDir() {
		return os.MkdirAll(path, e.mode.Perm()|0o700)
	}
	if err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700)); err != nil {
		return err
	}
	switch {
	case e.mode&fs.ModeSymlink != 0:
		return os.Symlink(e.link, path)
	case !e.mode.IsRegular():
		return nil // a pipe or a socket that a build has left: nothing that could be kept
	}
	if err := disk.Copy(path, from, e.mode.Perm()); err != nil {
		return err
	}
	return os.Chtimes(path, e.time, e.time)
}
