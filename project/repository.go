package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// isRepository reports whether a folder is the top of a git repository's work
// tree, or of a submodule's.
func isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// Repository returns the nearest folder at or above dir that is the top of a git
// repository's work tree, "" if there is none. dir is absolute; symbolic links in it
// are not followed.
func Repository(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if isRepository(dir) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// excludeFile returns the name of a repository's info/exclude, "" if unknown.
// In a further work tree .git is a file that names a folder of the repository.
func excludeFile(top string) string {
	git := filepath.Join(top, ".git")
	if info, err := os.Stat(git); err == nil && info.Mode().IsRegular() {
		text, err := readSmall(git)
		dir, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
		if err != nil || !ok {
			return ""
		}
		git = inside(top, dir)
		if common, err := readSmall(filepath.Join(git, "commondir")); err == nil {
			git = inside(git, strings.TrimRight(string(common), "\r\n"))
		}
	}
	return filepath.Join(git, "info", "exclude")
}

// inside returns a path as it is meant in a folder.
func inside(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// ignoresAt returns the lists that a repository has for a folder of it: info/exclude,
// and each .gitignore from the top down to above the folder. Where the folder is
// itself ignored they say nothing of what is in it, since somebody asks for it.
func ignoresAt(top, dir string) (lists ignores, errs []error) {
	if file := excludeFile(top); file != "" {
		if l, err := readIgnoreFile("", file, os.Stat); err != nil {
			errs = append(errs, err)
		} else {
			lists = lists.and(l)
		}
	}
	relative, err := filepath.Rel(top, dir)
	if err != nil || relative == "." {
		return lists, errs
	}
	base := ""
	for name := range strings.SplitSeq(filepath.ToSlash(relative), "/") {
		l, err := readIgnoreFile(base, filepath.Join(top, filepath.FromSlash(base), ".gitignore"), os.Lstat)
		if err != nil {
			errs = append(errs, err)
		}
		lists = lists.and(l)
		base = path.Join(base, name)
		if lists.match(base, true) {
			return nil, errs
		}
	}
	return lists, errs
}

// readIgnoreFile reads a .gitignore, which need not be there. git follows no link
// to one; stat says whether info/exclude may be one.
func readIgnoreFile(base, file string, stat func(string) (fs.FileInfo, error)) (ignoreList, error) {
	if info, err := stat(file); err != nil || !info.Mode().IsRegular() {
		return ignoreList{}, nil
	}
	text, err := readSmall(file)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return ignoreList{}, nil
		}
		return ignoreList{}, err
	}
	return readIgnoreList(base, text), nil
}

// mostBytes bounds what is read of a file that says what to ignore.
const mostBytes = 16 << 20

// readSmall reads a file that is not meant to be large.
func readSmall(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err == nil && len(text) > mostBytes {
		err = &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("it has more than %d bytes", mostBytes)}
	}
	return text, err
}
