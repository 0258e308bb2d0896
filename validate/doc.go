// Package validate decides whether one CUDA text is a legal multiplexing of another, for all inputs,
// grids and orders of threads, or says at which line it can't tell.
//
// It is written apart from what makes rewrites: it imports parser and analysis/ir, which read the
// two texts, and derives everything else again by means of its own. A reader who trusts this package
// and the small runtime (trusted.go) need not trust the rewriter.
//
// Two things are shown. First, erasure: without smux's objects, turns and launches the new text is,
// unit by unit (tokens and directives), the old one, up to the moves of a list (moves.go), each of
// which has a condition (align.go, erase.go). Then the conditions (Condition), by passes over the new
// text's statements:
//
//	flow.go     each access to a multiplexed array lies between acquire and release, on every path
//	uniform.go  what all threads of a v-TB must come by, all of them come by
//	content.go  no element that is read after an acquire was written before it
//	object.go   barrier numbers, counts of threads and launch bounds fit
//	launch.go   launches and kernels agree
//	builtins.go what the built-in variables say is what they said
//	effect.go   what an operation reads and writes, for what moved
//	types.go    what is known of types of numbers
//
// What of this has to be read to believe a proof is in docs/validate.md: the core, and the parts that the proof names
// (layers_test.go holds them apart).
//
// Rewrites that leave blocks what they are have erasures and conditions of their own:
//
//	demote.go   registers in shared memory, pins and caps; slots.go has the conditions of slots
//	overlay.go  arrays that share bytes; phases.go has the conditions
//	replay.go   exchanges in rounds, of which no erasure is left: both texts are run, and what they do is compared
//	staging.go  arrays in shared memory that hold what is read again; the stage*.go have the conditions. What is
//	            computed of numbers that are not known is symbolic*.go, on the sums and conditions of package linear
//
// Assumed of the old program: it has no undefined behaviour (races, barriers that some threads don't
// reach, reads of values that nobody wrote), its blocks do not wait for each other (which is looked
// for, too), and launches that no named file shows do not exist. "Shared memory multiplexing" (Yang
// et al., PACT'12) has the first three conditions in its section 3.
package validate
