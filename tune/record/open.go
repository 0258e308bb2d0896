package record

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/smux-cuda/smux/internal/disk"
)

// Open opens a file for writing and reads it; it makes a missing one. With an error the file is as it was.
func Open(path string) (*Store, error) {
	// A pipe would wait for its other end when it is opened.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		what := "no regular file"
		switch mode := info.Mode(); {
		case mode.IsDir():
			what = "a folder"
		case mode&fs.ModeNamedPipe != 0:
			what = "a pipe"
		case mode&fs.ModeDevice != 0:
			what = "a device"
		}
		return nil, unkept(path, errors.New("it is "+what))
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, unkept(path, err)
	}
	s := &Store{path: path, file: f}
	if err := s.begin(); err != nil {
		f.Close()
		return nil, err
	}
	return s, nil
}

func (s *Store) begin() error {
	if err := s.lock(); err != nil {
		return err
	}
	text, err := io.ReadAll(s.file)
	if err != nil {
		return unkept(s.path, err)
	}
	if len(text) == 0 {
		path, err := filepath.EvalSymlinks(s.path)
		if err == nil {
			err = disk.SyncFolder(filepath.Dir(path))
		}
		if err != nil {
			return unwritten(s.path, err)
		}
	}
	got, err := Parse(s.path, text)
	if err != nil {
		return err
	}
	s.lines, s.names = got.Lines, got.Names
	s.size, s.torn = int64(got.Whole), len(text)-got.Whole
	s.dirty = s.torn > 0
	if err := s.mend(); err != nil {
		return unwritten(s.path, err)
	}
	if got.Unended {
		return s.write([]byte{'\n'})
	}
	return nil
}

// patience bounds the wait of Open for a lock: a process that was killed a moment ago may still hold it.
const patience = 300 * time.Millisecond

func (s *Store) lock() error {
	for end := time.Now().Add(patience); ; time.Sleep(patience / 20) {
		err := disk.Lock(s.file, true, false)
		switch {
		case err == nil && !isAt(s.file, s.path):
			return gone(s.path)
		case err == nil:
			return nil
		case !errors.Is(err, disk.ErrHeld):
			return unkept(s.path, err)
		case time.Now().After(end):
			return failure("wait for it, or "+otherFile, "%s: %s is writing to it", s.path, cmp.Or(disk.Holder(s.file), "another process"))
		}
	}
}
