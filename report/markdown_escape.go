package report

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/internal/prose"
)

// plainCode matches what may stand between backticks, in a table, too, and comes out as it
// is. It neither begins nor ends with a blank, which Markdown would strip.
var plainCode = regexp.MustCompile(`^[A-Za-z0-9_./:,+<>=@&#%()\[\]-]([A-Za-z0-9_./:,+<>=@&#%()\[\] -]*[A-Za-z0-9_./:,+<>=@&#%()\[\]-])?$`)

// markdownCode shows a name as it is. Characters that are not printable are replaced.
func markdownCode(name string) string {
	name = prose.Printable(name)
	if plainCode.MatchString(name) {
		return "`" + name + "`"
	}
	return "<code>" + entities(name) + "</code>"
}

// entities writes all that is neither a letter nor a digit as an entity, which is
// never markup.
func entities(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r < 0x80 && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9') {
			fmt.Fprintf(&out, "&#%d;", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// markup matches what means something in Markdown, in HTML, or to GitHub (a name after
// "@", a number after "#") wherever it stands in a line.
var markup = regexp.MustCompile("[\\\\`*_\\[\\]<>&|~@#!]|://|www\\.|^[-+=]|^[0-9]+[.)]")

// markdownText shows a sentence as it is, on one line.
func markdownText(sentence string) string {
	return markup.ReplaceAllStringFunc(prose.Printable(sentence), entities)
}
