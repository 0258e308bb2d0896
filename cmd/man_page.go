package cmd

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manPage is a man page with the sections of man-pages(7), and the name of its file.
type manPage struct {
	name string // smux-rewrite.1
	text []byte // roff
}

// manPages returns a page for each command below c, and for c itself at the end: md2man
// turns the Markdown that is made of a command into roff. The source is the program with
// its version, the date "2026-01-31", or "" for none.
func manPages(c *cobra.Command, source, date string) []manPage {
	c.InitDefaultHelpFlag()
	var out []manPage
	for _, sub := range below(c) {
		out = append(out, manPages(sub, source, date)...)
	}
	title := strings.ToUpper(strings.ReplaceAll(c.CommandPath(), " ", `\-`))
	var md bytes.Buffer
	fmt.Fprintf(&md, "%% \"%s\" \"1\" \"%s\" \"%s\" \"smux\"\n", title, strings.ReplaceAll(date, "-", `\-`), source)
	pageMarkdown(&md, c)
	return append(out, manPage{dashed(c) + ".1", withMinus(md2man.Render(md.Bytes()))})
}

// below returns the commands below c that a person may use.
func below(c *cobra.Command) (out []*cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			out = append(out, sub)
		}
	}
	return out
}

// shownFlags returns the flags of c that a person may use.
func shownFlags(c *cobra.Command) (out []*pflag.Flag) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Deprecated == "" {
			out = append(out, f)
		}
	})
	return out
}

// pageMarkdown writes the sections of a page, in the order of man-pages(7) but for those
// after the exit status.
func pageMarkdown(md *bytes.Buffer, c *cobra.Command) {
	long := c.Long
	long = cmp.Or(long, c.Short+".")
	// What a page says of exit codes stands in a section of its own.
	long, _, _ = strings.Cut(long, "\n\nExit codes:")
	fmt.Fprintf(md, "# NAME\n%s \\- %s\n\n", dashed(c), escaped(c.Short))
	fmt.Fprintf(md, "# SYNOPSIS\n**%s**\n\n", synopsis(c))
	fmt.Fprintf(md, "# DESCRIPTION\n%s", plainMarkdown(long))
	if options := optionsMarkdown(shownFlags(c)); options != "" {
		fmt.Fprintf(md, "\n\n# OPTIONS\n\n%s", options)
	}
	if !c.HasParent() {
		var commands []definition
		for _, sub := range below(c) {
			commands = append(commands, definition{sub.Name(), sub.Short})
		}
		md.WriteString("\n\n# COMMANDS\n\n" + definitions(commands))
	}
	md.WriteString("\n\n# EXIT STATUS\n\n" + definitions(exitStatus))
	if !c.HasParent() {
		md.WriteString("\n\n# ENVIRONMENT\n\n" + definitions(environment))
		md.WriteString("\n\n# FILES\n\n" + definitions(usedFiles))
	}
	md.WriteString("\n\n")
	if c.Example != "" {
		fmt.Fprintf(md, "# EXAMPLE\n```\n%s\n```\n", c.Example)
	}
	var others []string
	if c.HasParent() {
		others = append(others, fmt.Sprintf("**%s(1)**", dashed(c.Parent())))
	}
	for _, sub := range below(c) {
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
	if len(shownFlags(c)) > 0 {
		use += " [flags]"
	}
	return c.Parent().CommandPath() + " " + escaped(use)
}

// dashed returns the name of the page of a command.
func dashed(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// hyphen is a minus sign in a line of text, which roff would set as a hyphen: a flag
// could not be copied from the page, nor searched for.
var hyphen = regexp.MustCompile(`\\?-`)

// withMinus has a page show all its minus signs. Lines that begin with a point are
// roff's own.
func withMinus(roff []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(roff) {
		if !bytes.HasPrefix(line, []byte(".")) {
			line = hyphen.ReplaceAllLiteral(line, []byte(`\-`))
		}
		out.Write(line)
	}
	return out.Bytes()
}

var exitStatus = []definition{
	{"0", "Nothing to change, or the result was printed or written, or programs are equal."},
	{"1", "rewrite -d or -l found files that would change; verify or check found something; baseline check found kernels that are worse; doctor found something broken."},
	{"2", "Wrong usage, or input that cannot be read."},
	{"3", "An I/O error, an interrupt, a defect in smux, or a program that could not be run. Of several codes the largest counts."},
}

var environment = []definition{
	{"NO_COLOR, TERM", "Messages and diffs have no colour where NO_COLOR is set or TERM is dumb."},
	{"CXX", "The C++ compiler that verify and check use; the default is the first of g++, clang++ and c++."},
	{"CUDA_HOME, CUDA_PATH", "The folder of the CUDA toolkit, where nvcc is not on PATH."},
	{"XDG_CACHE_HOME", "The folder of caches, in which smux keeps what compilers said and what was measured; the default is ~/.cache."},
	{"SOURCE_DATE_EPOCH", "The date on man pages, in seconds since 1970."},
	{"SMUX_DEBUG", "Set to 1, it has a defect show its stack."},
}

var usedFiles = []definition{
	{".smux.yaml", "What a team says once for all: the GPUs, the rewrites that may be chosen, files to leave out. It is looked for upwards from each file."},
	{"$XDG_CACHE_HOME/smux", "Compiled runtimes, answers of nvcc, and measurements. It can be removed at any time; measurements of tune that were given no --store are then lost."},
	{"compile_commands.json", "With -p: where -I, -D and GPUs (-arch) of each file come from."},
}

// definition is a term and what it means.
type definition struct{ term, text string }

func definitions(list []definition) string {
	var out strings.Builder
	for _, d := range list {
		fmt.Fprintf(&out, "**%s**\n: %s\n\n", escaped(d.term), escaped(d.text))
	}
	return out.String()
}

// optionsMarkdown lists flags as `smux help` does: what they take, what they mean, and
// what counts where they are not given.
func optionsMarkdown(flags []*pflag.Flag) string {
	var out strings.Builder
	for _, f := range flags {
		if f.Shorthand != "" {
			fmt.Fprintf(&out, "**-%s**, ", f.Shorthand)
		}
		fmt.Fprintf(&out, "**--%s**", f.Name)
		takes, text := pflag.UnquoteUsage(f)
		if takes != "" {
			fmt.Fprintf(&out, " *%s*", escaped(takes))
		}
		switch f.DefValue {
		case "", "0", "0s", "false", "[]":
		default:
			text += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(&out, "\n: %s\n\n", escaped(text))
	}
	return out.String()
}

// plainMarkdown returns a plain text as Markdown: paragraphs stay so, and lines that are
// indented are shown as they are.
func plainMarkdown(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "    ") {
			line = escaped(line)
		}
		out.WriteString(line)
	}
	return out.String()
}

// What Markdown takes for more than text: some characters anywhere, others at the
// beginning of a line.
var (
	markup    = regexp.MustCompile("[\\\\`*_\\[\\]<>&#|~!]")
	lineStart = regexp.MustCompile(`(?m)^(\s*)([-+:]|\d+[.)])(\s)`)
)

// escaped returns a text as Markdown that shows it.
func escaped(text string) string {
	text = markup.ReplaceAllString(text, `\$0`)
	return lineStart.ReplaceAllStringFunc(text, func(s string) string {
		at := strings.IndexAny(s, "-+:.)")
		return s[:at] + `\` + s[at:]
	})
}
