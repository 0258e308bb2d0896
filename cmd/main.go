// Package cmd is the command line of smux: one file per subcommand, each thin.
//
// It promises what a person or a script at a prompt relies on: stdout carries
// the result and nothing else, every message goes to stderr with a place, a
// code and a line of help, one bad file does not stop the others, files are
// replaced whole or not at all, and the exit code says what happened (see
// the Exit constants). It decides nothing about CUDA; that is the business of
// packages parser, analysis, rewrite and verify.
package cmd

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// The exit codes. Where several apply the largest one wins.
const (
	ExitOK       = 0 // nothing to change, or the result was printed or written, or programs are equal
	ExitDiffers  = 1 // -d or -l found files that would change; verify or check found something
	ExitUsage    = 2 // wrong usage, or input that cannot be read as CUDA
	ExitInternal = 3 // an I/O error or a defect in smux
	ExitNotRun   = 3 // verify or check could not run the program
)

// Main runs smux with the arguments behind the program name and returns the
// exit code. It uses the process's environment and working directory.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return newSession(stdin, stdout, stderr).main(args)
}

// session is one invocation of smux: its streams, its view of the outside
// world, and the worst exit code so far.
type session struct {
	stdin    io.Reader
	stdout   *resultWriter
	stderr   io.Writer
	getenv   func(string) string
	terminal func(stream any) bool // whether a stream is a terminal
	rewrite  func(*parser.Program, rewrite.Options) (*rewrite.Result, error)
	verify   func(context.Context, verify.Request) (*verify.Verdict, error)
	// nvidiaSMI runs nvidia-smi and returns what it prints.
	nvidiaSMI func(ctx context.Context, args ...string) (string, error)
	findNVCC  func() (*nvcc.Toolkit, error)
	hasLine   bool           // somebody else shows progress
	unread    []diag.Message // why files could not be read
	code      int

	interruption *interruption // of all sessions of this process
}

// newSession returns a session in the process's environment.
func newSession(stdin io.Reader, stdout, stderr io.Writer) *session {
	in := newInterruption()
	return &session{
		interruption: in,

		stdin:     stdin,
		stdout:    &resultWriter{w: stdout, cutOff: in.asked},
		stderr:    stderr,
		getenv:    os.Getenv,
		terminal:  isTerminal,
		rewrite:   rewrite.Run,
		verify:    verify.Run,
		nvidiaSMI: runNVIDIASMI,
		findNVCC:  nvcc.Find,
	}
}

// main runs the command that args name. No panic passes it.
func (s *session) main(args []string) int {
	defer s.obeySignals()()
	err := guard(func() error {
		root := s.rootCommand()
		root.SetArgs(args)
		return root.Execute()
	})
	if s.interruption.asked() {
		help := ""
		var exit *exitError
		if errors.As(err, &exit) && errors.Is(exit, errInterrupted) {
			help = exit.help
		}
		s.sayInterrupted(help)
		return ExitInternal
	}
	if s.stdout.err != nil {
		// What stopped the command is the stream itself; a reader that left
		// early wants to hear nothing of it.
		if !isClosedPipe(s.stdout.err) {
			s.fail(&exitError{code: ExitInternal, err: s.stdout.err, doing: "writing the result"})
		}
		return ExitInternal
	}
	if s.quietly(err) != nil {
		s.fail(err)
	}
	return s.code
}

// note raises the exit code to at least code.
func (s *session) note(code int) { s.code = max(s.code, code) }

// fail reports an error and notes its exit code. Errors that are no exitError
// come from cobra and mean wrong usage.
func (s *session) fail(err error) {
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = &exitError{code: ExitUsage, err: err, help: `run "smux help"`}
	}
	s.note(exit.code)
	s.errorLine(exit)
}

// resultWriter passes the result on to stdout and remembers the first error,
// since cobra and fmt drop it.
type resultWriter struct {
	w      io.Writer
	err    error
	cutOff func() bool // nothing more is a result, nil for never
}

// Write writes to stdout unless an earlier write failed.
func (r *resultWriter) Write(p []byte) (int, error) {
	if r.err == nil && r.cutOff != nil && r.cutOff() {
		r.err = errInterrupted
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.w.Write(p)
	r.err = err
	return n, err
}
