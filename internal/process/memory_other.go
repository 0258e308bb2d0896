//go:build !linux

package process

import (
	"os"
	"os/exec"
)

func limitMemory(*exec.Cmd, uint64) {}

func peakMemory(*os.ProcessState) uint64 { return 0 }

func machineMemory() uint64 { return 0 }
