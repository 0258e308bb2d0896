package usage

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/internal/lists"
)

// Page is a man page with the sections of man-pages(7), and the name of its file.
type Page struct {
	Name string // smux-rewrite.1
	Text []byte // roff
}

// Pages returns a page for each command below c, and for c itself at the end: md2man turns the Markdown that is made
// of a command into roff. The source is the program with its version, the date "2026-01-31", or "" for none.
func Pages(c *cobra.Command, source, date string) []Page {
	c.InitDefaultHelpFlag()
	var out []Page
	for _, sub := range Below(c) {
		out = append(out, Pages(sub, source, date)...)
	}
	title := strings.ToUpper(strings.ReplaceAll(c.CommandPath(), " ", `\-`))
	var md bytes.Buffer
	fmt.Fprintf(&md, "%% \"%s\" \"1\" \"%s\" \"%s\" \"smux\"\n", title, strings.ReplaceAll(date, "-", `\-`), source)
	pageMarkdown(&md, c)
	return append(out, Page{dashed(c) + ".1", WithMinus(md2man.Render(md.Bytes()))})
}

// Below returns the commands below c that a person may use.
func Below(c *cobra.Command) []*cobra.Command {
	return lists.Filter(c.Commands(), (*cobra.Command).IsAvailableCommand)
}

// ShownFlags returns the flags of c that a person may use.
func ShownFlags(c *cobra.Command) (out []*pflag.Flag) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Deprecated == "" {
			out = append(out, f)
		}
	})
	return out
}

// pageMarkdown writes the sections of a page, in the order of man-pages(7) but for those after the exit status.
func pageMarkdown(md *bytes.Buffer, c *cobra.Command) {
	long := c.Long
	long = cmp.Or(long, c.Short+".")
	// What a page says of exit codes stands in a section of its own.
	long, _, _ = strings.Cut(long, "\n\nExit codes:")
	fmt.Fprintf(md, "# NAME\n%s \\- %s\n\n", dashed(c), Escaped(c.Short))
	fmt.Fprintf(md, "# SYNOPSIS\n**%s**\n\n", synopsis(c))
	fmt.Fprintf(md, "# DESCRIPTION\n%s", Plain(long))
	if options := Options(ShownFlags(c)); options != "" {
		fmt.Fprintf(md, "\n\n# OPTIONS\n\n%s", options)
	}
	if !c.HasParent() {
		commands := lists.Map(Below(c), func(sub *cobra.Command) Definition { return Definition{sub.Name(), sub.Short} })
		md.WriteString("\n\n# COMMANDS\n\n" + Definitions(commands))
	}
	md.WriteString("\n\n# EXIT STATUS\n\n" + Definitions(exitStatus))
	if !c.HasParent() {
		md.WriteString("\n\n# ENVIRONMENT\n\n" + Definitions(environment))
		md.WriteString("\n\n# FILES\n\n" + Definitions(usedFiles))
	}
	md.WriteString("\n\n")
	if c.Example != "" {
		fmt.Fprintf(md, "# EXAMPLE\n```\n%s\n```\n", c.Example)
	}
	var others []string
	if c.HasParent() {
		others = append(others, fmt.Sprintf("**%s(1)**", dashed(c.Parent())))
	}
	for _, sub := range Below(c) {
		others = append(others, fmt.Sprintf("**%s(1)**", dashed(sub)))
	}
	fmt.Fprintf(md, "# SEE ALSO\n%s\n", strings.Join(others, ", "))
}

// synopsis returns how a command is written.
func synopsis(c *cobra.Command) string {
	if !c.HasParent() {
		return c.CommandPath() + " COMMAND"
	}
	use := c.Use
	if len(ShownFlags(c)) > 0 {
		use += " [flags]"
	}
	return c.Parent().CommandPath() + " " + Escaped(use)
}

// dashed returns the name of the page of a command.
func dashed(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

var exitStatus = []Definition{
	{"0", "Nothing to change, or the result was printed or written, or programs are equal."},
	{"1", "rewrite -d or -l found files that would change; verify or check found something; baseline check found kernels that are worse; doctor found something broken."},
	{"2", "Wrong usage, or input that cannot be read."},
	{"3", "An I/O error, an interrupt, a defect in smux, or a program that could not be run. The largest of several codes counts."},
}

var environment = []Definition{
	{"NO_COLOR, TERM", "Messages and diffs have no colour where NO_COLOR is set or TERM is dumb."},
	{"CXX", "The C++ compiler that verify and check use; the default is the first of g++, clang++ and c++."},
	{"CUDA_HOME, CUDA_PATH", "The folder of the CUDA toolkit, where nvcc is not on PATH."},
	{"XDG_CACHE_HOME", "The folder of caches, in which smux keeps what compilers said and what was measured; the default is ~/.cache."},
	{"SOURCE_DATE_EPOCH", "The date on man pages, in seconds since 1970."},
	{"SMUX_DEBUG", "Set to 1, it has a defect show its stack."},
}

var usedFiles = []Definition{
	{".smux.yaml", "Settings of a team: the GPUs, the rewrites that may be chosen, files to leave out. smux looks for it upwards from each file."},
	{"$XDG_CACHE_HOME/smux", "Compiled runtimes, answers of nvcc, and measurements. It can be removed at any time; measurements of tune that were given no --store are then lost."},
	{"compile_commands.json", "With -p: where -I, -D and GPUs (-arch) of each file come from."},
}
