//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package disk

import (
	"os"
	"syscall"
)

// LocksWork says that Lock really locks.
const LocksWork = true

func lock(f *os.File, exclusive, wait bool) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		switch err := syscall.Flock(int(f.Fd()), how); err {
		case nil:
			return nil
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return ErrHeld
		default:
			return os.NewSyscallError("flock", err)
		}
	}
}
