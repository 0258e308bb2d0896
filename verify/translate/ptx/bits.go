package ptx

import (
	"cmp"
	"fmt"
)

// ptxShift is shl and shr, by any amount.
func ptxShift(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || !in.takes(3) || t.kind == 'f' {
		return ""
	}
	a, n := in.operands[1].read(t), in.operands[2].read(ptxType{'u', 32})
	switch {
	case in.op == "shl":
		return in.operands[0].write(t, fmt.Sprintf("%s >= %d ? 0 : (%s)(%s << %s)", n, t.bits, t.cpp(), in.operands[1].read(t.unsigned()), n))
	case t.kind == 's':
		return in.operands[0].write(t, fmt.Sprintf("(%s)(%s >> (%s >= %d ? %d : %s))", t.cpp(), a, n, t.bits, t.bits-1, n))
	}
	return in.operands[0].write(t, fmt.Sprintf("%s >= %d ? 0 : (%s)(%s >> %s)", n, t.bits, t.cpp(), a, n))
}

// ptxFunnel is shf.l|r.clamp|wrap.b32 d, low, high, n.
func ptxFunnel(in *ptxInstruction) string {
	if !in.takes(4) || !in.has("b32") {
		return ""
	}
	u, w := ptxType{'u', 32}, ptxType{'u', 64}
	both := fmt.Sprintf("((unsigned long long)%s << 32 | %s)", in.operands[2].read(u), in.operands[1].read(u))
	n := in.operands[3].read(u)
	if in.has("clamp") {
		n = fmt.Sprintf("(%s > 32 ? 32 : %s)", n, n)
	} else {
		n = "(" + n + " & 31)"
	}
	value := fmt.Sprintf("(unsigned int)(%s >> %s)", both, n)
	if in.has("l") {
		value = fmt.Sprintf("(unsigned int)(%s << %s >> 32)", both, n)
		if in.has("clamp") {
			// Shifted by 32, the low word is the high one.
			value = fmt.Sprintf("(unsigned int)((unsigned __int128)%s << %s >> 32)", both, n)
		}
	}
	return in.operands[0].write(w, value)
}

// ptxCount is popc and clz.
func ptxCount(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || !in.takes(2) || t.bits != 32 && t.bits != 64 {
		return ""
	}
	long := ""
	if t.bits == 64 {
		long = "ll"
	}
	x := in.operands[1].read(t)
	value := fmt.Sprintf("__builtin_popcount%s(%s)", long, x)
	if in.op == "clz" {
		value = fmt.Sprintf("%s == 0 ? %d : __builtin_clz%s(%s)", x, t.bits, long, x)
	}
	return in.operands[0].write(ptxType{'u', 32}, value)
}

func ptxReverse(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || !in.takes(2) {
		return ""
	}
	name := "::__brev"
	if t.bits == 64 {
		name = "::__brevll"
	}
	return in.operands[0].write(t, name+"("+in.operands[1].read(t)+")")
}

// ptxExtract is bfe d, a, position, length.
func ptxExtract(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || !in.takes(4) || t.bits < 32 {
		return ""
	}
	u := ptxType{'u', 32}
	value := fmt.Sprintf("[](%[1]s smux_a, unsigned smux_p, unsigned smux_n) -> %[1]s { smux_p &= 255; smux_n &= 255; "+
		"if (smux_n == 0) return 0; if (smux_p >= %[2]d) return smux_a < 0 ? -1 : 0; if (smux_p + smux_n >= %[2]d) return smux_a >> smux_p; "+
		"return (%[1]s)((%[3]s)smux_a << (%[2]d - smux_p - smux_n)) >> (%[2]d - smux_n); }(%[4]s, %[5]s, %[6]s)",
		t.cpp(), t.bits, t.unsigned().cpp(), in.operands[1].read(t), in.operands[2].read(u), in.operands[3].read(u))
	return in.operands[0].write(t, value)
}

