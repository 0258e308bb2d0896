package cmd

import (
	"bytes"
	"fmt"

	"github.com/smux-cuda/smux/diag"
	"github.com/spf13/cobra"
)

const doctorLong = `Says what of this machine smux can use, what works without the rest, and how to
get it: whether smux itself rewrites a kernel, the C++ compiler that verify and
check need, nvcc, the GPU, the cache folder, git, the terminal, and the
configuration file in force. Nothing is changed, and nothing is waited for longer
than a few seconds.

Only smux itself is needed; what is missing beside it is no failure. The exit
code is 1 where something is there and does not work: a compiler that cannot be
run, a driver that does not answer, a folder that cannot be written.

--json prints the same for programs: fields and checks may be added to it, but
none changes its meaning as long as "schema" is the same.`

// doctorSchema is the version of what `smux doctor --json` prints.
const doctorSchema = 1

// How a thing was found.
const (
	stateOK      = "ok"
	stateMissing = "missing" // and smux does without
	stateBroken  = "broken"  // it is there, and does not work
)

// check is what was found of one thing that smux uses.
type check struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Text  string `json:"text"`            // what was found
	Means string `json:"means,omitempty"` // what works with it, or what does not without
	Help  string `json:"help,omitempty"`  // how to get or mend it
}

// diagnosis is what `smux doctor` prints.
type diagnosis struct {
	Schema int       `json:"schema"`
	Smux   buildInfo `json:"smux"`
	Checks []check   `json:"checks"`
}

// doctorCommand is `smux doctor`.
func (s *session) doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what of this machine smux can use, and what is missing",
		Long:  doctorLong,
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			d := diagnosis{Schema: doctorSchema, Smux: thisBuild(), Checks: s.examine()}
			var out bytes.Buffer
			if asJSON {
				if err := writeDocument(&out, d); err != nil {
					return diag.Failed("writing the diagnosis", err)
				}
			} else {
				d.text(&out)
			}
			if d.count(stateBroken) > 0 {
				s.Note(diag.ExitDiffers)
			}
			_, err := s.Stdout.Write(out.Bytes())
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print what was found as JSON")
	return c
}

// text writes a line for each check, and below those that are not well what does
// not work and what to do.
func (d diagnosis) text(out *bytes.Buffer) {
	fmt.Fprintln(out, d.Smux)
	for _, c := range d.Checks {
		fmt.Fprintf(out, "  %-8s %-9s %s\n", c.State, c.Name, c.Text)
		for _, line := range []string{c.Means, c.Help} {
			if line != "" {
				fmt.Fprintf(out, "  %-8s %-9s %s\n", "", "", line)
			}
		}
	}
	switch missing, broken := d.count(stateMissing), d.count(stateBroken); {
	case broken > 0:
		fmt.Fprintf(out, "%d of %d found broken\n", broken, len(d.Checks))
	case missing > 0:
		fmt.Fprintf(out, "smux works; %d of %d missing\n", missing, len(d.Checks))
	default:
		fmt.Fprintln(out, "smux works, and nothing is missing")
	}
}

func (d diagnosis) count(state string) int {
	n := 0
	for _, c := range d.Checks {
		if c.State == state {
			n++
		}
	}
	return n
}
