package cmd

import (
	"github.com/spf13/cobra"

	"github.com/smux-cuda/smux/rewrite"
)

const rewriteLong = `Merges thread blocks so that they take turns with one copy of their shared
memory. Prints the rewritten files; with -d a unified diff that "git apply"
takes, with -l the names of the files that would change; with -w the files are
replaced in place. -d, -l and -w can be combined, as in gofmt.

Files given together are one program: a kernel in one may be launched in
another. "-" reads standard input. Kernels that cannot be rewritten are left
alone, and the reason goes to standard error.`

const rewriteExample = `  smux rewrite -d kernel.cu              # review what would change
  smux rewrite -w --kernel 'fft*' *.cu   # rewrite some kernels in place
  smux rewrite -d src/*.cu | git apply   # the same by way of git`

// rewriteCommand is `smux rewrite [FILES…]`.
func (s *session) rewriteCommand() *cobra.Command {
	var (
		in    inputFlags
		knobs knobFlags
		out   outputFlags
		quiet bool
	)
	c := &cobra.Command{
		Use:     "rewrite [FILES…]",
		Short:   "Rewrite the kernels of CUDA files",
		Long:    rewriteLong,
		Example: rewriteExample,
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			opt, err := knobs.options(in)
			if err != nil {
				return err
			}
			if err := out.check(args); err != nil {
				return err
			}
			return s.rewriteFiles(args, in, opt, out, quiet)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	out.register(f)
	knobs.register(f)
	in.register(f)
	f.BoolVarP(&quiet, "quiet", "q", false, "do not say why kernels were left alone")
	return c
}

// rewriteFiles is the whole of `smux rewrite` behind its flags.
func (s *session) rewriteFiles(args []string, in inputFlags, opt rewrite.Options, out outputFlags, quiet bool) error {
	prog, err := s.load(args, in)
	if err != nil {
		return err
	}
	if len(prog.Files) == 0 {
		return nil // each file's message has been printed
	}
	if err := checkKernelNames(prog, opt.Kernels); err != nil {
		return err
	}
	result, err := s.rewrite(prog, opt)
	if err != nil {
		return failure("rewriting", err)
	}
	if err := s.output(prog, result, out); err != nil {
		return err
	}
	if !quiet {
		s.reportKernels(result.Kernels)
	}
	if opt.Runtime == runtimeHeader {
		s.remarkOnRuntime(result, out)
	}
	return nil
}
