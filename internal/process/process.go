// Package process starts commands together with all that they start: when the context of a command ends, its whole
// process group is killed, so that neither a compiler's passes nor a program's children are left behind. So it is
// when this process is killed itself: a guard beside it sees that (see guard.go). Where the system has no process
// groups only the command itself is killed.
//
// It reads what some of them print, too: nvidia-smi, the list of what a compiler has read,
// and a program's lines without the times in them.
package process

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"time"
)

// all ends when no command may run any more.
var all, endAll = context.WithCancel(context.Background())

// EndAll kills the groups of all commands that run, and none starts after it.
func EndAll() { endAll() }

// Cmd is a command with a process group of its own, which the guard watches.
type Cmd struct{ *exec.Cmd }

// Command is exec.CommandContext for a process group of its own.
func Command(ctx context.Context, name string, args ...string) *Cmd {
	// One process starts hundreds of commands at most, so that nothing takes these back before ctx ends.
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(all, cancel)
	c := exec.CommandContext(ctx, name, args...)
	separate(c)
	// A child that left the group may hold the output open; it is not waited for.
	c.WaitDelay = 2 * time.Second
	return &Cmd{c}
}

// Start is exec.Cmd's. Until the guard knows of the command, a death signal ends it
// where there is one; it has started nothing by then.
func (c *Cmd) Start() error {
	err := c.Cmd.Start()
	if err == nil {
		watched(c.Process.Pid)
	}
	return err
}

// Wait is exec.Cmd's.
func (c *Cmd) Wait() error {
	err := c.Cmd.Wait()
	if c.ProcessState != nil {
		ended(c.Process.Pid)
	}
	return err
}

// Run is exec.Cmd's.
func (c *Cmd) Run() error {
	if err := c.Start(); err != nil {
		return err
	}
	return c.Wait()
}

// Output is exec.Cmd's, without what goes to the standard error.
func (c *Cmd) Output() ([]byte, error) {
	var out bytes.Buffer
	c.Stdout = &out
	err := c.Run()
	return out.Bytes(), err
}

// CombinedOutput is exec.Cmd's.
func (c *Cmd) CombinedOutput() ([]byte, error) {
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	return out.Bytes(), err
}

// Output runs a command of this package and returns what it prints to its standard output, of one that prints more
// than so many bytes these and one more: such a command is ended.
func Output(c *Cmd, most int) ([]byte, error) {
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
