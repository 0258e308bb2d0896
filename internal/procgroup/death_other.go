//go:build unix && !linux

package procgroup

import "syscall"

func diesWithParent(*syscall.SysProcAttr) {}
