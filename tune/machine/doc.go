// Package machine builds the forms of a program and runs them: on a GPU, by nvcc; on the CPU engine of package verify; by
// commands of a person; or, for trials, on a model. It changes the program's text so that each launch of the tuned kernel is
// timed, and compares what the host gets to see of a run with the original's: copies from the device, standard output, the
// exit status. It reads clocks, and never sets them.
package machine
