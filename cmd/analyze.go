package cmd

import (
	"errors"

	"github.com/spf13/cobra"
)

// analyzeCommand is `smux analyze FILE…`.
func (s *session) analyzeCommand() *cobra.Command {
	var (
		in     inputFlags
		asJSON bool
	)
	c := &cobra.Command{
		Use:   "analyze FILE…",
		Short: "Say what a kernel does with its shared memory and which rewrites are possible",
		Args:  cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := in.check(); err != nil {
				return err
			}
			prog, err := s.load(args, in)
			if err != nil {
				return err
			}
			if err := checkKernelNames(prog, in.kernels); err != nil {
				return err
			}
			return failure("analyzing", errors.New("not wired up yet"))
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.BoolVar(&asJSON, "json", false, "print the report as JSON")
	in.register(f)
	return c
}
