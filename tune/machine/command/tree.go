package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// entry describes a file, a folder or a link, as far as one can see without
// reading it.
type entry struct {
	mode fs.FileMode
	size int64     // of a file
	time time.Time // of a file: of its last change
	link string    // where a link leads to
}

// listing holds the content of a folder, by path within it, with slashes.
type listing map[string]entry

// versionControl are folders that hold the history of a project: large, and
// nothing is built of them.
var versionControl = map[string]bool{".git": true, ".hg": true, ".svn": true, ".bzr": true, ".jj": true, "_darcs": true, "CVS": true}

// TooLargeError reports that a project is larger than what is copied.
type TooLargeError struct {
	Root  string
	Bytes int64 // the limit that it exceeds
	Files int
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s holds more than %d MB or %d files, and each device works in a copy of it; name a folder with less in it",
		e.Root, e.Bytes>>20, e.Files)
}

// snapshot copies a project, and says what it left out: links that lead out of the
// project, and what is neither file nor folder. Folders of version control are left
// out without a word, and so is the scratch folder, should it lie within.
func snapshot(root, scratch, to string, mostBytes int64, mostFiles int) (all listing, left []string, err error) {
	all = listing{}
	var size int64
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil || rel == "." {
			return err
		}
		name := filepath.ToSlash(rel)
		if d.IsDir() && (versionControl[d.Name()] || isSame(path, scratch)) {
			return filepath.SkipDir
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
		if size += e.size; size > mostBytes || len(all) >= mostFiles {
			return &TooLargeError{root, mostBytes, mostFiles}
		}
		all[name] = e
		return e.write(filepath.Join(to, rel), path)
	})
	return all, left, err
}

// within returns a link's target as it leads from the link without leaving the root; ok
// is false where it leads out of it.
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

func isSame(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// look returns what is at a path.
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

// list returns what is in a folder.
func list(root string) (listing, error) {
	all := listing{}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		e, err := look(path)
		all[filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))] = e
		return err
	})
	return all, err
}

// write makes a path what the entry says, with a file's text from another path.
// What was there is removed before: it may have more names than this one.
func (e entry) write(path, from string) error {
	if e.mode.IsDir() {
		return os.MkdirAll(path, e.mode.Perm()|0o700)
	}
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	switch {
	case e.mode&fs.ModeSymlink != 0:
		return os.Symlink(e.link, path)
	case !e.mode.IsRegular():
		return nil // a pipe or a socket that a build has left: nothing that could be kept
	}
	if err := copyFile(path, from, e.mode.Perm()); err != nil {
		return err
	}
	return os.Chtimes(path, e.time, e.time)
}

func copyFile(to, from string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(mode), out.Close())
}
