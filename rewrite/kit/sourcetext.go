package kit

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// Text is the original text of a range.
func Text(f *parser.File, r ir.Range) string { return string(f.Src[r.Start:r.End]) }

// IndentAt returns the white space that the line holding offset at starts with.
func IndentAt(f *parser.File, at int) string {
	s := LineStart(f, at)
	e := s
	for e < len(f.Src) && (f.Src[e] == ' ' || f.Src[e] == '\t') {
		e++
	}
	return string(f.Src[s:e])
}

// NextLine returns the offset at which the line after that of an offset begins.
func NextLine(f *parser.File, at int) int {
	for at < len(f.Src) && f.Src[at] != '\n' {
		at++
	}
	return min(at+1, len(f.Src))
}

// LineStart returns the offset at which the line of an offset begins.
func LineStart(f *parser.File, at int) int {
	for at > 0 && f.Src[at-1] != '\n' {
		at--
	}
	return at
}

// FirstOnLine reports whether only white space stands before at on its line.
func FirstOnLine(f *parser.File, at int) bool {
	return strings.TrimSpace(string(f.Src[LineStart(f, at):at])) == ""
}

// EndOfLine returns the offset of the line break after at (or the end of the file) if only white space and a comment
// stand between, else at itself: where text that follows a statement goes.
func EndOfLine(f *parser.File, at int) int {
	i := at
	for i < len(f.Src) && f.Src[i] != '\n' && f.Src[i] != '\r' {
		i++
	}
	rest := strings.TrimSpace(string(f.Src[at:i]))
	switch {
	case rest == "", strings.HasPrefix(rest, "//") && !strings.HasSuffix(rest, "\\"):
		return i
	case strings.HasPrefix(rest, "/*") && strings.Index(rest[2:], "*/") == len(rest)-4:
		return i
	}
	return at
}

// StmtEnd is the offset after a statement. An #if group ends with its #endif line.
func StmtEnd(f *parser.File, s *ir.Stmt) int {
	end := s.Range.End
	if end > 0 && end <= len(f.Src) && f.Src[end-1] == '\n' {
		end--
		if end > 0 && f.Src[end-1] == '\r' {
			end--
		}
	}
	return end
}

// LineEnd is the offset of the line break after an offset, or the end of the file.
func LineEnd(f *parser.File, at int) int {
	for at < len(f.Src) && f.Src[at] != '\n' && f.Src[at] != '\r' {
		at++
	}
	return at
}

// TopLevelEquals returns the offset of the '=' of "name = init", or -1.
func TopLevelEquals(decl string) int {
	depth := 0
	for i := 0; i < len(decl); i++ {
		switch decl[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '=':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// OneLine reports whether text can be repeated elsewhere: it holds no line break, comment or directive.
func OneLine(s string) bool {
	return !strings.ContainsAny(s, "\n\r#") && !strings.Contains(s, "//") && !strings.Contains(s, "/*")
}

// SplitArguments splits at the commas that are in no parentheses.
func SplitArguments(s string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, s[from:i])
				from = i + 1
			}
		}
	}
	return append(out, s[from:])
}

// IsName reports whether a text is made of letters, digits and underscores.
func IsName(s string) bool {
	for _, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// MentionsAny reports whether a text has one of some names as a word.
func MentionsAny(text string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return len(WordOffsets(text, name)) > 0 })
}

// IsUsing reports whether the text of a statement without effect is a using-directive, which makes
// names visible that it does not say.
func IsUsing(decl string) bool { return strings.HasPrefix(strings.TrimSpace(decl), "using namespace") }

// Brackets finds the first "[…]" of a text from an offset on, if nothing but
// white space stands before it: the offsets of "[" and after "]", -1 for none.
func Brackets(s string, from int) (open, end int) {
	open = from
	for open < len(s) && (s[open] == ' ' || s[open] == '\t') {
		open++
	}
	if open >= len(s) || s[open] != '[' {
		return -1, -1
	}
	depth := 0
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '[', '(', '{':
			depth++
		case ']', ')', '}':
			if depth--; depth == 0 {
				return open, i + 1
			}
		}
	}
	return -1, -1
}

// Values map the names of a template to what they stand for.
type Values map[string]any

// Cuda returns the lines of a template: CUDA code in which $name, or ${name}, stands for
// a value. A name without a value is a defect.
func Cuda(template string, v Values) []string {
	lines := strings.Split(strings.Trim(template, "\n"), "\n")
	for i, line := range lines {
		lines[i] = os.Expand(line, func(name string) string {
			value, found := v[name]
			if !found {
				panic(fmt.Sprintf("a template names $%s, which has no value: %s", name, line))
			}
			return fmt.Sprint(value)
		})
	}
	return lines
}
