// Package tune finds by measurement which form of a kernel is the fastest.
//
// A run takes the forms of package space in the order of a strategy of package search. A machine of package machine runs
// each next to the original, pair by pair, and every pair goes into a store at once. Package judge decides by the store
// alone, so a run that was stopped goes on where it was, and a store can be judged where there is no GPU.
//
// A form with other outputs than the original's, or that fails, is a row that says so, and is not measured any further.
package tune
