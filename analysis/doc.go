// Package analysis finds out what a kernel does with its shared memory: which shared variables it has, where values
// in them are live (regions), where its barriers and exits are, how uniform values and control are over the grid, and
// how it is launched.
//
// Each analysis is a Pass over a Kernel; Program holds what the kernels of a
// program share, and Report is the results as plain data.
//
// What it promises: whatever is not known is assumed to be the worst. A region may be larger than it need be, never
// smaller; a value may be called less uniform than it is, never more; a construct that the analyses can't model is a
// hazard, with a code and a place, and a kernel with hazards has no regions that a rewriter may use. Facts hold for
// every instance of the kernel in view. The original is taken to be free of data races.
//
// What it leaves out: types beyond what declarations say, overload resolution (all candidates count), data outside of
// shared memory, time, and registers. It changes no text; that is the business of package rewrite.
package analysis
