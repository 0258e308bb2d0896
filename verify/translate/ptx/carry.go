package ptx

import "fmt"

// Instructions with .cc leave a carry, and addc, subc and madc take one. The carry lives as long as the asm
// statement: what is left from the one before is not known, and such a statement not supported.

// carries reports whether an instruction takes or leaves a carry.
func (in *ptxInstruction) carries() (takes, leaves bool) {
	return in.op == "addc" || in.op == "subc" || in.op == "madc", in.has("cc")
}

// ptxCarry is add, sub and mad with a carry in, out or both.
func ptxCarry(in *ptxInstruction) string {
	t, ok := in.typ()
	takes, leaves := in.carries()
	if !ok || t.kind == 'f' || t.bits != 32 && t.bits != 64 {
		return ""
	}
	u, w := t.unsigned(), t.unsigned().wide()
	carry := "0"
	if takes {
		carry = "smux_carry"
	}
	n, sum := 3, ""
	switch in.op {
	case "add", "addc", "sub", "subc":
		operator := "+"
		if in.op[0] == 's' {
			operator = "-"
		}
		if in.takes(3) {
			sum = fmt.Sprintf("(%s)%s %s %s %s %s", w.cpp(), in.operands[1].read(u), operator, in.operands[2].read(u), operator, carry)
		}
	case "mad", "madc":
		n = 4
		if !in.takes(4) || in.has("wide") {
			return ""
		}
		product := fmt.Sprintf("(%s)((%s)%s * %s)", u.cpp(), w.cpp(), in.operands[1].read(u), in.operands[2].read(u))
		if in.has("hi") {
			m := t.wide()
			product = fmt.Sprintf("(%s)(((%s)%s * %s) >> %d)", u.cpp(), m.cpp(), in.operands[1].read(t), in.operands[2].read(t), t.bits)
		}
		sum = fmt.Sprintf("(%s)%s + %s + %s", w.cpp(), product, in.operands[3].read(u), carry)
	}
	if sum == "" || len(in.operands) != n {
		return ""
	}
	code := fmt.Sprintf("const %s smux_sum = %s; %s", w.cpp(), sum, in.operands[0].write(u, "("+u.cpp()+")smux_sum"))
	if leaves {
		// Of a difference, the upper half is all ones if there was a borrow.
		code += fmt.Sprintf(" smux_carry = (unsigned)(smux_sum >> %d) & 1;", t.bits)
	}
	return "{ " + code + " }"
}
