// Package procgroup starts commands together with all that they start: when the
// context of a command ends, its whole process group is killed, so that
// neither a compiler's passes nor a program's children are left behind. Where
// the system has no process groups only the command itself is killed.
//
// On Linux a command also ends when this process does, even when it is killed;
// what that command started by itself lives on then.
package procgroup

import (
	"context"
	"io"
	"os/exec"
	"time"
)

// all ends when no command may run any more.
var all, endAll = context.WithCancel(context.Background())

// EndAll kills the groups of all commands that run, and none starts after it.
func EndAll() { endAll() }

// Command is exec.CommandContext for a process group of its own.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	// One process starts hundreds of commands at most, so that nothing takes these
	// back before ctx ends.
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(all, cancel)
	c := exec.CommandContext(ctx, name, args...)
	separate(c)
	// A child that left the group may hold the output open; it is not waited for.
	c.WaitDelay = 2 * time.Second
	return c
}

// Output runs a command of this package and returns what it prints to its standard
// output, of one that prints more than so many bytes these and one more: such a command
// is ended.
func Output(c *exec.Cmd, most int) ([]byte, error) {
	r, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if len(out) > most {
		_ = c.Cancel()
	}
	if e := c.Wait(); e != nil {
		err = e
	}
	return out, err
}
