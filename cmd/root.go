package cmd

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/usage"
)

const rootLong = `smux reads CUDA C++ and finds what limits each kernel on a GPU: shared memory,
registers, thread blocks or memory traffic. It rewrites a kernel if it can prove that
nothing changes but its speed. The result is CUDA that a person can review as a diff.

Exit codes: 0 nothing to change, or done, or equal; 1 -d or -l found differences,
or verify, check or validate found something; 2 wrong usage or unreadable input;
3 I/O or internal error, or a program that could not be run.`

// rootCommand builds the command tree of this session.
func (s *session) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "smux",
		Short:         "Rewrite CUDA kernels so that shared memory stops limiting them",
		Long:          rootLong,
		Version:       thisBuild().String(),
		SilenceErrors: true, // session.fail prints them
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE:          s.onlyHelp,
	}
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "gpus" { // as settings call it
			name = "gpu"
		}
		return pflag.NormalizedName(name)
	})
	root.SetIn(s.Stdin)
	root.SetOut(s.Stdout)
	root.SetErr(s.Stderr)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if errors.Is(err, pflag.ErrHelp) { // of --help-all
			return err
		}
		help := `run "` + c.CommandPath() + ` --help"`
		if meant := nearFlags(c, err); meant != "" {
			help = meant + "; " + help
		}
		return diag.Usagef(help, "%w", plainFlagError(err))
	})
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags:\n{{.LocalFlags.FlagUsages |", `{{index .Annotations "flags" |`))
	s.addCommands(root)
	s.completes(root)
	helpFlags(root)
	return root
}

// onlyHelp runs a command that only groups those below it.
func (s *session) onlyHelp(c *cobra.Command, _ []string) error {
	c.SetOut(s.Stderr)
	s.Note(diag.ExitUsage)
	return c.Help()
}

// nearFlags asks whether a flag of a command was meant where one is not known, "" where none is near.
func nearFlags(c *cobra.Command, err error) string {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return ""
	}
	var names []string
	add := func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	}
	c.Flags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	near := diag.Nearest(name, names)
	for i := range near {
		near[i] = "--" + near[i]
	}
	if len(near) == 0 {
		return ""
	}
	return "did you mean " + diag.OrList(near) + "?"
}

// addCommands adds the subcommands, in groups by what a person wants.
func (s *session) addCommands(root *cobra.Command) {
	for _, g := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"look", "Look at kernels:", []*cobra.Command{s.analyzeCommand(), s.occupancyCommand(), s.simulateCommand(), s.reportCommand(), s.explainCommand()}},
		{"rewrite", "Rewrite them:", []*cobra.Command{s.rewriteCommand(), s.runtimeCommand(), s.accCommand()}},
		{"verify", "Verify without a GPU:", []*cobra.Command{s.verifyCommand(), s.checkCommand(), s.validateCommand()}},
		{"measure", "Measure on a GPU:", []*cobra.Command{s.tuneCommand(), s.modelCommand()}},
		{"team", "Work in a team:", []*cobra.Command{initCommand(s), s.baselineCommand(), s.configCommand()}},
		{"other", "Other:", []*cobra.Command{s.doctorCommand(), lspCommand(s), s.completionCommand(), s.manCommand(), s.versionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID("other")
}

// plainFlagError returns for a value that is not a number what a person can use: not
// the name of the function that read it.
func plainFlagError(err error) error {
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if !errors.As(err, &invalid) || !errors.As(err, &number) {
		return err
	}
	why := "is not a number"
	switch {
	case errors.Is(number.Err, strconv.ErrRange):
		why = "is out of range"
	case number.Func == "ParseInt" || number.Func == "Atoi":
		why = "is not a whole number"
	case number.Func == "ParseBool":
		why = "is neither true nor false"
	}
	return fmt.Errorf("--%s %q %s", invalid.GetFlag().Name, invalid.GetValue(), why)
}

// knownCommand refuses arguments of the root: cobra passes on only what names no subcommand.
func knownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return diag.Usagef(diag.DidYouMean(args[0], names, "the commands are"), "unknown command %q", args[0])
}

// noArguments refuses arguments for a command that takes none.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return diag.Usagef(`run "`+c.CommandPath()+` --help"`, "%s takes no arguments, got %q", c.CommandPath(), args[0])
	}
	return nil
}

// everyday are the flags that --help shows of a command with many, in their order; --help-all shows the others, too.
var everyday = map[string]string{
	"analyze":        "summary verbose gpu kernel block smem resources min-gain compile-commands exclude format json",
	"baseline check": "file threshold gpu kernel block smem resources compile-commands exclude format config root jobs",
	"baseline write": "file gpu kernel block smem resources include define compile-commands exclude config root jobs",
	"check":          "args source kernel launch buffer gpu all-schedules fast timeout asan exclude baseline format",
	"config":         "path schema json gpu min-gain resources runtime exclude include define compile-commands config no-config",
	"lsp":            "gpu min-gain resources block smem include define compile-commands exclude config",
	"occupancy":      "gpu kernel threads regs smem block summary plot stress resources compile-commands exclude json",
	"report":         "output gpu variant min-gain kernel block smem resources compile-commands exclude store config",
	"rewrite":        "diff list write output gpu variant min-gain kernel verify compile-commands format quiet verbose",
	"simulate":       "gpu policy kernel threads regs smem blocks block segments timeline resources compile-commands json",
	"tune":           "diff write output gpu kernel variant budget store replay export import verify verbose",
	"verify":         "gpu variant all args source kernel launch buffer fast rtol timeout format quiet",
}

// helpFlags settles which flags the help of a command and of those below it shows.
func helpFlags(c *cobra.Command) {
	for _, sub := range c.Commands() {
		helpFlags(sub)
	}
	c.InitDefaultHelpFlag()
	f := c.Flags()
	f.Lookup("help").Usage = "show this help"
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	usual := strings.Fields(everyday[path])
	if len(usual) > 0 {
		usual = append(usual, "help", "help-all")
		f.BoolFunc("help-all", "show all flags", func(string) error {
			c.Annotations["flags"] = usage.Flags(f, usual, true)
			return pflag.ErrHelp
		})
	}
	c.Annotations = map[string]string{"flags": usage.Flags(f, usual, false)}
}
