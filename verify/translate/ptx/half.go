package ptx

import (
	"fmt"
	"slices"
)

// ptxHalves are the types of 16 bits, and pairs of them, by the bits of their fractions.
var ptxHalves = map[string]struct{ fraction, count int }{"f16": {10, 1}, "f16x2": {10, 2}, "bf16": {7, 1}, "bf16x2": {7, 2}}

// ptxOfHalves are operations on each half of one to three operands.
var ptxOfHalves = map[string]struct {
	operands   int
	expression string
}{
	"add": {2, "a + b"}, "sub": {2, "a - b"}, "mul": {2, "a * b"}, "fma": {3, "::smux_cpu::sticky_multiply_add(a, b, c)"},
}

// isOfHalves reports whether an instruction is one of those below.
func (in *ptxInstruction) isOfHalves() bool {
	_, known := ptxOfHalves[in.op]
	return (known || in.op == "cvt") && slices.ContainsFunc(in.mods, func(m string) bool { return ptxHalves[m].count > 0 || m == "tf32" })
}

// ptxHalf is add, sub, mul[.rn] and fma.rn of halves, and cvt from and to them.
func ptxHalf(in *ptxInstruction) string {
	if in.op == "cvt" {
		return ptxConvertHalf(in)
	}
	mods := slices.DeleteFunc(slices.Clone(in.mods), func(m string) bool { return m == "rn" })
	operation := ptxOfHalves[in.op]
	if len(mods) != 1 || !in.takes(1+operation.operands) {
		return ""
	}
	of := ptxHalves[mods[0]]
	t := ptxType{'u', 16 * of.count}
	code := fmt.Sprintf("::smux_cpu::each_half<%d, %d>([](double a, double b, double c) { return %s; }", of.fraction, of.count, operation.expression)
	for i := range 3 {
		code += ", " + in.operands[min(i, operation.operands-1)+1].read(t)
	}
	return in.operands[0].write(t, code+")")
}

// ptxConvertHalf is cvt.rn|rz.f16|bf16|f16x2|bf16x2.f32, cvt.f32.f16|bf16 and cvt.rna.tf32.f32.
func ptxConvertHalf(in *ptxInstruction) string {
	f, u := ptxType{'f', 32}, ptxType{'u', 32}
	n := len(in.mods)
	if n < 2 || n > 3 {
		return ""
	}
	to, from := ptxHalves[in.mods[n-2]], ptxHalves[in.mods[n-1]]
	toward := map[string]string{"rn": "nearest", "rz": "zero"}[in.mods[0]]
	rounded := func(o ptxOperand) string {
		return fmt.Sprintf("(unsigned)::smux_cpu::reduced_format<%d>::rounded(%s, ::smux_cpu::toward::%s)", to.fraction, o.read(f), toward)
	}
	switch {
	case n == 2 && in.mods[0] == "f32" && from.count == 1 && in.takes(2):
		return in.operands[0].write(f, fmt.Sprintf("::smux_cpu::reduced_format<%d>::value(%s)", from.fraction, in.operands[1].read(ptxType{'u', 16})))
	case n == 3 && slices.Equal(in.mods, []string{"rna", "tf32", "f32"}) && in.takes(2):
		return in.operands[0].write(u, "::smux_cpu::matrix::to_tf32("+in.operands[1].read(u)+")")
	case n == 3 && in.mods[2] == "f32" && toward != "" && to.count == 1 && in.takes(2):
		return in.operands[0].write(ptxType{'u', 16}, rounded(in.operands[1]))
	case n == 3 && in.mods[2] == "f32" && toward != "" && to.count == 2 && in.takes(3):
		return in.operands[0].write(u, rounded(in.operands[1])+" << 16 | "+rounded(in.operands[2]))
	}
	return ""
}
