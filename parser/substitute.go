package parser

import (
	"fmt"
	"slices"
	"strings"
)

// substitute puts arguments into the body of m and applies # and ##.
func (x *expander) substitute(m *Macro, args [][]ppToken, hide *hideSet, depth int) ([]ppToken, error) {
	body, use := ppTokens(m.Body), &expansion{m, args}
	for i := range body {
		body[i].in = use
	}
	var out []ppToken
	for i := 0; i < len(body); i++ {
		t := body[i]
		switch {
		case t.text == "##" && i > 0 && i+1 < len(body):
			right := body[i+1]
			i++
			pasted, err := paste(use, out, right)
			if err != nil {
				return nil, err
			}
			out = pasted
			continue
		case t.text == "#" && m.FunctionLike:
			p := -1
			if i+1 < len(body) {
				p = m.param(body[i+1])
			}
			if p < 0 {
				return nil, fmt.Errorf("macro %s: # without a parameter", m.Name)
			}
			out = append(out, ppToken{text: stringize(args[p]), kind: tokLiteral, space: t.space, at: -1})
			i++
			continue
		}
		p := m.param(t)
		switch {
		case p < 0:
			if t.text == "__VA_OPT__" && m.Variadic {
				return nil, fmt.Errorf("macro %s uses __VA_OPT__", m.Name)
			}
			out = append(out, t)
		case i+1 < len(body) && body[i+1].text == "##":
			out = append(out, use.argument(args[p], t)...)
		default:
			arg, err := x.expand(args[p], depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, ppToken{kind: tokSeparator})
			out = append(out, use.argument(arg, t)...)
			out = append(out, ppToken{kind: tokSeparator})
		}
	}
	for i := range out {
		if out[i].hide == nil {
			out[i].hide = hide
		} else {
			out[i].hide = out[i].hide.union(hide)
		}
	}
	return out, nil
}

// param returns the number of the parameter that t names, -1 if none.
func (m *Macro) param(t ppToken) int {
	if t.kind != tokIdent {
		return -1
	}
	return slices.Index(m.Params, t.text)
}

// argument returns the tokens that an argument becomes in the place of a parameter.
func (use *expansion) argument(arg []ppToken, param ppToken) []ppToken {
	out := make([]ppToken, len(arg))
	copy(out, arg)
	for i := range out {
		out[i].via, out[i].ref = use, param.at
	}
	if len(out) > 0 {
		out[0].space = param.space
	}
	return out
}

// paste joins the last token of left with the first of right (the operand of
// ## in the body of the macro). ", ## __VA_ARGS__" is the GNU form: the comma goes
// where there are no arguments.
func paste(use *expansion, left []ppToken, right ppToken) ([]ppToken, error) {
	m := use.macro
	operand := []ppToken{right}
	if p := m.param(right); p >= 0 {
		right.space = false
		operand = use.argument(use.args[p], right)
		comma := len(left) > 0 && left[len(left)-1].text == ","
		if comma && m.Variadic && p == len(m.Params)-1 {
			if len(operand) == 0 {
				return left[:len(left)-1], nil
			}
			return append(left, operand...), nil
		}
	}
	if len(operand) == 0 || len(left) == 0 || left[len(left)-1].kind == tokSeparator {
		return append(left, operand...), nil
	}
	last := left[len(left)-1]
	joined := ppTokens(last.text + operand[0].text)
	if len(joined) != 1 && !(len(joined) == 2 && joined[0].kind == tokPunct && joined[1].kind == tokPunct) {
		return nil, fmt.Errorf("macro %s: ## gives no token: %s%s", m.Name, last.text, operand[0].text)
	}
	for i := range joined {
		joined[i].at = -1
	}
	joined[0].space, joined[0].via, joined[0].ref = last.space, use, right.at
	out := append(left[:len(left)-1], joined...)
	return append(out, operand[1:]...), nil
}

// stringize is the # operator.
func stringize(arg []ppToken) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, t := range arg {
		if t.space && i > 0 {
			b.WriteByte(' ')
		}
		if t.kind != tokLiteral {
			b.WriteString(t.text)
			continue
		}
		for _, c := range []byte(t.text) {
			if c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
