// Package instrument changes the texts of a program so that it tells how long each launch of one kernel takes, what the host
// copies from the device, and, in a check, what each launch leaves in the device's memory.
//
// The environment decides at run time what of that is done; with nothing set the program does what it did. Lines keep
// their numbers, and kernels their text.
//
// It leaves out copies in host files that are no CUDA, the driver API, variables of the device in classes, functions or
// branches of the preprocessor, and kernels that are launched by an address or out of sight: an error where it can be seen.
package instrument