// ptxInsert is bfi d, a, b, position, length: a's bits go into b.
func ptxInsert(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || !in.takes(5) || t.bits < 32 {
		return ""
	}
	u := ptxType{'u', 32}
	value := fmt.Sprintf("[](%[1]s smux_a, %[1]s smux_b, unsigned smux_p, unsigned smux_n) -> %[1]s { smux_p &= 255; smux_n &= 255; "+
		"if (smux_p >= %[2]d || smux_n == 0) return smux_b; const %[1]s smux_m = (smux_n >= %[2]d ? ~(%[1]s)0 : ((%[1]s)1 << smux_n) - 1) << smux_p; "+
		"return (smux_b & ~smux_m) | (smux_a << smux_p & smux_m); }(%[3]s, %[4]s, %[5]s, %[6]s)",
		t.unsigned().cpp(), t.bits, in.operands[1].read(t), in.operands[2].read(t), in.operands[3].read(u), in.operands[4].read(u))
	return in.operands[0].write(t.unsigned(), value)
}

// ptxFind is bfind: the position of the highest bit that is not a sign.
func ptxFind(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || !in.takes(2) || t.bits < 32 {
		return ""
	}
	long := ""
	if t.bits == 64 {
		long = "ll"
	}
	x := in.operands[1].read(t.unsigned())
	if t.kind == 's' {
		x = fmt.Sprintf("(%s)(%s < 0 ? ~%s : %s)", t.unsigned().cpp(), in.operands[1].read(t), x, x)
	}
	result := fmt.Sprintf("%d - smux_z", t.bits-1)
	if in.has("shiftamt") {
		result = "smux_z"
	}
	return fmt.Sprintf("{ const %s smux_x = %s; const unsigned smux_z = smux_x ? __builtin_clz%s(smux_x) : 0; %s }",
		t.unsigned().cpp(), x, long, in.operands[0].write(ptxType{'u', 32}, "smux_x ? "+result+" : ~0u"))
}

func ptxPermute(in *ptxInstruction) string {
	if !in.takes(4) || len(in.mods) != 1 || !in.has("b32") {
		return ""
	}
	u := ptxType{'u', 32}
	return in.operands[0].write(u, fmt.Sprintf("::__byte_perm(%s, %s, %s)", in.operands[1].read(u), in.operands[2].read(u), in.operands[3].read(u)))
}

// ptxLogic is lop3.b32 d, a, b, c, table, as the sum of its minterms.
func ptxLogic(in *ptxInstruction) string {
	if !in.takes(5) || len(in.mods) != 1 {
		return ""
	}
	table, ok := in.operands[4].constant()
	if !ok && in.operands[4].variable == nil {
		return ""
	}
	u := ptxType{'u', 32}
	code := fmt.Sprintf("const unsigned smux_a = %s, smux_b = %s, smux_c = %s, smux_t = %s;",
		in.operands[1].read(u), in.operands[2].read(u), in.operands[3].read(u), in.operands[4].read(u))
	value := ""
	for term := range 8 {
		if ok && table>>term&1 == 0 {
			continue
		}
		sign := func(bit int, name string) string {
			if term>>bit&1 == 0 {
				return "~" + name
			}
			return name
		}
		if value != "" {
			value += " | "
		}
		value += fmt.Sprintf("(%s & %s & %s & -(smux_t >> %d & 1))", sign(2, "smux_a"), sign(1, "smux_b"), sign(0, "smux_c"), term)
	}
	value = cmp.Or(value, "0u")
	return "{ " + code + " " + in.operands[0].write(u, value) + " }"
}

// ptxBytes is vabsdiff4.u32.u32.u32.add: the sum of absolute differences.
func ptxBytes(in *ptxInstruction) string {
	u := ptxType{'u', 32}
	for _, t := range in.types() {
		if t != u {
			return ""
		}
	}
	if !in.takes(4) || !in.has("add") {
		return ""
	}
	return in.operands[0].write(u, fmt.Sprintf("::__vsadu4(%s, %s) + %s", in.operands[1].read(u), in.operands[2].read(u), in.operands[3].read(u)))
}

// ptxDot is dp4a of operands that are both signed or both unsigned.
func ptxDot(in *ptxInstruction) string {
	types := in.types()
	if len(types) != 2 || types[0] != types[1] || !in.takes(4) {
		return ""
	}
	t := types[0]
	return in.operands[0].write(t, fmt.Sprintf("::__dp4a(%s, %s, %s)", in.operands[1].read(t), in.operands[2].read(t), in.operands[3].read(t)))
}
