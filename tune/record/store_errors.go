package record

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/smux-cuda/smux/diag"
)

// LockedError reports that another process has the file open for writing.
type LockedError struct {
	File   string
	Holder string // as filelock.Holder says it, "" if unknown
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.Holder != "" {
		who = e.Holder
	}
	return e.File + ": " + who + " is writing to it"
}

// AccessError reports that a file can't be opened for writing, or not be locked: that
// it or its folder is read-only or missing, for instance.
type AccessError struct {
	File string
	Err  error
}

func (e *AccessError) Error() string {
	why := e.Err.Error()
	var path *fs.PathError
	if errors.As(e.Err, &path) {
		why = path.Err.Error()
	}
	return e.File + ": measurements can't be kept here: " + why
}

// Unwrap returns the system's error.
func (e *AccessError) Unwrap() error { return e.Err }

// KindError reports that a path leads to something that is not a regular file: a folder, a
// pipe or a device.
type KindError struct {
	File string
	Mode fs.FileMode // its type
}

func (e *KindError) Error() string {
	what := "no regular file"
	switch {
	case e.Mode.IsDir():
		what = "a folder"
	case e.Mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case e.Mode&fs.ModeDevice != 0:
		what = "a device"
	}
	return e.File + ": measurements can't be kept here: it is " + what
}

// WriteError reports that lines could not be added. The file is as it was before.
type WriteError struct {
	File string
	Err  error
}

func (e *WriteError) Error() string {
	why := e.Err.Error()
	var path *fs.PathError
	if errors.As(e.Err, &path) {
		why = path.Err.Error()
	}
	return e.File + ": a measurement could not be kept: " + why + "; those before it are safe"
}

// Unwrap returns the system's error.
func (e *WriteError) Unwrap() error { return e.Err }

// Full reports whether there was no room: on the disk, or by a limit of the user or of the
// size of a file.
func (e *WriteError) Full() bool {
	return errors.Is(e.Err, syscall.ENOSPC) || errors.Is(e.Err, syscall.EDQUOT) || errors.Is(e.Err, syscall.EFBIG)
}

// GoneError reports that a file was removed, renamed or replaced while it was open.
type GoneError struct{ File string }

func (e *GoneError) Error() string {
	return e.File + ": it was removed, renamed or replaced while measurements were written to it"
}

// Explain returns what is wrong with a record: with what was named, or with the
// machine. The error returned is that of a command line; one that is that already is
// returned as it is.
func Explain(err error) error {
	var (
		exit   *diag.Failure
		format *FormatError
		newer  *NewerError
		locked *LockedError
		access *AccessError
		kind   *KindError
		gone   *GoneError
		write  *WriteError
	)
	const other = "name another file with --store"
	switch {
	case err == nil || errors.As(err, &exit) || errors.Is(err, diag.ErrReported):
		return err
	case errors.As(err, &format):
		return diag.Usagef("smux tune --store writes such files", "%w", err)
	case errors.As(err, &newer):
		return diag.Usagef("update smux, or "+other, "%w", err)
	case errors.As(err, &access), errors.As(err, &kind):
		return diag.Usagef(other, "%w", err)
	case errors.As(err, &locked):
		return &diag.Failure{Exit: diag.ExitInternal, Err: err, Help: "wait for it, or " + other}
	case errors.As(err, &gone):
		return &diag.Failure{Exit: diag.ExitInternal, Err: err, Help: "put it back where it was, or start again"}
	case errors.As(err, &write) && write.Full():
		return &diag.Failure{Exit: diag.ExitInternal, Err: err, Help: "make room; the same command goes on from there"}
	case errors.As(err, &write):
		return &diag.Failure{Exit: diag.ExitInternal, Err: err, Help: "the same command goes on from there"}
	}
	return &diag.Failure{Exit: diag.ExitInternal, Err: err}
}
