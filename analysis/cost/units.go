package cost

import "github.com/smux-cuda/smux/model/workload"

// How many instructions of a routine go to which unit, as in the costs: counted in the SASS of kernels that hold one
// each, for sm_80. An integer division multiplies in single precision on its way; a multiplication of integers shares
// the unit of single precision from compute capability 7.0 on.
var (
	unitsDivInt    = workload.Work{Integer: 12, Float: 4, Special: 3}
	unitsDivFloat  = workload.Work{Float: 6, Special: 2}
	unitsDivDouble = workload.Work{Double: 9, Special: 1}
)

// worked is the work of an operation on scalars of a type that takes so many instructions.
func worked(tok string, t ctype, n float64) workload.Work {
	w := workload.Work{Issue: n}
	divides := (tok == "/" || tok == "%") && n >= costDivFloat
	switch {
	case n <= 0:
	case t.class == classDouble && divides:
		w = unitsDivDouble.Add(w)
	case t.class == classDouble:
		w.Double = n
	case t.integer() && divides:
		w = unitsDivInt.Add(w)
	case t.integer() && tok != "*" || comparison(tok) || tok == "min" || tok == "max" || tok == "select":
		w.Integer = n
	case divides:
		w = unitsDivFloat.Add(w)
	default:
		w.Float = n
	}
	return w
}

// convertedTo is the work of n conversions between types: those from or to 64 bits pass the unit of double precision.
func convertedTo(from, to ctype, n float64) workload.Work {
	w := workload.Work{Issue: n, Special: n}
	if wide := func(t ctype) bool { return t.class == classDouble || t.class == classLong }; wide(from) || wide(to) {
		w.Double = n
	}
	return w
}

// computed is the work of a function of CUDA's on arguments of a type: one special
// function, where it takes more than one instruction, and what is around it.
func computed(t ctype, n float64) workload.Work {
	w := worked("", t, n)
	if n > 1 && !t.integer() {
		w.Special = 1
	}
	return w
}
