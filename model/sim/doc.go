// Package sim simulates one streaming multiprocessor (SM) that runs the thread
// blocks of a kernel, event by event, under the policies by which smux and the
// hardware scheme of Yang et al., PACT'12, share its shared memory: the original,
// vtb, vtb-pipe, co-vtb, dyn, merge, hw and co-hw.
//
// What it promises is an order: which policy is faster than which, and roughly by
// how much. Absolute cycles are those of a simple machine:
//
//   - Warps that compute share the issue slots equally. A warp alone issues at most
//     Options.ILP instructions every DependentIssue cycles (fluid model, exact).
//   - The shared-memory pipe, the L2 and the SM's share of the DRAM bandwidth are
//     queues with a rate, first come, first served, plus a latency. Stores take
//     bandwidth and nobody waits for them.
//   - Bytes that a thread block loads again hit the L2 in so far as the footprints of
//     all resident blocks fit its share of the L2.
//   - A barrier costs an instruction per warp and the latency of one instruction.
//   - Where a thread block has more than four warps, four simulated ones stand for
//     all; loops are rolled out up to some hundred steps, beyond which a step stands
//     for several iterations. Both keep totals.
//   - Thread blocks start in order as soon as the resources of one are free.
//
// What it leaves out: divergence and imbalance between warps, row locality in the
// DRAM, caches other than that rule, the time that a launch takes, and loads that a
// compiler moves across the boundaries of work that the workload draws.
package sim
