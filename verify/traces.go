package verify

import (
	"slices"

	"github.com/smux-cuda/smux/verify/execute"
)

// arrayName names what a finding on bounds is about in the same way in every build: a shared variable by its name and
// declaration, an allocation by the line that made it.
type arrayName struct {
	space, variable string
	file            string
	line            int
}

// arrayOf returns the array next to which memory was accessed, the zero name if unknown.
func arrayOf(f *execute.Finding) arrayName {
	if f.Variable != "" {
		return arrayName{f.Space, f.Variable, f.VariableFile, f.VariableLine}
	}
	made := f.Allocated
	if f.Code == CodeCanary && f.Other != nil {
		made = f.Other.Frames
	}
	if len(made) == 0 {
		return arrayName{}
	}
	return arrayName{space: f.Space, file: made[0].File, line: made[0].Line}
}

// withoutTraces joins each canary with the write that spoilt it. Where one build sees a kernel write outside of an
// array, the trace of it that others find after that array is not a second finding: the write takes over its runs.
func withoutTraces(found []Finding) []Finding {
	isTrace := func(f Finding) bool { return f.Message.Code == CodeCanary }
	out := slices.DeleteFunc(slices.Clone(found), isTrace)
	for _, trace := range found {
		if !isTrace(trace) {
			continue
		}
		if i := slices.IndexFunc(out, trace.isLeftBy); i >= 0 {
			out[i].addRuns(trace.Runs)
		} else {
			out = append(out, trace)
		}
	}
	return out
}

// isLeftBy reports whether a write seen out of bounds explains a canary.
func (f *Finding) isLeftBy(write Finding) bool {
	return write.Message.Code == CodeOutOfBounds && write.writes && write.array != arrayName{} &&
		write.array == f.array && write.key.kernel == f.key.kernel
}

// addRuns adds the runs that are not there yet.
func (f *Finding) addRuns(runs []RunName) {
	for _, r := range runs {
		if i := slices.IndexFunc(f.Runs, r.equal); i >= 0 {
			f.Runs[i].Orders += r.Orders
		} else {
			f.Runs = append(f.Runs, r)
		}
	}
}
