package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/smux-cuda/smux/acc/space"
	"github.com/smux-cuda/smux/analysis/summary"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/doctor"
	"github.com/smux-cuda/smux/project/config"
	"github.com/smux-cuda/smux/report"
	"github.com/smux-cuda/smux/report/baseline"
	"github.com/smux-cuda/smux/report/residency"
	"github.com/smux-cuda/smux/report/simulation"
	"github.com/smux-cuda/smux/rewrite/regreduce"
	"github.com/smux-cuda/smux/tune/judge"
	"github.com/smux-cuda/smux/tune/record"
	"github.com/smux-cuda/smux/tune/stress"
	"github.com/smux-cuda/smux/verify"
)

const versionLong = `Prints one line that says which smux this is. -v adds its build, and the
version of each document that it writes for other programs. Two smux that agree on
these read what the other writes. --json prints the
same for programs; fields may be added to it, but none changes its meaning as
long as "schema" is the same.`

// versionCommand is `smux version`.
func (s *session) versionCommand() *cobra.Command {
	var verbose, asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version of smux, and its sources",
		Long:  versionLong,
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			b := thisBuild()
			switch {
			case verbose && asJSON:
				return diag.Usagef("", "--json prints all there is, -v does so for a person: give one")
			case verbose || asJSON:
				return s.printDocument(b, asJSON)
			}
			_, err := fmt.Fprintln(s.Stdout, b)
			return err
		},
	}
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "also print the sources and tools of this build")
	c.Flags().BoolVar(&asJSON, "json", false, "the same as JSON")
	return c
}

// documents lists the documents that smux writes for other programs, with their versions.
var documents = []doctor.Document{
	{Name: "analyze", Schema: summary.ReportSchema},
	{Name: "rewrite", Schema: report.ChangesSchema},
	{Name: "baseline", Schema: baseline.Schema},
	{Name: "occupancy", Schema: residency.Schema},
	{Name: "occupancy-stress", Schema: stress.ReportSchema},
	{Name: "acc", Schema: space.Schema},
	{Name: "simulate", Schema: simulation.Schema},
	{Name: "tune", Schema: judge.Schema},
	{Name: "tune-record", Schema: record.Schema},
	{Name: "stress-record", Schema: stress.Schema},
	{Name: "verify", Schema: verify.Schema},
	{Name: "demote-attempts", Schema: regreduce.Schema},
	{Name: "settings", Schema: config.ReportSchema},
	{Name: "doctor", Schema: doctor.Schema},
	{Name: "version", Schema: doctor.BuildSchema},
}

// thisBuild returns the build of this program.
func thisBuild() doctor.Build { return doctor.ThisBuild(documents) }
