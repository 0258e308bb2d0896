package rewrite

import (
	"strings"

	"github.com/smux-cuda/smux/analysis/ir"
)

// ahead puts pins before a statement: on lines of their own where it begins its
// line.
func (w *pinner) ahead(s *ir.Stmt, lines []string) {
	if f := w.fn.File; !firstOnLine(f, s.Outer.Start) {
		w.p.buffer(f).Insert(s.Outer.Start, strings.Join(lines, " ")+" ")
		return
	}
	w.p.insertBefore(w.fn.File, s.Outer.Start, lines...)
}

// behind puts pins after a statement: on lines of their own where it ends its
// line.
func (w *pinner) behind(s *ir.Stmt, lines []string) {
	f, at := w.fn.File, stmtEnd(w.fn.File, s)
	if end := endOfLine(f, at); end < len(f.Src) && f.Src[end] != '\n' && f.Src[end] != '\r' {
		w.p.buffer(f).Insert(at, " "+strings.Join(lines, " "))
		return
	}
	w.p.insertAfter(f, at, s.Outer.Start, lines...)
}

// atTopOf puts lines behind the brace that a body begins with.
func (w *pinner) atTopOf(body *ir.Stmt, lines []string) {
	f, at := w.fn.File, body.Range.Start+1
	indent := indentAt(f, body.Range.Start) + "    "
	if len(body.List) > 0 && firstOnLine(f, body.List[0].Outer.Start) {
		indent = indentAt(f, body.List[0].Range.Start)
	}
	text := f.Newline() + indent + strings.Join(lines, f.Newline()+indent)
	if end := endOfLine(f, at); end < len(f.Src) && (f.Src[end] == '\n' || f.Src[end] == '\r') {
		w.p.buffer(f).Insert(end, text)
		return
	}
	w.p.buffer(f).Insert(at, " "+strings.Join(lines, " "))
}

// unbraced gives the body of a loop braces where there is something to pin in
// it.
func (w *pinner) unbraced(s *ir.Stmt, in assigned, top varSet) {
	body, f := s.Body, w.fn.File
	if body.Op == ir.StmtEmpty && !body.Macro {
		return
	}
	for v := range w.before(body, in, nil) {
		top[v] = true
	}
	end, b := stmtEnd(f, body), w.p.buffer(f)
	open := w.pins(top)
	nl, outer := f.Newline(), indentAt(f, s.Range.Start)
	lines := firstOnLine(f, body.Outer.Start) && opensBody(f.Src, body.Outer.Start)
	mark := len(b.edits)
	if lines {
		indent := indentAt(f, body.Range.Start)
		b.Insert(lineBreakBefore(f.Src, body.Outer.Start), " {"+nl+indent+strings.Join(open, nl+indent))
	} else {
		b.Insert(body.Outer.Start, strings.Join(append([]string{"{"}, open...), " ")+" ")
	}
	out := w.inside(body, in)
	after := w.pins(w.after(body, out))
	if len(open)+len(after) == 0 {
		b.edits = append(b.edits[:mark], b.edits[mark+1:]...)
		return
	}
	if !lines {
		b.Insert(end, strings.Join(append(append([]string{""}, after...), "}"), " "))
		return
	}
	indent := indentAt(f, body.Range.Start)
	var text strings.Builder
	for _, l := range after {
		text.WriteString(nl + indent + l)
	}
	text.WriteString(nl + outer + "}")
	at := endOfLine(f, end)
	if at < len(f.Src) && f.Src[at] != '\n' && f.Src[at] != '\r' {
		text.WriteString(nl + outer)
	}
	b.Insert(at, text.String())
}

// opensBody reports whether the line before that of an offset ends in the
// parenthesis that closes the head of a loop or an if, or in an else, with no
// comment behind it: a brace can follow there.
func opensBody(src []byte, at int) bool {
	end := lineBreakBefore(src, at)
	line := strings.TrimSpace(lastLine(src[:end]))
	if line == "" || line[0] == '#' || strings.Contains(line, "//") || strings.HasSuffix(line, "*/") {
		return false
	}
	return src[end-1] == ')' || line == "else" || strings.HasSuffix(line, " else") || strings.HasSuffix(line, "}else")
}

// lineBreakBefore is the offset of the line break before the line of an offset.
func lineBreakBefore(src []byte, at int) int {
	for at > 0 && src[at-1] != '\n' {
		at--
	}
	at = max(0, at-1)
	if at > 0 && src[at-1] == '\r' {
		at--
	}
	return at
}

func lastLine(src []byte) string {
	text := string(src)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
