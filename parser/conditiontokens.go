package parser

import (
	"strconv"
	"strings"
)

// unknownOperand stands for an operand without a known value.
const unknownOperand = "?unknown"

// conditionTokens expands the condition, "defined X" first, and joins operators of two characters.
func conditionTokens(text string, scope conditionScope) []string {
	in := ppTokens(text)
	var plain []ppToken
	for i := 0; i < len(in); i++ {
		t := in[i]
		if t.kind != tokIdent {
			plain = append(plain, t)
			continue
		}
		switch {
		case t.text == "defined" && i+1 < len(in) && in[i+1].kind == tokIdent:
			plain = append(plain, definedOperand(scope, in[i+1].text))
			i++
		case t.text == "defined" && i+3 < len(in) && in[i+1].text == "(" && in[i+3].text == ")":
			plain = append(plain, definedOperand(scope, in[i+2].text))
			i += 3
		case strings.HasPrefix(t.text, "__has_") && i+1 < len(in) && in[i+1].text == "(":
			i = closing(in, i+1)
			plain = append(plain, ppToken{text: unknownOperand, kind: tokNumber})
		default:
			plain = append(plain, t)
		}
	}
	x := &expander{steps: maxExpandSteps - maxConditionSteps, lookup: func(name string) *Macro {
		if m, state := scope.macro(name); state == macroDefined {
			return m
		}
		return nil
	}}
	out, err := x.expand(plain, 0)
	if err != nil {
		return []string{unknownOperand}
	}
	return joinOperators(out)
}

func definedOperand(scope conditionScope, name string) ppToken {
	v := scope.defined(name)
	if !v.known() {
		return ppToken{text: unknownOperand, kind: tokNumber}
	}
	return ppToken{text: strconv.FormatInt(v.lo, 10), kind: tokNumber}
}

func joinOperators(in []ppToken) []string {
	var out []string
	for i := 0; i < len(in); i++ {
		t := in[i].text
		if in[i].kind == tokPunct && i+1 < len(in) && in[i+1].kind == tokPunct && !in[i+1].space {
			switch pair := t + in[i+1].text; pair {
			case "&&", "||", "==", "!=", "<=", ">=", "<<", ">>":
				out = append(out, pair)
				i++
				continue
			}
		}
		out = append(out, t)
	}
	return out
}
