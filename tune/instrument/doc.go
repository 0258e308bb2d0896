// Package instrument changes the texts of a program so that it tells what it
// does while it runs: how long each launch of one kernel takes, what the host copies
// from the device, and, in a check, what each launch leaves in the device's memory.
//
// The environment decides at run time what of that is done; with nothing set the
// program does what it did. Lines keep their numbers, and the text of kernels stays as
// it is. What a program prints or computes of its own is not touched.
//
// It leaves out: host files that are no CUDA (their copies are not seen), the driver
// API, kernels that are launched by an address or out of sight, which is an error
// where it can be seen, and variables of the device that stand in classes, functions
// or branches of the preprocessor.
package instrument
