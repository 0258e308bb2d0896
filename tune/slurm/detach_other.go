//go:build !unix

package slurm

import "os/exec"

func detach(*exec.Cmd) {}
