package cmd

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/smux-cuda/smux/acc"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/atomicfile"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/project/load"
)

const accLong = `Translates C with OpenACC directives to CUDA: kernels, launches and data movement,
as text that a person can review. Each directive is honoured, or refused with its
place and the reason. What was decided goes to standard error: which loops stay
sequential and why, and what is copied beyond what a clause says.

The result needs nothing but the CUDA toolkit, and everything else of smux works on
it: verify and check run it without a GPU, rewrite and tune go on from it.

Exit codes: 0 translated; 2 wrong usage, unreadable input, or something that can't be
translated; 3 I/O or internal error.`

const accExample = `  smux acc jacobi.c -o jacobi.cu
  smux verify jacobi.c jacobi.cu        # the same results as the C program, without a GPU`

// accCommand is `smux acc FILE`.
func (s *session) accCommand() *cobra.Command {
	var (
		in    load.Options
		out   string
		quiet bool
	)
	c := &cobra.Command{
		Use:     "acc FILE",
		Short:   "Translate C with OpenACC directives to CUDA",
		Long:    accLong,
		Example: accExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return diag.Usagef("name one C file", "acc translates one file, got %d", len(args))
			}
			if err := in.Check(); err != nil {
				return err
			}
			return s.translate(args[0], in, out, quiet)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVarP(&out, "output", "o", "", "write the program to this `FILE`")
	f.BoolVarP(&quiet, "quiet", "q", false, "say nothing of what was decided")
	f.StringArrayVarP(&in.Includes, "include", "I", nil, "add a `DIR` to search for #include")
	f.StringArrayVarP(&in.Defines, "define", "D", nil, "define a macro, `NAME` or NAME=VALUE")
	return c
}

// translate is the whole of `smux acc` behind its flags.
func (s *session) translate(name string, in load.Options, out string, quiet bool) error {
	opt := parser.Options{IncludeDirs: in.Includes, Defines: append([]string{"_OPENACC=202211"}, in.Defines...), Closed: true}
	prog, errs := parser.LoadProgram([]string{name}, opt)
	if len(errs) > 0 {
		return s.unreadable(errors.Join(errs...))
	}
	result, err := acc.Translate(prog, prog.Files[0])
	if err != nil {
		return s.unreadable(err)
	}
	if !quiet {
		for _, m := range result.Messages {
			s.Message(m)
		}
	}
	if out == "" {
		_, err = s.Stdout.Write(result.Text)
		return err
	}
	staged, err := atomicfile.Stage(out, result.Text)
	if err != nil {
		return diag.Failed("writing "+out, err)
	}
	if err := staged.Commit(); err != nil {
		return diag.Failed("writing "+out, err)
	}
	return nil
}

// unreadable prints what is wrong with a file.
func (s *session) unreadable(err error) error {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		for _, e := range many.Unwrap() {
			s.unreadable(e)
		}
		return diag.ErrReported
	}
	var m diag.Message
	var input *parser.InputError
	switch {
	case errors.As(err, &m):
		s.Message(m)
	case errors.As(err, &input):
		s.Message(input.Message())
	default:
		return diag.Usagef("", "%w", err)
	}
	s.Note(diag.ExitUsage)
	return diag.ErrReported
}
