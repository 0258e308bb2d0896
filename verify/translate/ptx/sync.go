package ptx

import "fmt"

// ptxBarrier is bar and barrier: sync, arrive, red and warp.sync.
func ptxBarrier(in *ptxInstruction) string {
	u := ptxType{'u', 32}
	for _, o := range in.operands {
		if o.address || len(o.list) > 0 {
			return ""
		}
	}
	switch {
	case in.has("cluster"):
		return ""
	case in.has("warp"):
		if len(in.operands) != 1 {
			return ""
		}
		return "::__syncwarp(" + in.operands[0].read(u) + ");"
	case in.has("red"):
		return ptxBarrierVote(in)
	case len(in.operands) < 1 || len(in.operands) > 2:
		return ""
	}
	threads := "0"
	if len(in.operands) == 2 {
		threads = in.operands[1].read(u)
	}
	id := in.operands[0].read(u)
	switch {
	case in.has("sync"):
		return fmt.Sprintf("::smux_cpu_barrier_sync(%s, %s);", id, threads)
	case in.has("arrive") && len(in.operands) == 2:
		return fmt.Sprintf("::smux_cpu_barrier_arrive(%s, %s);", id, threads)
	}
	return ""
}

// ptxBarrierVote is bar.red.popc|and|or d, barrier[, threads], p.
func ptxBarrierVote(in *ptxInstruction) string {
	n := len(in.operands)
	if n != 3 && n != 4 {
		return ""
	}
	u, pred := ptxType{'u', 32}, ptxType{'p', 1}
	threads := "0"
	if n == 4 {
		threads = in.operands[2].read(u)
	}
	d, id, p := in.operands[0], in.operands[1].read(u), in.operands[n-1].read(pred)
	call := func(op string) string {
		return fmt.Sprintf("::smux_cpu::barrier_%s(%s, %s, %s)", op, id, threads, p)
	}
	switch {
	case in.has("popc"):
		return d.write(u, call("popc"))
	case in.has("and"):
		return d.write(pred, call("and")+" != 0")
	case in.has("or"):
		return d.write(pred, call("or")+" != 0")
	}
	return ""
}

// ptxFence is membar and fence: to memory, not to proxies.
func ptxFence(in *ptxInstruction) string {
	if in.has("mbarrier_init") {
		return "(void)0;" // the block has met after it, anyway
	}
	order := in.ordering("acq_rel")
	if in.has("proxy") {
		order = in.ordering("relaxed")
	}
	return "::smux_cpu_fence(" + order + ");"
}

func ptxYield(*ptxInstruction) string { return "::smux_cpu_yield();" }

func ptxExit(*ptxInstruction) string { return "::smux_cpu_exit_thread();" }

func ptxTrap(in *ptxInstruction) string { return fmt.Sprintf("::smux_cpu_trap(%q);", in.op) }

// ptxVote is vote[.sync].all|any|uni.pred d, p[, mask] and vote.ballot.b32.
func ptxVote(in *ptxInstruction) string {
	u, pred := ptxType{'u', 32}, ptxType{'p', 1}
	n := 2
	mask := "::__activemask()"
	if in.has("sync") {
		n = 3
	}
	if !in.takes(n) {
		return ""
	}
	if n == 3 {
		mask = in.operands[2].read(u)
	}
	d, p := in.operands[0], in.operands[1].read(pred)
	switch {
	case in.has("ballot"):
		return d.write(u, fmt.Sprintf("::__ballot_sync(%s, %s)", mask, p))
	case in.has("all"):
		return d.write(pred, fmt.Sprintf("::__all_sync(%s, %s) != 0", mask, p))
	case in.has("any"):
		return d.write(pred, fmt.Sprintf("::__any_sync(%s, %s) != 0", mask, p))
	}
	return ""
}

func ptxActive(in *ptxInstruction) string {
	if !in.takes(1) {
		return ""
	}
	return in.operands[0].write(ptxType{'u', 32}, "::__activemask()")
}

// ptxShuffle is shfl[.sync].up|down|bfly|idx.b32 d, a, b, c[, mask] with a constant c and no predicate.
func ptxShuffle(in *ptxInstruction) string {
	n, mask := 4, "::__activemask()"
	u := ptxType{'u', 32}
	if in.has("sync") {
		n = 5
	}
	if !in.takes(n) {
		return ""
	}
	if n == 5 {
		mask = in.operands[4].read(u)
	}
	c, ok := in.operands[3].constant()
	if !ok {
		return ""
	}
	width, clamp := 32-(c>>8&31), int64(31)
	name := ""
	for mod, f := range map[string]string{"up": "::__shfl_up_sync", "down": "::__shfl_down_sync", "bfly": "::__shfl_xor_sync", "idx": "::__shfl_sync"} {
		if in.has(mod) {
			name = f
		}
	}
	if in.has("up") {
		clamp = 0
	}
	if name == "" || c&31 != clamp || width&(width-1) != 0 {
		return ""
	}
	return in.operands[0].write(u, fmt.Sprintf("%s(%s, %s, %s, %d)", name, mask, in.operands[1].read(u), in.operands[2].read(u), width))
}

