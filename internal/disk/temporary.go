package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// held are the paths that this process has, each with the open file that keeps it locked.
var held = struct {
	sync.Mutex
	files map[string]*os.File
	ended bool // RemoveAll was called: nothing new is made
}{files: map[string]*os.File{}}

var errEnded = errors.New("the process is ending")

// TempDir makes a folder in parent, "" for the system's folder for temporary files,
// whose name begins with prefix ("smux-verify-").
func TempDir(parent, prefix string) (string, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	sweep(parent)
	return keep(func() (*os.File, error) {
		dir, err := os.MkdirTemp(parent, prefix+"*"+making)
		if err != nil {
			return nil, err
		}
		f, err := os.Open(dir)
		if err != nil {
			os.Remove(dir)
		}
		return f, err
	})
}

// TempBeside makes an empty file in the folder of target, which it is to replace by a
// rename (Released). It has the mode that the umask asks for.
func TempBeside(target string) (path string, f *os.File, err error) {
	dir, base := filepath.Split(target)
	sweep(filepath.Clean(dir + "."))
	path, err = keep(func() (f *os.File, err error) {
		for range 100 {
			name := filepath.Join(dir, fmt.Sprintf(".%s.smux-%08x", base, rand.Uint32())+making)
			f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
			if !errors.Is(err, fs.ErrExist) {
				break
			}
		}
		return f, err
	})
	if err != nil {
		return "", nil, err
	}
	held.Lock()
	defer held.Unlock()
	return path, held.files[path], nil
}

// What names end in until something is locked, and from then on.
const (
	making = ".new"
	made   = ".tmp"
)

// keep makes something, locks it, gives it its name and notes it.
func keep(make func() (*os.File, error)) (string, error) {
	held.Lock()
	defer held.Unlock()
	if held.ended {
		return "", errEnded
	}
	f, err := make()
	if err != nil {
		return "", err
	}
	// Not every file system has locks; those who sweep find that out, too.
	_ = Lock(f, true, false)
	path := strings.TrimSuffix(f.Name(), making) + made
	if err := os.Rename(f.Name(), path); err != nil {
		f.Close()
		os.Remove(f.Name())
		return "", err
	}
	held.files[path] = f
	return path, nil
}

// Released ends the care for something that is no longer temporary, or has another name now.
func Released(path string) error {
	if f := taken(path); f != nil {
		return f.Close()
	}
	return nil
}

// taken is Released, but returns the open file, and with it the lock; nil where there is none.
func taken(path string) *os.File {
	held.Lock()
	defer held.Unlock()
	f := held.files[path]
	delete(held.files, path)
	return f
}

// Remove removes something with all that is in it.
func Remove(path string) error {
	return errors.Join(Released(path), os.RemoveAll(path))
}

// RemoveAll removes all that this process has, for an end that leaves no
// deferred call its turn. Nothing can be made after that.
func RemoveAll() {
	held.Lock()
	held.ended = true
	files := held.files
	held.files = map[string]*os.File{}
	held.Unlock()
	for path, f := range files {
		f.Close()
		_ = os.RemoveAll(path)
	}
}

// ours are the names that TempDir and TempBeside give.
var ours = regexp.MustCompile(`^(\.?smux-[a-z]+-[0-9]+|\..+\.smux-[0-9a-f]{8})\.(tmp|new)$`)

// A journal says that files beside it are still needed: see record.
const journalEnd = ".journal"

// young is the age below which a ".new" may not be locked yet although its process lives.
const young = time.Minute

// swept are the folders that this process has looked through.
var swept sync.Map

// sweep removes from a folder, once, what dead processes left there.
func sweep(dir string) {
	if _, before := swept.LoadOrStore(dir, true); before || !LocksWork {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	needed := slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return strings.HasPrefix(e.Name(), ".smux-") && strings.HasSuffix(e.Name(), journalEnd)
	})
	for _, e := range entries {
		if !ours.MatchString(e.Name()) || needed && strings.HasPrefix(e.Name(), ".") {
			continue
		}
		info, err := e.Info()
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() || strings.HasSuffix(e.Name(), making) && time.Since(info.ModTime()) < young {
			continue
		}
		removeIfLeft(filepath.Join(dir, e.Name()))
	}
}

// removeIfLeft removes a folder that no process holds.
func removeIfLeft(path string) {
	f, err := os.Open(path) // somebody else's can't be opened, and stays
	if err != nil {
		return
	}
	defer f.Close()
	if Lock(f, true, false) == nil {
		_ = os.RemoveAll(path)
	}
}
