// Package stress finds from how many thread blocks per SM on a kernel gains nothing by more of them: the occupancy stress test of
// Hayes & Zhang. The same program runs with fewer thread blocks at once, by shared memory that each launch takes and doesn't
// use, and with more, by a cap on registers. Records can be judged later without a GPU.
//
// Shared memory that is taken may be missing in the L1 cache: so all levels there prefer the largest carve-out, and one level
// more shows what that alone costs. A cap may cost spills: it can show that more thread blocks gain something, and never that
// they couldn't. Launches are waited for one by one, so that what a program lets overlap isn't measured.
package stress
