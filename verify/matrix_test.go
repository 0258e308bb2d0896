package verify_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/lab/suite"
)

// TestMarkedPrograms: each line that is marked has that finding, and no other. Products
// are compared with plain loops; a wrong one ends with a trap, which is no mark.
func TestMarkedPrograms(t *testing.T) {
	needCompiler(t)
	for _, name := range []string{"matrices.cu", "wmma.cu", "copies.cu", "graphs.cu", "memory.cu", "host.cu"} {
		if !suite.InSample(name, 2) {
			continue
		}
		text, err := os.ReadFile("testdata/marked/" + name)
		require.NoError(t, err)
		assertMarked(t, name, string(text), "")
	}
	assertMarked(t, "mma.cu", productsOfPTX(), "")
	assertMarked(t, "pieces.cu", piecesOfPTX(), "")
}

// layout says where a lane's elements lie, in the words of the PTX ISA: i is the
// element's number, g the lane / 4 and t the lane % 4.
type layout struct {
	bits, m, k  int // of a factor's element; the shape
	row, column string
	b           string // the row of an element of B; its column is g
}

var layouts = []layout{
	{4, 8, 32, "g", "t * 8 + i", "t * 8 + i"},
	{4, 16, 32, "i < 8 ? g : g + 8", "t * 8 + i % 8", "t * 8 + i"},
	{4, 16, 64, "i < 8 || (i >= 16 && i < 24) ? g : g + 8", "t * 8 + i % 8 + (i < 16 ? 0 : 32)", "t * 8 + i % 8 + (i < 8 ? 0 : 32)"},
	{8, 8, 16, "g", "t * 4 + i", "t * 4 + i"},
	{8, 16, 16, "i < 4 ? g : g + 8", "t * 4 + i % 4", "t * 4 + i"},
	{8, 16, 32, "i < 4 || (i >= 8 && i < 12) ? g : g + 8", "t * 4 + i % 4 + (i < 8 ? 0 : 16)", "t * 4 + i % 4 + (i < 4 ? 0 : 16)"},
	{16, 16, 8, "i < 2 ? g : g + 8", "t * 2 + i % 2", "t * 2 + i"},
	{16, 16, 16, "i < 2 || (i >= 4 && i < 6) ? g : g + 8", "t * 2 + i % 2 + (i < 4 ? 0 : 8)", "t * 2 + i % 2 + (i < 2 ? 0 : 8)"},
	{32, 16, 4, "i == 0 ? g : g + 8", "t", "t"},
	{32, 16, 8, "i == 0 || i == 2 ? g : g + 8", "i < 2 ? t : t + 4", "i == 0 ? t : t + 4"},
	{64, 8, 4, "g", "t", "t"},
	{64, 16, 4, "i == 0 ? g : g + 8", "t", "t"},
	{64, 16, 8, "i % 2 == 0 ? g : g + 8", "i < 2 ? t : t + 4", "i == 0 ? t : t + 4"},
	{64, 16, 16, "i % 2 == 0 ? g : g + 8", "t + i / 2 * 4", "t + i * 4"},
}

// factor is a type: its bits, those of 1, 2 and 3, and of the sign; what sums are in.
type factor struct {
	name     string
	bits     int
	positive [4]uint64
	sign     uint64
	sums     []string
}

var factors = []factor{
	{"f16", 16, [4]uint64{0, 0x3c00, 0x4000, 0x4200}, 0x8000, []string{"f16", "f32"}},
	{"bf16", 16, [4]uint64{0, 0x3f80, 0x4000, 0x4040}, 0x8000, []string{"f32"}},
	{"tf32", 32, [4]uint64{0x1000, 0x3f800fff, 0x40000001, 0x40400000}, 0x80000000, []string{"f32"}}, // the low 13 bits count for nothing
	{"e4m3", 8, [4]uint64{0, 0x38, 0x40, 0x44}, 0x80, []string{"f16", "f32"}},
	{"e5m2", 8, [4]uint64{0, 0x3c, 0x40, 0x42}, 0x80, []string{"f16", "f32"}},
	{"f64", 64, [4]uint64{}, 0, []string{"f64"}},
	{"s8", 8, [4]uint64{0, 1, 2, 3}, 0, []string{"s32"}}, {"u8", 8, [4]uint64{0, 1, 2, 3}, 0, []string{"s32"}},
	{"s4", 4, [4]uint64{0, 1, 2, 3}, 0, []string{"s32"}}, {"u4", 4, [4]uint64{0, 1, 2, 3}, 0, []string{"s32"}},
}

