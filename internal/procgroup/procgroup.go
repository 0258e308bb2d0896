// Package procgroup starts commands together with all that they start: when the
// context of a command ends, its whole process group is killed, so that
// neither a compiler's passes nor a program's children are left behind. Where
// the system has no process groups only the command itself is killed.
package procgroup

import (
	"context"
	"os/exec"
	"time"
)

// Command is exec.CommandContext for a process group of its own.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	separate(c)
	// A child that left the group may hold the output open; nobody waits for it.
	c.WaitDelay = 2 * time.Second
	return c
}
