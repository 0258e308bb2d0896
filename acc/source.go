package acc

import (
	"bytes"
	"regexp"
	"sort"
	"strings"

	"github.com/smux-cuda/smux/acc/words"
	"github.com/smux-cuda/smux/parser"
)

// source is one C file as a person wrote it, and with directives blanked and macros written out, which is parsed.
type source struct {
	file *parser.File // as written; only its text and macros count
	tree *parser.File // with macros written out
	// pieces are the text of tree, each as it was made of the text of file, by position.
	pieces []piece
	// hidden are macros whose values are not to be used.
	hidden []string
	from   words.Places // of the lines of file
}

type piece struct {
	at, end  int // in the written-out text
	from, to int // in the original
	verbatim bool
}

// newSource writes macros out and parses what comes of it. The file was read with parser.Options.Closed; hidden macros have no values.
func newSource(f *parser.File, hidden []string) (*source, error) {
	s := &source{file: f, hidden: hidden}
	text := s.writeOut()
	if len(bytes.TrimSpace(text)) == 0 { // nothing but directives
		text = append(text, ';')
	}
	var err error
	s.tree, err = parser.Parse(f.Name, text, parser.Options{})
	return s, err
}

// writeOut makes the pieces and returns their text.
func (s *source) writeOut() []byte {
	src := words.Blanked(s.file)
	toks := s.file.Tokens()
	rows := rowPointers(src)
	w := writer{src: src}
	for i, t := range toks {
		if len(rows) > 0 && rows[0] == t.Start {
			// As an expression would be read what declares a pointer to rows.
			rows = rows[1:]
			w.put("register "+string(src[t.Start:t.End]), t.Start, t.End)
		} else if t.Start >= w.done && src[t.Start] != ' ' {
			if text, end := useOf(s.file.Macros, src, toks, i, 0); end > 0 { // of others the grammar says what it makes of them
				w.put(text, t.Start, end)
			}
		}
	}
	s.pieces = w.end()
	return w.out
}

// useOf writes out the use of a macro that begins at a token, in a text at an offset of its file; its end is 0 where there is none.
func useOf(macros *parser.Macros, src []byte, toks []parser.Token, i, offset int) (text string, end int) {
	t := toks[i]
	m, ok := macros.Lookup(string(src[t.Start:t.End]), offset+t.Start)
	if t.Kind != parser.TokenIdent || !ok || m.Ambiguous {
		return "", 0
	}
	if end = t.End; m.FunctionLike {
		if end = words.Closing(src, toks, i+1); end < 0 {
			return "", 0
		}
	}
	text, err := macros.Expand(string(src[t.Start:end]), offset+t.Start)
	if err != nil {
		return "", 0
	}
	return strings.TrimSpace(text), end
}

type writer struct {
	src, out []byte
	pieces   []piece
	done     int // of src
}

// put writes what is in front of a part, and another text for it.
func (w *writer) put(text string, from, to int) {
	w.add(w.src[w.done:from], w.done, from, true)
	w.add([]byte(text), from, to, false)
	w.done = to
}

func (w *writer) add(text []byte, from, to int, verbatim bool) {
	if from < to {
		w.pieces = append(w.pieces, piece{len(w.out), len(w.out) + len(text), from, to, verbatim})
		w.out = append(w.out, text...)
	}
}

func (w *writer) end() []piece {
	w.add(w.src[w.done:], w.done, len(w.src), true)
	return w.pieces
}

// rowPointers finds declarations of pointers to rows, double (*m)[10], which the grammar of C++ takes for calls.
func rowPointers(src []byte) (out []int) {
	for _, m := range rowPointer.FindAllSubmatchIndex(src, -1) {
		word := string(src[m[2]:m[3]])
		if numberNamed(word).Bytes > 0 || bytes.Contains(src, []byte("} "+word+";")) || regexp.MustCompile(`\btypedef\b[^;{}]*\b`+word+`\s*;`).Match(src) {
			out = append(out, m[2])
		}
	}
	return out
}

var rowPointer = regexp.MustCompile(`(?:^|[;{}])\s*([A-Za-z_]\w*)\s*\(\s*\*\s*(?:restrict\s+)?[A-Za-z_]\w*\s*\)\s*\[`)

// pieceAt is the piece that a byte of the written-out text is in.
func (s *source) pieceAt(at int) piece {
	i := sort.Search(len(s.pieces), func(i int) bool { return s.pieces[i].end > at })
	return s.pieces[min(i, len(s.pieces)-1)]
}

// original maps a range of the written-out text to the original, with the whole of each use of a macro.
func (s *source) original(start, end int) (from, to int) {
	p, q := s.pieceAt(start), s.pieceAt(max(start, end-1))
	from, to = p.from, q.to
	if p.verbatim {
		from += start - p.at
	}
	if q.verbatim {
		to = q.from + end - q.at
	}
	return from, to
}

func (s *source) rangeOf(n *parser.Node) (from, to int) {
	return s.original(int(n.Start), int(n.End))
}

// exact reports whether a range of the written-out text is exactly what its range of the original is written out to.
func (s *source) exact(start, end int) bool {
	p, q := s.pieceAt(start), s.pieceAt(max(start, end-1))
	return (p.verbatim || p.at == start) && (q.verbatim || q.end == end)
}

func (s *source) isExact(n *parser.Node) bool { return s.exact(int(n.Start), int(n.End)) }

// spelled is a node as a person wrote it.
func (s *source) spelled(n *parser.Node) string {
	from, to := s.rangeOf(n)
	if s.isExact(n) {
		return string(s.file.Src[from:to])
	}
	return s.text(n)
}

func (s *source) text(n *parser.Node) string { return s.tree.Text(n) }
func (s *source) op(n *parser.Node) string   { return s.text(n.Child(parser.FieldOperator)) }

// callee returns the text of a call's function, "" for other nodes.
func (s *source) callee(n *parser.Node) string {
	if n.Kind != parser.KindCallExpression {
		return ""
	}
	return s.text(n.Child(parser.FieldFunction))
}

// leads reports whether an expression follows a pointer: *p.
func (s *source) leads(n *parser.Node) bool {
	return n.Kind == parser.KindPointerExpression && s.text(n.First) == "*"
}

// written maps an offset of the original to the written-out text.
func (s *source) written(at int) int {
	for _, p := range s.pieces {
		if at < p.to {
			if p.verbatim {
				return p.at + max(0, at-p.from)
			}
			return p.at
		}
	}
	return len(s.tree.Src)
}
