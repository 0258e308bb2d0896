package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/smux-cuda/smux/diag"
)

// Finder finds and reads the files of settings that count for files. Each folder is looked into once and each file
// read once, however many ask. It is safe for concurrent use.
//
// The nearest file counts, and it alone: what one file says of a kernel can then be read in that file, as with
// clang-format, and a folder that is taken over from elsewhere keeps its settings. Merged files would be shorter, and
// no one would know without a tool where a value comes from.
//
// A search ends with the root of the repository, the folder that has .git, so that what lies above a clone changes
// nothing in it. Folders are those that the path names: symbolic links are not followed upwards.
type Finder struct {
	from string // folder that paths are shown from
	stat func(string) (fs.FileInfo, error)
	open func(string) ([]byte, error)

	mu      sync.Mutex
	folders map[string]folder
	read    map[string]*outcome
}

// folder holds the facts about one.
type folder struct {
	own  bool // has a file
	root bool // of a repository
}

// outcome is the result of reading a file.
type outcome struct {
	settings *Settings
	err      error
}

// NewFinder returns a Finder that names files as they are seen from a folder, which
// is absolute. open reads the files of GPUs that settings name, see Read.
func NewFinder(from string, open func(string) ([]byte, error)) *Finder {
	return &Finder{from: from, stat: os.Stat, open: open, folders: map[string]folder{}, read: map[string]*outcome{}}
}

// From returns the folder that names of files are seen from.
func (f *Finder) From() string { return f.from }

// Find returns the absolute path of the file that counts for files in a folder, "" where there is none.
func (f *Finder) Find(dir string) string {
	if all := f.Above(dir); len(all) > 0 {
		return all[0]
	}
	return ""
}

// Above returns the paths of all files of settings from a folder up to the root of its repository, the nearest first.
func (f *Finder) Above(dir string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []string
	for dir = filepath.Clean(dir); ; dir = filepath.Dir(dir) {
		at, known := f.folders[dir]
		if !known {
			at = f.look(dir)
			f.folders[dir] = at
		}
		if at.own {
			out = append(out, filepath.Join(dir, Name))
		}
		if at.root || dir == filepath.Dir(dir) {
			return out
		}
	}
}

// look looks into a folder. A file of settings that cannot be looked at is one: reading it says why.
func (f *Finder) look(dir string) folder {
	has := func(name string) bool {
		_, err := f.stat(filepath.Join(dir, name))
		return err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
	}
	return folder{own: has(Name), root: has(".git")}
}

// Read reads a file that Find returned.
func (f *Finder) Read(path string) (*Settings, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.read[path]; o != nil {
		return o.settings, o.err
	}
	name := Shown(f.from, path)
	src, err := readFile(path, name)
	o := &outcome{err: err}
	if err == nil {
		o.settings, o.err = Read(name, src, f.open)
	}
	f.read[path] = o
	return o.settings, o.err
}

// Shown returns a path as seen from a folder, or the path itself where that is shorter.
func Shown(from, path string) string {
	if rel, err := filepath.Rel(from, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

// readFile reads a file that was found, not one that a person has named: one that is
// no regular file is not meant to be waited for.
func readFile(path, name string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, &Error{[]diag.Message{{Pos: diag.Position{File: name}, Code: CodeSyntax,
			Text: "this is not a regular file", Help: "settings are in a file of the name " + Name}}}
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	defer file.Close()
	src, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return src, nil
}

// Common returns the folder that all of some folders are in or are; "" for none.
func Common(dirs []string) string {
	if len(dirs) == 0 {
		return ""
	}
	common := filepath.Clean(dirs[0])
	for _, d := range dirs[1:] {
		for !within(common, filepath.Clean(d)) {
			common = filepath.Dir(common)
		}
	}
	return common
}

// within reports whether a folder is another one or below it.
func within(above, dir string) bool {
	return dir == above || strings.HasPrefix(dir, strings.TrimSuffix(above, string(filepath.Separator))+string(filepath.Separator))
}
