package ptx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
)

// pointer returns an address operand as a pointer to a type in C++.
func (in *ptxInstruction) pointer(o ptxOperand, typ string) string {
	if !o.address || o.variable == nil {
		return ""
	}
	if slices.ContainsFunc([]string{"param", "local", "const", "shared_cluster", "dsmem"}, in.has) {
		return ""
	}
	base := o.read(ptxType{'u', 64})
	if in.has("shared") || in.has("shared_cta") {
		base = sharedAddress(base)
	}
	if o.offset != "" {
		base = "(" + base + " + (" + o.offset + "))"
	}
	return "((" + typ + " *)(" + base + "))"
}

// vector returns the elements of what is loaded or stored.
func (in *ptxInstruction) vector(o ptxOperand) []ptxOperand {
	n := 1
	if in.has("v2") {
		n = 2
	} else if in.has("v4") {
		n = 4
	}
	if len(o.list) == 0 && n == 1 {
		return []ptxOperand{o}
	}
	if len(o.list) != n {
		return nil
	}
	return o.list
}

// ordering returns the order and scope of an instruction, as the runtime has them.
// A word without one has the order given.
func (in *ptxInstruction) ordering(order string) string {
	for _, o := range []string{"relaxed", "acquire", "release", "acq_rel"} {
		if in.has(o) {
			order = o
		}
	}
	if in.has("sc") {
		order = "acq_rel"
	}
	code := "::smux_cpu::ordering::" + order
	if in.has("cta") || in.has("cluster") {
		code += " | ::smux_cpu::ordering::in_block"
	}
	if in.has("sys") {
		code += " | ::smux_cpu::ordering::in_system"
	}
	return code
}

// isStrong reports whether a load or store has an order: none is weak.
func (in *ptxInstruction) isStrong() bool {
	return in.has("relaxed") || in.has("acquire") || in.has("release") || in.has("mmio")
}

// ptxLoad is ld of any kind.
func ptxLoad(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || len(in.operands) < 2 {
		return ""
	}
	elements := in.vector(in.operands[0])
	c := "const " + t.cpp()
	if in.has("volatile") {
		c = "const volatile " + t.cpp()
	}
	p := in.pointer(in.operands[1], c)
	if elements == nil || p == "" {
		return ""
	}
	code := fmt.Sprintf("%s *smux_p = %s;", c, p)
	for i := range elements {
		value := fmt.Sprintf("smux_p[%d]", i)
		if in.isStrong() {
			value = fmt.Sprintf("::smux_cpu::ordered_load(&smux_p[%d], %s)", i, in.ordering("relaxed"))
		}
		code += fmt.Sprintf(" const %s smux_e%d = %s;", t.cpp(), i, value)
	}
	for i, e := range elements {
		code += " " + e.write(t, fmt.Sprintf("smux_e%d", i))
	}
	return "{ " + code + " }"
}

func ptxStore(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || len(in.operands) < 2 || in.has("async") {
		return ""
	}
	elements := in.vector(in.operands[1])
	c := t.cpp()
	if in.has("volatile") {
		c = "volatile " + c
	}
	p := in.pointer(in.operands[0], c)
	if elements == nil || p == "" {
		return ""
	}
	code := fmt.Sprintf("%s *smux_p = %s;", c, p)
	for i, e := range elements {
		if in.isStrong() {
			code += fmt.Sprintf(" ::smux_cpu::ordered_store(&smux_p[%d], %s, %s);", i, e.read(t), in.ordering("relaxed"))
			continue
		}
		code += fmt.Sprintf(" smux_p[%d] = %s;", i, e.read(t))
	}
	return "{ " + code + " }"
}

