package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// A compiled program is kept under a key of what went into it. The files that its sources include are known only when
// it was compiled: they are listed with their hashes beside the program, and a program of which one has changed does
// not count.

// manifest holds what is kept beside a program.
type manifest struct {
	Files  []string // the user's files that were read, absolute
	Hashes []string // of their contents
	Closed bool     // see Program.Closed
}

// key names a program by everything that is known before it is compiled.
func (w *work) key() (string, error) {
	sum := sha256.New()
	put := func(parts ...string) {
		for _, p := range parts {
			fmt.Fprintf(sum, "%d:%s,", len(p), p)
		}
	}
	put(cacheFormat, string(w.Mode), w.cwd)
	if w.together {
		put("together", callsOfMain)
	}
	if w.Loads {
		put("loads")
	}
	for _, list := range [][]string{w.IncludeDirs, w.Defines, w.Libraries, w.Sources} {
		put(fmt.Sprint(len(list)))
		put(list...)
	}
	for _, s := range w.Sources {
		hash, err := HashFile(w.absolute(s))
		if err != nil {
			return "", fmt.Errorf("reading a source of the program: %w", err)
		}
		put(hash)
	}
	// The folder of the copies is another one each time; what it is called has no bearing on the program.
	for _, u := range w.Units {
		put("unit", fmt.Sprint(u.Arrays))
		for _, f := range u.Files {
			text := f.Text
			for _, g := range u.Files {
				text = bytes.ReplaceAll(text, []byte(filepath.ToSlash(g.Path)), []byte(g.Name))
			}
			put(f.Name, string(text))
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:32], nil
}

var errStale = errors.New("a file that the program includes has changed")

// fetch puts a kept program where it is to be.
func (t *Toolchain) fetch(key string, program *Program) error {
	dir := filepath.Join(t.programs.dir, key)
	text, err := os.ReadFile(filepath.Join(dir, "manifest"))
	if err != nil {
		return err
	}
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil || len(m.Files) != len(m.Hashes) {
		return errStale
	}
	for i, file := range m.Files {
		if hash, err := HashFile(file); err != nil || hash != m.Hashes[i] {
			t.programs.remove(key)
			return errStale
		}
	}
	if err := appear(filepath.Join(dir, "program"), program.Path); err != nil {
		return err
	}
	program.UserFiles, program.Closed = m.Files, m.Closed
	markUsed(dir)
	return nil
}

// keep puts a program into the cache. That it can't is not an error: it is there.
func (t *Toolchain) keep(key string, program *Program) {
	m := manifest{Files: program.UserFiles, Closed: program.Closed}
	for _, file := range m.Files {
		hash, err := HashFile(file)
		if err != nil {
			return
		}
		m.Hashes = append(m.Hashes, hash)
	}
	text, err := json.Marshal(m)
	if err != nil {
		return
	}
	_, _ = t.programs.get(key, func(dir string) error {
		if err := appear(program.Path, filepath.Join(dir, "program")); err != nil {
			return err
		}
		markUsed(dir)
		return os.WriteFile(filepath.Join(dir, "manifest"), text, 0o644)
	})
}

// appear makes a file appear at another path, as a link where that is possible.
func appear(from, to string) error {
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	// A child that is started meanwhile would inherit the open file for a moment,
	// and a program that is open for writing can't be run.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// HashFile returns the hash of a file's content.
func HashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
