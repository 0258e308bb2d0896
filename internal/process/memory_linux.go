package process

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitMemory has a command run under a bound of its address space, and those that it
// starts. A shell sets the bound and becomes the command: set from here after the start,
// it would come too late for what the command has started by then.
func limitMemory(c *exec.Cmd, bytes uint64) {
	var now unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &now) == nil && now.Cur <= bytes {
		return
	}
	if _, err := exec.LookPath(c.Path); err != nil || c.Err != nil {
		return // the start says what is wrong
	}
	const shell = "/bin/sh"
	if _, err := os.Stat(shell); err != nil {
		return
	}
	kib := strconv.FormatUint(bytes>>10, 10)
	c.Args = slices.Concat([]string{shell, "-c", `ulimit -S -v "$0" 2>/dev/null; exec "$@"`, kib, c.Path}, c.Args[1:])
	c.Path = shell
}

// peakMemory returns the most bytes that a process, or one that it waited for, had in memory.
func peakMemory(p *os.ProcessState) uint64 {
	if usage, ok := p.SysUsage().(*syscall.Rusage); ok {
		return uint64(usage.Maxrss) << 10
	}
	return 0
}

// machineMemory returns the memory of the machine in bytes, or that of the control group
// where it is less, as in a container; 0 where neither is known.
func machineMemory() uint64 {
	var all uint64
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) == nil {
		all = uint64(info.Totalram) * uint64(info.Unit)
	}
	text, err := os.ReadFile("/sys/fs/cgroup/memory.max") // "max" is no number
	if err != nil {
		return all
	}
	if group, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil && (all == 0 || group < all) {
		return group
	}
	return all
}
