package translate_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/translate"
)

// arithmetic are instructions with one result: the C++ type of the result, the
// instruction with the result as %0, operands as "constraint value", and what
// must come out.
var arithmetic = []struct {
	typ, code string
	operands  []string
	want      string
}{
	{"unsigned", "add.u32 %0, %1, %2;", []string{"r 0xffffffff", "r 2"}, "1"},
	{"int", "add.s32 %0, %1, 1;", []string{"r 0x7fffffff"}, "-0x7fffffff - 1"},
	{"int", "sub.s32 %0, %1, %2;", []string{"r 3", "r 5"}, "-2"},
	{"int", "div.s32 %0, %1, %2;", []string{"r -7", "r 2"}, "-3"},
	{"unsigned", "div.u32 %0, %1, %2;", []string{"r -7", "r 2"}, "0x7ffffffc"},
	{"int", "rem.s32 %0, %1, %2;", []string{"r -7", "r 4"}, "-3"},
	{"float", "div.rn.f32 %0, %1, %2;", []string{"f 1", "f 4"}, "0.25f"},
	{"unsigned", "mul.lo.u32 %0, %1, %2;", []string{"r 0x10001", "r 0x10001"}, "0x20001"},
	{"unsigned", "mul.hi.u32 %0, %1, %2;", []string{"r 0x80000000", "r 6"}, "3"},
	{"int", "mul.hi.s32 %0, %1, %2;", []string{"r 0x80000000", "r 6"}, "-3"},
	{"unsigned long long", "mul.hi.u64 %0, %1, %2;", []string{"l 1ull << 63", "l 6"}, "3"},
	{"long long", "mul.wide.s32 %0, %1, %2;", []string{"r -3", "r 0x40000000"}, "-0xc0000000ll"},
	{"long long", "mad.wide.s32 %0, %1, %2, %3;", []string{"r -3", "r 2", "l 10"}, "4"},
	{"unsigned", "mad.lo.u32 %0, %1, %2, %3;", []string{"r 3", "r 4", "r 5"}, "17"},
	{"unsigned", "mul24.lo.u32 %0, %1, %2;", []string{"r 0x01000003", "r 5"}, "15"},
	{"float", "fma.rn.f32 %0, %1, %2, %3;", []string{"f 3", "f 4", "f 5"}, "17"},
	{"float", "add.sat.f32 %0, %1, %2;", []string{"f 3", "f 4"}, "1"},
	{"double", "mad.f64 %0, %1, %2, %3;", []string{"d 3", "d 4", "d 5"}, "17"},
	{"int", "neg.s32 %0, %1;", []string{"r 5"}, "-5"},
	{"unsigned", "not.b32 %0, %1;", []string{"r 5"}, "~5u"},
	{"int", "abs.s32 %0, %1;", []string{"r -5"}, "5"},
	{"float", "abs.f32 %0, %1;", []string{"f -5"}, "5"},
	{"int", "min.s32 %0, %1, %2;", []string{"r -1", "r 1"}, "-1"},
	{"unsigned", "min.u32 %0, %1, %2;", []string{"r -1", "r 1"}, "1"},
	{"unsigned", "max.u32 %0, %1, %2;", []string{"r -1", "r 1"}, "~0u"},
	{"float", "max.f32 %0, %1, %2;", []string{"f -1", "f 2"}, "2"},
	{"unsigned", "shl.b32 %0, %1, %2;", []string{"r 3", "r 31"}, "0x80000000"},
	{"unsigned", "shl.b32 %0, %1, %2;", []string{"r 3", "r 32"}, "0"},
	{"unsigned", "shr.u32 %0, %1, %2;", []string{"r 0x80000000", "r 31"}, "1"},
	{"int", "shr.s32 %0, %1, %2;", []string{"r -8", "r 100"}, "-1"},
	{"unsigned", "shf.l.wrap.b32 %0, %1, %2, %3;", []string{"r 0x80000000", "r 1", "r 33"}, "3"},
	{"unsigned", "shf.r.clamp.b32 %0, %1, %2, %3;", []string{"r 2", "r 7", "r 40"}, "7"},
	{"unsigned", "shf.l.clamp.b32 %0, %1, %2, %3;", []string{"r 2", "r 7", "r 40"}, "2"},
	{"unsigned", "popc.b32 %0, %1;", []string{"r 0xff01"}, "9"},
	{"unsigned", "popc.b64 %0, %1;", []string{"l ~0ull"}, "64"},
	{"unsigned", "clz.b32 %0, %1;", []string{"r 0"}, "32"},
	{"unsigned", "clz.b64 %0, %1;", []string{"l 1"}, "63"},
	{"unsigned", "brev.b32 %0, %1;", []string{"r 1"}, "0x80000000"},
	{"unsigned", "bfe.u32 %0, %1, %2, %3;", []string{"r 0xabcd1234", "r 8", "r 8"}, "0x12"},
	{"int", "bfe.s32 %0, %1, %2, %3;", []string{"r 0x0000f000", "r 12", "r 4"}, "-1"},
	{"int", "bfe.s32 %0, %1, 28, 8;", []string{"r 0x80000000"}, "-8"},
	{"unsigned", "bfi.b32 %0, %1, %2, 8, 4;", []string{"r 0xff", "r 0x10000001"}, "0x10000f01"},
	{"unsigned", "bfind.u32 %0, %1;", []string{"r 0x100"}, "8"},
	{"unsigned", "bfind.s32 %0, %1;", []string{"r -1"}, "~0u"},
	{"unsigned", "bfind.shiftamt.u32 %0, %1;", []string{"r 0x100"}, "23"},
	{"unsigned", "prmt.b32 %0, %1, %2, 0x0123;", []string{"r 0x03020100", "r 0"}, "0x00010203"},
	{"unsigned", "lop3.b32 %0, %1, %2, %3, 0x96;", []string{"r 0xf0f0", "r 0xff00", "r 0xaaaa"}, "0xf0f0 ^ 0xff00 ^ 0xaaaa"},
	{"unsigned", "lop3.b32 %0, %1, %2, %3, %4;", []string{"r 0xf0f0", "r 0xff00", "r 0xaaaa", "n 0xe8"}, "(0xf0f0 & 0xff00) | (0xf0f0 & 0xaaaa) | (0xff00 & 0xaaaa)"},
	{"unsigned", "sad.u32 %0, %1, %2, %3;", []string{"r 3", "r 10", "r 1"}, "8"},
	{"unsigned", "cvt.rzi.u32.f32 %0, %1;", []string{"f -3.5f"}, "0"},
	{"int", "cvt.rni.s32.f32 %0, %1;", []string{"f 2.5f"}, "2"},
	{"int", "cvt.rzi.s32.f32 %0, %1;", []string{"f 1e20f"}, "0x7fffffff"},
	{"int", "cvt.rpi.s32.f64 %0, %1;", []string{"d 2.25"}, "3"},
	{"long long", "cvt.s64.s32 %0, %1;", []string{"r -2"}, "-2"},
	{"unsigned long long", "cvt.u64.u32 %0, %1;", []string{"r -2"}, "0xfffffffeull"},
	{"int", "cvt.s32.s8 %0, %1;", []string{"r 0x1ff"}, "-1"},
	{"float", "cvt.rn.f32.s32 %0, %1;", []string{"r -7"}, "-7"},
	{"float", "cvt.sat.f32.f32 %0, %1;", []string{"f 3"}, "1"},
	{"double", "cvt.f64.f32 %0, %1;", []string{"f 0.5f"}, "0.5"},
	{"unsigned", "mov.b32 %0, %1;", []string{"f 1.0f"}, "0x3f800000"},
	{"float", "mov.f32 %0, 0f40000000;", nil, "2"},
	{"unsigned long long", "mov.b64 %0, {%1, %2};", []string{"r 1", "r 2"}, "0x200000001ull"},
	{"unsigned", "{ .reg .b32 low; mov.b64 {low, %0}, %1; }", []string{"l 0x500000003ull"}, "5"},
	{"unsigned", "{ .reg .b32 t<3>; add.u32 t0, %1, 1; mul.lo.u32 t2, t0, t0; mov.u32 %0, t2; }", []string{"r 4"}, "25"},
	{"unsigned", "{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.u32 %0, 7, 8, p; }", []string{"r -1", "r 1"}, "7"},
	{"unsigned", "{ .reg .pred p, q; setp.gt.u32 p|q, %1, %2; selp.u32 %0, 7, 8, q; }", []string{"r -1", "r 1"}, "8"},
	{"unsigned", "{ .reg .pred p, q; setp.eq.s32 q, %1, 0; setp.lt.and.s32 p, %1, %2, q; selp.u32 %0, 7, 8, p; }", []string{"r -1", "r 1"}, "8"},
	{"unsigned", "{ .reg .pred p; setp.ne.s32 p, %1, 0; mov.u32 %0, 1; @p mov.u32 %0, 2; @!p mov.u32 %0, 3; }", []string{"r 0"}, "3"},
	{"unsigned", "{ .reg .pred p, q, r; setp.eq.s32 p, %1, 0; not.pred q, p; and.pred r, p, q; selp.u32 %0, 1, 2, r; }", []string{"r 0"}, "2"},
	{"unsigned", "{ .reg .pred p; setp.neu.f32 p, %1, %1; selp.u32 %0, 1, 2, p; }", []string{"f __builtin_nanf(\"\")"}, "1"},
	{"unsigned", "set.gt.u32.f32 %0, %1, %2;", []string{"f 2", "f 1"}, "~0u"},
	{"int", "slct.s32.s32 %0, %1, %2, %3;", []string{"r 1", "r 2", "r -1"}, "2"},
	{"unsigned", "{ .reg .pred p; .reg .u32 n; mov.u32 n, 0; mov.u32 %0, 0;\nL_%=: add.u32 n, n, %1; add.u32 %0, %0, n; setp.ge.u32 p, n, 9;\n@p bra done;\nbra.uni L_%=; done:\n}", []string{"r 3"}, "18"},
	{"unsigned", "{ .reg .u32 low; add.cc.u32 low, %1, %1; addc.u32 %0, %2, 0; }", []string{"r 0x80000000", "r 5"}, "6"},
	{"unsigned", "{ .reg .u32 low; sub.cc.u32 low, %1, 2; subc.u32 %0, %2, 0; }", []string{"r 1", "r 5"}, "4"},
	{"unsigned", "{ .reg .u32 low; mad.lo.cc.u32 low, %1, %1, %1; madc.hi.u32 %0, %1, %1, 0; }", []string{"r 0xffffffff"}, "0xffffffff"},
	{"unsigned", "ld.global.u32 %0, [%1+4];", []string{"l words"}, "22"},
	{"unsigned", "{ .reg .u32 a, b, c; ld.v4.u32 {a, b, c, %0}, [%1]; }", []string{"l words"}, "44"},
	{"unsigned", "st.global.v2.u32 [%1], {%2, %3}; ld.u32 %0, [%1+4];", []string{"l scratch", "r 5", "r 6"}, "6"},
	{"int", "ld.global.s8 %0, [%1];", []string{"l \"\\xff\""}, "-1"},
	{"unsigned", "vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;", []string{"r 0x01020304", "r 0x04030201", "r 1"}, "9"},
	{"int", "dp4a.s32.s32 %0, %1, %2, %3;", []string{"r 0x01010101", "r 0xff020304", "r 1"}, "9"},
	{"float", "sqrt.rn.f32 %0, %1;", []string{"f 16"}, "4"},
	{"float", "rcp.approx.ftz.f32 %0, %1;", []string{"f 4"}, "0.25f"},
	{"unsigned", "cvt.rn.f16x2.f32 %0, %1, %2;", []string{"f 1.0f", "f -2.0f"}, "0x3c00c000"},
	{"unsigned", "{ .reg .b16 h; cvt.rn.bf16.f32 h, %1; cvt.u32.u16 %0, h; }", []string{"f 1.00390625f"}, "0x3f80"},
	{"unsigned", "{ .reg .b16 h; cvt.rz.bf16.f32 h, %1; cvt.u32.u16 %0, h; }", []string{"f 1.015f"}, "0x3f81"},
	{"float", "cvt.f32.f16 %0, %1;", []string{"h 0xc200"}, "-3"},
	{"unsigned", "cvt.rna.tf32.f32 %0, %1;", []string{"r 0x3f801000"}, "0x3f802000"},
	{"unsigned", "fma.rn.f16x2 %0, %1, %2, %3;", []string{"r 0x40003c00", "r 0x42004000", "r 0x3c003c00"}, "0x47004200"},
	{"unsigned", "sub.f16x2 %0, %1, %2;", []string{"r 0x64056401", "r 0x64006400"}, "0x45003c00"},
	{"float", "copysign.f32 %0, %1, %2;", []string{"f -1", "f 2"}, "-2"},
}

