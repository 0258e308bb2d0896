package ptx

import (
	"fmt"
	"strings"
)

// ptxMove is mov: plain, packing {a, b} into a wider register, or unpacking.
func ptxMove(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || len(in.operands) != 2 {
		return ""
	}
	to, from := in.operands[0], in.operands[1]
	part := func(n int) ptxType { return ptxType{'u', t.bits / n} }
	switch {
	case len(from.list) > 0 && len(to.list) == 0:
		p := part(len(from.list))
		if p.bits < 8 || p.bits*len(from.list) != t.bits {
			return ""
		}
		var terms []string
		for i, e := range from.list {
			terms = append(terms, fmt.Sprintf("(%s)%s << %d", t.unsigned().cpp(), e.read(p), i*p.bits))
		}
		return to.write(t.unsigned(), strings.Join(terms, " | "))
	case len(to.list) > 0 && len(from.list) == 0:
		p := part(len(to.list))
		if p.bits < 8 || p.bits*len(to.list) != t.bits {
			return ""
		}
		code := fmt.Sprintf("const %s smux_whole = %s;", t.unsigned().cpp(), from.read(t.unsigned()))
		for i, e := range to.list {
			code += " " + e.write(p, fmt.Sprintf("(%s)(smux_whole >> %d)", p.cpp(), i*p.bits))
		}
		return "{ " + code + " }"
	case !in.takes(2):
		return ""
	}
	return to.write(t, from.read(t))
}

// ptxConvert is cvt.[rounding].to.from. Floating point to integer saturates.
func ptxConvert(in *ptxInstruction) string {
	types := in.types()
	if len(types) != 2 || !in.takes(2) || in.has("pack") {
		return ""
	}
	to, from := types[0], types[1]
	value := in.operands[1].read(from)
	if from.kind == 'f' {
		for mod, f := range map[string]string{"rni": "::nearbyint", "rzi": "::trunc", "rmi": "::floor", "rpi": "::ceil"} {
			if in.has(mod) {
				value = f + from.suffix() + "(" + value + ")"
			}
		}
	}
	switch {
	case to.kind == 'f' && in.has("sat"):
		value = fmt.Sprintf("::fmin%[1]s(::fmax%[1]s((%[2]s)%[3]s, 0), 1)", to.suffix(), to.cpp(), value)
	case to.kind == 'f':
		if from == (ptxType{'f', 64}) && (in.has("rz") || in.has("rm") || in.has("rp")) {
			return ""
		}
		value = "(" + to.cpp() + ")" + value
	case from.kind == 'f':
		value = saturated(value, from, to)
	case in.has("sat"):
		return ""
	default:
		value = "(" + to.cpp() + ")" + value
	}
	return in.operands[0].write(to, value)
}

// saturated converts a floating value to an integer as the device does: NaN is
// 0, and what does not fit is the nearest that does.
func saturated(value string, from, to ptxType) string {
	low, high := "0", fmt.Sprintf("(%s)~0ull", to.cpp())
	if to.kind == 's' {
		high = fmt.Sprintf("(%s)(~0ull >> %d)", to.cpp(), 65-to.bits)
		low = fmt.Sprintf("(%s)(1ull << %d)", to.cpp(), to.bits-1)
	}
	return fmt.Sprintf("[](%[1]s smux_x) -> %[2]s { return smux_x != smux_x ? 0 : smux_x <= (%[1]s)(%[3]s) ? %[3]s : "+
		"smux_x >= (%[1]s)(%[4]s) ? %[4]s : (%[2]s)smux_x; }(%[5]s)", from.cpp(), to.cpp(), low, high, value)
}

// ptxBinary returns an instruction that C++ has as an operator.
func ptxBinary(operator string) func(*ptxInstruction) string {
	return func(in *ptxInstruction) string {
		t, ok := in.typ()
		if !ok || !in.takes(3) || in.has("cc") || in.has("sat") && t.kind != 'f' {
			return ""
		}
		d, a, b := in.operands[0], in.operands[1].read(t), in.operands[2].read(t)
		switch {
		case t.kind == 'p':
			return d.write(t, "("+a+" "+operator+" "+b+")")
		case t.kind == 'f' && !strings.Contains("+-/", operator):
			return ""
		case t.kind == 's' && strings.Contains("+-", operator):
			// Wraps around.
			u := t.unsigned()
			return d.write(t, fmt.Sprintf("(%s)(%s %s %s)", t.cpp(), in.operands[1].read(u), operator, in.operands[2].read(u)))
		case t.kind != 'f' && strings.Contains("/%", operator):
			// No trap: the device has some value.
			return d.write(t, fmt.Sprintf("%s == 0 ? (%s)-1 : (%s)(%s %s %s)", b, t.cpp(), t.cpp(), a, operator, b))
		}
		value := "(" + t.cpp() + ")(" + a + " " + operator + " " + b + ")"
		return d.write(t, clamped(in, t, value))
	}
}

// clamped is .sat of floating point: [0, 1], NaN is 0.
func clamped(in *ptxInstruction, t ptxType, value string) string {
	if t.kind != 'f' || !in.has("sat") {
		return value
	}
	return fmt.Sprintf("::fmin%[1]s(::fmax%[1]s(%[2]s, 0), 1)", t.suffix(), value)
}

