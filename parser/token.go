package parser

import "github.com/smux-cuda/smux/internal/lists"

// Token is one preprocessing token of a text: byte offsets and kind.
// Punctuation comes byte by byte, so "<<<" is three tokens.
type Token struct {
	Start, End int
	Kind       TokenKind
}

// TokenKind classifies tokens.
type TokenKind uint8

// The kinds of tokens.
const (
	TokenIdent   TokenKind = iota // identifiers and keywords
	TokenNumber                   // numbers, with separators and suffixes
	TokenLiteral                  // string, raw string or character, prefix included
	TokenPunct                    // one byte of punctuation
)

// Tokens returns the tokens of the original text outside of comments and
// directives, all branches of each #if included.
func (f *File) Tokens() []Token {
	return exportTokens(scanSource(f.Src).toks)
}

// Directives returns the ranges of the preprocessor directives of a text, by position.
func Directives(src []byte) [][2]int {
	return lists.Map(scanSource(src).directives, func(d span) [2]int { return [2]int{d.start, d.end} })
}

// TokensBetween returns the tokens of src[start:end], which is (part of) one directive: a macro's body, for instance.
func TokensBetween(src []byte, start, end int) []Token {
	s := &scan{src: src[:end], tooDeep: -1, unfinished: -1, badUTF8: -1}
	var toks []token
	for i := skipBlank(s.src, start); i < end; i = skipBlank(s.src, i) {
		t := s.next(i)
		toks = append(toks, t)
		i = int(t.end)
	}
	return exportTokens(toks)
}

func exportTokens(toks []token) []Token {
	out := make([]Token, len(toks))
	for i, t := range toks {
		out[i] = Token{int(t.start), int(t.end), TokenKind(t.kind)}
	}
	return out
}

// Definition is one #define of a file, with the place of its body.
type Definition struct {
	*Macro
	BodyStart, BodyEnd int // byte range in the text; line continuations included
}

// Definitions returns every well-formed #define of the file, in branches that are left out, too.
func (f *File) Definitions() []Definition { return definitions(f.Name, f.Src) }

func definitions(name string, src []byte) (out []Definition) {
	for _, s := range scanSource(src).directives {
		d := parseDirective(src, s)
		if d.op != opDefine {
			continue
		}
		m := defineMacro(d, name)
		if m == nil {
			continue
		}
		toks := TokensBetween(src, d.start, d.end)
		if len(toks) < 3 {
			continue
		}
		body := toks[2].End // after "#", "define" and the name
		if m.FunctionLike {
			for _, t := range toks[3:] {
				if src[t.Start] == ')' {
					body = t.End
					break
				}
			}
		}
		out = append(out, Definition{m, body, d.end})
	}
	return out
}
