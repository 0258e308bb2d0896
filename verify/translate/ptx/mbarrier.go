package ptx

import (
	"fmt"
	"slices"
)

// ptxMbarrier is mbarrier.OPERATION of one in the block's own shared memory.
func ptxMbarrier(in *ptxInstruction) string {
	if len(in.mods) == 0 || in.has("noComplete") || in.has("shared_cluster") || !in.has("b64") {
		return ""
	}
	wide, u, pred := ptxType{'u', 64}, ptxType{'u', 32}, ptxType{'p', 1}
	operation, operands := in.mods[0], in.operands
	if operation == "pending_count" {
		if !in.takes(2) {
			return ""
		}
		return operands[0].write(wide, "::smux_cpu::mbarrier::unpacked("+operands[1].read(wide)+").pending")
	}
	result := ptxOperand{sink: true}
	if slices.Contains([]string{"arrive", "arrive_drop", "test_wait", "try_wait"}, operation) && len(operands) > 0 && !operands[0].address {
		result, operands = operands[0], operands[1:]
	}
	if len(operands) == 0 {
		return ""
	}
	barrier := in.pointer(operands[0], "unsigned long long")
	operands = operands[1:]
	if barrier == "" || slices.ContainsFunc(operands, func(o ptxOperand) bool { return !o.isValue() }) {
		return ""
	}
	value := func(t ptxType, absent string) string {
		if len(operands) == 0 {
			return absent
		}
		return operands[0].read(t)
	}
	change := func(order string, fewer, arrivals, bytes string) string {
		return result.write(wide, fmt.Sprintf("::smux_cpu::mbarrier::change(%s, %s | ::smux_cpu::ordering::in_block, %s, %s, %s)", barrier, in.ordering(order), fewer, arrivals, bytes))
	}
	switch {
	case operation == "init" && len(operands) == 1:
		return fmt.Sprintf("::smux_cpu::mbarrier::init(%s, %s);", barrier, value(u, ""))
	case operation == "inval" && len(operands) == 0:
		return fmt.Sprintf("*%s = 0;", barrier)
	case operation == "expect_tx" && len(operands) == 1:
		return change("relaxed", "0", "0", value(u, ""))
	case operation == "complete_tx" && len(operands) == 1:
		return change("relaxed", "0", "0", "-(long long)"+value(u, ""))
	case (operation == "arrive" || operation == "arrive_drop") && len(operands) <= 1:
		count, bytes := value(u, "1"), "0"
		if in.has("expect_tx") {
			count, bytes = "1", value(u, "")
		}
		fewer := "0"
		if operation == "arrive_drop" {
			fewer = count
		}
		if bytes == "" {
			return ""
		}
		return change("release", fewer, count, bytes)
	case (operation == "test_wait" || operation == "try_wait") && (len(operands) == 1 || len(operands) == 2 && operation == "try_wait"):
		function, t := "ended", wide
		if in.has("parity") {
			function, t = "parity_ended", u
		}
		test := fmt.Sprintf("::smux_cpu::mbarrier::%s(%s, %s | ::smux_cpu::ordering::in_block, %s)", function, barrier, in.ordering("acquire"), value(t, ""))
		if operation == "try_wait" {
			test = "::smux_cpu::mbarrier::patiently([&] { return " + test + "; })"
		}
		return result.write(pred, test)
	}
	return ""
}

// ptxBulkCopy is cp.async.bulk: to shared memory of the block, with an mbarrier; to
// device memory, in groups of its own. (A block is alone in its cluster.)
func ptxBulkCopy(in *ptxInstruction) string {
	u := ptxType{'u', 32}
	if in.has("tensor") || in.has("multicast_cluster") || in.has("cp_mask") {
		return ""
	}
	switch {
	case in.has("prefetch"):
		return "(void)0;"
	case in.has("commit_group") && len(in.operands) == 0:
		return "::smux_cpu_bulk_commit();"
	case in.has("wait_group") && len(in.operands) == 1 && in.operands[0].isValue():
		return "::smux_cpu_bulk_wait(" + in.operands[0].read(u) + ");"
	}
	spaces := slices.DeleteFunc(slices.Clone(in.mods), func(m string) bool {
		return !slices.Contains([]string{"global", "shared_cta", "shared_cluster"}, m)
	})
	operands := in.operands
	if in.has("L2_cache_hint") && len(operands) > 0 {
		operands = operands[:len(operands)-1]
	}
	if len(spaces) != 2 || len(operands) < 3 || !operands[2].isValue() {
		return ""
	}
	at := func(space string, o ptxOperand) string {
		own := *in
		own.mods = []string{map[string]string{"global": "global"}[space]}
		if space != "global" {
			own.mods = []string{"shared"}
		}
		return own.pointer(o, "void")
	}
	to, from := at(spaces[0], operands[0]), at(spaces[1], operands[1])
	switch {
	case to == "" || from == "":
		return ""
	case spaces[1] == "global" && in.has("mbarrier_complete_tx_bytes") && len(operands) == 4:
		if barrier := at("shared", operands[3]); barrier != "" {
			return fmt.Sprintf("::smux_cpu::mbarrier::bulk_load(%s, %s, %s, (unsigned long long *)%s);", to, from, operands[2].read(u), barrier)
		}
	case spaces[0] == "global" && spaces[1] == "shared_cta" && in.has("bulk_group") && len(operands) == 3:
		return fmt.Sprintf("::smux_cpu_bulk_copy(%s, %s, %s, nullptr);", to, from, operands[2].read(u))
	}
	return ""
}