// ptxAtomic is atom and red, by the shim's functions.
func ptxAtomic(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || in.has("v2") || in.has("v4") || in.has("noftz") {
		return ""
	}
	operands := in.operands
	d := ptxOperand{sink: true}
	if in.op == "atom" {
		if len(operands) == 0 {
			return ""
		}
		d, operands = operands[0], operands[1:]
	}
	name := ""
	for mod, f := range map[string]string{
		"add": "atomicAdd", "exch": "atomicExch", "cas": "atomicCAS", "min": "atomicMin", "max": "atomicMax",
		"and": "atomicAnd", "or": "atomicOr", "xor": "atomicXor", "inc": "atomicInc", "dec": "atomicDec",
	} {
		if in.has(mod) {
			name = f
		}
	}
	values := 1
	if name == "atomicCAS" {
		values = 2
	}
	if name == "" || len(operands) != 1+values {
		return ""
	}
	c := t
	if t.kind == 's' && t.bits == 64 && (name == "atomicAdd" || name == "atomicExch") {
		c = t.unsigned()
	}
	p := in.pointer(operands[0], c.cpp())
	if p == "" || c.bits < 32 {
		return ""
	}
	args := lists.Map(operands[1:], func(o ptxOperand) string { return o.read(c) })
	return d.write(t, fmt.Sprintf("::smux_cpu::ordered_%s(%s, %s, %s)", name, p, strings.Join(args, ", "), in.ordering("relaxed")))
}

// sharedAddress makes an address of one in shared memory that may have lost its upper half on the way, as programs
// keep those in 32 bits: all shared memory lies within 4 GB.
func sharedAddress(value string) string {
	return "(((unsigned long long)::smux_cpu_dynamic_shared() & ~0xffffffffull) | (unsigned int)" + value + ")"
}

// ptxConvertAddress is cvta. All addresses are generic, but for the upper half.
func ptxConvertAddress(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || !in.takes(2) {
		return ""
	}
	value := in.operands[1].read(t)
	if (in.has("shared") || in.has("shared_cta")) && !in.has("to") {
		value = sharedAddress(value)
	}
	return in.operands[0].write(t, "("+t.cpp()+")"+value)
}

// ptxTie is cp.async.mbarrier.arrive[.noinc]: a barrier waits for the thread's copies.
func ptxTie(in *ptxInstruction) string {
	if len(in.operands) != 1 || !in.has("arrive") || in.has("shared_cluster") {
		return ""
	}
	barrier := in.pointer(in.operands[0], "unsigned long long")
	if barrier == "" {
		return ""
	}
	arrives := ""
	if in.has("noinc") {
		arrives = " ::smux_cpu::mbarrier::change(smux_b, ::smux_cpu::ordering::release | ::smux_cpu::ordering::in_block, 0, 1, 0);"
	}
	return "{ unsigned long long *smux_b = " + barrier + "; ::smux_cpu_async_tie(smux_b);" + arrives + " }"
}

// ptxCopy is cp.async, which is made at the wait for it; and its groups.
func ptxCopy(in *ptxInstruction) string {
	switch {
	case !in.has("async") || in.has("reduce"):
		return ""
	case in.has("bulk"):
		return ptxBulkCopy(in)
	case in.has("mbarrier"):
		return ptxTie(in)
	case in.has("commit_group"):
		return "::smux_cpu_async_commit();"
	case in.has("wait_all"):
		return "::smux_cpu_async_wait_all();"
	case in.has("wait_group"):
		if len(in.operands) != 1 || !in.operands[0].isValue() {
			return ""
		}
		return "::smux_cpu_async_wait(" + in.operands[0].read(ptxType{'u', 32}) + ");"
	case len(in.operands) < 3 || !in.has("shared") && !in.has("shared_cta") || !in.has("global"):
		return ""
	}
	if _, ok := in.operands[2].constant(); !ok && in.operands[2].variable == nil {
		return ""
	}
	size := in.operands[2].read(ptxType{'u', 32})
	to := in.pointer(in.operands[0], "unsigned char")
	global := *in
	global.mods = []string{"global"}
	from := global.pointer(in.operands[1], "const unsigned char")
	if to == "" || from == "" {
		return ""
	}
	from = strings.TrimSpace(from)
	source := size
	if len(in.operands) > 3 {
		if in.operands[3].variable != nil && in.operands[3].variable.typ.kind == 'p' {
			source = "(" + in.operands[3].read(ptxType{'p', 1}) + " ? 0 : " + size + ")"
		} else if source = in.operands[3].read(ptxType{'u', 32}); in.has("L2_cache_hint") && len(in.operands) == 4 {
			source = size
		}
	}
	return fmt.Sprintf("{ const unsigned smux_n = %s, smux_s = %s; ::smux_cpu_async_copy(%s, %s, smux_n, smux_s < smux_n ? smux_n - smux_s : 0, nullptr); }", size, source, to, from)
}
