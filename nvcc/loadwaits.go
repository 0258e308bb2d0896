package nvcc

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var registerForm = regexp.MustCompile(`\bR([0-9]+)\b`)

// flight is a load from global memory whose result nothing has used yet.
type flight struct {
	at       int // of the instruction
	from, to int // registers
	together int // the most that were under way at once, itself included
}

// loadWaits returns how much of a wait for global memory each load stands for: one over
// the loads that are under way with it, until the first instruction that needs its result.
// So a batch that comes back together adds up to one wait, and a loop that loads ahead to
// as few as it keeps many under way. The code is read as it stands: a load at the end
// of a loop that is used at its top is taken to be under way after the loop.
func (f *function) loadWaits() []float64 {
	waits := make([]float64, len(f.instructions))
	var out []flight
	for i := range f.instructions {
		in := &f.instructions[i]
		isLoad := classOf(in.opcode) == globalLoad
		if !isLoad && len(out) == 0 {
			continue
		}
		used := registersOf(in.operands)
		kept := out[:0]
		for _, l := range out {
			if slices.ContainsFunc(used, func(r int) bool { return r >= l.from && r < l.to }) {
				waits[l.at] = 1 / float64(l.together)
			} else {
				kept = append(kept, l)
			}
		}
		out = kept
		if !isLoad {
			continue
		}
		to, _, _ := strings.Cut(in.operands, ",")
		l := flight{at: i, from: -1, to: -1}
		if r := registersOf(to); len(r) > 0 {
			l.from, l.to = r[0], r[0]+max(1, width(in.opcode)/4)
		}
		out = append(out, l)
		for j := range out {
			out[j].together = max(out[j].together, len(out))
		}
	}
	for _, l := range out {
		waits[l.at] = 1 / float64(l.together)
	}
	return waits
}

func registersOf(operands string) (out []int) {
	for _, m := range registerForm.FindAllStringSubmatch(operands, -1) {
		r, _ := strconv.Atoi(m[1])
		out = append(out, r)
	}
	return out
}
