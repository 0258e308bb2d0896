//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package build

import "os"

// locks says that lock really locks. Without it two processes may make the same
// thing twice, and only age tells what is no longer used.
const locks = false

func lock(f *os.File, exclusive, wait bool) error { return nil }
