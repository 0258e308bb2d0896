// Package bundle writes a program that is to be tuned into a folder, for a machine that has nothing but nvcc, a shell and a GPU:
// its files, this smux, and a script that calls it there with the same flags and keeps the record in the folder.
package bundle

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/disk"
	"github.com/smux-cuda/smux/internal/prose"
)

type Input struct {
	Files    []string // of the program: its CUDA texts, and what is compiled or linked with them
	Includes []string // -I
	Words    []string // flags of smux tune, but for those that name files or folders
	// Named are the files that further flags name, by the flag.
	Named map[string]string
	Dir   string   // the folder that the program runs in, "" for the working directory
	Args  []string // of the program; nil where none were given
}

// The names in the folder: the script, the record that it makes, and the project's files, each where it lies in the project.
const (
	ScriptName  = "run.sh"
	ResultsName = "results.jsonl"
	sourcesName = "src"
)

// Export writes a folder, which must be empty or not be there, and appears when it is whole. left says what the program needs
// and could not be brought along. The error is that of a command line where the folder or a file can't be used.
func Export(dir string, in Input) (left []string, err error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return nil, diag.Usagef("", "%s: the folder is not empty; name another", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, err
	}
	temporary, err := disk.TempDir(filepath.Dir(dir), ".smux-export-")
	if err != nil {
		return nil, err
	}
	defer disk.Remove(temporary)
	root, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	w := &writer{Input: in, dir: temporary, root: root, left: map[string]bool{}, files: map[string][]byte{}}
	if err := w.write(); err != nil {
		return nil, err
	}
	if err := errors.Join(os.Chmod(temporary, 0o755), os.RemoveAll(dir)); err != nil {
		return nil, err
	}
	if err := os.Rename(temporary, dir); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(w.left)), disk.Released(temporary)
}

type writer struct {
	Input
	dir      string
	root     string            // absolute: what lies below is of the project
	includes []string          // absolute folders of -I
	files    map[string][]byte // by absolute path in the project
	left     map[string]bool   // what is not brought along
}

func (w *writer) write() error {
	words := slices.Clone(w.Words)
	for _, dir := range w.Includes {
		path, err := filepath.Abs(dir)
		if err != nil {
			return err
		}
		w.includes = append(w.includes, path)
		if !w.inside(path) {
			w.leave("-I %s lies outside of the project; it is passed on as it is", path)
		}
		words = append(words, "--include="+w.short(path))
	}
	var names []string
	for _, name := range w.Input.Files {
		path, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		if !w.inside(path) {
			return diag.Usagef("", "%s: the file lies outside of the project's folder %s; call smux in a folder that holds all of them", name, w.root)
		}
		text, ok := readRegular(path)
		if !ok {
			return diag.Usagef("", "%s: the file can't be read", name)
		}
		w.files[path] = text
		names = append(names, "./"+w.short(path))
	}
	for _, flag := range slices.Sorted(maps.Keys(w.Named)) {
		text, err := os.ReadFile(w.Named[flag])
		if err != nil {
			return err
		}
		short := filepath.Base(w.Named[flag]) // it may lie above the project
		w.files[filepath.Join(w.root, short)] = text
		words = append(words, "--"+flag+"="+short)
	}
	if err := cmp.Or(w.gather(), w.bringData()); err != nil {
		return err
	}
	if w.Dir != "" {
		words = append(words, "--chdir="+filepath.ToSlash(w.Dir))
	}
	for path, text := range w.files {
		to := filepath.Join(w.dir, sourcesName, filepath.FromSlash(w.short(path)))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return err
		}
	}
	if w.Args != nil {
		names = append(append(names, "--"), w.Args...)
	}
	script := fmt.Sprintf(`#!/bin/sh
# Written by smux tune --export: measures the forms of kernels next to the original, where there are nvcc and a GPU.
# Options are those of smux tune. SMUX names another smux than the one that lies here. The record is %s.
cd "$(dirname "$0")/%[2]s" 2>/dev/null || cd "${SLURM_SUBMIT_DIR:?}/%[2]s" || exit 1
exec "${SMUX:-../smux}" tune --store=../%[1]s %[3]s "$@" %[4]s
`, ResultsName, sourcesName, prose.ShellWords(words...), prose.ShellWords(names...))
	_, err := CopySelf(w.dir)
	return errors.Join(err, os.WriteFile(filepath.Join(w.dir, ScriptName), []byte(script), 0o755))
}

