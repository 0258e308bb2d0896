// Package machine builds the forms of a program and runs them: on a GPU, by nvcc;
// on the CPU engine of package verify; by commands of a person; or, for trials,
// on a model.
//
// The text of a program is changed so that each launch of the tuned kernel is
// timed; no file has to be changed for it. What the host gets to see of a run
// is kept and compared with what the original gave: copies from the device, standard
// output, the exit status. Clocks are read, and never set.
package machine
