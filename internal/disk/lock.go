package disk

import (
	"errors"
	"os"
)

// ErrHeld says that somebody else holds a lock that excludes the one asked for.
var ErrHeld = errors.New("another process holds the lock")

// Lock takes a lock on an open file. Without wait the error is ErrHeld where somebody else holds a lock that excludes
// this one. Any other error is the system's: that the file system has no locks, for instance.
func Lock(f *os.File, exclusive, wait bool) error { return lock(f, exclusive, wait) }
