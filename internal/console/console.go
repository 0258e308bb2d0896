// Package console shows a person what smux does: the result on stdout and nothing else
// there, messages with a place, a code and a line of help on stderr, a line of progress on a terminal, and the exit
// code that all of it leads to. It knows how a command that is asked to end does so within moments and leaves nothing
// half-written.
//
// It decides nothing and knows no kernels. A step of the pipeline gets a Console to
// speak to; in a test that is one with buffers.
package console

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/smux-cuda/smux/diag"
)

// Console is the streams of one command, the environment that decides how they look, and the worst exit code so far.
type Console struct {
	Stdin      io.Reader
	Stdout     *ResultWriter
	Stderr     io.Writer
	Getenv     func(string) string
	IsTerminal func(stream any) bool // whether a stream is a terminal
	Unread     []diag.Message        // why files could not be read
	Grace      time.Duration         // that a command has to return by itself, once it was asked to end
	Code       int

	hasLine      bool          // another console shows progress
	lines        *lines        // of progress
	interruption *interruption // of all consoles of this process
}

// New returns a console in the process's environment.
func New(stdin io.Reader, stdout, stderr io.Writer) *Console {
	in := newInterruption()
	c := &Console{
		Stdin: stdin, Stdout: &ResultWriter{W: stdout, cutOff: in.asked}, Stderr: stderr,
		Getenv: os.Getenv, IsTerminal: isTerminal, Grace: grace, interruption: in, lines: &lines{},
	}
	c.Stdout.before = c.lines.clear
	return c
}

// Beside returns a console for one of several things done side by side, which prints into buffers as c would print.
func (c *Console) Beside(stdout, stderr *bytes.Buffer) *Console {
	b := *c
	b.Stdout, b.Stderr, b.Code, b.hasLine, b.lines, b.Unread = &ResultWriter{W: stdout}, stderr, diag.ExitOK, true, &lines{}, nil
	b.IsTerminal = func(stream any) bool {
		switch stream {
		case any(stderr):
			return c.IsTerminal(c.Stderr)
		case any(stdout):
			return c.IsTerminal(c.Stdout.W)
		}
		return c.IsTerminal(stream)
	}
	return &b
}

// Under returns a console for a request of a server: it prints nothing, and its context is the one given.
func (c *Console) Under(ctx context.Context) *Console {
	b := c.Beside(&bytes.Buffer{}, &bytes.Buffer{})
	b.interruption = &interruption{ctx: ctx}
	return b
}

// Silence drops messages, if asked to, until what it returns is called.
func (c *Console) Silence(quiet bool) (end func()) {
	stderr := c.Stderr
	if quiet {
		c.Stderr = io.Discard
	}
	return func() { c.Stderr = stderr }
}

// Note raises the exit code to at least code.
func (c *Console) Note(code int) { c.Code = max(c.Code, code) }

// Fail reports an error and notes its exit code. Errors that are no diag.Failure come
// from the reading of the command line and mean wrong usage.
func (c *Console) Fail(err error) {
	if message, ok := err.(diag.Message); ok { // of an input, with its place
		c.Message(message)
		c.Note(diag.ExitUsage)
		return
	}
	var failure *diag.Failure
	if !errors.As(err, &failure) {
		failure = &diag.Failure{Exit: diag.ExitUsage, Err: err, Help: `run "smux help"`}
	}
	c.Note(failure.Exit)
	c.errorLine(failure)
}

// Quietly drops an error that was reported already.
func Quietly(err error) error {
	if err == diag.ErrReported {
		return nil
	}
	return err
}

// End prints how a command ended that returned err, and returns its exit code.
func (c *Console) End(err error) int {
	if c.interruption.asked() {
		help := ""
		var failure *diag.Failure
		if errors.As(err, &failure) && errors.Is(failure, diag.ErrInterrupted) {
			help = failure.Help
		}
		c.sayInterrupted(help)
		return diag.ExitInternal
	}
	if c.Stdout.err != nil {
		// What stopped the command is the stream itself; a reader that left early wants to hear nothing of it.
		if !isClosedPipe(c.Stdout.err) {
			c.Fail(diag.Failed("writing the result", c.Stdout.err))
		}
		return diag.ExitInternal
	}
	if Quietly(err) != nil {
		c.Fail(err)
	}
	return c.Code
}

// ResultWriter passes the result on to stdout and remembers the first error, since cobra and fmt drop it.
type ResultWriter struct {
	W      io.Writer
	err    error
	cutOff func() bool // nothing more is a result, nil for never
	before func()      // takes away what is in the way on a terminal; nil for nothing
}

// Write writes to stdout unless an earlier write failed.
func (r *ResultWriter) Write(p []byte) (int, error) {
	if r.err == nil && r.cutOff != nil && r.cutOff() {
		r.err = diag.ErrInterrupted
	}
	if r.err != nil {
		return 0, r.err
	}
	if r.before != nil {
		r.before()
	}
	n, err := r.W.Write(p)
	r.err = err
	return n, err
}

// isClosedPipe reports whether a write failed because the reader has gone, or was never there.
func isClosedPipe(err error) bool {
	return slices.ContainsFunc([]error{syscall.EPIPE, syscall.EBADF, io.ErrClosedPipe, os.ErrClosed}, func(gone error) bool { return errors.Is(err, gone) })
}
