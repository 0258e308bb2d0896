package cmd

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// errInterrupted says that a person, or the system, asked smux to end.
var errInterrupted = errors.New("interrupted")

// interruptible runs f, whose context ends when smux is asked to end: f then ends
// the programs that it started and returns. What it returned counts for nothing
// after that, since it is made of answers that were cut off.
func interruptible(doing string, f func(context.Context) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := f(ctx)
	if ctx.Err() != nil {
		return failure(doing, errInterrupted)
	}
	return err
}
