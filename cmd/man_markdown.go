package cmd

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
)

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
