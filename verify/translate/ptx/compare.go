package ptx

import "fmt"

// comparison returns "a op b" for the comparison among the modifiers.
func (in *ptxInstruction) comparison(t ptxType) string {
	a, b := in.operands[1].read(t), in.operands[2].read(t)
	for _, m := range in.mods {
		operator, ordered := map[string]string{
			"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
			"lo": "<", "ls": "<=", "hi": ">", "hs": ">=",
		}[m]
		if ordered {
			// ne of floating point is false where an operand is not a number.
			if m == "ne" && t.kind == 'f' {
				return fmt.Sprintf("(%s < %s || %s > %s)", a, b, a, b)
			}
			return "(" + a + " " + operator + " " + b + ")"
		}
		switch m {
		case "equ", "neu", "ltu", "leu", "gtu", "geu":
			inverse := map[string]string{"equ": "(%s < %s || %s > %s)", "neu": "(%s == %s)", "ltu": "(%s >= %s)", "leu": "(%s > %s)", "gtu": "(%s <= %s)", "geu": "(%s < %s)"}[m]
			if m == "equ" {
				return "!" + fmt.Sprintf(inverse, a, b, a, b)
			}
			return "!" + fmt.Sprintf(inverse, a, b)
		case "num":
			return fmt.Sprintf("(%s == %s && %s == %s)", a, a, b, b)
		case "nan":
			return fmt.Sprintf("(%s != %s || %s != %s)", a, a, b, b)
		}
	}
	return ""
}

// ptxCompare is setp.cmp[.and|or|xor].type p[|q], a, b[, c].
func ptxCompare(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || len(in.operands) < 3 || len(in.operands) > 4 {
		return ""
	}
	value := in.comparison(t)
	if value == "" {
		return ""
	}
	p := ptxType{'p', 1}
	combine := func(x string) string { return x }
	if len(in.operands) == 4 {
		operator := ""
		for mod, o := range map[string]string{"and": "&&", "or": "||", "xor": "!="} {
			if in.has(mod) {
				operator = o
			}
		}
		if operator == "" {
			return ""
		}
		c := in.operands[3].read(p)
		combine = func(x string) string { return "(" + x + " " + operator + " " + c + ")" }
	}
	code := "const bool smux_p = " + value + ", smux_q = " + combine("!smux_p") + "; "
	code += in.operands[0].write(p, combine("smux_p"))
	if q := in.operands[0].second; q != nil {
		code += " " + q.write(p, "smux_q")
	}
	return "{ " + code + " }"
}

// ptxCompareInto is set.cmp.to.from: all ones, or 1.0, for true.
func ptxCompareInto(in *ptxInstruction) string {
	types := in.types()
	if len(types) != 2 || !in.takes(3) {
		return ""
	}
	value := in.comparison(types[1])
	if value == "" {
		return ""
	}
	yes := "~0u"
	if types[0].kind == 'f' {
		yes = "1.0f"
	}
	return in.operands[0].write(types[0], fmt.Sprintf("(%s)(%s ? %s : 0)", types[0].cpp(), value, yes))
}

func ptxSelect(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || !in.takes(4) {
		return ""
	}
	return in.operands[0].write(t, fmt.Sprintf("%s ? %s : %s", in.operands[3].read(ptxType{'p', 1}), in.operands[1].read(t), in.operands[2].read(t)))
}

// ptxSelectBySign is slct: a if c >= 0, else b.
func ptxSelectBySign(in *ptxInstruction) string {
	types := in.types()
	if len(types) != 2 || !in.takes(4) {
		return ""
	}
	t := types[0]
	return in.operands[0].write(t, fmt.Sprintf("%s >= 0 ? %s : %s", in.operands[3].read(types[1]), in.operands[1].read(t), in.operands[2].read(t)))
}
