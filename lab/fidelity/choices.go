package fidelity

// Choice holds the measured gain of the emitted text of an example's variants, and what
// the model expects: factors over the fastest form of the original that merges no thread
// blocks (as it is, or by stage-loads or assume-shape). 0 is not known.
type Choice struct {
	Kernel string  // named as in Table 1
	Best   float64 // of the fastest variant
	Chosen float64 // of the one that the model chooses, 1 where it leaves the kernel alone
	Bound  float64 // of the original on an SM with unlimited shared memory
}

// ByHand holds the gains of texts that were made by hand on an SM with 16 kB, in the same
// measurements, over the fastest form of the original that merges no thread blocks: FFT's
// exchange by component, MC's arrays one after the other, and for CV and SP everything
// computed into registers before the first store, which in CV is in a turn.
var ByHand = map[string]float64{"FFT": 2.35, "MC": 2.48, "CV": 1.39, "SP": 1.81}

// Off is the factor from which on a cell counts as one that the model gets wrong.
const Off = 1.25

// MeasuredChoices are gains on the outside simulator, two SMs of a GTX480's shape with so
// many kB of shared memory, where Chosen is what the model chose when they were measured.
// Of 48 kB the averages are known, which stand as a kernel without a name, and FFT.
var MeasuredChoices = map[string][]Choice{
	"gtx480@16": {
		{"FFT", 1.41, 1.19, 3.7},
		{"MC", 1.44, 1.16, 5.4},
		{"CV", 1.01, 1.00, 2.8},
		{"SP", 1.00, 0.97, 1.6},
		{"STO", 1.00, 1.00, 2.5},
		{"MV", 1.07, 0.97, 1.17},
		{"TP", 1.01, 1.00, 1.02},
		{"", 1.12, 1.04, 2.2},
	},
	"gtx480@48": {
		{"FFT", 0, 0.76, 0},
		{"", 1.03, 0.98, 0},
	},
}
