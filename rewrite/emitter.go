package rewrite

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// emitter collects the edits of one kernel's rewrite. It picks names, and puts lines
// where they look as if a person had put them there.
type emitter struct {
	of       *analysis.Kernel
	edits    map[*parser.File]*edit.Buffer
	used     map[string]bool // names that are taken, nil until one is asked for
	temp     int
	begun    map[*ir.Func]bool   // functions of one line that lines were put at the top of, see atTopOf
	left     map[lineRest]string // what insertAfter set the rest of a line in by
	includes []string            // headers that the emitted lines need
}

func newEmitter(k *analysis.Kernel) emitter {
	return emitter{of: k, edits: map[*parser.File]*edit.Buffer{}, begun: map[*ir.Func]bool{}, left: map[lineRest]string{}}
}

func (w *emitter) buffer(f *parser.File) *edit.Buffer {
	b := w.edits[f]
	if b == nil {
		b = &edit.Buffer{}
		w.edits[f] = b
	}
	return b
}

// findNames finds the names that the kernel uses.
func (w *emitter) findNames() {
	w.used = map[string]bool{}
	for _, fn := range w.of.Functions {
		for _, v := range append(append(append([]*ir.Var{}, fn.Vars...), fn.Params...), fn.TParams...) {
			w.used[v.Name] = true
		}
		fn.View.Node.Walk(func(n *parser.Node) bool {
			switch n.Kind {
			case parser.KindIdentifier, parser.KindTypeIdentifier, parser.KindFieldIdentifier, parser.KindNamespaceIdentifier:
				w.used[fn.File.Text(n)] = true
			}
			return true
		})
		for word := range w.of.Prog.MacroWords(fn.File) {
			w.used[word] = true
		}
	}
}

// fresh returns name, or a variation of it that is not used yet.
func (w *emitter) fresh(name string) string {
	if w.used == nil {
		w.findNames()
	}
	out := name
	taken := func() bool {
		_, macro := w.of.File.Macros.Lookup(out, int(w.of.View.Body.Start))
		return macro || w.used[out]
	}
	for i := 2; taken(); i++ {
		out = fmt.Sprintf("%s%d", name, i)
	}
	w.used[out] = true
	return out
}

func (w *emitter) temporary(stem string) string {
	w.temp++
	return w.fresh(fmt.Sprintf("smux_%s%d", stem, w.temp))
}

// indentAt is what a line is set in by that begins at an offset: of a kernel that is written
// on one line, the body is set in deeper than the line.
func (w *emitter) indentAt(f *parser.File, at int) string {
	indent := indentAt(f, at)
	body := w.of.View.Body
	if f == w.of.File && body != nil && int(body.Start) < at && at < int(body.End) && lineStart(f, at) == lineStart(f, int(body.Start)) {
		indent += "    "
	}
	return indent
}

// insertBefore puts lines before a statement, each on a line of its own.
func (w *emitter) insertBefore(f *parser.File, at int, lines ...string) {
	nl, indent := f.Newline(), w.indentAt(f, at)
	if at < len(f.Src) && f.Src[at] == '#' {
		indent = indentAt(f, nextLine(f, at)) // a pragma: as the loop behind it
	}
	if firstOnLine(f, at) {
		var b strings.Builder
		for _, l := range lines {
			b.WriteString(indent + l + nl)
		}
		w.buffer(f).Insert(lineStart(f, at), b.String())
		return
	}
	w.buffer(f).Insert(at, strings.Join(lines, nl+indent)+nl+indent)
}

// insertAfter puts lines behind a statement that ends at an offset; like is an
// offset on a line with the indentation to use.
func (w *emitter) insertAfter(f *parser.File, at, like int, lines ...string) {
	nl, indent := f.Newline(), w.indentAt(f, like)
	if like < len(f.Src) && f.Src[like] == '#' {
		indent = indentAt(f, nextLine(f, like))
	}
	end := endOfLine(f, at)
	rest := ""
	if end == at {
		rest = string(f.Src[end:lineEnd(f, end)])
	}
	if strings.TrimSpace(rest) == "" {
		w.buffer(f).Insert(end, nl+indent+strings.Join(lines, nl+indent))
		return
	}
	// More follows on the line: its blanks are the last ones of what it is set in by, and lines
	// that were put here before left it there.
	of := indent
	if at := end + len(rest) - len(strings.TrimLeft(rest, " ")); f == w.of.File && at == int(w.of.View.Body.End)-1 {
		of = indentAt(f, at)
	}
	of = strings.TrimSuffix(of, rest[:len(rest)-len(strings.TrimLeft(rest, " "))])
	place := lineRest{f, end}
	text := nl + indent
	if left, again := w.left[place]; again {
		text = strings.TrimPrefix(indent, left)
	}
	w.left[place] = of
	w.buffer(f).Insert(end, text+strings.Join(lines, nl+indent)+nl+of)
}

