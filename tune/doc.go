// Package tune finds by measurement which form of a kernel is the fastest.
//
// A run takes the forms that package space lists, in the order in which a strategy
// of package search asks for them, has a machine of package machine run each next to
// the original, pair by pair, and adds every pair to a store as soon as it is
// measured. What is decided follows from the store alone (package judge): what has
// been measured of a form, what to measure next, what is chosen. So a run that was
// stopped at any moment goes on where it was, and a store can be judged where there is
// no GPU.
//
// A form whose outputs are not the original's, that fails, crashes, takes too long or asks
// for more than there is, is a row that says so, and is not measured any further.
package tune