// code returns a C function from -3 … 3 to bits; of types without a sign, it takes that as 0 … 3.
func (f factor) code() string {
	s := fmt.Sprintf("__device__ unsigned long long code_%s(int v) { const unsigned long long of[] = {%d, %d, %d, %d}; ", f.name, f.positive[0], f.positive[1], f.positive[2], f.positive[3])
	if strings.HasPrefix(f.name, "s") {
		return s + fmt.Sprintf("return v < 0 ? (1 << %d) - of[-v] : of[v]; }\n", f.bits)
	}
	return s + fmt.Sprintf("return v < 0 ? of[-v] | %dull : of[v]; }\n", f.sign)
}

// productsOfPTX returns a program with mma.sync of all shapes and types.
func productsOfPTX() string {
	var src, launches strings.Builder
	src.WriteString(`#include <cuda_fp16.h>
__device__ int number_a(int r, int k) { return (r * 3 + k * 5 + r * k) % 7 - 3; }
__device__ int number_b(int k, int n) { return (k * 2 + n * 3 + k * n) % 7 - 3; }
__device__ void wrong(int) { __trap(); }
`)
	for _, f := range factors {
		src.WriteString(f.code())
	}
	for _, l := range layouts {
		for _, a := range factors {
			for _, b := range factors {
				mixed := a.bits == b.bits && a.bits < 16 && a.sums[0] == b.sums[0]
				if a.bits != l.bits || a.name != b.name && !mixed || l.m == 8 && strings.HasPrefix(a.name, "e") {
					continue
				}
				for _, sum := range a.sums {
					name := fmt.Sprintf("m%dn8k%d_%s_%s_%s", l.m, l.k, sum, a.name, b.name)
					src.WriteString(productOfPTX(name, l, a, b, sum))
					fmt.Fprintf(&launches, "  %s<<<1, 32>>>();\n", name)
				}
			}
		}
	}
	return src.String() + "int main() {\n" + launches.String() + "  cudaDeviceSynchronize();\n}\n"
}

// productOfPTX returns a kernel that multiplies once and compares.
func productOfPTX(name string, l layout, a, b factor, sum string) string {
	size, word, constraint := 32, "unsigned", "r" // of a register
	if l.bits == 64 {
		size, word, constraint = 64, "double", "d"
	}
	typ := map[string]string{"f16": "__half", "f32": "float", "f64": "double", "s32": "int"}[sum]
	bits := map[string]int{"f16": 16, "f32": 32, "f64": 64, "s32": 32}[sum]
	value := func(f factor, v string) string { // types without a sign have the numbers' sizes
		if strings.HasPrefix(f.name, "u") {
			return "abs(" + v + ")"
		}
		return v
	}
	put := func(array string, f factor, v string) string {
		if size == 64 {
			return fmt.Sprintf("%s[i] = %s", array, v)
		}
		return fmt.Sprintf("%s[i * %d / 32] |= (unsigned)code_%s(%s) << i * %d %% 32", array, l.bits, f.name, value(f, v), l.bits)
	}
	n := 0
	operand := func(constraint, array string, count int) (list, bound string) {
		var registers, expressions []string
		for i := range count {
			registers = append(registers, fmt.Sprintf("%%%d", n))
			expressions = append(expressions, fmt.Sprintf("%q(%s[%d])", constraint, array, i))
			n++
		}
		return "{" + strings.Join(registers, ", ") + "}", strings.Join(expressions, ", ")
	}
	as, bs, cs := l.m*l.k/32, l.k*8/32, l.m*8/32
	listD, boundD := operand("="+constraint, "d", cs*bits/size)
	listA, boundA := operand(constraint, "a", as*l.bits/size)
	listB, boundB := operand(constraint, "b", bs*l.bits/size)
	listC, boundC := operand(constraint, "c", cs*bits/size)
	row, column := "(i < 2 ? g : g + 8)", "(t * 2 + i % 2)"
	return strings.NewReplacer("WORD", word, "TYPE", typ, "ROW", row, "COLUMN", column, "AS", strconv.Itoa(as), "BS", strconv.Itoa(bs), "CS", strconv.Itoa(cs), "DEPTH", strconv.Itoa(l.k),
		"PUT_A", put("a", a, "number_a("+l.row+", "+l.column+")"), "PUT_B", put("b", b, "number_b("+l.b+", g)"),
		"NUMBER_A", value(a, "number_a("+row+", k)"), "NUMBER_B", value(b, "number_b(k, "+column+")"),
		"INSTRUCTION", fmt.Sprintf("%q : %s : %s, %s, %s", fmt.Sprintf("mma.sync.aligned.m%dn8k%d.row.col.%s.%s.%s.%s %s, %s, %s, %s;", l.m, l.k, sum, a.name, b.name, sum, listD, listA, listB, listC), boundD, boundA, boundB, boundC),
	).Replace("__global__ void " + name + `() {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  WORD a[AS] = {}, b[BS] = {}, c[CS], d[CS];
  for (int i = 0; i < AS; ++i) PUT_A;
  for (int i = 0; i < BS; ++i) PUT_B;
  for (int i = 0; i < CS; ++i) ((TYPE *)c)[i] = TYPE(float(ROW - COLUMN));
  asm volatile(INSTRUCTION);
  for (int i = 0; i < CS; ++i) {
    int want = ROW - COLUMN;
    for (int k = 0; k < DEPTH; ++k) want += NUMBER_A * NUMBER_B;
    if (float(((TYPE *)d)[i]) != float(want)) wrong(i);
  }
}
`)
}

