package translate

import (
	"fmt"
	"slices"
	"strings"
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

// ptxLoad is ld of any kind: at run time one thread runs at a time, so that
// caching and ordering have no effect.
func ptxLoad(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || len(in.operands) < 2 {
		return ""
	}
	elements := in.vector(in.operands[0])
	p := in.pointer(in.operands[1], "const "+t.cpp())
	if elements == nil || p == "" {
		return ""
	}
	code := fmt.Sprintf("const %s *smux_p = %s;", t.cpp(), p)
	for i := range elements {
		code += fmt.Sprintf(" const %s smux_e%d = smux_p[%d];", t.cpp(), i, i)
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
	p := in.pointer(in.operands[0], t.cpp())
	if elements == nil || p == "" {
		return ""
	}
	code := fmt.Sprintf("%s *smux_p = %s;", t.cpp(), p)
	for i, e := range elements {
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
	var args []string
	for _, o := range operands[1:] {
		args = append(args, o.read(c))
	}
	return d.write(t, fmt.Sprintf("::%s(%s, %s)", name, p, strings.Join(args, ", ")))
}

// sharedAddress makes an address of one in shared memory that may have lost its
// upper half on the way, as programs keep those in 32 bits: all shared memory
// lies within 4 GB.
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

// ptxCopy is cp.async, which is made at the wait for it; and its groups.
func ptxCopy(in *ptxInstruction) string {
	switch {
	case !in.has("async") || in.has("bulk") || in.has("mbarrier"):
		return ""
	case in.has("commit_group"):
		return "::smux_cpu_async_commit();"
	case in.has("wait_all"):
		return "::smux_cpu_async_wait_all();"
	case in.has("wait_group"):
		if len(in.operands) != 1 || in.operands[0].address || in.operands[0].variable == nil && in.operands[0].value == "" {
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
