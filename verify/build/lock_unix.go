//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package build

import (
	"os"
	"syscall"
)

// locks says that lock really locks.
const locks = true

// lock takes a lock on an open file; the system releases it when the file is
// closed or the process ends, however it ends. Without wait it returns an error
// where another process holds a lock that excludes this one.
func lock(f *os.File, exclusive, wait bool) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err != syscall.EINTR {
			return err
		}
	}
}
