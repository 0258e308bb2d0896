package ptx

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ptxElement is a type of matrix elements: how many bits, and the shapes that mma.sync has for factors of it.
type ptxElement struct {
	bits   int
	shapes string
}

var ptxElements = map[string]ptxElement{
	"f16": {16, "m16n8k8 m16n8k16"}, "bf16": {16, "m16n8k8 m16n8k16"}, "tf32": {32, "m16n8k4 m16n8k8"},
	"e4m3": {8, "m16n8k16 m16n8k32"}, "e5m2": {8, "m16n8k16 m16n8k32"},
	"s8": {8, "m8n8k16 m16n8k16 m16n8k32"}, "u8": {8, "m8n8k16 m16n8k16 m16n8k32"},
	"s4": {4, "m8n8k32 m16n8k32 m16n8k64"}, "u4": {4, "m8n8k32 m16n8k32 m16n8k64"},
	"f64": {64, "m8n8k4 m16n8k4 m16n8k8 m16n8k16"},
}

// ptxFactors are types that may be multiplied with each other, and the types of their sums.
var ptxFactors = []struct {
	factors []string
	sums    map[string]int // bits
}{
	{[]string{"f16"}, map[string]int{"f16": 16, "f32": 32}}, {[]string{"bf16"}, map[string]int{"f32": 32}},
	{[]string{"tf32"}, map[string]int{"f32": 32}}, {[]string{"e4m3", "e5m2"}, map[string]int{"f16": 16, "f32": 32}},
	{[]string{"s8", "u8"}, map[string]int{"s32": 32}}, {[]string{"s4", "u4"}, map[string]int{"s32": 32}}, {[]string{"f64"}, map[string]int{"f64": 64}},
}

var ptxShape = regexp.MustCompile(`^m(\d+)n(\d+)k(\d+)$`)

// ptxMatrixProduct is mma.sync.aligned.SHAPE.row.col[.satfinite].D.A.B.C d, a, b, c.
func ptxMatrixProduct(in *ptxInstruction) string {
	mods := slices.Clone(in.mods)
	saturates := len(mods) > 5 && mods[5] == "satfinite"
	if saturates {
		mods = slices.Delete(mods, 5, 6)
	}
	if len(mods) != 9 || !slices.Equal(mods[:2], []string{"sync", "aligned"}) || mods[3] != "row" || mods[4] != "col" || len(in.operands) != 4 {
		return ""
	}
	d, a, b, c := mods[5], mods[6], mods[7], mods[8]
	shape := ptxShape.FindStringSubmatch(mods[2])
	if shape == nil || !slices.Contains(strings.Fields(ptxElements[a].shapes), mods[2]) {
		return ""
	}
	for _, of := range ptxFactors {
		if !slices.Contains(of.factors, a) || !slices.Contains(of.factors, b) || of.sums[d] == 0 || of.sums[c] == 0 || saturates && d != "s32" {
			continue
		}
		m, n, k := number(shape[1]), number(shape[2]), number(shape[3])
		elements, bits := []int{m * n, m * k, n * k, m * n}, []int{of.sums[d], ptxElements[a].bits, ptxElements[b].bits, of.sums[c]}
		var before strings.Builder
		after := ""
		for i, o := range in.operands {
			t := ptxType{'u', 32}
			if bits[i] == 64 {
				t = ptxType{'f', 64}
			}
			registers := o.registers(elements[i] * bits[i] / 32 / t.bits)
			if registers == nil {
				return ""
			}
			if i == 0 {
				after = writeRegisters(&before, registers, t)
			} else {
				readRegisters(&before, registers, t, i)
			}
		}
		return fmt.Sprintf("{ %s::smux_cpu::matrix::multiply<%d, %d, %d, ::smux_cpu::matrix::%s, ::smux_cpu::matrix::%s, ::smux_cpu::matrix::%s, ::smux_cpu::matrix::%s>(smux_m0, smux_m1, smux_m2, smux_m3, %t); %s}",
			before.String(), m, n, k, a, b, c, d, saturates, after)
	}
	return ""
}

// registers returns the elements of a list of n, which may stand without braces
// where it is one; nil for anything else.
func (o ptxOperand) registers(n int) []ptxOperand {
	list := o.list
	if len(list) == 0 {
		list = []ptxOperand{o}
	}
	if len(list) != n || slices.ContainsFunc(list, func(e ptxOperand) bool { return !e.isValue() }) {
		return nil
	}
	return list
}

// readRegisters declares smux_mI, an array of what registers hold.
func readRegisters(code *strings.Builder, registers []ptxOperand, t ptxType, i int) {
	fmt.Fprintf(code, "const %s smux_m%d[] = {", t.cpp(), i)
	for _, r := range registers {
		code.WriteString(r.read(t) + ", ")
	}
	code.WriteString("}; ")
}

// writeRegisters declares smux_m0, and returns what stores its elements in registers.
func writeRegisters(code *strings.Builder, registers []ptxOperand, t ptxType) (after string) {
	fmt.Fprintf(code, "%s smux_m0[%d]; ", t.cpp(), len(registers))
	for i, r := range registers {
		after += r.write(t, fmt.Sprintf("smux_m0[%d]", i)) + " "
	}
	return after
}

// ptxMatrixPieces is ldmatrix and stmatrix.sync.aligned.m8n8.x1|x2|x4[.trans][.shared].b16; ptxas takes the number before the shape, too.
func ptxMatrixPieces(in *ptxInstruction) string {
	mods := slices.DeleteFunc(slices.Clone(in.mods), func(m string) bool { return m == "trans" || m == "shared" || m == "shared_cta" })
	if slices.Index(mods, "m8n8") == 3 {
		mods[2], mods[3] = mods[3], mods[2]
	}
	if len(mods) != 5 || !slices.Equal(mods[:3], []string{"sync", "aligned", "m8n8"}) || mods[4] != "b16" || len(in.operands) != 2 {
		return ""
	}
	pieces := map[string]int{"x1": 1, "x2": 2, "x4": 4}[mods[3]]
	u := ptxType{'u', 32}
	held, address := in.operands[0], in.operands[1]
	if in.op == "stmatrix" {
		held, address = address, held
	}
	registers, p := held.registers(pieces), in.pointer(address, "void")
	if registers == nil || p == "" {
		return ""
	}
	var before strings.Builder
	if in.op == "stmatrix" {
		readRegisters(&before, registers, u, 0)
		return fmt.Sprintf("{ %s::smux_cpu::matrix::store<%d, %t>(%s, smux_m0); }", before.String(), pieces, in.has("trans"), p)
	}
	after := writeRegisters(&before, registers, u)
	return fmt.Sprintf("{ %s::smux_cpu::matrix::load<%d, %t>(smux_m0, %s); %s}", before.String(), pieces, in.has("trans"), p, after)
}

// ptxMatrixTransposed is movmatrix.sync.aligned.m8n8.trans.b16 d, a.
func ptxMatrixTransposed(in *ptxInstruction) string {
	if !slices.Equal(in.mods, []string{"sync", "aligned", "m8n8", "trans", "b16"}) || !in.takes(2) {
		return ""
	}
	u := ptxType{'u', 32}
	return in.operands[0].write(u, "::smux_cpu::matrix::transposed("+in.operands[1].read(u)+")")
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
