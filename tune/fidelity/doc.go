// Package fidelity says how far a model can be trusted, by records of what was
// measured: whether it puts the forms of a kernel in the right order, what is lost
// by taking its first choice, and how many measurements a strategy of search would
// have needed where everything was measured.
package fidelity
