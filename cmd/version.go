package cmd

import (
	"bytes"
	"fmt"
	"text/tabwriter"

	"github.com/smux-cuda/smux/diag"
	"github.com/spf13/cobra"
)

const versionLong = `Prints one line that says which smux this is. With -v also what it was built from
and with, and the version of each document that it writes for other programs: of
two smux that agree on these, both read what the other writes. --json prints the
same for programs; fields may be added to it, but none changes its meaning as
long as "schema" is the same.`

// versionCommand is `smux version`.
func (s *session) versionCommand() *cobra.Command {
	var verbose, asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version of smux, and what it was built from",
		Long:  versionLong,
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			var out bytes.Buffer
			switch {
			case verbose && asJSON:
				return diag.Usagef("", "--json prints all there is, -v does so for a person: give one")
			case asJSON:
				if err := writeDocument(&out, b); err != nil {
					return diag.Failed("writing the version", err)
				}
			case verbose:
				b.text(&out)
			default:
				fmt.Fprintln(&out, b)
			}
			_, err := s.Stdout.Write(out.Bytes())
			return err
		},
	}
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "also say what it was built from and with")
	c.Flags().BoolVar(&asJSON, "json", false, "the same as JSON")
	return c
}

// version says which smux this is, as far as the Go toolchain recorded it.
func version() string { return thisBuild().String() }

// String is the line that `smux version` prints.
func (b buildInfo) String() string {
	commit := ""
	if b.Commit != "" {
		commit = " commit " + b.Commit[:min(12, len(b.Commit))]
	}
	if b.Modified {
		commit += " (modified)"
	}
	return fmt.Sprintf("smux %s%s %s %s/%s", b.Version, commit, b.Go, b.OS, b.Arch)
}

// text writes the line and all that is known beside it.
func (b buildInfo) text(out *bytes.Buffer) {
	fmt.Fprintln(out, b)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, value string) {
		if value == "" {
			value = "(unknown)"
		}
		fmt.Fprintf(table, "  %s\t%s\n", name, value)
	}
	commit := b.Commit
	if b.Modified {
		commit += " (modified)"
	}
	row("commit", commit)
	row("date", b.Date)
	row("go", b.Go+" "+b.OS+"/"+b.Arch)
	row("cgo", b.CGO)
	row("grammar", b.Grammar)
	row("runtime", b.Runtime)
	for _, d := range documents {
		row("schema", fmt.Sprintf("%d  %s", d.schema, d.name))
	}
	table.Flush()
}
