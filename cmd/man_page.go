package cmd

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
)

// manPages renders a page for a command and for each below it. The commands are
// changed: what they say becomes Markdown, which cobra/doc makes pages of.
func manPages(c *cobra.Command, source, date string) ([]manPage, error) {
	c.DisableAutoGenTag = true // it has a date of today
	c.InitDefaultHelpFlag()
	for _, sub := range c.Commands() {
		sub.InitDefaultHelpFlag()
	}
	asMarkdown(c) // before those below it, whose words it lists
	var out []manPage
	for _, sub := range c.Commands() {
		if !sub.IsAvailableCommand() {
			continue
		}
		pages, err := manPages(sub, source, date)
		if err != nil {
			return nil, err
		}
		out = append(out, pages...)
	}
	var text bytes.Buffer
	// The form of cobra's date is not that of man pages: it is put in afterwards.
	placeholder := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	header := &doc.GenManHeader{Section: "1", Source: source, Manual: "smux", Date: &placeholder}
	if err := doc.GenMan(c, header, &text); err != nil {
		return nil, err
	}
	roff := bytes.Replace(text.Bytes(), []byte(`"Jan 0001"`), []byte(`"`+date+`"`), 1)
	return append(out, manPage{pageName(c), withMinus(roff)}), nil
}

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

// asMarkdown turns what a command says in plain text to Markdown, and adds the
// sections that cobra/doc does not know, in the order of man-pages(7).
func asMarkdown(c *cobra.Command) {
	long := c.Long
	if long == "" {
		long = c.Short + "."
	}
	// What a page says of exit codes stands in a section of its own.
	long, _, _ = strings.Cut(long, "\n\nExit codes:")
	var md bytes.Buffer
	md.WriteString(plainMarkdown(long))
	if options := optionsMarkdown(c.Flags()); options != "" {
		fmt.Fprintf(&md, "\n\n# OPTIONS\n\n%s", options)
		c.Use += " [flags]" // where cobra has it
	}
	if !c.HasParent() {
		c.Use = "smux COMMAND"
		md.WriteString("\n\n# COMMANDS\n\n" + definitions(commandsOf(c)))
	}
	md.WriteString("\n\n# EXIT STATUS\n\n" + definitions(exitStatus))
	if !c.HasParent() {
		md.WriteString("\n\n# ENVIRONMENT\n\n" + definitions(environment))
		md.WriteString("\n\n# FILES\n\n" + definitions(usedFiles))
	}
	c.Long = md.String()
	c.Short = escapeMarkdown(c.Short)
	c.Use = escapeMarkdown(c.Use)
	// cobra/doc would show --diff[=false]: it is to find none.
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = true })
}

// definition is a term and what it means.
type definition struct{ term, text string }

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

// commandsOf are a command's own, with what each is for.
func commandsOf(c *cobra.Command) []definition {
	var out []definition
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			out = append(out, definition{sub.Name(), sub.Short})
		}
	}
	return out
}

func definitions(list []definition) string {
	var out strings.Builder
	for _, d := range list {
		fmt.Fprintf(&out, "**%s**\n: %s\n\n", escapeMarkdown(d.term), escapeMarkdown(d.text))
	}
	return out.String()
}

// optionsMarkdown lists flags as `smux help` does: what they take, what they mean, and
// what counts where they are not given.
func optionsMarkdown(flags *pflag.FlagSet) string {
	var out strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		takes, text := pflag.UnquoteUsage(f)
		if f.Shorthand != "" {
			fmt.Fprintf(&out, "**-%s**, ", f.Shorthand)
		}
		fmt.Fprintf(&out, "**--%s**", f.Name)
		if takes != "" {
			fmt.Fprintf(&out, " *%s*", escapeMarkdown(takes))
		}
		switch f.DefValue {
		case "", "0", "0s", "false", "[]":
		default:
			text += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(&out, "\n: %s\n\n", escapeMarkdown(text))
	})
	return out.String()
}

// plainMarkdown is a plain text as Markdown: paragraphs stay so, and lines that are
// indented are shown as they are.
func plainMarkdown(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "    ") {
			line = escapeMarkdown(line)
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

func escapeMarkdown(text string) string {
	text = markup.ReplaceAllString(text, `\$0`)
	return lineStart.ReplaceAllStringFunc(text, func(s string) string {
		at := strings.IndexAny(s, "-+:.)")
		return s[:at] + `\` + s[at:]
	})
}
