package gpu

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smux-cuda/smux/model/hardware"
)

// finishArch fills in what follows from the rest.
func finishArch(a *Arch) {
	a.WarpsPerSM = a.ThreadsPerSM / hardware.WarpSize
	a.WarpGranularity = cmp.Or(a.WarpGranularity, 1)
	a.LaunchPartitions = cmp.Or(a.LaunchPartitions, a.SubPartitions)
}

// checkArch notes what can't be true of any SM.
func (r *reader) checkArch(path []string, a *Arch) {
	must := func(ok bool, key, text string) {
		if !ok {
			r.wrong(append(path[:len(path):len(path)], key), "%s %s", key, text)
		}
	}
	warps := fmt.Sprintf("must be a multiple of %d, the threads of a warp", hardware.WarpSize)
	must(a.ThreadsPerSM%hardware.WarpSize == 0, "threads_per_sm", warps)
	must(a.ThreadsPerBlock%hardware.WarpSize == 0, "threads_per_block", warps)
	must(a.ThreadsPerBlock <= a.ThreadsPerSM, "threads_per_block", "must not exceed threads_per_sm")
	must(a.RegistersPerBlock <= a.RegistersPerSM, "registers_per_block", "must not exceed registers_per_sm")
	whole := a.RegistersPerSM%a.SubPartitions == 0
	must(whole, "sub_partitions", "must divide registers_per_sm")
	must(!whole || a.RegistersPerSM/a.SubPartitions%a.RegisterGranularity == 0, "register_granularity", "must divide the registers of a sub-partition")
	must(a.SharedPerBlock <= a.SharedPerBlockOptin, "shared_per_block_kib", "must not exceed shared_per_block_optin_kib")
	some := a.SharedPerSM() > 0
	must(some, "carveouts_kib", "must end with a size above 0")
	must(slices.IsSorted(a.Carveouts) && len(slices.Compact(slices.Clone(a.Carveouts))) == len(a.Carveouts), "carveouts_kib", "must ascend")
	must(!some || a.SharedPerBlockOptin+a.SharedReserved <= a.SharedPerSM(), "shared_per_block_optin_kib", "and shared_reserved_kib must not exceed the largest of carveouts_kib")
	for _, c := range a.Carveouts {
		must(c%a.SharedGranularity == 0, "shared_granularity", "must divide every size of carveouts_kib")
	}
	must(a.UnifiedBytes == 0 || a.UnifiedBytes >= a.SharedPerSM(), "unified_kib", "must not be less than the largest of carveouts_kib")
	must(a.L2Latency == 0 || a.SharedLatency < a.L2Latency, "l2_latency", "must be above shared_latency, or 0 where there is no L2")
	must(a.SharedLatency < a.MemoryLatency && a.L2Latency < a.MemoryLatency, "memory_latency", "must be above shared_latency and l2_latency")
	must(a.L1Latency == 0 || a.SharedLatency <= a.L1Latency && a.L1Latency < a.MemoryLatency, "l1_latency", "must be from shared_latency to memory_latency")
	checkDoubts(r, path, archKeys, a.Estimates, a.Unchecked)
}

// checkBoard notes what can't be true of any board.
func (r *reader) checkBoard(path []string, g *GPU) {
	at := func(key string) []string { return append(path[:len(path):len(path)], key) }
	if (g.L2Bytes == 0) != (g.L2Bandwidth == 0) {
		r.wrong(at("l2_bandwidth_gbs"), "l2_kib and l2_bandwidth_gbs must both be 0, or neither")
	}
	if g.L2Bytes > 0 && g.Arch.L2Latency == 0 {
		r.wrong(at("l2_kib"), "l2_kib must be 0: compute capability %s has no L2 latency", g.CC())
	}
	if g.Sustained > g.Bandwidth {
		r.wrong(at("sustained_gbs"), "sustained_gbs must not exceed bandwidth_gbs")
	}
	if g.Carveout != 0 && !slices.Contains(g.Arch.Carveouts, g.Carveout) {
		r.wrong(at("carveout_kib"), "%v", g.noCarveout(g.Carveout))
	}
	checkDoubts(r, path, boardKeys, g.Estimates, g.Unchecked)
}

// checkDoubts notes doubts about things that are not keys, and values that are said
// to be both a neighbour's and the source's.
func checkDoubts[T any](r *reader, path []string, keys []key[T], estimates, unchecked []string) {
	known := func(list string, names []string) {
		for _, n := range names {
			if !slices.ContainsFunc(keys, func(k key[T]) bool { return k.name == n }) {
				r.wrong(append(path[:len(path):len(path)], list), "%s names %q, which is not a key%s", list, n, nearKey(n, keys))
			}
		}
	}
	known("estimates", estimates)
	known("unchecked", unchecked)
	for _, n := range unchecked {
		if slices.Contains(estimates, n) {
			r.wrong(append(path[:len(path):len(path)], "unchecked"), "%s is in estimates too: an estimate has no source to be checked", n)
		}
	}
}
