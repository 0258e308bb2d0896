package kit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// Emitter collects the edits of one kernel's rewrite. It picks names, and puts lines
// where they look as if a person had put them there.
type Emitter struct {
	Of       *analysis.Kernel
	Edits    map[*parser.File]*edit.Buffer
	Used     map[string]bool // names that are taken, nil until one is asked for
	Temp     int
	begun    map[*ir.Func]bool   // functions of one line that lines were put at the top of, see AtTopOf
	left     map[lineRest]string // what InsertAfter set the rest of a line in by
	Includes []string            // headers that the emitted lines need
}

// NewEmitter begins the edits of a kernel.
func NewEmitter(k *analysis.Kernel) Emitter {
	return Emitter{Of: k, Edits: map[*parser.File]*edit.Buffer{}, begun: map[*ir.Func]bool{}, left: map[lineRest]string{}}
}

// Buffer returns the edits of a file.
func (w *Emitter) Buffer(f *parser.File) *edit.Buffer {
	b := w.Edits[f]
	if b == nil {
		b = &edit.Buffer{}
		w.Edits[f] = b
	}
	return b
}

// FindNames finds the names that the kernel uses.
func (w *Emitter) FindNames() {
	w.Used = map[string]bool{}
	for _, fn := range w.Of.Functions {
		for _, v := range append(append(append([]*ir.Var{}, fn.Vars...), fn.Params...), fn.TParams...) {
			w.Used[v.Name] = true
		}
		for n := range fn.View.Node.All() {
			switch n.Kind {
			case parser.KindIdentifier, parser.KindTypeIdentifier, parser.KindFieldIdentifier, parser.KindNamespaceIdentifier:
				w.Used[fn.File.Text(n)] = true
			}
		}
		for word := range w.Of.Prog.MacroWords(fn.File) {
			w.Used[word] = true
		}
	}
}

// Fresh returns name, or a variation of it that is not used yet.
func (w *Emitter) Fresh(name string) string {
	if w.Used == nil {
		w.FindNames()
	}
	out := name
	taken := func() bool {
		_, macro := w.Of.File.Macros.Lookup(out, int(w.Of.View.Body.Start))
		return macro || w.Used[out]
	}
	for i := 2; taken(); i++ {
		out = fmt.Sprintf("%s%d", name, i)
	}
	w.Used[out] = true
	return out
}

// Temporary returns a name for a temporary that the kernel does not use.
func (w *Emitter) Temporary(stem string) string {
	w.Temp++
	return w.Fresh(fmt.Sprintf("smux_%s%d", stem, w.Temp))
}

// indentAt returns the indentation of a line that begins at an offset: of a kernel that is written
// on one line, the body is set in deeper than the line.
func (w *Emitter) indentAt(f *parser.File, at int) string {
	indent := IndentAt(f, at)
	body := w.Of.View.Body
	if f == w.Of.File && body != nil && int(body.Start) < at && at < int(body.End) && LineStart(f, at) == LineStart(f, int(body.Start)) {
		indent += "    "
	}
	return indent
}

// InsertBefore puts lines before a statement, each on a line of its own.
func (w *Emitter) InsertBefore(f *parser.File, at int, lines ...string) {
	nl, indent := f.Newline(), w.indentAt(f, at)
	if at < len(f.Src) && f.Src[at] == '#' {
		indent = IndentAt(f, NextLine(f, at)) // a pragma: as the loop after it
	}
	if FirstOnLine(f, at) {
		var b strings.Builder
		for _, l := range lines {
			b.WriteString(indent + l + nl)
		}
		w.Buffer(f).Insert(LineStart(f, at), b.String())
		return
	}
	w.Buffer(f).Insert(at, strings.Join(lines, nl+indent)+nl+indent)
}

// InsertAfter puts lines after a statement that ends at an offset; like is an
// offset on a line with the indentation to use.
func (w *Emitter) InsertAfter(f *parser.File, at, like int, lines ...string) {
	nl, indent := f.Newline(), w.indentAt(f, like)
	if like < len(f.Src) && f.Src[like] == '#' {
		indent = IndentAt(f, NextLine(f, like))
	}
	end := EndOfLine(f, at)
	rest := ""
	if end == at {
		rest = string(f.Src[end:LineEnd(f, end)])
	}
	if strings.TrimSpace(rest) == "" {
		w.Buffer(f).Insert(end, nl+indent+strings.Join(lines, nl+indent))
		return
	}
	// More follows on the line: its blanks are the last ones of what it is set in by, and lines
	// that were put here before left it there.
	of := indent
	if at := end + len(rest) - len(strings.TrimLeft(rest, " ")); f == w.Of.File && at == int(w.Of.View.Body.End)-1 {
		of = IndentAt(f, at)
	}
	of = strings.TrimSuffix(of, rest[:len(rest)-len(strings.TrimLeft(rest, " "))])
	place := lineRest{f, end}
	text := nl + indent
	if left, again := w.left[place]; again {
		text = strings.TrimPrefix(indent, left)
	}
	w.left[place] = of
	w.Buffer(f).Insert(end, text+strings.Join(lines, nl+indent)+nl+of)
}

// lineRest is the place of the rest of a line in a file.
type lineRest struct {
	file *parser.File
	at   int
}

