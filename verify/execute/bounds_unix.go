//go:build unix

package execute

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// bounded has a shell set the limits that a process can only set for itself:
// no core dump, and an end to a program that survives whoever started it.
func bounded(path string, opt Options) (name string, args []string) {
	limits := "ulimit -c 0; "
	if opt.Timeout > 0 {
		// Processor time: a program with one thread can't use more than the timeout.
		limits += fmt.Sprintf("ulimit -t %d; ", 60+4*int(opt.Timeout/time.Second))
	}
	return "/bin/sh", append([]string{"-c", limits + `exec "$0" "$@"`, path}, opt.Args...)
}

// ending distinguishes an exit status from a signal.
func ending(state *os.ProcessState) (exit int, signal, words string) {
	if state == nil {
		return -1, "", ""
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -1, signalName(status.Signal()), status.Signal().String()
	}
	return state.ExitCode(), "", ""
}

var signalNames = map[syscall.Signal]string{
	syscall.SIGABRT: "SIGABRT", syscall.SIGSEGV: "SIGSEGV", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
	syscall.SIGILL: "SIGILL", syscall.SIGKILL: "SIGKILL", syscall.SIGTERM: "SIGTERM", syscall.SIGINT: "SIGINT",
	syscall.SIGPIPE: "SIGPIPE", syscall.SIGTRAP: "SIGTRAP", syscall.SIGXCPU: "SIGXCPU", syscall.SIGSYS: "SIGSYS",
}

func signalName(s syscall.Signal) string {
	if name, ok := signalNames[s]; ok {
		return name
	}
	return strings.ToLower(s.String())
}
