// Package filelock takes locks on open files that the system releases when the file
// is closed or the process ends, however it ends. They hold between processes and
// between two openings in one process, and bind only those who ask for them. Where
// the system has no such locks every lock is granted; Works says so.
//
// Libraries such as gofrs/flock open a path themselves. Here what is locked is open
// already: the file that a store appends to, and temporary files as they are made.
package filelock

import (
	"errors"
	"os"
)

// ErrHeld says that somebody else holds a lock that excludes the one asked for.
var ErrHeld = errors.New("another process holds the lock")

// Lock takes a lock on an open file. Without wait the error is ErrHeld where
// somebody else holds a lock that excludes this one. Any other error is the
// system's: that the file system has no locks, for instance.
func Lock(f *os.File, exclusive, wait bool) error { return lock(f, exclusive, wait) }
