// Package sim simulates one streaming multiprocessor (SM) that runs the thread blocks of a kernel, event by event,
// under the policies by which smux and the hardware scheme of Yang et al., PACT'12, share its shared memory: the
// original, vtb, vtb-pipe, co-vtb, dyn, merge, hw and co-hw.
//
// What it promises is an order: which policy is faster than which, and roughly by
// how much. Absolute cycles are those of a simple machine:
//
//   - A warp alone issues Options.ILP instructions every DependentIssue cycles, and
//     its accesses to memory, which are batches, as fast as its part of the SM
//     issues. Where all warps together would issue more than the SM can, each is
//     slowed down by the same factor (fluid model, exact).
//   - The shared-memory pipe, the L2 and the SM's share of the DRAM bandwidth are
//     queues with a rate, first come, first served, plus a latency. Stores take
//     bandwidth and no warp waits for them. Where an SM has 16 load/store units, which take
//     two cycles for a warp's access, the pipe is busy for as long. Where a small grid leaves other SMs with
//     less to do, the share of the DRAM is larger in proportion.
//   - Bytes that a thread block loads again hit the L1, where there is one for global
//     loads, and the L2, each in so far as the footprints of all resident blocks fit
//     what the carve-out leaves of the one and the other as a whole; the L2 has what other
//     blocks loaded, too (workload.Kernel.Common).
//   - A barrier costs an instruction per warp and the latency of one instruction. In
//     code that smux writes the k-th of several is searched for (workload.Kernel.Source).
//   - Who waits for a lock tries again and again: that takes issue slots, and a lock
//     that gets free is seen half an attempt later.
//   - What the source has in front of a turn and a compiler computes late, it computes in
//     the turn, after the wait for what was loaded (ahead.go).
//   - v-TBs that are not whole warps share some (packed.go).
//   - Where a thread block has more than four warps, four simulated ones stand for
//     all; loops are rolled out up to some hundred steps, beyond which a step stands
//     for several iterations. Both keep totals.
//   - Thread blocks start in order as soon as the resources of one are free.
//
// What it leaves out: divergence and imbalance between warps, row locality in the
// DRAM, atomics on shared memory that are loops (before compute capability 5.0), the
// copies that block mode makes of the code, and the time that a launch takes.
//
// # From a workload to cycles
//
// Run places launched TBs (place.go), rolls the workload out to a straight line of items (flatten.go), lowers these
// to one program of ops per v-TB, by the policy (lower.go, ahead.go, pipe.go, packed.go, op.go), and lets the machine
// run the programs (machine.go, wait.go, with fluid.go for issue slots and queue.go for all else).
//
// # How to add a policy
//
//  1. policy.go: a Kind with its name, in merged whether a launched TB holds several
//     TBs, in hoists whether Early loads leave the region, and a line in Policies.
//  2. parse.go: its knobs, in set and check, if it has some of its own.
//  3. place.go: what a launched TB takes of the SM, in static, or in a function
//     beside hardware where that is not a fixed number of bytes.
//  4. lower.go: how a v-TB gets the shared arrays, in turns and region. If none of
//     those there fits, write a turn of its own from the ops in op.go, by the text
//     that the rewrite emits: count its barriers, and who has to be at each.
//     A policy that orders whole segments has a file as pipe.go.
//  5. closed_test.go: a case of two v-TBs whose cycles can be added up by hand. The
//     tests on random workloads take it up from Policies by themselves.
package sim
