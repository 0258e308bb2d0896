package procgroup

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// limitMemory bounds the address space of a process and of those that it starts
// from now on.
func limitMemory(pid int, bytes uint64) {
	var limit unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_AS, nil, &limit) == nil && bytes < limit.Cur {
		limit.Cur = bytes
		_ = unix.Prlimit(pid, unix.RLIMIT_AS, &limit, nil)
	}
}

// peakMemory is the most bytes that a process, or one that it waited for, had in memory.
func peakMemory(p *os.ProcessState) uint64 {
	if usage, ok := p.SysUsage().(*syscall.Rusage); ok {
		return uint64(usage.Maxrss) << 10
	}
	return 0
}

// machineMemory is the memory of the machine in bytes, or that of the control group
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