// ptxReduce is redux.sync.op.type d, a, mask.
func ptxReduce(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || !in.takes(3) || t.kind == 'f' {
		return ""
	}
	for _, op := range []string{"add", "min", "max", "and", "or", "xor"} {
		if in.has(op) {
			return in.operands[0].write(t, fmt.Sprintf("::__reduce_%s_sync(%s, %s)", op, in.operands[2].read(ptxType{'u', 32}), in.operands[1].read(t)))
		}
	}
	return ""
}

// ptxMatch is match.any.sync.b32|b64 d, a, mask and match.all.sync d[|p], a, mask.
func ptxMatch(in *ptxInstruction) string {
	t, ok := in.typ()
	if !ok || !in.has("sync") || len(in.operands) != 3 || !in.operands[1].isValue() || !in.operands[2].isValue() {
		return ""
	}
	u := ptxType{'u', 32}
	d, value, mask := in.operands[0], in.operands[1].read(t), in.operands[2].read(u)
	switch {
	case in.has("any") && d.second == nil:
		return d.write(u, fmt.Sprintf("::__match_any_sync(%s, %s)", mask, value))
	case in.has("all"):
		all := ptxOperand{sink: true}
		if d.second != nil {
			all = *d.second
		}
		return fmt.Sprintf("{ int smux_all; const unsigned smux_d = ::__match_all_sync(%s, %s, &smux_all); %s %s }", mask, value, d.write(u, "smux_d"), all.write(ptxType{'p', 1}, "smux_all != 0"))
	}
	return ""
}

// ptxElect is elect.sync d|p, mask: the lowest lane that came.
func ptxElect(in *ptxInstruction) string {
	if !in.has("sync") || len(in.operands) != 2 || in.operands[0].second == nil || !in.operands[1].isValue() {
		return ""
	}
	u := ptxType{'u', 32}
	d := in.operands[0]
	return fmt.Sprintf("{ unsigned smux_d; (void)::smux_cpu::vote(%s, true, &smux_d); smux_d = __builtin_ctz(smux_d); %s %s }",
		in.operands[1].read(u), d.write(u, "smux_d"), d.second.write(ptxType{'p', 1}, "smux_d == ::smux_cpu::lane()"))
}

// ptxSpecial are the special registers.
var ptxSpecial = map[string]string{
	"tid.x": "::threadIdx.x", "tid.y": "::threadIdx.y", "tid.z": "::threadIdx.z",
	"ntid.x": "::blockDim.x", "ntid.y": "::blockDim.y", "ntid.z": "::blockDim.z",
	"ctaid.x": "::blockIdx.x", "ctaid.y": "::blockIdx.y", "ctaid.z": "::blockIdx.z",
	"nctaid.x": "::gridDim.x", "nctaid.y": "::gridDim.y", "nctaid.z": "::gridDim.z",
	"laneid":      "(::smux_cpu_rank() & 31u)",
	"warpid":      "(::smux_cpu_rank() >> 5)",
	"nwarpid":     "((::blockDim.x * ::blockDim.y * ::blockDim.z + 31u) / 32u)",
	"lanemask_eq": "(1u << (::smux_cpu_rank() & 31u))",
	"lanemask_lt": "((1u << (::smux_cpu_rank() & 31u)) - 1u)",
	"lanemask_le": "((2u << (::smux_cpu_rank() & 31u)) - 1u)",
	"lanemask_gt": "(-(2u << (::smux_cpu_rank() & 31u)))",
	"lanemask_ge": "(-(1u << (::smux_cpu_rank() & 31u)))",
	"smid":        "0u", "nsmid": "1u", "gridid": "0u", "WARP_SZ": "32u",
	"clock": "::smux_cpu_clock()", "clock64": "::smux_cpu_clock()", "clock_hi": "(::smux_cpu_clock() >> 32)",
	"globaltimer": "::smux_cpu_clock()", "globaltimer_lo": "::smux_cpu_clock()", "globaltimer_hi": "(::smux_cpu_clock() >> 32)",
	"dynamic_smem_size": "::smux_cpu_dynamic_shared_bytes()", "total_smem_size": "::smux_cpu_dynamic_shared_bytes()",
}