func TestArithmeticOfPTX(t *testing.T) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++")
	}
	var src strings.Builder
	src.WriteString("unsigned words[] = {11, 22, 33, 44}, scratch[4];\n__device__ int check() {\nint wrong = 0;\n")
	for i, c := range arithmetic {
		var inputs []string
		for _, o := range c.operands {
			constraint, value, _ := strings.Cut(o, " ")
			inputs = append(inputs, fmt.Sprintf("%q(%s)", constraint, value))
		}
		letter := map[string]string{"float": "f", "double": "d", "long long": "l", "unsigned long long": "l"}[c.typ]
		if letter == "" {
			letter = "r"
		}
		fmt.Fprintf(&src, "{ %s r; asm(%q : \"=%s\"(r) : %s); %s want = (%s)(%s); if (r != want) { ++wrong; printf(\"%d: %%g, not %%g\\n\", (double)r, (double)want); } }\n",
			c.typ, c.code, letter, strings.Join(inputs, ", "), c.typ, c.typ, c.want, i)
	}
	src.WriteString("return wrong;\n}\nint main() { return check() != 0; }\n")

	f, err := parser.Parse("ptx.cu", []byte(src.String()), parser.Options{})
	require.NoError(t, err)
	dir := t.TempDir()
	u, err := translate.Translate(f, nil, translate.Options{Dir: dir})
	require.NoError(t, err)
	require.Empty(t, u.Remarks)
	require.NoError(t, os.WriteFile(u.Files[0].Path, u.Files[0].Text, 0o644))
	// What the shim's functions call in its runtime is not called here.
	program := filepath.Join(dir, "program")
	out, err := exec.Command(compiler, "-std=gnu++17", "-w", "-O1", "-fwrapv", "-I", shimDir, "-include", "smux_cpu/cuda.h",
		"-Wl,--unresolved-symbols=ignore-all", "-o", program, u.Files[0].Path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command(program).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// emitted are statements and what must be among the C++ for them.
var emitted = []struct{ code, want string }{
	{`asm volatile("bar.sync 0;");`, "::smux_cpu_barrier_sync(((unsigned int)0ll), 0);"},
	{`asm volatile("bar.sync %0, %1;" :: "r"(a), "r"(b));`, "::smux_cpu_barrier_sync(smux_0, smux_1);"},
	{`asm volatile("barrier.cta.sync.aligned 3, 64;");`, "::smux_cpu_barrier_sync(((unsigned int)3ll), ((unsigned int)64ll));"},
	{`asm volatile("barrier.arrive %0, %1;" :: "r"(a), "r"(b));`, "::smux_cpu_barrier_arrive(smux_0, smux_1);"},
	{`asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.or.pred q, 1, p; selp.u32 %0, 1, 0, q; }" : "=r"(a) : "r"(b));`,
		"smux_r_q = ::smux_cpu::barrier_or(((unsigned int)1ll), 0, (smux_r_p)) != 0;"},
	{`asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; bar.red.and.pred q, 1, 64, !p; selp.u32 %0, 1, 0, q; }" : "=r"(a) : "r"(b));`,
		"::smux_cpu::barrier_and(((unsigned int)1ll), ((unsigned int)64ll), (!smux_r_p)) != 0;"},
	{`asm volatile("fence.acq_rel.gpu;");`, "::smux_cpu_fence(::smux_cpu::ordering::acq_rel);"},
	{`asm volatile("bar.warp.sync 0xffffffff;");`, "::__syncwarp(((unsigned int)4294967295ll));"},
	{`asm("mov.u32 %0, %%ctaid.x;" : "=r"(a));`, "::blockIdx.x"},
	{`asm("mov.u64 %0, %globaltimer;" : "=l"(w));`, "::smux_cpu_clock()"},
	{`asm("vote.sync.ballot.b32 %0, 1, 0xff;" : "=r"(a));`, "::__ballot_sync("},
	{`asm("shfl.sync.down.b32 %0, %1, 16, 0x1f, 0xffffffff;" : "=r"(a) : "r"(b));`, "::__shfl_down_sync(((unsigned int)4294967295ll), smux_1, ((unsigned int)16ll), 32)"},
	{`asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(a), "l"(p));`, "::smux_cpu_async_copy("},
	{`asm volatile("cp.async.wait_group %0;" :: "n"(0));`, "::smux_cpu_async_wait("},
	{`asm volatile("red.release.gpu.global.add.s32 [%0], %1;" :: "l"(p), "r"(a));`, "::smux_cpu::ordered_atomicAdd(((signed int *)(smux_0)), ((signed int)smux_1), ::smux_cpu::ordering::release)"},
	{`asm volatile("atom.shared.cas.b32 %0, [%1], %2, %3;" : "=r"(a) : "r"(a), "r"(b), "r"(b));`, "::smux_cpu::ordered_atomicCAS(((unsigned int *)((((unsigned long long)::smux_cpu_dynamic_shared()"},
	{`asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(a));`, "smux_r_p = smux_d == ::smux_cpu::lane();"},
	{`asm("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(a) : "r"(b));`, "::__match_any_sync(((unsigned int)4294967295ll), smux_1)"},
	{`asm volatile("cp.async.bulk.wait_group.read %0;" :: "n"(1));`, "::smux_cpu_bulk_wait("},
	{`asm volatile("nanosleep.u32 20;");`, "::smux_cpu_yield();"},
	{`asm volatile("exit;");`, `::smux_cpu_exit_thread();`},
	{`asm volatile("trap;");`, `::smux_cpu_trap("trap");`},
	{`asm volatile("" ::: "memory");`, "((void)0);"},
	// What is for the compiler alone changes nothing.
	{`asm volatile("" : "+r"(a), "+l"(p), "+l"(w));`, "((void)0);"},
	{`asm volatile(".pragma \"enable_smem_spilling\";");`, "((void)0);"},
	// What is not known ends the program.
	{`asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%0, %0, %0, %0}, {%1, %1, %1, %1}, {%1, %1}, {%1, %1, %1, %1};" : "=r"(a) : "r"(b));`, `::smux_cpu_not_supported("asm: mma.sync`},
	{`asm("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0, %0}, {%1}, {%1}, {%1, %1};" : "=r"(a) : "r"(b));`, `::smux_cpu_not_supported("asm: mma.sync`},
	{`asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" :: "r"(a), "l"(p), "r"(b), "r"(b), "r"(b));`, `::smux_cpu_not_supported("asm: cp.async.bulk.tensor`},
	{`asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(a) : "r"(b));`, `::smux_cpu_not_supported("asm: mapa`},
	{`asm volatile("barrier.cluster.arrive.aligned;");`, `::smux_cpu_not_supported("asm: barrier.cluster.arrive`},
	{`asm volatile("wgmma.fence.sync.aligned;");`, `::smux_cpu_not_supported("asm: wgmma.fence`},
	{`asm("addc.u32 %0, %1, 0;" : "=r"(a) : "r"(b));`, `::smux_cpu_not_supported("asm: addc.u32 %0, %1, 0");`},
	{`asm("bra L;");`, `::smux_cpu_not_supported("asm: bra L");`},
	{`asm("mov.u32 %0, %9;" : "=r"(a));`, `::smux_cpu_not_supported(`},
	{`asm("mov.u32 %0, 1;" : "=x"(a));`, `::smux_cpu_not_supported(`},
	{`asm(TEMPLATE : "=r"(a));`, `::smux_cpu_not_supported(`},
}

func TestEmittedForPTX(t *testing.T) {
	for _, c := range emitted {
		t.Run(c.code, func(t *testing.T) {
			src := "__device__ void f(unsigned a, unsigned b, unsigned long long w, int *p) {\n" + c.code + "\n}\n"
			f, err := parser.Parse("a.cu", []byte(src), parser.Options{})
			require.NoError(t, err)
			u, err := translate.Translate(f, nil, translate.Options{Dir: "/out"})
			require.NoError(t, err)
			require.Contains(t, string(u.Files[0].Text), c.want)

			require.NotContains(t, string(u.Files[0].Text), "\nasm")
		})
	}
}
