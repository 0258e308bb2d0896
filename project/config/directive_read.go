package config

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// ReadDirectives reads the directives of a program's files, in their order.
func ReadDirectives(p *parser.Program) *Directives {
	s := &Directives{}
	for _, f := range p.Files {
		notes := notesOf(f)
		if len(notes) == 0 {
			continue
		}
		l := newLayout(f)
		for _, c := range notes {
			r := directiveReader{s, l, c, l.place(c)}
			r.read()
		}
	}
	s.contradictions()
	return s
}

// directiveReader reads one note.
type directiveReader struct {
	set    *Directives
	layout *layout
	note   directiveNote
	where  where
}

func (r *directiveReader) read() {
	switch name := r.note.name; {
	case name == nameIgnore || name == nameIgnoreFile:
		r.ignore(name == nameIgnoreFile)
	case name == namePin:
		r.pin()
	case name == nameOverlap:
		r.overlap()
	case name == nameBench:
		if r.note.blank {
			r.wrong(CodeUnknown, `write "smux:bench"`, `"smux: bench" has a blank before the name, and is not read`)
		}
	default:
		r.wrong(CodeUnknown, didYouMean(name), "there is no directive %q", directiveMark+name)
	}
}

func didYouMean(name string) string {
	known := lists.Map(directiveNames, func(n string) string { return directiveMark + n })
	return diag.DidYouMean(directiveMark+name, known, "the directives are")
}

// wrong adds an error about the kernels that the note may be about.
func (r *directiveReader) wrong(code diag.Code, help, format string, args ...any) {
	r.wrongFor(r.where.kernels(), code, help, format, args...)
}

func (r *directiveReader) wrongFor(kernels []diag.Position, code diag.Code, help, format string, args ...any) {
	m := diag.Message{Pos: r.note.pos(), Code: code, Text: fmt.Sprintf(format, args...), Help: help}
	r.set.Wrong = append(r.set.Wrong, Wrong{m, kernels})
}

// ignore reads CODE[,CODE] reason.
func (r *directiveReader) ignore(file bool) {
	name := directiveMark + r.note.name
	about := r.where.kernels()
	if file {
		about = nil
		for _, h := range r.layout.heads {
			if h.kernel {
				about = append(about, h.name)
			}
		}
	}
	codes, reason, _ := strings.Cut(strings.ReplaceAll(r.note.text, "\t", " "), " ")
	reason = strings.TrimSpace(reason)
	var read []diag.Code
	for code := range strings.SplitSeq(codes, ",") {
		if help, why := ignorable(code); why != "" {
			r.wrongFor(about, CodeIgnoreCode, help, "%s", why)
			return
		}
		read = append(read, diag.Code(code))
	}
	if strings.IndexFunc(reason, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) < 0 {
		r.wrongFor(about, CodeIgnoreReason, fmt.Sprintf("write %s %s, and why", name, codes), "%s %s gives no reason", name, codes)
		return
	}
	if file && (r.where.at == nil && r.where.inside != nil || slices.ContainsFunc(r.layout.heads, func(h head) bool { return h.start < int(r.note.comment.Start) })) {
		r.wrongFor(about, CodePlace, "put it above the first function of the file", "%s stands after code: it is about the whole file", name)
		return
	}
	for _, code := range read {
		i := Ignore{Code: code, Reason: reason, Pos: r.note.pos()}
		switch {
		case file:
			i.Scope = OfFile
		case r.where.at != nil && r.where.at.kernel:
			i.Scope, i.kernel = OfKernel, r.where.at.name
		case wholeKernel(code):
			r.wrong(CodePlace, "put it directly above the kernel, with no blank line between", "%s applies to a whole kernel, and no kernel begins below this line", code)
			continue
		default:
			i.Scope, i.last = OfLine, r.layout.lastLine(r.note)
			if k := r.where.kernel(); k != nil {
				i.inside = k.name
			}
		}
		r.set.Ignores = append(r.set.Ignores, i)
	}
}

