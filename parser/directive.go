package parser

import (
	"bytes"
	"strings"
)

// directive is one preprocessor directive.
type directive struct {
	op   directiveOp
	span        // from '#' to the line break
	name string // the macro of a define, undef, ifdef, …; empty otherwise
	text string // what follows the name (define) or the keyword, cleaned
}

type directiveOp uint8

const (
	opOther directiveOp = iota
	opDefine
	opUndef
	opInclude
	opPragmaOnce
	opIf
	opIfdef
	opIfndef
	opElif
	opElifdef
	opElifndef
	opElse
	opEndif
)

var directiveOps = map[string]directiveOp{
	"define": opDefine, "undef": opUndef, "include": opInclude,
	"if": opIf, "ifdef": opIfdef, "ifndef": opIfndef, "elif": opElif,
	"elifdef": opElifdef, "elifndef": opElifndef, "else": opElse, "endif": opEndif,
}

// parseDirective reads the directive in src[at.start:at.end].
func parseDirective(src []byte, at span) directive {
	d := directive{span: at}
	raw := src[at.start+1 : at.end]
	i := skipBlank(raw, 0)
	k := i
	for k < len(raw) && isIdentByte(raw[k]) {
		k++
	}
	word, rest := string(raw[i:k]), raw[k:]
	d.op = directiveOps[word]
	switch d.op {
	case opDefine, opUndef, opIfdef, opIfndef, opElifdef, opElifndef:
		rest = rest[skipBlank(rest, 0):]
		k := 0
		for k < len(rest) && isIdentByte(rest[k]) {
			k++
		}
		d.name, rest = string(rest[:k]), rest[k:]
		if d.op == opDefine {
			d.text = cleanText(rest)
		}
	case opIf, opElif, opInclude:
		d.text = strings.TrimSpace(cleanText(rest))
	case opOther:
		if word == "pragma" && string(bytes.TrimSpace(rest)) == "once" {
			d.op = opPragmaOnce
		}
	}
	return d
}

// cleanText removes comments and line continuations.
func cleanText(b []byte) string {
	if bytes.IndexByte(b, '\\') < 0 && !bytes.Contains(b, []byte("//")) && !bytes.Contains(b, []byte("/*")) {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '\\' && splice(b, i) > 0:
			out = append(out, ' ')
			i += splice(b, i)
		case c == '/' && i+1 < len(b) && (b[i+1] == '/' || b[i+1] == '*'):
			out = append(out, ' ')
			if b[i+1] == '/' {
				return string(out)
			}
			k := bytes.Index(b[i+2:], []byte("*/"))
			if k < 0 {
				return string(out)
			}
			i += k + 4
		case c == '"' || c == '\'':
			e := max(i+1, quotedEnd(b, i))
			out = append(out, b[i:e]...)
			i = e
		default:
			out = append(out, c)
			i++
		}
	}
	return string(out)
}

// includePath splits the operand of an #include. ok is false for a computed include.
func includePath(text string) (path string, system, ok bool) {
	if len(text) < 2 {
		return "", false, false
	}
	closing := byte('"')
	switch text[0] {
	case '<':
		closing, system = '>', true
	case '"':
	default:
		return "", false, false
	}
	e := strings.IndexByte(text[1:], closing)
	if e < 1 {
		return "", false, false
	}
	return text[1 : e+1], system, true
}

// defineMacro reads a #define; nil if it is malformed.
func defineMacro(d directive, file string) *Macro {
	m := &Macro{Name: d.name, File: file, Pos: d.start}
	if d.name == "" || isDigit(d.name[0]) {
		return nil
	}
	body := d.text
	if strings.HasPrefix(body, "(") {
		e := strings.IndexByte(body, ')')
		if e < 0 {
			return nil
		}
		m.FunctionLike = true
		if list := strings.TrimSpace(body[1:e]); list != "" {
			for p := range strings.SplitSeq(list, ",") {
				p = strings.TrimSpace(p)
				if name, ok := strings.CutSuffix(p, "..."); ok {
					m.Variadic = true
					if p = strings.TrimSpace(name); p == "" {
						p = "__VA_ARGS__"
					}
				}
				m.Params = append(m.Params, p)
			}
		}
		body = body[e+1:]
	}
	m.Body = strings.TrimSpace(body)
	return m
}
