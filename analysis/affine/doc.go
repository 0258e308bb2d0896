// Package affine finds the global-memory addresses that a kernel uses and
// writes them as sums: an integer times unknowns that are the same for the
// whole grid (parameters, gridDim, blockDim where the shape is not known) times
// one of threadIdx, blockIdx, a loop's iteration number, or a value that comes
// from data.
//
// It executes the kernel once on symbols: locals stand for what was last
// assigned to them, variables that a loop moves by the same amount each time
// become multiples of its iteration number, device functions in view are
// entered with their arguments bound.
//
// The result is for reports, estimates and the search for candidates, not for
// proofs. Integers are assumed never to wrap around. Where two paths join with
// different values, a boundary case (a clamp, a constant, the arm of an ==) is dropped for the
// other and the form is marked Clamped; anything else becomes a value of its
// own (AxisData). Memory is not tracked: two loads at one address count as one value.
package affine
