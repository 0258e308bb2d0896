package mutate

// FaultCount is how many mutants the whole runtime has.
var FaultCount = len(faults)