// ignorable returns why a code can't be ignored, "" where it can.
func ignorable(code string) (help, why string) {
	switch {
	case code == "":
		return "write smux:ignore CODE[,CODE] and a reason, with no blank beside the comma", "a code is missing"
	case diag.Ignorable(diag.Code(code)):
		return "", ""
	}
	if _, ok := diag.Lookup(diag.Code(code)); ok {
		return "mend what it says", fmt.Sprintf("%s can't be ignored", code)
	}
	var codes []string
	for _, d := range diag.Docs() {
		if diag.Ignorable(d.Code) {
			codes = append(codes, string(d.Code))
		}
	}
	help = diag.DidYouMean(code, codes, "the codes are")
	help = cmp.Or(help, `run "smux explain" for the list of codes`)
	return help, fmt.Sprintf("%q is not a code of a message", code)
}

// wholeKernel reports whether messages of a code are placed at a kernel's name
// whatever they are about: an ignore inside of the kernel would stop none.
func wholeKernel(code diag.Code) bool {
	switch code {
	case Chosen, "evidence", "no-gain", "not-ranked", CodePinned, CodePinRefused, CodeNotAllowed:
		return true
	}
	return false
}

// pin reads a rewrite.
func (r *directiveReader) pin() {
	way, err := variant.Parse(r.note.text)
	if err != nil {
		help := ""
		if w, ok := err.(*variant.Error); ok {
			help = w.Help
		}
		r.wrong(CodePin, help, "%v", err)
		return
	}
	if way.Rewriter == variant.Demote && way.Recipe == "" {
		r.wrong(CodePin, `write the recipe that "smux rewrite --variant demote" names, such as demote bounds=256,3`, "demote needs a recipe")
		return
	}
	k := r.where.kernel()
	if k == nil {
		r.wrong(CodePlace, "put it directly above the kernel's definition, with no blank line between", "no kernel begins below this pin")
		return
	}
	r.set.Pins = append(r.set.Pins, Pin{way, k.name, r.note.pos()})
}

// overlap tells of marks that package rewrite does not take for any.
func (r *directiveReader) overlap() {
	switch {
	case !r.note.oneLiner:
		r.wrong(CodePlace, `write "// smux:overlap"`, "a mark of an overlap is a comment of its own that begins with //")
	case r.note.text != "":
		r.wrong(CodePlace, `write "// smux:overlap" alone`, "smux:overlap takes nothing after it")
	case r.where.inside == nil:
		r.wrong(CodePlace, "put it on a line of its own between two statements of a kernel", "a mark of an overlap outside of a function")
	}
}

// contradictions finds kernels with two pins, or with a pin and a request to be left alone.
func (s *Directives) contradictions() {
	first := map[diag.Position]Pin{}
	for _, p := range s.Pins {
		if before, ok := first[p.Kernel]; ok {
			s.contradiction(p, fmt.Sprintf("the kernel is pinned twice, in line %d too", before.Pos.Line))
			continue
		}
		first[p.Kernel] = p
		if g := s.Left(p.Kernel); g != nil {
			s.contradiction(p, fmt.Sprintf("the kernel is pinned, and line %d asks to leave it alone", g.Pos.Line))
		}
	}
}

func (s *Directives) contradiction(p Pin, text string) {
	m := diag.Message{Pos: p.Pos, Code: CodeTwo, Text: text, Help: "keep one of them"}
	s.Wrong = append(s.Wrong, Wrong{m, []diag.Position{p.Kernel}})
}

// layout says where the functions of a file stand, and its comments.
type layout struct {
	file     *parser.File
	heads    []head
	comments []*parser.Node // in order
}

// head is a function definition, or a kernel that could not be parsed.
type head struct {
	start     int // of its first line's first token
	body, end int // of its braces; both are 0 where it could not be parsed
	kernel    bool
	name      diag.Position // as in rewrite.KernelResult
}

