//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package filelock

import "os"

// Works says that Lock really locks.
const Works = false

func lock(f *os.File, exclusive, wait bool) error { return nil }
