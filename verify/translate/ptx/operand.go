package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// splitPTX splits operands at commas outside of brackets.
func splitPTX(text string) (out []string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	depth, start := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(text[start:i]))
				start = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(text[start:]))
}

// operand reads one operand.
func (p *ptxParser) operand(text string) (o ptxOperand, err error) {
	switch {
	case text == "":
		return o, p.fail("an empty operand")
	case text == "_":
		return ptxOperand{sink: true}, nil
	case text[0] == '!':
		o, err = p.operand(strings.TrimSpace(text[1:]))
		o.negated = true
		return o, err
	case text[0] == '[' && text[len(text)-1] == ']':
		return p.address(text[1 : len(text)-1])
	case text[0] == '{' && text[len(text)-1] == '}':
		for _, e := range splitPTX(text[1 : len(text)-1]) {
			element, err := p.operand(e)
			if err != nil {
				return o, err
			}
			o.list = append(o.list, element)
		}
		return o, nil
	}
	if first, second, ok := strings.Cut(text, "|"); ok {
		if o, err = p.operand(strings.TrimSpace(first)); err != nil {
			return o, err
		}
		other, err := p.operand(strings.TrimSpace(second))
		o.second = &other
		return o, err
	}
	if v := p.registers[text]; v != nil {
		return ptxOperand{variable: v}, nil
	}
	if value, floats, ok := ptxImmediate(text); ok {
		return ptxOperand{value: value, floats: floats}, nil
	}
	if text[0] == '%' {
		return p.percent(text)
	}
	if value, ok := ptxSpecial[text]; ok {
		return ptxOperand{value: value}, nil
	}
	return o, p.fail(text)
}

// percent reads %0, %[name] or %%special.
func (p *ptxParser) percent(text string) (ptxOperand, error) {
	rest := strings.TrimPrefix(text[1:], "%")
	if n, err := strconv.Atoi(rest); err == nil {
		if n < 0 || n >= len(p.asm.Operands) {
			return ptxOperand{}, p.fail(text)
		}
		return ptxOperand{variable: p.asm.variable(n)}, nil
	}
	if strings.HasPrefix(rest, "[") && strings.HasSuffix(rest, "]") {
		for i, o := range p.asm.Operands {
			if o.Name == rest[1:len(rest)-1] {
				return ptxOperand{variable: p.asm.variable(i)}, nil
			}
		}
	}
	if v := p.registers["%"+rest]; v != nil {
		return ptxOperand{variable: v}, nil
	}
	if value, ok := ptxSpecial[rest]; ok {
		return ptxOperand{value: value}, nil
	}
	return ptxOperand{}, p.fail(text)
}

// address reads r, r+n or r-n.
func (p *ptxParser) address(text string) (ptxOperand, error) {
	text = strings.TrimSpace(text)
	base, offset := text, ""
	if k := strings.LastIndexAny(text, "+-"); k > 0 {
		base, offset = strings.TrimSpace(text[:k]), strings.ReplaceAll(text[k:], " ", "")
		offset = strings.TrimPrefix(offset, "+")
	}
	o, err := p.operand(base)
	if err != nil || o.variable == nil {
		return o, p.fail(text)
	}
	o.address = true
	if offset != "" {
		if n, err := p.operand(strings.TrimPrefix(offset, "-")); err == nil && n.variable != nil && n.variable.typ.bits > 0 {
			offset = strings.Replace(offset, strings.TrimPrefix(offset, "-"), "(long long)"+n.variable.name, 1)
		} else if _, err := strconv.ParseInt(offset, 0, 64); err != nil {
			return o, p.fail(text)
		}
		o.offset = offset
	}
	return o, nil
}

// isPTXName reports whether a text is an identifier of PTX.
func isPTXName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '%' && i == 0
		if !letter && !(i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}

// ptxImmediate returns an immediate in C++.
func ptxImmediate(text string) (value string, floats, ok bool) {
	digits := text
	if len(text) == 10 && (strings.HasPrefix(text, "0f") || strings.HasPrefix(text, "0F")) {
		if n, err := strconv.ParseUint(text[2:], 16, 32); err == nil {
			return fmt.Sprintf("__builtin_bit_cast(float, 0x%xu)", n), true, true
		}
	}
	if len(text) == 18 && (strings.HasPrefix(text, "0d") || strings.HasPrefix(text, "0D")) {
		if n, err := strconv.ParseUint(text[2:], 16, 64); err == nil {
			return fmt.Sprintf("__builtin_bit_cast(double, 0x%xull)", n), true, true
		}
	}
	if n, err := strconv.ParseInt(digits, 0, 64); err == nil {
		if n == -1<<63 {
			return "(-0x7fffffffffffffffll - 1)", false, true
		}
		return strconv.FormatInt(n, 10) + "ll", false, true
	}
	if n, err := strconv.ParseUint(strings.TrimRight(digits, "uU"), 0, 64); err == nil {
		return strconv.FormatUint(n, 10) + "ull", false, true
	}
	if strings.ContainsAny(text, ".eE") {
		if _, err := strconv.ParseFloat(text, 64); err == nil && strings.Trim(text, "+-.0123456789eE") == "" {
			return text, true, true
		}
	}
	return "", false, false
}

// constant returns the value of an immediate.
func (o ptxOperand) constant() (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSuffix(o.value, "ll"), 10, 64)
	return n, err == nil && o.value != ""
}

// isValue reports whether the operand is a single register or immediate.
func (o ptxOperand) isValue() bool {
	return !o.address && o.second == nil && (o.variable != nil || o.value != "")
}
