package config

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

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
	f.Root.Walk(func(n *parser.Node) bool {
		if n.Kind == parser.KindComment {
			l.comments = append(l.comments, n)
		}
		return true
	})
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
	for _, n := range l.comments {
		if int(n.Start) == at && n.End > n.Start {
			return n
		}
	}
	return nil
}

func (l *layout) commentEnding(at int) *parser.Node {
	for _, n := range l.comments {
		if int(n.End) == at && n.End > n.Start {
			return n
		}
	}
	return nil
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
	for _, h := range []*head{w.at, w.inside} {
		if h != nil && h.kernel {
			return h
		}
	}
	return nil
}
