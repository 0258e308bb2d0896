//go:build !unix

package procgroup

import "os/exec"

func separate(*exec.Cmd) {}
