//go:build unix && !linux

package process

import "syscall"

func diesWithParent(*syscall.SysProcAttr) {}
