package acc

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/layout"
	"github.com/smux-cuda/smux/parser"
)

// printer writes C text of the program anew, with some nodes replaced. Everything else stays as a person wrote it.
type printer struct {
	u *translation
	// replace is the new text of a node, or false. It may print parts of the node.
	replace func(n *parser.Node) (string, bool)
	// known reports whether a macro that is used means the same where the text goes to.
	known func(name string, at int) bool
}

func (p *printer) print(n *parser.Node) string {
	open, shut := p.u.castOf(n)
	return open + p.bare(n) + shut
}

// bare is the same without a conversion.
func (p *printer) bare(n *parser.Node) string {
	if text, ok := p.replace(n); ok {
		return text
	}
	start, end := int(n.Start), int(n.End)
	from, to := p.u.original(start, end)
	strange := func(piece piece) bool { // a macro that means something else where the text goes to
		return !piece.verbatim && piece.from >= from && piece.to <= to && !p.known(p.u.used(piece), piece.from)
	}
	if p.u.exact(start, end) && !slices.ContainsFunc(p.u.pieces, strange) {
		if !p.touches(n) {
			return string(p.u.file.Src[from:to])
		}
		if text, ok := p.children(n, false); ok {
			return text
		}
	}
	text, _ := p.children(n, true)
	if slices.ContainsFunc(p.u.pieces, func(q piece) bool { return q.at < end && start < q.end && p.u.hides(q) }) {
		text += "/* hidden */" // which tells it from what does not rest on the macro
	}
	return text
}

// touches reports whether a node below is replaced.
func (p *printer) touches(n *parser.Node) bool {
	return n.Any(func(c *parser.Node) bool {
		if _, ok := p.replace(c); ok {
			return true
		}
		open, _ := p.u.castOf(c)
		return open != "" && c != n
	})
}

var identifier = regexp.MustCompile(`[A-Za-z_]\w*`)

// children prints a node as its children with the original between them, or macros written out; ok is false where that can't be.
func (p *printer) children(n *parser.Node, expanded bool) (string, bool) {
	if n.First == nil {
		return p.u.text(n), true
	}
	var b strings.Builder
	gap := func(from, to int) bool {
		if from >= to {
			return true
		}
		if expanded {
			b.Write(p.u.tree.Src[from:to])
			return true
		}
		if !p.u.exact(from, to) {
			return false
		}
		a, z := p.u.original(from, to)
		b.Write(p.u.file.Src[a:z])
		return true
	}
	at := int(n.Start)
	for c := n.First; c != nil; c = c.Next {
		if !expanded && !p.u.isExact(c) || !gap(at, int(c.Start)) {
			return "", false
		}
		b.WriteString(p.print(c))
		at = int(c.End)
	}
	ok := gap(at, int(n.End))
	return b.String(), ok
}

// statement prints a statement as lines without indentation of their own and without directives.
func (p *printer) statement(n *parser.Node) []string {
	text := p.print(n)
	if n.Kind == parser.KindCompoundStatement {
		text = strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
		return layout.Dedent(withoutPragmas(text), "")
	}
	from, to := p.u.rangeOf(n)
	return layout.Dedent(withoutPragmas(text+string(endingComment.Find(p.u.file.Src[to:]))), p.u.indentAt(from))
}

// block prints a statement, with braces around those of a block.
func (p *printer) block(body *layout.Lines, n *parser.Node) {
	if n.Kind != parser.KindCompoundStatement {
		body.Add(p.statement(n)...)
		return
	}
	body.Open("")
	body.Add(p.statement(n)...)
	body.Shut()
}

// endingComment matches a comment that ends a line, with the blanks before it.
var endingComment = regexp.MustCompile(`^[ \t]*(//[^\n]*|/\*[^\n]*\*/[ \t]*\r?\n)`)

// indentAt is the blank text before an offset in its line, "" where other text is there.
func (s *source) indentAt(at int) string {
	line := string(s.file.Src[s.lineStart(at):at])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

var pragmaLine = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*pragma[ \t](?:[^\n\\]|\\.|\\\r?\n)*\n?`)

// withoutPragmas takes the lines of pragmas out, but for those that nvcc knows in device code.
func withoutPragmas(text string) string {
	return pragmaLine.ReplaceAllStringFunc(text, func(line string) string {
		if strings.Contains(line, "unroll") {
			return line
		}
		return ""
	})
}

// lineBefore is the start of the line of an offset, if only blanks are before it, else the offset itself.
func (s *source) lineBefore(at int) int {
	if start := s.lineStart(at); strings.TrimSpace(string(s.file.Src[start:at])) == "" {
		return start
	}
	return at
}

// wholeLines are the lines of a range with nothing else in them; else the range itself.
func (s *source) wholeLines(from, to int) (int, int) {
	start, rest := s.lineBefore(from), string(s.file.Src[to:])
	if line, _, more := strings.Cut(rest, "\n"); more && start == s.lineStart(from) && strings.TrimSpace(line) == "" {
		return start, to + len(line) + 1
	}
	return from, to
}

// lineStart is the start of the line in which an offset of the original is.
func (s *source) lineStart(at int) int { return bytes.LastIndexByte(s.file.Src[:at], '\n') + 1 }

// indentInside returns the indentation of a block's statements.
func (s *source) indentInside(block *parser.Node, outer string) string {
	if first := block.FirstNamed(); first != nil {
		from, _ := s.rangeOf(first)
		if in := s.indentAt(from); strings.HasPrefix(in, outer) && len(in) > len(outer) {
			return in
		}
	}
	return outer + "    "
}

// indentOfNext is the indentation of the line after an offset that is not blank and no directive.
func (s *source) indentOfNext(at int) string {
	for _, l := range strings.Split(string(s.file.Src[at:]), "\n")[1:] {
		text := strings.TrimLeft(l, " \t")
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if strings.HasPrefix(text, "}") {
			return l[:len(l)-len(text)] + "    "
		}
		return l[:len(l)-len(text)]
	}
	return ""
}
