package translate

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/translate/ptx"
)

// asmStatement is an asm statement by its tokens.
type asmStatement struct {
	first, last int
	ptx.Statement
}

// inlineAsm translates the asm statements of a stretch. What is meant for the host's processor stays.
func (t *text) inlineAsm(s *stretch) {
	for i := 0; i < len(s.toks); i++ {
		if !(s.is(i, "asm") || s.is(i, "__asm__") || s.is(i, "__asm")) || !s.isIdent(i) {
			continue
		}
		a, ok := s.asmStatement(i)
		if !ok || !t.isDeviceAsm(s, a) {
			continue
		}
		if a.Literal && strings.TrimSpace(a.Template) == "" && s.macro != nil {
			continue // may well be the host's
		}
		start := s.toks[a.first].Start
		if branches := directivesIn(t, start, s.toks[a.last].End); s.macro != nil || len(branches) == 0 {
			code := asmCode(t, s, a)
			if start > 0 && t.file.Src[start-1] == ':' {
				code = " " + code
			}
			t.cover(s, start, s.toks[a.last].End, code)
		} else {
			asmBranches(t, s, a, branches)
		}
		i = a.last
	}
}

// asmCode returns the C++ of an asm statement.
func asmCode(t *text, s *stretch, a asmStatement) string {
	name := ""
	if a.Literal {
		code, err := ptx.ToC(&a.Statement)
		if err == nil {
			return code
		}
		name = err.Error()
	} else {
		name = s.line(a.first, a.last)
	}
	t.remark(s.toks[a.first].Start, CodeUnsupportedAsm, "asm that is not supported: %s", name)
	return fmt.Sprintf("::smux_cpu_not_supported(%s)", quote("asm: "+name))
}

// directivesIn returns the directives in a range of the file, by position.
func directivesIn(t *text, start, end int) (out [][2]int) {
	if bytes.IndexByte(t.file.Src[start:end], '#') < 0 {
		return nil
	}
	return slices.DeleteFunc(parser.Directives(t.file.Src), func(d [2]int) bool { return d[0] < start || d[1] > end })
}

// asmBranches translates an asm statement with a group of #if inside: each branch becomes the beginning of an if, "if (true) … else",
// with the statement as it is in that branch, and what it is without any stands after #endif. So the directives stay where they are.
func asmBranches(t *text, s *stretch, a asmStatement, directives [][2]int) {
	last, whole := len(directives)-1, false
	for k, d := range directives {
		word := strings.TrimLeft(string(t.file.Src[d[0]:d[1]]), "# \t")
		if strings.HasPrefix(word, "if") != (k == 0) || strings.HasPrefix(word, "endif") != (k == last) {
			t.cover(s, s.toks[a.first].Start, s.toks[a.last].End, asmCode(t, s, asmStatement{first: a.first, last: a.last}))
			return
		}
		whole = whole || strings.HasPrefix(word, "else")
	}
	branch := func(tok parser.Token) int { // of a token, -1 outside of the group
		after, _ := slices.BinarySearchFunc(directives, tok.Start, func(d [2]int, at int) int { return d[0] - at })
		return pick(after <= last, after-1)
	}
	toks := s.toks[a.first : a.last+1]
	for from := 0; from < len(toks); {
		b, to := branch(toks[from]), from+1
		for to < len(toks) && branch(toks[to]) == b && (b >= 0 || toks[to].Start < directives[0][0] || toks[from].Start > directives[last][0]) {
			to++
		}
		code := ""
		if b < 0 && from > 0 && whole {
			code = "do {} while (0)"
		} else if b >= 0 || from > 0 {
			part := *s
			part.toks = slices.DeleteFunc(slices.Clone(toks), func(tok parser.Token) bool { return branch(tok) >= 0 && branch(tok) != b })
			one, ok := part.asmStatement(0)
			if !ok {
				one = asmStatement{last: len(part.toks) - 1}
			}
			if code = asmCode(t, &part, one); b >= 0 {
				code = "if (true) " + code + "; else"
			}
		}
		t.cover(s, toks[from].Start, toks[to-1].End, code)
		from = to
	}
}