// piecesOfPTX returns a program with ldmatrix, stmatrix and movmatrix.
func piecesOfPTX() string {
	var src, launches strings.Builder
	src.WriteString("__device__ void wrong(int) { __trap(); }\n")
	for _, n := range []int{1, 2, 4} {
		for _, trans := range []string{"", ".trans"} {
			name := fmt.Sprintf("x%d%s", n, strings.TrimPrefix(trans, "."))
			var registers, out, in []string
			for i := range n {
				registers = append(registers, fmt.Sprintf("%%%d", i))
				out = append(out, fmt.Sprintf(`"=r"(r[%d])`, i))
				in = append(in, fmt.Sprintf(`"r"(r[%d])`, i))
			}
			list := "{" + strings.Join(registers, ", ") + "}"
			shape := fmt.Sprintf("m8n8.x%d%s", n, trans)
			if n == 2 { // ptxas takes both orders
				shape = fmt.Sprintf("x%d%s.m8n8", n, trans)
			}
			element := "r0 * 8 + c0"
			fmt.Fprintf(&src, "__global__ void %s() {\n", name)
			src.WriteString("  __shared__ alignas(16) unsigned short from[32][8], to[32][8];\n  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;\n")
			src.WriteString("  for (int i = 0; i < 8; ++i) from[31 - lane][i] = lane * 8 + i, to[lane][i] = 9999;\n  __syncwarp();\n")
			fmt.Fprintf(&src, "  unsigned r[%d];\n  auto p = (unsigned)__cvta_generic_to_shared(from[31 - lane]), q = (unsigned)__cvta_generic_to_shared(to[lane]);\n", n)
			fmt.Fprintf(&src, "  asm volatile(\"ldmatrix.sync.aligned.%s.shared.b16 %s, [%%%d];\" : %s : \"r\"(p));\n", shape, list, n, strings.Join(out, ", "))
			fmt.Fprintf(&src, "  for (int i = 0; i < %d; ++i)\n    for (int h = 0; h < 2; ++h) {\n", n)
			if trans == "" {
				src.WriteString("      const int r0 = g, c0 = t * 2 + h;\n")
			} else {
				src.WriteString("      const int r0 = t * 2 + h, c0 = g;\n")
			}
			fmt.Fprintf(&src, "      if ((r[i] >> 16 * h & 0xffff) != 64 * i + %s) wrong(1);\n    }\n", element)
			// What was loaded is stored as it was, and as it lies the other way round.
			for _, back := range []string{"", ".trans"} {
				fmt.Fprintf(&src, "  asm volatile(\"stmatrix.sync.aligned.m8n8.x%d%s.shared::cta.b16 [%%%d], %s;\" :: %s, \"r\"(q));\n", n, back, n, list, strings.Join(in, ", "))
				want := "lane * 8 + i"
				if back != trans {
					want = "lane / 8 * 64 + i * 8 + lane % 8"
				}
				fmt.Fprintf(&src, "  for (int i = 0; i < 8; ++i) if (to[lane][i] != (lane < %d ? %s : 9999)) wrong(2);\n", 8*n, want)
			}
			if n == 1 {
				src.WriteString("  unsigned m;\n  asm volatile(\"movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;\" : \"=r\"(m) : \"r\"(r[0]));\n")
				at := "(t * 2 + h) * 8 + g"
				if trans != "" {
					at = "g * 8 + t * 2 + h"
				}
				fmt.Fprintf(&src, "  for (int h = 0; h < 2; ++h) if ((m >> 16 * h & 0xffff) != %s) wrong(3);\n", at)
			}
			src.WriteString("}\n")
			fmt.Fprintf(&launches, "  %s<<<1, 32>>>();\n", name)
		}
	}
	return src.String() + "int main() {\n" + launches.String() + "  cudaDeviceSynchronize();\n}\n"
}
