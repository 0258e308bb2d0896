package cmd

import (
	"github.com/smux-cuda/smux/rewrite/runtime"
	"github.com/spf13/cobra"
)

// runtimeCommand is `smux runtime`.
func (s *session) runtimeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "runtime",
		Short: "Print smux.cuh, the header that --runtime=header includes",
		Long: `Prints the header smux.cuh. Files that were rewritten with --runtime=header
include it, so it has to be on nvcc's include path:

    smux runtime > smux.cuh`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := s.Stdout.Write(runtime.Header())
			return err
		},
	}
}
