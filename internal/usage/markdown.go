package usage

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
)

// Definition is a term and what it means.
type Definition [2]string

// Definitions lists terms and what they mean.
func Definitions(list []Definition) string {
	var out strings.Builder
	for _, d := range list {
		fmt.Fprintf(&out, "**%s**\n: %s\n\n", Escaped(d[0]), Escaped(d[1]))
	}
	return out.String()
}

// Options lists flags as `smux help` does: what they take, what they mean, and what counts where they are not given.
func Options(flags []*pflag.Flag) string {
	var out strings.Builder
	for _, f := range flags {
		if f.Shorthand != "" {
			fmt.Fprintf(&out, "**-%s**, ", f.Shorthand)
		}
		fmt.Fprintf(&out, "**--%s**", f.Name)
		takes, text := pflag.UnquoteUsage(f)
		if takes != "" {
			fmt.Fprintf(&out, " *%s*", Escaped(takes))
		}
		switch f.DefValue {
		case "", "0", "0s", "false", "[]":
		default:
			text += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(&out, "\n: %s\n\n", Escaped(text))
	}
	return out.String()
}

// Plain returns a plain text as Markdown: paragraphs stay so, and lines that are indented are shown as they are.
func Plain(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "    ") {
			line = Escaped(line)
		}
		out.WriteString(line)
	}
	return out.String()
}

// What Markdown takes for more than text: some characters anywhere, others at the beginning of a line.
var (
	markup    = regexp.MustCompile("[\\\\`*_\\[\\]<>&#|~!]")
	lineStart = regexp.MustCompile(`(?m)^(\s*)([-+:]|\d+[.)])(\s)`)
)

// Escaped returns a text as Markdown that shows it.
func Escaped(text string) string {
	text = markup.ReplaceAllString(text, `\$0`)
	return lineStart.ReplaceAllStringFunc(text, func(s string) string {
		at := strings.IndexAny(s, "-+:.)")
		return s[:at] + `\` + s[at:]
	})
}

// hyphen is a minus sign in a line of text, which roff would set as a hyphen: a flag
// could not be copied from the page, nor searched for.
var hyphen = regexp.MustCompile(`\\?-`)

// WithMinus has a page show all its minus signs. Lines that begin with a point are roff's own.
func WithMinus(roff []byte) []byte {
	var out bytes.Buffer
	for line := range bytes.Lines(roff) {
		if !bytes.HasPrefix(line, []byte(".")) {
			line = hyphen.ReplaceAllLiteral(line, []byte(`\-`))
		}
		out.Write(line)
	}
	return out.Bytes()
}
