package rewrite

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
)

// text is the original text of a range.
func text(f *parser.File, r ir.Range) string { return string(f.Src[r.Start:r.End]) }

// indentAt returns the white space that the line holding offset at starts with.
func indentAt(f *parser.File, at int) string {
	s := lineStart(f, at)
	e := s
	for e < len(f.Src) && (f.Src[e] == ' ' || f.Src[e] == '\t') {
		e++
	}
	return string(f.Src[s:e])
}

func nextLine(f *parser.File, at int) int {
	for at < len(f.Src) && f.Src[at] != '\n' {
		at++
	}
	return min(at+1, len(f.Src))
}

func lineStart(f *parser.File, at int) int {
	for at > 0 && f.Src[at-1] != '\n' {
		at--
	}
	return at
}

// firstOnLine reports whether only white space stands before at on its line.
func firstOnLine(f *parser.File, at int) bool {
	return strings.TrimSpace(string(f.Src[lineStart(f, at):at])) == ""
}

// endOfLine returns the offset of the line break behind at (or the end of the
// file) if only white space and a comment stand between, else at itself: where
// text that follows a statement goes.
func endOfLine(f *parser.File, at int) int {
	i := at
	for i < len(f.Src) && f.Src[i] != '\n' && f.Src[i] != '\r' {
		i++
	}
	rest := strings.TrimSpace(string(f.Src[at:i]))
	switch {
	case rest == "", strings.HasPrefix(rest, "//") && !strings.HasSuffix(rest, "\\"):
		return i
	case strings.HasPrefix(rest, "/*") && strings.Index(rest, "*/") == len(rest)-2:
		return i
	}
	return at
}

// stmtEnd is the offset behind a statement. An #if group ends with its #endif
// line.
func stmtEnd(f *parser.File, s *ir.Stmt) int {
	end := s.Range.End
	if end > 0 && end <= len(f.Src) && f.Src[end-1] == '\n' {
		end--
		if end > 0 && f.Src[end-1] == '\r' {
			end--
		}
	}
	return end
}

// lineEnd is the offset of the line break behind an offset, or the end of the file.
func lineEnd(f *parser.File, at int) int {
	for at < len(f.Src) && f.Src[at] != '\n' && f.Src[at] != '\r' {
		at++
	}
	return at
}
