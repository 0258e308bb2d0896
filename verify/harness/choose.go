package harness

// plainRuns is the number of runs where no parameter asks for more.
const PlainRuns = 3
