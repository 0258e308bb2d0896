// Package cmd is the command line of smux: one file per subcommand, each thin.
//
// It promises what a person or a script at a prompt relies on: stdout carries the result and nothing else, every
// message goes to stderr with a place, a code and a line of help, one bad file does not stop the others, files are
// replaced whole or not at all, and the exit code says what happened (see the Exit constants). It decides nothing
// about CUDA; that is the business of packages parser, analysis, rewrite and verify.
package cmd

import (
	"context"
	"io"
	"time"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/console"
	"github.com/smux-cuda/smux/internal/doctor"
	"github.com/smux-cuda/smux/internal/process"
	"github.com/smux-cuda/smux/nvcc"
	"github.com/smux-cuda/smux/pipeline/header"
	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// Main runs smux with the arguments after the program name and returns the
// exit code. It uses the process's environment and working directory.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return newSession(stdin, stdout, stderr).main(args)
}

// session is one invocation of smux: its console, and what it asks of the outside world.
type session struct {
	*console.Console
	rewrite func(*analysis.Program, rewrite.Options) (*rewrite.Result, error)
	verify  func(context.Context, verify.Request) (*verify.Verdict, error)
	// nvidiaSMI runs nvidia-smi and returns what it prints.
	nvidiaSMI    func(ctx context.Context, args ...string) (string, error)
	findNVCC     func() (*nvcc.Toolkit, error)
	headers      *header.Headers
	certificates *certificates
	share        int // processors for this one of several programs, 0 where it is the only one
	// completing and examining are the times that completing a kernel's name and smux doctor may take.
	completing, examining time.Duration
}

// newSession returns a session in the process's environment.
func newSession(stdin io.Reader, stdout, stderr io.Writer) *session {
	return &session{
		Console:      console.New(stdin, stdout, stderr),
		rewrite:      rewrite.RunAnalysed,
		verify:       verify.Run,
		nvidiaSMI:    process.NVIDIASMI,
		findNVCC:     nvcc.Find,
		headers:      &header.Headers{},
		certificates: &certificates{},
		completing:   completionTime,
		examining:    doctor.Patience,
	}
}

// main runs the command that args name. No panic passes it.
func (s *session) main(args []string) int {
	defer s.ObeySignals()()
	err := diag.Guard(func() error {
		root := s.rootCommand()
		root.SetArgs(args)
		return root.Execute()
	})
	return s.End(err)
}
