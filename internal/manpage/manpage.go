// Package manpage makes man pages of what commands say of themselves, with the sections
// that man-pages(7) has: md2man turns the Markdown that is made of a command into roff.
package manpage

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

// Command describes a command, in plain text.
type Command struct {
	Path     string // the program and the commands above it, too: "smux baseline check"
	Use      string // its own name and what stands behind it: "check [FILE]"
	Short    string // what it does, without a point at the end
	Long     string // paragraphs; lines that begin with four blanks are shown as they are
	Example  string
	Flags    []Flag
	Commands []Command // below it
}

// Flag is a flag of a command.
type Flag struct {
	Name, Short string // without their dashes; Short is "" for none
	Takes       string // what stands behind it, "" for nothing
	Text        string // what it means
	Default     string // what counts where it is not given
}

// Page is a man page and the name of its file.
type Page struct {
	Name string // smux-rewrite.1
	Text []byte // roff
}

// Pages returns a page for each command below c, and for c itself at the end. The source
// is the program with its version, the date "2026-01-31", or "" for none.
func Pages(c Command, source, date string) []Page { return pages(c, "", source, date) }

func pages(c Command, parent, source, date string) []Page {
	var out []Page
	for _, sub := range c.Commands {
		out = append(out, pages(sub, c.Path, source, date)...)
	}
	title := strings.ToUpper(strings.ReplaceAll(c.Path, " ", `\-`))
	var md bytes.Buffer
	fmt.Fprintf(&md, "%% \"%s\" \"1\" \"%s\" \"%s\" \"smux\"\n", title, strings.ReplaceAll(date, "-", `\-`), source)
	c.markdown(&md, parent)
	return append(out, Page{dashed(c.Path) + ".1", withMinus(md2man.Render(md.Bytes()))})
}

// markdown writes the sections of a page, in the order of man-pages(7) but for those
// behind the exit status.
func (c Command) markdown(md *bytes.Buffer, parent string) {
	long := c.Long
	if long == "" {
		long = c.Short + "."
	}
	// What a page says of exit codes stands in a section of its own.
	long, _, _ = strings.Cut(long, "\n\nExit codes:")
	fmt.Fprintf(md, "# NAME\n%s \\- %s\n\n", dashed(c.Path), escaped(c.Short))
	fmt.Fprintf(md, "# SYNOPSIS\n**%s**\n\n", c.synopsis(parent))
	fmt.Fprintf(md, "# DESCRIPTION\n%s", plainMarkdown(long))
	if options := optionsMarkdown(c.Flags); options != "" {
		fmt.Fprintf(md, "\n\n# OPTIONS\n\n%s", options)
	}
	if parent == "" {
		var commands []definition
		for _, sub := range c.Commands {
			commands = append(commands, definition{sub.name(), sub.Short})
		}
		md.WriteString("\n\n# COMMANDS\n\n" + definitions(commands))
	}
	md.WriteString("\n\n# EXIT STATUS\n\n" + definitions(exitStatus))
	if parent == "" {
		md.WriteString("\n\n# ENVIRONMENT\n\n" + definitions(environment))
		md.WriteString("\n\n# FILES\n\n" + definitions(usedFiles))
	}
	md.WriteString("\n\n")
	if c.Example != "" {
		fmt.Fprintf(md, "# EXAMPLE\n```\n%s\n```\n", c.Example)
	}
	var others []string
	if parent != "" {
		others = append(others, fmt.Sprintf("**%s(1)**", dashed(parent)))
	}
	for _, sub := range c.Commands {
		others = append(others, fmt.Sprintf("**%s(1)**", dashed(sub.Path)))
	}
	fmt.Fprintf(md, "# SEE ALSO\n%s\n", strings.Join(others, ", "))
}

// synopsis returns how a command is written.
func (c Command) synopsis(parent string) string {
	if parent == "" {
		return c.Path + " COMMAND"
	}
	use := c.Use
	if len(c.Flags) > 0 {
		use += " [flags]"
	}
	return parent + " " + escaped(use)
}

// name returns the last word of a command's path.
func (c Command) name() string { return c.Path[strings.LastIndexByte(c.Path, ' ')+1:] }

// dashed returns the name of the page of a command.
func dashed(path string) string { return strings.ReplaceAll(path, " ", "-") }

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
