//go:build unix

package process

import (
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
)

// guard is a shell beside this process that kills the groups of the commands that run once this process is gone,
// however it went: it reads their numbers from a pipe whose other end goes with this process. A death signal reaches
// the command alone, and not what it started: nvcc's compilers, a shell's programs. In a group of its own no signal
// of a terminal reaches the guard.
var guard struct {
	sync.Mutex
	tried bool
	pipe  io.Writer // nil where there is no shell
}

// What the guard does: "+ N" is a group that begins, "- N" one that has ended.
const guarding = `trap '' HUP INT QUIT TERM
held=' '
while read -r what group; do
	case $what in
	+) held="$held$group " ;;
	-) case $held in *" $group "*) held="${held%%" $group "*} ${held#*" $group "}" ;; esac ;;
	esac
done
for group in $held; do kill -s KILL -- "-$group"; done`

// watched tells the guard of a group; the first time it starts the guard.
func watched(group int) {
	guard.Lock()
	defer guard.Unlock()
	if !guard.tried {
		guard.tried = true
		guard.pipe = startGuard()
	}
	tell("+", group)
}

// ended tells the guard of a group that ended.
func ended(group int) {
	guard.Lock()
	defer guard.Unlock()
	tell("-", group)
}

func tell(what string, group int) {
	if guard.pipe == nil {
		return
	}
	if _, err := fmt.Fprintln(guard.pipe, what, group); err != nil { // somebody ended it
		guard.pipe = nil
	}
}

func startGuard() io.Writer {
	c := exec.Command("/bin/sh", "-c", guarding)
	c.Dir = "/"
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := c.StdinPipe()
	if err != nil || c.Start() != nil {
		return nil
	}
	go c.Wait()
	return pipe
}
