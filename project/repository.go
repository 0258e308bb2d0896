package project

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// isRepository reports whether a folder is the top of a git repository's work tree, or of a submodule's.
func isRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// Repository returns the nearest folder at or above dir that is the top of a git repository's work tree, "" if there
// is none. dir is absolute; symbolic links in it are not followed.
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
		git = absoluteIn(top, dir)
		if common, err := readSmall(filepath.Join(git, "commondir")); err == nil {
			git = absoluteIn(git, strings.TrimRight(string(common), "\r\n"))
		}
	}
	return filepath.Join(git, "info", "exclude")
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

// IsFolder reports whether an argument names a folder, or is one with "/..." after it.
func IsFolder(arg string) bool {
	if arg == "..." || strings.HasSuffix(arg, "/...") {
		return true
	}
	info, err := os.Stat(arg)
	return err == nil && info.IsDir()
}

// Folder returns an argument without the "/..." after it.
func Folder(arg string) string {
	switch rest, ok := strings.CutSuffix(arg, "..."); {
	case !ok:
		return arg
	case rest == "":
		return "."
	default:
		return filepath.Clean(rest)
	}
}

// Resolved returns the absolute path of a file without links, as far as the file system tells it.
func Resolved(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	// The working directory, too, may have been reached by a link.
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

// Located returns a file's absolute path, without links in its folder: the file itself may be a link, or gone.
func Located(name string) string {
	return filepath.Join(Resolved(filepath.Dir(name)), filepath.Base(name))
}

// Within reports whether a file is one of some paths or lies below one; all are absolute, without links.
func Within(file string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool {
		return file == p || strings.HasPrefix(file, strings.TrimSuffix(p, "/")+"/")
	})
}

// DiffName returns the name of a file in a diff's header: its path relative to the root of the git repository that
// holds it, else to the working directory, else (a file outside of both) to the root of the file system. `git apply`
// run from there finds the file.
func DiffName(name string) string {
	if name == parser.StdinName {
		return "stdin"
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return filepath.ToSlash(name)
	}
	root := filepath.VolumeName(abs) + string(filepath.Separator)
	wd, _ := os.Getwd()
	for _, base := range []string{Repository(filepath.Dir(abs)), wd, root} {
		if rel, ok := pathBelow(base, abs); ok {
			return rel
		}
	}
	return filepath.ToSlash(abs)
}

// RepositoryPath returns the path of a file from the root of the repository in which smux runs, where it lies there,
// and else its absolute path; without a repository, the working directory is the root. Tools that know the repository
// alone are told this path: unlike DiffName, it names a file of a submodule from the top.
func RepositoryPath(name string) string {
	if name == parser.StdinName {
		return "stdin"
	}
	abs, err := filepath.Abs(name)
	wd, wdErr := os.Getwd()
	if err != nil || wdErr != nil {
		return filepath.ToSlash(name)
	}
	root := Repository(wd)
	root = cmp.Or(root, wd)
	// The same folder may be reached by another way, as where a checkout is a link.
	for _, by := range [][2]string{{root, abs}, {Resolved(root), Located(abs)}} {
		if rel, ok := pathBelow(by[0], by[1]); ok {
			return rel
		}
	}
	return filepath.ToSlash(abs)
}

// pathBelow returns the path of a file from a folder, with slashes; ok is false where it
// does not lie below it, or there is no folder.
func pathBelow(dir, file string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, file)
	if dir == "" || err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