func newLayout(f *parser.File) *layout {
	l := &layout{file: f}
	for _, fn := range f.Functions {
		if fn.Body == nil {
			continue
		}
		at := fn.Start
		if fn.Declared != nil {
			at = int(fn.Declared.Start)
		}
		l.heads = append(l.heads, head{min(fn.Start, int(fn.Outer.Start)), int(fn.Body.Start), int(fn.Body.End), fn.IsKernel(), f.Position(at)})
	}
	for _, lost := range f.Lost {
		start := bytes.LastIndexByte(f.Src[:lost.Mark.Start], '\n') + 1
		start = l.skipBlanks(start)
		l.heads = append(l.heads, head{start: start, kernel: true, name: f.Position(lost.Mark.Start)})
	}
	for n := range f.Root.All() {
		if n.Kind == parser.KindComment {
			l.comments = append(l.comments, n)
		}
	}
	return l
}

func (l *layout) line(at int) int { return l.file.Position(at).Line }

// where says what a place in a file belongs to.
type where struct {
	at     *head // the function at whose head the place is, or right above; nil for none
	inside *head // the function in whose body it is
	near   *head // the next function, where the place is in none
}

// place finds out what a note belongs to.
func (l *layout) place(c directiveNote) (w where) {
	start, end := int(c.comment.Start), int(c.comment.End)
	line := l.line(start)
	for i := range l.heads {
		h := &l.heads[i]
		last := h.body
		last = cmp.Or(last, h.start)
		if l.line(h.start) <= line && line <= l.line(last) {
			w.at = h
		}
	}
	if w.at != nil {
		return w
	}
	for i := range l.heads {
		if h := &l.heads[i]; h.body <= start && start < h.end {
			w.inside = h
		}
	}
	if w.inside != nil {
		return w
	}
	code, adjoining := l.codeBehind(end)
	for i := range l.heads {
		h := &l.heads[i]
		if h.start < end {
			continue
		}
		if h.start == code && adjoining && l.alone(start) {
			w.at = h
			return w
		}
		if w.near == nil || h.start < w.near.start {
			w.near = h
		}
	}
	return w
}

// alone reports whether nothing but comments stand before an offset on its line.
func (l *layout) alone(at int) bool {
	for {
		begin := bytes.LastIndexByte(l.file.Src[:at], '\n') + 1
		before := strings.TrimRight(string(l.file.Src[begin:at]), " \t")
		if strings.TrimPrefix(before, "\ufeff") == "" {
			return true
		}
		n := l.commentEnding(begin + len(before))
		if n == nil {
			return false
		}
		at = int(n.Start)
	}
}

// codeBehind returns the offset of the first code after an offset; adjoining is false
// where a blank line stands before it.
func (l *layout) codeBehind(at int) (code int, adjoining bool) {
	adjoining = true
	for {
		next := l.skipBlanks(at)
		if bytes.Count(l.file.Src[at:next], []byte("\n")) > 1 {
			adjoining = false
		}
		n := l.commentAt(next)
		if n == nil {
			return next, adjoining
		}
		at = int(n.End)
	}
}

func (l *layout) skipBlanks(at int) int {
	for at < len(l.file.Src) && strings.IndexByte(" \t\r\n\v\f", l.file.Src[at]) >= 0 {
		at++
	}
	return at
}

func (l *layout) commentAt(at int) *parser.Node {
	return lists.Find(l.comments, func(n *parser.Node) bool { return int(n.Start) == at && n.End > n.Start })
}

func (l *layout) commentEnding(at int) *parser.Node {
	return lists.Find(l.comments, func(n *parser.Node) bool { return int(n.End) == at && n.End > n.Start })
}

// lastLine returns the last line that an ignore at a place is about: its own where code
// stands on it, else that of the next code, after any more comments.
func (l *layout) lastLine(c directiveNote) int {
	line := l.line(int(c.comment.End))
	if !l.alone(int(c.comment.Start)) {
		return line
	}
	code, adjoining := l.codeBehind(int(c.comment.End))
	if !adjoining {
		return line
	}
	return max(line, l.line(code))
}

// kernels returns those that a directive at a place may be about.
func (w where) kernels() []diag.Position {
	for _, h := range []*head{w.at, w.inside, w.near} {
		if h != nil {
			if h.kernel {
				return []diag.Position{h.name}
			}
			return nil
		}
	}
	return nil
}

// kernel returns the one at whose head or in whose body the place is, nil for none.
func (w where) kernel() *head {
	return lists.Find([]*head{w.at, w.inside}, func(h *head) bool { return h != nil && h.kernel })
}
