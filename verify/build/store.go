package build

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
)

// store is a folder of folders, each of which is either there completely or not
// at all: it is filled under another name and then renamed.
//
// Beside an entry E, its lock is E.lock, and what is being made or deleted
// is E.new-* or E.old-*; what a killed process left of these is removed by prune.
type store struct{ dir string }

// get returns the path of an entry, which fill makes where it is not there yet.
// Of several processes one makes it, the others wait.
func (s store) get(name string, fill func(dir string) error) (string, error) {
	path := filepath.Join(s.dir, name)
	if isDir(path) {
		return path, nil
	}
	held, err := lockFile(path+".lock", true, true)
	if err != nil {
		return "", err
	}
	defer held.Close()
	if isDir(path) {
		return path, nil
	}
	fresh, err := disk.TempDir(s.dir, name+".new-")
	if err != nil {
		return "", err
	}
	defer disk.Remove(fresh)
	if err := fill(fresh); err != nil {
		return "", err
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, path); err != nil && !isDir(path) { // there: a race that no lock kept out
		return "", err
	}
	return path, nil
}

// remove deletes an entry. It vanishes in one step.
func (s store) remove(name string) {
	var word [4]byte
	rand.Read(word[:])
	old := filepath.Join(s.dir, name+".old-"+hex.EncodeToString(word[:]))
	if os.Rename(filepath.Join(s.dir, name), old) == nil {
		os.RemoveAll(old)
	}
}

// abandoned is the age at which unfinished work counts as left by a process that was killed.
const abandoned = time.Hour

// sweep removes what killed processes left behind.
func (s store) sweep() {
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		unfinished := strings.Contains(e.Name(), ".new-") || strings.Contains(e.Name(), ".old-")
		if info, err := e.Info(); unfinished && err == nil && time.Since(info.ModTime()) > abandoned {
			os.RemoveAll(filepath.Join(s.dir, e.Name()))
		}
	}
}

// lockFile opens a lock file and takes its lock. A pruner removes lock files that
// it holds: a lock on one that is no longer there is worth nothing.
func lockFile(path string, exclusive, wait bool) (*os.File, error) {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			return nil, err
		}
		if err := disk.Lock(f, exclusive, wait); err != nil {
			f.Close()
			return nil, err
		}
		mine, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, err
		}
		if there, err := os.Stat(path); err == nil && os.SameFile(mine, there) {
			return f, nil
		}
		f.Close()
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// size returns the number of bytes in the files of a folder.
func size(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) { // another process prunes, too
				return nil
			}
			return err
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
