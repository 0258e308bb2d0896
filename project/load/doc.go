// Package load is the first step of the pipeline load, analyse, prove, decide, apply,
// check, deliver: it finds the files that arguments name, parts those of folders into
// programs, and parses each program as its build would read it. What a person gave
// counts first, then .smux.yaml, then a compilation database, and where there is none
// the build files beside the sources.
//
// A file that cannot be read does not stop the others: it is reported on the console,
// which notes the exit code and keeps the message for documents. Kernels are selected
// here by name alone; whether anything can be done with them is for later steps.
package load