// ptxMultiply is mul and mad with .lo, .hi, .wide; mul24 and mad24.
func ptxMultiply(in *ptxInstruction) string {
	t, ok := in.typ()
	n := 3
	if strings.HasPrefix(in.op, "mad") {
		n = 4
	}
	if !ok || !in.takes(n) || in.has("cc") {
		return ""
	}
	if t.kind == 'f' {
		if n == 4 {
			return ptxFused(in)
		}
		a, b := in.operands[1].read(t), in.operands[2].read(t)
		return in.operands[0].write(t, clamped(in, t, a+" * "+b))
	}
	if in.has("sat") || t.bits > 64 {
		return ""
	}
	a, b := in.operands[1].read(t), in.operands[2].read(t)
	if strings.HasSuffix(in.op, "24") {
		narrow := func(x string) string { return fmt.Sprintf("((%s)((%s)%s << 8) >> 8)", t.cpp(), t.unsigned().cpp(), x) }
		a, b = narrow(a), narrow(b)
	}
	w := t.wide()
	product := fmt.Sprintf("(%s)%s * (%s)%s", w.cpp(), a, w.cpp(), b)
	result := t
	switch {
	case in.has("wide"):
		result = w
	case in.has("hi") && strings.HasSuffix(in.op, "24"):
		product = "((" + product + ") >> 16)"
	case in.has("hi"):
		product = fmt.Sprintf("((%s) >> %d)", product, t.bits)
	default: // in unsigned numbers, which wrap around
		product = fmt.Sprintf("(%s)%s * (%s)%s", w.unsigned().cpp(), a, w.unsigned().cpp(), b)
	}
	u := result.unsigned().cpp()
	value := fmt.Sprintf("(%s)(%s)", u, product)
	if n == 4 {
		value = fmt.Sprintf("(%s)(%s + %s)", u, value, in.operands[3].read(result.unsigned()))
	}
	return in.operands[0].write(result, "("+result.cpp()+")"+value)
}

// ptxFused is fma, and mad of floating point.
func ptxFused(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || t.kind != 'f' || !in.takes(4) {
		return ""
	}
	value := fmt.Sprintf("::fma%s(%s, %s, %s)", t.suffix(), in.operands[1].read(t), in.operands[2].read(t), in.operands[3].read(t))
	return in.operands[0].write(t, clamped(in, t, value))
}

// ptxUnary returns an instruction that C++ has as an operator.
func ptxUnary(operator string) func(*ptxInstruction) string {
	return func(in *ptxInstruction) string {
		t, ok := in.typ()
		if !ok || !in.takes(2) || t.kind == 'f' && operator != "-" {
			return ""
		}
		if t.kind == 'p' {
			operator = "!"
		}
		if t.kind == 's' && operator == "-" {
			return in.operands[0].write(t, fmt.Sprintf("(%s)(0 - %s)", t.cpp(), in.operands[1].read(t.unsigned())))
		}
		return in.operands[0].write(t, fmt.Sprintf("(%s)(%s%s)", t.cpp(), operator, in.operands[1].read(t)))
	}
}

func ptxAbsolute(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || !in.takes(2) {
		return ""
	}
	x := in.operands[1].read(t)
	if t.kind == 'f' {
		return in.operands[0].write(t, "::fabs"+t.suffix()+"("+x+")")
	}
	return in.operands[0].write(t, fmt.Sprintf("(%s)(%s < 0 ? 0 - %s : %s)", t.cpp(), x, in.operands[1].read(t.unsigned()), in.operands[1].read(t.unsigned())))
}

// ptxExtreme is min and max. Of floating point, a number wins over a NaN.
func ptxExtreme(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || !in.takes(3) || in.has("NaN") || in.has("xorsign") || in.has("abs") {
		return ""
	}
	a, b := in.operands[1].read(t), in.operands[2].read(t)
	if t.kind == 'f' {
		return in.operands[0].write(t, fmt.Sprintf("::f%s%s(%s, %s)", in.op, t.suffix(), a, b))
	}
	operator := "<"
	if in.op == "max" {
		operator = ">"
	}
	return in.operands[0].write(t, fmt.Sprintf("%s %s %s ? %s : %s", a, operator, b, a, b))
}

// ptxFloat returns a function of one floating operand, as exact as C++ has it. A
// function ends with '(' or takes its operand at %s.
func ptxFloat(function string) func(*ptxInstruction) string {
	return func(in *ptxInstruction) string {
		t, ok := in.typ()
		if !ok || t.kind != 'f' || !in.takes(2) {
			return ""
		}
		x := in.operands[1].read(t)
		value := function + t.suffix() + "(" + x + ")"
		if strings.Contains(function, "%s") {
			value = fmt.Sprintf(function, x)
		}
		return in.operands[0].write(t, value)
	}
}

func ptxCopySign(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || t.kind != 'f' || !in.takes(3) {
		return ""
	}
	// The sign comes from the first operand.
	return in.operands[0].write(t, fmt.Sprintf("::copysign%s(%s, %s)", t.suffix(), in.operands[2].read(t), in.operands[1].read(t)))
}

// ptxDifference is sad: |a - b| + c.
func ptxDifference(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || t.kind == 'f' || !in.takes(4) {
		return ""
	}
	u := t.unsigned()
	a, b := in.operands[1], in.operands[2]
	return in.operands[0].write(t, fmt.Sprintf("(%s)((%s < %s ? %s - %s : %s - %s) + %s)", t.cpp(), a.read(t), b.read(t),
		b.read(u), a.read(u), a.read(u), b.read(u), in.operands[3].read(u)))
}