// asmStatement reads the statement at token i.
func (s *stretch) asmStatement(i int) (a asmStatement, ok bool) {
	open := i + 1
	for s.isIdent(open) {
		open++
	}
	if s.punct(open) != '(' {
		return a, false
	}
	a.first, a.last = i, s.closing(open)
	if a.last < 0 {
		return a, false
	}
	a.Literal = true
	section := 0
	for k := open + 1; k < a.last; k++ {
		switch {
		case s.punct(k) == ':':
			section++
		case section == 0:
			text, isString := unquote(s.text(k))
			if !isString || s.toks[k].Kind != parser.TokenLiteral {
				a.Literal = false
				continue
			}
			a.Template += text
		case section <= 2 && s.punct(k) != ',':
			o, last := s.asmOperand(k)
			if last < 0 || last >= a.last {
				a.Literal = false
				return a, true
			}
			o.Output = section == 1
			a.Operands = append(a.Operands, o)
			k = last
		}
	}
	return a, true
}

// asmOperand reads an operand and returns its last token, -1 where it is none.
func (s *stretch) asmOperand(k int) (o ptx.Operand, last int) {
	if s.punct(k) == '[' {
		o.Name = s.text(k + 1)
		if k = s.closing(k) + 1; k == 0 {
			return o, -1
		}
	}
	constraint, isString := unquote(s.text(k))
	if !isString || s.punct(k+1) != '(' {
		return o, -1
	}
	o.Constraint = constraint
	last = s.closing(k + 1)
	o.Expression = s.line(k+2, last-1)
	return o, last
}

// isDeviceAsm reports whether an asm statement holds PTX: by the function that
// it is in, or in a macro or a function for host and device, by its look.
func (t *text) isDeviceAsm(s *stretch, a asmStatement) bool {
	if s.macro == nil {
		if f := t.functionAt(s.toks[a.first].Start); f != nil {
			device := f.Quals&(parser.QualGlobal|parser.QualDevice) != 0
			if device && f.Quals&parser.QualHost == 0 {
				return true
			}
			if !device && f.Quals&parser.QualHost != 0 {
				return false
			}
		}
	}
	return looksLikePTX(a.Template)
}

// looksLikePTX reports whether the first instruction has a type or a state space: "mov.u32", "bar.sync". No processor
// with a C++ compiler writes dots like that, but for arm64's "b.eq".
func looksLikePTX(template string) bool {
	template = strings.TrimLeft(template, "{ \t\r\n")
	if strings.HasPrefix(template, ".reg") {
		return true
	}
	if strings.HasPrefix(template, "@") {
		return true
	}
	word := template
	if k := strings.IndexAny(word, " \t;"); k >= 0 {
		word = word[:k]
	}
	op, rest, found := strings.Cut(word, ".")
	return found && rest != "" && len(op) > 1 && op == strings.ToLower(op) || word == "trap" || word == "exit" || word == "brkpt"
}

// functionAt returns the innermost function whose body holds an offset.
func (t *text) functionAt(offset int) (found *parser.Function) {
	for _, f := range t.file.Functions {
		if f.Body != nil && int(f.Body.Start) <= offset && offset < int(f.Body.End) {
			found = f
		}
	}
	return found
}

// unquote returns what a string literal stands for.
func unquote(text string) (string, bool) {
	if strings.HasPrefix(text, `R"`) && strings.HasSuffix(text, `"`) {
		open, close := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
		if open < 0 || close < open {
			return "", false
		}
		return text[open+1 : close], true
	}
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return "", false
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text[1:len(text)-1], "\\\r\n", ""), "\\\n", "")
	var out strings.Builder
	for len(text) > 0 {
		if text[0] != '\\' {
			out.WriteByte(text[0])
			text = text[1:]
			continue
		}
		r, _, rest, err := strconv.UnquoteChar(text, '"')
		if err != nil {
			return "", false
		}
		out.WriteRune(r)
		text = rest
	}
	return out.String(), true
}