// bringData has the files brought along that the program's arguments name.
func (w *writer) bringData() error {
	if w.Dir != "" {
		if !filepath.IsLocal(w.Dir) {
			return diag.Usagef("", "%s: the folder that the program runs in lies outside of the project", w.Dir)
		}
		w.leave("the program runs in %s: what it reads there has to be put into %s", w.Dir, filepath.Join(sourcesName, w.Dir))
		if err := os.MkdirAll(filepath.Join(w.dir, sourcesName, w.Dir), 0o755); err != nil {
			return err
		}
	}
	for _, arg := range w.Args {
		path := filepath.Join(w.root, w.Dir, arg)
		if filepath.IsAbs(arg) {
			path = arg
		}
		info, err := os.Stat(path)
		if strings.TrimSpace(arg) == "" || err != nil {
			continue
		}
		text, regular := readRegular(path)
		if !regular || !filepath.IsLocal(arg) {
			w.leave("the argument %q, of %d bytes, is not brought along", arg, info.Size())
			continue
		}
		w.files[path] = text
	}
	return nil
}

// CopySelf copies this program into a folder, for another machine, and returns the copy's path.
func CopySelf(dir string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "smux")
	return path, disk.Copy(path, self, 0o755)
}

// included is an #include whose name stands there, with what encloses it.
var included = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)`)

// mostBytes bounds the bytes that a program may bring along.
const mostBytes = 64 << 20

// gather has all files of the project brought along that might be included, directly or not, whatever the conditions.
func (w *writer) gather() error {
	size := 0
	for todo := slices.Sorted(maps.Keys(w.files)); len(todo) > 0; todo = todo[1:] {
		from := todo[0]
		if size += len(w.files[from]); size > mostBytes {
			return fmt.Errorf("the program's texts with all that they include are larger than %d MB", mostBytes>>20)
		}
		for _, m := range included.FindAllSubmatch(w.files[from], -1) {
			path, text := w.find(from, string(m[1]), string(m[2]))
			if _, there := w.files[path]; path == "" || there {
				continue
			}
			w.files[path] = text
			todo = append(todo, path)
		}
	}
	return nil
}

// find returns the file of the project that an #include means, "" for none.
func (w *writer) find(from, quoted, angled string) (path string, text []byte) {
	name, folders := angled, w.includes
	if quoted != "" {
		name, folders = quoted, append([]string{filepath.Dir(from)}, w.includes...)
	}
	if filepath.IsAbs(name) {
		folders = []string{"/"}
	}
	for _, dir := range folders {
		path := filepath.Join(dir, name)
		text, there := w.files[path]
		if !there {
			text, there = readRegular(path)
		}
		switch {
		case !there:
			continue
		case filepath.IsAbs(name):
			w.leave("%s, which %s includes by its full path", path, w.short(from))
			return "", nil
		case !w.inside(path):
			w.leave("%s, which %s includes, lies outside of the project", path, w.short(from))
			return "", nil
		}
		return path, text
	}
	if quoted != "" {
		w.leave("%q, which %s includes, was not found; it may be the toolkit's", name, w.short(from))
	}
	return "", nil
}

func (w *writer) leave(format string, args ...any) { w.left[fmt.Sprintf(format, args...)] = true }

func (w *writer) inside(path string) bool {
	return filepath.IsLocal(w.short(path))
}

func (w *writer) short(path string) string {
	rel, err := filepath.Rel(w.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return filepath.ToSlash(rel)
}

func readRegular(path string) ([]byte, bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostBytes {
		return nil, false
	}
	text, err := os.ReadFile(path)
	return text, err == nil
}
