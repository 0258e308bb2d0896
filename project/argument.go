package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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

// Resolved returns the absolute path of a file without links, as far as the file
// system tells it.
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

// Located returns a file's absolute path, without links in its folder: the file itself
// may be a link, or gone.
func Located(name string) string {
	return filepath.Join(Resolved(filepath.Dir(name)), filepath.Base(name))
}

// Within reports whether a file is one of some paths or lies below one; all are
// absolute, without links.
func Within(file string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool {
		return file == p || strings.HasPrefix(file, strings.TrimSuffix(p, "/")+"/")
	})
}
