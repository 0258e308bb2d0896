package process

import "syscall"

// diesWithParent has a process killed when the thread that started it ends. The threads of the Go runtime do so with
// the process, unless a goroutine is locked to one, and none is here.
func diesWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
