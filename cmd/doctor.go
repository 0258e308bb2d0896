package cmd

import (
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/doctor"
	"github.com/smux-cuda/smux/project/load"
	"github.com/spf13/cobra"
)

const doctorLong = `Says which tools and settings of this machine smux can use, what works without the
rest, and how to get it. It looks at smux itself, the C++ compiler, nvcc, the GPU,
the cache folder, git, the terminal and the settings. Nothing is changed, and
nothing is waited for longer than a few seconds.

Only smux itself is needed; a missing tool is no failure. The exit code is 1 if
something is there and does not work, such as a driver that does not answer.

--json prints the same for programs. Fields and checks may be added to it, but none
changes its meaning as long as "schema" is the same.`

// doctorCommand is `smux doctor`.
func (s *session) doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "List the tools of this machine that smux can use, and the missing ones",
		Long:  doctorLong,
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			line := s.NewProgress()
			line.Say("looking at this machine")
			m := doctor.Machine{
				Rewrite: s.rewrite, FindNVCC: s.findNVCC, NVIDIASMI: s.nvidiaSMI, Getenv: s.Getenv,
				ReadFile: load.ReadBeside, Terminal: s.IsTerminal(s.Stderr), Patience: s.examining,
			}
			d := doctor.Diagnosis{Schema: doctor.Schema, Smux: thisBuild(), Checks: m.Examine(s.Context())}
			line.End()
			if d.Count(doctor.Broken) > 0 {
				s.Note(diag.ExitDiffers)
			}
			return s.printDocument(d, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print what was found as JSON")
	return c
}
