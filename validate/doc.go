// Package validate decides whether one CUDA text is a legal multiplexing of another, for all inputs,
// grids and orders of threads, or says at which line it can't tell.
//
// It is written apart from what makes rewrites: it imports parser and analysis/ir, which read the
// two texts, and derives everything else again by means of its own. A reader who trusts this package
// and the small runtime (trusted.go) need not trust the rewriter.
//
// Two things are shown. First, erasure: without smux's objects, turns and launches the new text is, unit by unit
// (tokens and directives), the old one, up to the moves of a list (moves/moves.go), each of which has a condition
// (kit/align.go, kit/erase.go). Then the conditions (Condition), by passes over the new text's statements:
//
//	turns/flow.go      each access to a multiplexed array lies between acquire and release, on every path;
//	                   what all threads of a v-TB must come by, all of them come by (kit/uniform.go)
//	content/content.go no element that is read after an acquire was written before it
//	kit/object.go      barrier numbers, counts of threads and launch bounds fit
//	turns/launch.go    launches and kernels agree
//	turns/builtins.go  built-in variables keep the values that the original sees
//	kit/effect.go      what an operation reads and writes, for what moved
//
// What of this has to be read to believe a proof is in docs/develop/validate.md: kit, turns, and the packages that the proof
// names.
//
// Rewrites that leave blocks what they are have erasures and conditions of their own, in a package each:
//
//	registers  registers in shared memory, pins and caps
//	overlay    arrays that share bytes
//	coarsen    thread blocks that do the work of several, statement by statement
//	slice      exchanges in rounds, of which no erasure is left: both texts are run, and what they do is compared
//	stage      arrays in shared memory that hold what is read again; what is computed of numbers that are not known
//	           rests on the sums and conditions of package linear
//
// Assumed of the old program: it has no undefined behaviour (races, barriers that some threads don't
// reach, reads of values that nobody wrote), its blocks do not wait for each other (which is looked
// for, too), and launches that no named file shows do not exist. "Shared memory multiplexing" (Yang
// et al., PACT'12) has the first three conditions in its section 3.
package validate
