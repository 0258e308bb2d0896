package project

import (
	"fmt"
	"regexp"
	"strings"
)

// glob is a pattern of .gitignore as git matches it: byte by byte, where "*", "?"
// and "[…]" stop at a slash and "**" between slashes does not. git-lfs/wildmatch, the
// library for it, differs in sets such as "[]a]" and panics at a class that git lets match
// nothing.
type glob struct {
	literal string         // the whole pattern, if nothing in it is special
	suffix  string         // of a name, for "*" and no more that is special
	pattern *regexp.Regexp // over latin1 of a path, where neither is enough
	never   bool           // malformed: it matches nothing, as for git
}

// special are the bytes at which a pattern is more than its own text.
const special = `*?[\`

// newGlob reads a pattern. One of a name, without a slash, is not more than
// that in which no slash occurs.
func newGlob(text string, ofName bool) glob {
	at := strings.IndexAny(text, special)
	switch {
	case at < 0:
		return glob{literal: text}
	case ofName && at == 0 && text[0] == '*' && !strings.ContainsAny(text[1:], special):
		return glob{suffix: text[1:]}
	}
	// git compares the part without anything special by itself, and so takes "**"
	// after it for one that begins the pattern.
	expr, ok := expression(text[at:])
	if !ok {
		return glob{never: true}
	}
	return glob{pattern: regexp.MustCompile(`(?s)\A` + quoted(text[:at]) + expr + `\z`)}
}

// match reports whether a name, or a path with slashes, is meant.
func (g glob) match(path string) bool {
	switch {
	case g.never:
		return false
	case g.pattern != nil:
		return g.pattern.MatchString(latin1(path))
	case g.literal != "":
		return path == g.literal
	}
	return strings.HasSuffix(path, g.suffix)
}

// latin1 makes each byte a rune: names need not be UTF-8, and git's "?" is a byte.
func latin1(s string) string {
	ascii := true
	for i := 0; i < len(s) && ascii; i++ {
		ascii = s[i] < 0x80
	}
	if ascii {
		return s
	}
	var out strings.Builder
	for i := range len(s) {
		out.WriteRune(rune(s[i]))
	}
	return out.String()
}

func quoted(s string) string { return regexp.QuoteMeta(latin1(s)) }

// expression returns the regular expression for a pattern; ok is false where the pattern
// is malformed.
func expression(p string) (expr string, ok bool) {
	var out strings.Builder
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case '\\':
			if i++; i == len(p) {
				return "", false
			}
			out.WriteString(quoted(p[i : i+1]))
		case '?':
			out.WriteString(`[^/]`)
		case '*':
			first := i
			for i+1 < len(p) && p[i+1] == '*' {
				i++
			}
			rest := p[i+1:]
			whole := i > first && (first == 0 || p[first-1] == '/')
			switch {
			case whole && rest == "":
				out.WriteString(`.*`)
			case whole && rest[0] == '/':
				out.WriteString(`(?:.*/)?`)
				i++
			case whole && strings.HasPrefix(rest, `\/`):
				out.WriteString(`.*`)
			default:
				out.WriteString(`[^/]*`)
			}
		case '[':
			set, end, ok := readSet(p, i)
			if !ok {
				return "", false
			}
			out.WriteString(set.expression())
			i = end
		default:
			out.WriteString(quoted(p[i : i+1]))
		}
	}
	return out.String(), true
}

// byteSet is the bytes that a "[…]" stands for.
type byteSet [256]bool

func (s *byteSet) expression() string {
	var out strings.Builder
	for b, in := range s {
		if in && b != '/' {
			fmt.Fprintf(&out, `\x{%x}`, b)
		}
	}
	if out.Len() == 0 {
		return `[^\x{0}-\x{10FFFF}]` // nothing
	}
	return "[" + out.String() + "]"
}
