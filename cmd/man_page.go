package cmd

import (
	"bytes"
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
// behind the exit status.
func pageMarkdown(md *bytes.Buffer, c *cobra.Command) {
	long := c.Long
	if long == "" {
		long = c.Short + "."
	}
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
