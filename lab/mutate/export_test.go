package mutate

// FaultCount is the number of mutants of the whole runtime.
var FaultCount = len(faults)
