package project

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
)

// glob is a pattern of .gitignore as git matches it: byte by byte, where "*", "?" and "[…]" stop at a slash and "**"
// between slashes does not. git-lfs/wildmatch, the library for it, differs in sets such as "[]a]" and panics at a
// class that git lets match nothing.
type glob struct {
	literal string         // the whole pattern, if nothing in it is special
	suffix  string         // of a name, for "*" and no more that is special
	pattern *regexp.Regexp // over latin1 of a path, where neither is enough
	never   bool           // malformed: it matches nothing, as for git
}

// special are the bytes at which a pattern is more than its own text.
const special = `*?[\`

// newGlob reads a pattern. One of a name, without a slash, is not more than that in which no slash occurs.
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

// expression returns the regular expression for a pattern; ok is false where the pattern is malformed.
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

// readSet reads the "[…]" at p[i] as git does, and returns the offset of its last
// byte; ok is false where it does not end or names a class that there isn't.
func readSet(p string, i int) (set *byteSet, end int, ok bool) {
	set = &byteSet{}
	i++
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	before := -1 // the byte that a '-' may begin a range from
	for first := true; ; first = false {
		if i >= len(p) {
			return nil, 0, false
		}
		c := p[i]
		switch {
		case c == ']' && !first:
			if negated {
				for b := range set {
					set[b] = !set[b]
				}
			}
			return set, i, true
		case c == '\\':
			if i++; i >= len(p) {
				return nil, 0, false
			}
			set[p[i]] = true
			before = int(p[i])
		case c == '-' && before >= 0 && i+1 < len(p) && p[i+1] != ']':
			i++
			if p[i] == '\\' {
				if i++; i >= len(p) {
					return nil, 0, false
				}
			}
			for b := before; b <= int(p[i]); b++ {
				set[b] = true
			}
			before = -1
		case c == '[' && i+1 < len(p) && p[i+1] == ':':
			close := strings.IndexByte(p[i+2:], ']')
			if close < 0 {
				return nil, 0, false
			}
			name, isClass := strings.CutSuffix(p[i+2:i+2+close], ":")
			if !isClass { // git takes it for a plain '['
				set['['] = true
				before = '['
				break
			}
			in, known := classes[name]
			if !known {
				return nil, 0, false
			}
			for b := range 0x80 {
				set[b] = set[b] || in(byte(b))
			}
			i += 2 + close
			before = -1
		default:
			set[c] = true
			before = int(c)
		}
		i++
	}
}

// classes are those of "[[:name:]]", which know ASCII only.
var classes = map[string]func(byte) bool{
	"alnum":  func(b byte) bool { return isAlpha(b) || isDigit(b) },
	"alpha":  isAlpha,
	"blank":  func(b byte) bool { return b == ' ' || b == '\t' },
	"cntrl":  func(b byte) bool { return b < ' ' || b == 0x7f },
	"digit":  isDigit,
	"graph":  func(b byte) bool { return b > ' ' && b < 0x7f },
	"lower":  func(b byte) bool { return b >= 'a' && b <= 'z' },
	"print":  func(b byte) bool { return b >= ' ' && b < 0x7f },
	"punct":  func(b byte) bool { return b > ' ' && b < 0x7f && !isAlpha(b) && !isDigit(b) },
	"space":  func(b byte) bool { return strings.IndexByte(" \t\n\v\f\r", b) >= 0 },
	"upper":  func(b byte) bool { return b >= 'A' && b <= 'Z' },
	"xdigit": func(b byte) bool { return isDigit(b) || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' },
}

func isAlpha(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }
func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// pattern is one line of a .gitignore.
type pattern struct {
	glob
	negated  bool // "!": taken again
	dirOnly  bool // ends in a slash
	anywhere bool // no slash but that: it is matched with the name, in all folders below
}

// ignoreList is the patterns of one .gitignore, or of several globs, and the folder that they are relative to.
type ignoreList struct {
	base     string // path from the top, with slashes; "" for the top itself
	patterns []pattern
}

// readIgnoreList reads the lines of a .gitignore as git does.
func readIgnoreList(base string, text []byte) ignoreList {
	list := ignoreList{base: base}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if !strings.HasPrefix(line, "#") {
			list.add(trimSpaces(line))
		}
	}
	return list
}

// add appends one pattern.
func (l *ignoreList) add(line string) {
	var p pattern
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	p.anywhere = !strings.Contains(line, "/")
	if line = strings.TrimPrefix(line, "/"); line == "" {
		return
	}
	p.glob = newGlob(line, p.anywhere)
	l.patterns = append(l.patterns, p)
}

// trimSpaces drops blanks at the end, but one after a backslash.
func trimSpaces(line string) string {
	end := 0 // after the last byte that is not a blank
	for i := 0; i < len(line); i++ {
		if line[i] == '\\' {
			i++
		} else if line[i] == ' ' {
			continue
		}
		end = min(i+1, len(line))
	}
	return line[:end]
}

// match returns what the list says of a path from the top: the last pattern that
// matches decides, and decided is false where none does.
func (l *ignoreList) match(path string, isDir bool) (ignored, decided bool) {
	relative := path
	if l.base != "" {
		relative = strings.TrimPrefix(path, l.base+"/")
	}
	name := relative[strings.LastIndexByte(relative, '/')+1:]
	for i := len(l.patterns) - 1; i >= 0; i-- {
		p := &l.patterns[i]
		if p.dirOnly && !isDir {
			continue
		}
		if p.anywhere && p.match(name) || !p.anywhere && p.match(relative) {
			return !p.negated, true
		}
	}
	return false, false
}

// ignores are the lists that count in a folder, the weakest first.
type ignores []ignoreList

// match reports whether a path is ignored, given that its folder is not.
func (ls ignores) match(path string, isDir bool) bool {
	for i := len(ls) - 1; i >= 0; i-- {
		if ignored, decided := ls[i].match(path, isDir); decided {
			return ignored
		}
	}
	return false
}

// and returns the lists with a stronger one after them.
func (ls ignores) and(l ignoreList) ignores {
	if len(l.patterns) == 0 {
		return ls
	}
	return append(ls[:len(ls):len(ls)], l)
}

// Globs are patterns written as in .gitignore, relative to one folder.
type Globs struct{ list ignoreList }

// NewGlobs reads patterns, of which the last that matches decides.
func NewGlobs(patterns []string) *Globs {
	g := &Globs{}
	for _, p := range patterns {
		g.list.add(p)
	}
	return g
}

// Match reports whether the patterns match a file, or a folder that it is in. The
// path is relative to the folder of the patterns, with slashes.
func (g *Globs) Match(path string) bool {
	for i := range len(path) {
		if path[i] == '/' && g.matches(path[:i], true) {
			return true
		}
	}
	return g.matches(path, false)
}

func (g *Globs) matches(path string, isDir bool) bool {
	ignored, decided := g.list.match(path, isDir)
	return decided && ignored
}
