package parser

import (
	"errors"
	"fmt"
	"strings"
)

// Limits of one expansion. Real macros stay far below; what exceeds them is an accident or an attack.
const (
	maxExpandedBytes  = 1 << 20
	maxExpandSteps    = 1 << 18
	maxConditionSteps = 1 << 12
	maxExpandDepth    = 100
)

var (
	errExpansionTooLong = errors.New("macro expansion is longer than 1 MB")
	errExpansionTooDeep = errors.New("macro expansion is nested too deeply")
)

// ppToken is a preprocessing token on its way through expansion.
type ppToken struct {
	text  string
	kind  tokenKind
	space bool     // blank before it
	apart bool     // the blank is there so that it does not join with what is before
	hide  *hideSet // macros that must not be expanded here any more

	at  int        // its number in the text that holds it; -1 where # or ## made it
	in  *expansion // the use whose macro's body that is, nil for the text that is expanded
	via *expansion // the last use that it was an argument of, nil for none
	ref int        // then the number of the parameter's token in the body of that macro
}

// expansion is one use of a macro that was expanded.
type expansion struct {
	macro *Macro
	args  [][]ppToken // as they are written
}

// tokSeparator stands where an expansion ends: the next token must not join with the last one.
const tokSeparator tokenKind = 255

// hideSet is a set of macro names (Prosser's algorithm, which the C standard's wording comes from).
type hideSet struct {
	name string
	next *hideSet
}

func (h *hideSet) has(name string) bool {
	for ; h != nil; h = h.next {
		if h.name == name {
			return true
		}
	}
	return false
}

func (h *hideSet) with(name string) *hideSet {
	if h.has(name) {
		return h
	}
	return &hideSet{name, h}
}

func (h *hideSet) intersect(o *hideSet) (r *hideSet) {
	for ; h != nil; h = h.next {
		if o.has(h.name) {
			r = &hideSet{h.name, r}
		}
	}
	return r
}

func (h *hideSet) union(o *hideSet) *hideSet {
	for ; o != nil; o = o.next {
		h = h.with(o.name)
	}
	return h
}

// expander expands text; lookup gives the definition in force, nil for none.
type expander struct {
	lookup func(name string) *Macro
	steps  int // taken so far, or the head start that lowers the limit
	bytes  int
}

func (x *expander) text(text string) (string, error) {
	out, err := x.expand(ppTokens(text), 0)
	if err != nil {
		return "", err
	}
	return joinTokens(out), nil
}

// ppTokens splits text into preprocessing tokens; "##" is one token.
func ppTokens(text string) []ppToken {
	s := &scan{src: []byte(text), unfinished: -1, badUTF8: -1}
	toks := make([]ppToken, 0, len(text)/3+1)
	for i, end := 0, 0; ; {
		i = skipBlank(s.src, i)
		if i >= len(s.src) {
			return toks
		}
		t := s.next(i)
		if text[i] == '#' && strings.HasPrefix(text[i:], "##") {
			t.end++
		}
		toks = append(toks, ppToken{text: text[i:t.end], kind: t.kind, space: i > end, at: len(toks)})
		i = int(t.end)
		end = i
	}
}

func joinTokens(toks []ppToken) string {
	var b strings.Builder
	for i, t := range toks {
		if t.space && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// expand expands a list of tokens completely.
func (x *expander) expand(in []ppToken, depth int) ([]ppToken, error) {
	if depth > maxExpandDepth {
		return nil, errExpansionTooDeep
	}
	rest := make([]ppToken, len(in)) // a stack: the next token is the last
	for i, t := range in {
		rest[len(in)-1-i] = t
	}
	out := make([]ppToken, 0, len(in))
	separate := false
	for len(rest) > 0 {
		t := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		if t.kind == tokSeparator {
			separate = true
			continue
		}
		if x.steps++; x.steps > maxExpandSteps {
			return nil, errExpansionTooLong
		}
		if t.kind == tokIdent && !t.hide.has(t.text) {
			body, used, err := x.replacement(t, rest, depth)
			if err != nil {
				return nil, err
			}
			if used >= 0 {
				x.steps += len(body)
				rest = append(rest[:len(rest)-used], ppToken{kind: tokSeparator})
				for i := len(body) - 1; i >= 0; i-- {
					rest = append(rest, body[i])
				}
				separate = true
				continue
			}
		}
		if x.bytes += len(t.text) + 1; x.bytes > maxExpandedBytes {
			return nil, errExpansionTooLong
		}
		t.apart = separate && !t.space
		t.space = t.space || separate
		separate = false
		out = append(out, t)
	}
	return out, nil
}

// replacement returns what the macro use at t stands for, and how many tokens
// of rest (a stack) its arguments took; used is -1 where t is not a macro use.
func (x *expander) replacement(t ppToken, rest []ppToken, depth int) (body []ppToken, used int, err error) {
	m := x.lookup(t.text)
	if m == nil {
		return nil, -1, nil
	}
	if m.Ambiguous {
		return nil, -1, fmt.Errorf("macro %s has several possible definitions", m.Name)
	}
	if !m.FunctionLike {
		body, err = x.substitute(m, nil, t.hide.with(m.Name), depth)
		return body, 0, err
	}
	args, used, last, err := macroArguments(m, rest)
	if err != nil || used < 0 {
		return nil, -1, err
	}
	body, err = x.substitute(m, args, t.hide.intersect(last.hide).with(m.Name), depth)
	return body, used, err
}

// macroArguments collects the arguments of a use of m from the stack rest.
// used is -1 where no '(' follows: then the name is plain text.
func macroArguments(m *Macro, rest []ppToken) (args [][]ppToken, used int, last ppToken, err error) {
	i := len(rest) - 1
	for i >= 0 && rest[i].kind == tokSeparator {
		i--
	}
	if i < 0 || rest[i].text != "(" {
		return nil, -1, last, nil
	}
	args = [][]ppToken{nil}
	depth := 0
	for i--; i >= 0; i-- {
		t := rest[i]
		if t.kind == tokSeparator {
			continue
		}
		switch t.text {
		case "(":
			depth++
		case ")":
			if depth == 0 {
				return checkArguments(m, args, len(rest)-i, t)
			}
			depth--
		case ",":
			if depth == 0 && !(m.Variadic && len(args) >= len(m.Params)) {
				args = append(args, nil)
				continue
			}
		}
		args[len(args)-1] = append(args[len(args)-1], t)
	}
	return nil, -1, last, fmt.Errorf("the arguments of macro %s never end", m.Name)
}

func checkArguments(m *Macro, args [][]ppToken, used int, last ppToken) ([][]ppToken, int, ppToken, error) {
	if len(m.Params) == 0 && len(args) == 1 && len(args[0]) == 0 {
		return nil, used, last, nil
	}
	if m.Variadic && len(args) == len(m.Params)-1 {
		args = append(args, nil)
	}
	if len(args) != len(m.Params) {
		return nil, -1, last, fmt.Errorf("macro %s takes %d arguments, not %d", m.Name, len(m.Params), len(args))
	}
	return args, used, last, nil
}