// AtTop puts lines at the top of the kernel's body, as far as there are any.
func (w *Emitter) AtTop(lines []string) { w.AtTopOf(w.Of.Func, lines) }

// AtTopOf puts lines at the top of a function's body.
func (w *Emitter) AtTopOf(fn *ir.Func, lines []string) {
	if len(lines) == 0 {
		return
	}
	f := fn.File
	nl := f.Newline()
	indent := IndentAt(f, fn.View.Start) + "    "
	if len(fn.Body.List) > 0 && FirstOnLine(f, fn.Body.List[0].Outer.Start) {
		indent = IndentAt(f, fn.Body.List[0].Outer.Start)
	}
	at, behindLine := TopOf(fn)
	if !behindLine {
		// The blanks after the brace are the last ones of the indentation of what follows.
		rest := string(f.Src[at:LineEnd(f, at)])
		blanks := rest[:len(rest)-len(strings.TrimLeft(rest, " "))]
		text := strings.Join(lines, nl+indent) + nl + strings.TrimSuffix(indent, blanks)
		if w.begun[fn] {
			text = blanks + text
		} else {
			text = nl + indent + text
		}
		w.begun[fn] = true
		w.Buffer(f).Insert(at, text)
		return
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(nl + indent + l)
	}
	w.Buffer(f).Insert(at, b.String())
}

// TopOf returns the place for lines at the top of a function's body: after the line of its brace,
// or right after the brace where code follows on that line.
func TopOf(fn *ir.Func) (at int, behindLine bool) {
	f := fn.File
	at = int(fn.View.Body.Start) + 1
	if rest := strings.TrimSpace(string(f.Src[at:LineEnd(f, at)])); rest != "" && !strings.HasPrefix(rest, "//") {
		return at, false
	}
	return EndOfLine(f, at), true
}

// Enclose puts lines before a region and a line after its last statement, as far as
// there are any. In a body without braces there are both. The lines may end with a comment.
func (w *Emitter) Enclose(r *analysis.Region, last *ir.Stmt, before []string, after string) {
	f := r.Func.File
	if r.List.Op != ir.StmtCompound {
		// The body of a loop or if without braces.
		before[0] = "{ " + before[0]
		w.InsertBefore(f, r.Start(), before...)
		w.InsertAfter(f, StmtEnd(f, last), r.Start(), closed(after))
		return
	}
	if len(before) > 0 {
		w.InsertBefore(f, r.Start(), before...)
	}
	if after != "" {
		w.InsertAfter(f, StmtEnd(f, last), r.Start(), after)
	}
}

// Into makes InsertBefore and InsertAfter write to another buffer, as that of a
// device function's form, until what it returns is called.
func (w *Emitter) Into(f *parser.File, b *edit.Buffer) (back func()) {
	old := w.Edits[f]
	w.Edits[f] = b
	return func() {
		if old != nil {
			w.Edits[f] = old
		} else {
			delete(w.Edits, f)
		}
	}
}

// Done returns what was made.
func (w *Emitter) Done() *Edits { return &Edits{Files: w.Edits, Includes: w.Includes} }

// PinAtTop puts pins after the brace that a body begins with.
func (w *Emitter) PinAtTop(f *parser.File, body *ir.Stmt, lines []string) {
	at := body.Range.Start + 1
	indent := IndentAt(f, body.Range.Start) + "    "
	if len(body.List) > 0 && FirstOnLine(f, body.List[0].Outer.Start) {
		indent = IndentAt(f, body.List[0].Range.Start)
	}
	text := f.Newline() + indent + strings.Join(lines, f.Newline()+indent)
	if end := EndOfLine(f, at); end < len(f.Src) && (f.Src[end] == '\n' || f.Src[end] == '\r') {
		w.Buffer(f).Insert(end, text)
		return
	}
	w.Buffer(f).Insert(at, " "+strings.Join(lines, " "))
}

// BodyOnLines reports whether the body of a loop stands on lines of its own, under a head that a brace can follow.
func BodyOnLines(f *parser.File, body *ir.Stmt) bool {
	return FirstOnLine(f, body.Outer.Start) && OpensBody(f.Src, body.Outer.Start)
}

// OpensBody reports whether the line before that of an offset ends in the parenthesis that closes the head of a loop
// or an if, or in an else, with no comment after it: a brace can follow there.
func OpensBody(src []byte, at int) bool {
	end := LineBreakBefore(src, at)
	line := strings.TrimSpace(lastLine(src[:end]))
	if line == "" || line[0] == '#' || strings.Contains(line, "//") || strings.HasSuffix(line, "*/") {
		return false
	}
	return src[end-1] == ')' || line == "else" || strings.HasSuffix(line, " else") || strings.HasSuffix(line, "}else")
}

// LineBreakBefore is the offset of the line break before the line of an offset.
func LineBreakBefore(src []byte, at int) int {
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

// InOrder are variables in the order of the source: what is said of them is the same each time.
func InOrder(vars map[*ir.Var]bool) []*ir.Var {
	return slices.SortedFunc(maps.Keys(vars), func(a, b *ir.Var) int {
		return cmp.Or(cmp.Compare(a.Range.Start, b.Range.Start), strings.Compare(a.Name, b.Name))
	})
}
