// Package stress finds from how many thread blocks per SM on a kernel gains
// nothing by more of them: the occupancy stress test of Hayes & Zhang.
//
// The same program runs with fewer thread blocks at once, by shared memory that
// each launch takes and doesn't use, and with more, by a cap on registers. Each
// launch of the kernel is timed on the GPU. A Record of what was measured can be
// kept and judged later, where there is no GPU.
//
// A level changes more than the number of thread blocks. Shared memory that is
// taken is missing in the L1 cache where both share their storage: so all levels
// there prefer the largest carve-out, and one level more shows what that alone
// costs. A cap may cost spills: a capped level can show that more thread blocks
// gain something, and never that they couldn't. Launches are waited for one by
// one, so that what a program lets overlap isn't measured.
package stress
