//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

func separate(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	diesWithParent(c.SysProcAttr)
	c.Cancel = func() error {
		if err := syscall.Kill(-c.Process.Pid, syscall.SIGKILL); err != nil {
			return os.ErrProcessDone
		}
		return nil
	}
}
