package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/smux-cuda/smux/diag"
)

// Store keeps a record in a file that is only added to: each line is on the disk before the next measurement is made. It may
// be used from several goroutines.
//
// A file belongs to the process that has it open; anybody may read it. What a killed process left unfinished is cut off
// when the file is opened for writing, and left out when it is read. A file that is not a record is never changed.
type Store struct {
	path string
	torn int // bytes that were cut off

	mu    sync.Mutex // of all below
	file  *os.File   // nil when closed
	size  int64      // of the lines; what is after them is of a write that failed
	dirty bool       // there may be something after them
	lines []Line
	names map[string]string // of variants: keys as the file has them, by today's
}

// Lines returns all lines, in the order in which they were added, in today's schema. They are not to be changed.
func (s *Store) Lines() []Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines[:len(s.lines):len(s.lines)]
}

// Torn returns how many bytes Open cut off the end, which a process that was killed had not finished writing.
func (s *Store) Torn() int { return s.torn }

// Append adds lines, all or none, which nobody may change then, and returns when they are on the disk. It may be called again.
func (s *Store) Append(lines ...Line) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return unwritten(s.path, fs.ErrClosed)
	}
	if len(lines) == 0 {
		return nil
	}
	text, names, err := s.encode(lines)
	if err != nil {
		return err
	}
	if !isAt(s.file, s.path) {
		return gone(s.path)
	}
	if err := s.write(text); err != nil {
		return err
	}
	for _, l := range lines {
		l.Schema = Schema
		s.lines = append(s.lines, l)
	}
	for _, key := range names {
		s.names[key] = key
	}
	return nil
}

// encode also returns the keys of variants that the file doesn't have yet. A known variant goes by its key in the file.
func (s *Store) encode(lines []Line) (text []byte, names []string, err error) {
	there := map[string]bool{}
	out := slices.Clone(lines)
	for i, l := range lines {
		name, known := s.names[l.Key]
		switch {
		case l.Variant != nil && !known && !there[l.Key]:
			there[l.Key], names = true, append(names, l.Key)
		case l.Variant != nil, there[l.Key]:
		case known:
			out[i].Key = name
		default:
			return nil, nil, invalid("no variant with its key was added before it")
		}
	}
	text, err = Encode(out...)
	return text, names, err
}

// write adds text after the lines, on the disk. Where it fails the file is cut back: at once, before the next write, or by
// whoever opens it next. A limit of the size of files is an error like others: Go takes SIGXFSZ, and does nothing.
func (s *Store) write(text []byte) error {
	err := s.mend()
	if err == nil {
		s.dirty = true
		if _, err = s.file.WriteAt(text, s.size); err == nil {
			err = s.file.Sync()
		}
	}
	if err != nil {
		s.mend()
		return unwritten(s.path, err)
	}
	s.size += int64(len(text))
	s.dirty = false
	return nil
}

// mend cuts off what a failed write left.
func (s *Store) mend() error {
	if !s.dirty {
		return nil
	}
	err := s.file.Truncate(s.size)
	if err == nil {
		err = s.file.Sync()
	}
	s.dirty = err != nil
	return err
}

// Close closes the file, for others to open. A store that is closed keeps its lines.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.mend(), s.file.Close())
	s.file = nil
	if err != nil {
		return fmt.Errorf("closing %s: %w", s.path, err)
	}
	return nil
}

// isAt reports whether a path leads to an open file.
func isAt(f *os.File, path string) bool {
	mine, err := f.Stat()
	there, missing := os.Stat(path)
	return err == nil && missing == nil && os.SameFile(mine, there)
}

// The help on files that are no records, and on those that can't be written.
const (
	suchFiles = "smux tune --store writes such files"
	otherFile = "name another file with --store"
)

// invalid returns the error of a line that can't be written, since it could not be read again.
func invalid(why string) error {
	return Explain(errors.New("this is not a line of a record: " + why))
}

// unkept returns the error of a file that can't be opened for writing or locked, for its folder is read-only, for instance.
func unkept(file string, err error) error {
	return diag.Usagef(otherFile, "%s: measurements can't be kept here: %w", file, diag.PlainCause(err))
}

// failure returns an error that is nobody's wrong usage.
func failure(help, format string, args ...any) error {
	return &diag.Failure{Exit: diag.ExitInternal, Err: fmt.Errorf(format, args...), Help: help}
}

// gone returns the error of a file that was removed, renamed or replaced while it was open.
func gone(file string) error {
	return failure("put it back where it was, or start again", "%s: it was removed, renamed or replaced while measurements were written to it", file)
}

// unwritten returns the error of lines that could not be added; the file is as before. A limit may leave no room.
func unwritten(file string, err error) error {
	help := "the same command goes on from there"
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		help = "make room; " + help
	}
	return failure(help, "%s: a measurement could not be kept: %w; those before it are safe", file, diag.PlainCause(err))
}

// Explain returns an error as that of a command line: one that is that already as it is, any other as the machine's.
func Explain(err error) error {
	var exit *diag.Failure
	if err == nil || errors.As(err, &exit) || errors.Is(err, diag.ErrReported) {
		return err
	}
	return &diag.Failure{Exit: diag.ExitInternal, Err: err}
}
