//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package disk

import "os"

// LocksWork says that Lock really locks.
const LocksWork = false

func lock(f *os.File, exclusive, wait bool) error { return nil }
