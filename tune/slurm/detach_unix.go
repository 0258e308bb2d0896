//go:build unix

package slurm

import (
	"os/exec"
	"syscall"
)

// detach lets a command outlive this process, and what is sent to its group.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