// lineRest is where the rest of a line stands in a file.
type lineRest struct {
	file *parser.File
	at   int
}

// atTop puts lines at the top of the kernel's body, as far as there are any.
func (w *emitter) atTop(lines []string) { w.atTopOf(w.of.Func, lines) }

// atTopOf puts lines at the top of a function's body.
func (w *emitter) atTopOf(fn *ir.Func, lines []string) {
	if len(lines) == 0 {
		return
	}
	f := fn.File
	nl := f.Newline()
	indent := indentAt(f, fn.View.Start) + "    "
	if len(fn.Body.List) > 0 && firstOnLine(f, fn.Body.List[0].Outer.Start) {
		indent = indentAt(f, fn.Body.List[0].Outer.Start)
	}
	at, behindLine := topOf(fn)
	if !behindLine {
		// The blanks behind the brace are the last ones of the indentation of what follows.
		rest := string(f.Src[at:lineEnd(f, at)])
		blanks := rest[:len(rest)-len(strings.TrimLeft(rest, " "))]
		text := strings.Join(lines, nl+indent) + nl + strings.TrimSuffix(indent, blanks)
		if w.begun[fn] {
			text = blanks + text
		} else {
			text = nl + indent + text
		}
		w.begun[fn] = true
		w.buffer(f).Insert(at, text)
		return
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(nl + indent + l)
	}
	w.buffer(f).Insert(at, b.String())
}

// topOf is where lines go at the top of a function's body: behind the line of its brace,
// or right behind the brace where code follows on that line.
func topOf(fn *ir.Func) (at int, behindLine bool) {
	f := fn.File
	at = int(fn.View.Body.Start) + 1
	if rest := strings.TrimSpace(string(f.Src[at:lineEnd(f, at)])); rest != "" && !strings.HasPrefix(rest, "//") {
		return at, false
	}
	return endOfLine(f, at), true
}

// enclose puts lines before a region and a line behind its last statement, as far as
// there are any. In a body without braces there are both. The lines may end with a comment.
func (w *emitter) enclose(r *analysis.Region, last *ir.Stmt, before []string, after string) {
	f := r.Func.File
	if r.List.Op != ir.StmtCompound {
		// The body of a loop or if without braces.
		before[0] = "{ " + before[0]
		w.insertBefore(f, r.Start(), before...)
		w.insertAfter(f, stmtEnd(f, last), r.Start(), closed(after))
		return
	}
	if len(before) > 0 {
		w.insertBefore(f, r.Start(), before...)
	}
	if after != "" {
		w.insertAfter(f, stmtEnd(f, last), r.Start(), after)
	}
}

// into makes insertBefore and insertAfter write to another buffer, as that of a
// device function's form, until what it returns is called.
func (w *emitter) into(f *parser.File, b *edit.Buffer) (back func()) {
	old := w.edits[f]
	w.edits[f] = b
	return func() {
		if old != nil {
			w.edits[f] = old
		} else {
			delete(w.edits, f)
		}
	}
}

// done returns what was made.
func (w *emitter) done() *Edits { return &Edits{files: w.edits, includes: w.includes} }

// pinAtTop puts pins behind the brace that a body begins with.
func (w *emitter) pinAtTop(f *parser.File, body *ir.Stmt, lines []string) {
	at := body.Range.Start + 1
	indent := indentAt(f, body.Range.Start) + "    "
	if len(body.List) > 0 && firstOnLine(f, body.List[0].Outer.Start) {
		indent = indentAt(f, body.List[0].Range.Start)
	}
	text := f.Newline() + indent + strings.Join(lines, f.Newline()+indent)
	if end := endOfLine(f, at); end < len(f.Src) && (f.Src[end] == '\n' || f.Src[end] == '\r') {
		w.buffer(f).Insert(end, text)
		return
	}
	w.buffer(f).Insert(at, " "+strings.Join(lines, " "))
}

// bodyOnLines reports whether the body of a loop stands on lines of its own, under a
// head that a brace can follow.
func bodyOnLines(f *parser.File, body *ir.Stmt) bool {
	return firstOnLine(f, body.Outer.Start) && opensBody(f.Src, body.Outer.Start)
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
