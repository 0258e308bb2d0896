package verify

import (
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/locate"
)

// key identifies a finding, apart from the threads that showed it: the same
// defect of the original and of its rewrite have keys that match.
type key struct {
	code     diag.Code
	kernel   string // without template arguments
	variable string // of shared memory; a global array has no name that both programs share
	sides    []side // the accesses of a race, the places at which threads wait, else one place
}

// side is one place of a finding, in lines of the original.
type side struct {
	lines lineRange
	kind  string // "read", "write", "atomic read", "atomic write"; "" if nothing is accessed
	// Of an access of a race: a line may have several. A rewrite may have it elsewhere in the line.
	column int
}

func (s side) matches(o side) bool {
	return s.kind == o.kind && s.lines.file == o.lines.file && s.lines.first <= o.lines.last && o.lines.first <= s.lines.last
}

// keyOf returns the key of a finding of the program that places belongs to.
func keyOf(f *execute.Finding, p *places) key {
	kernel, _, _ := strings.Cut(f.Kernel, "<") // a rewrite may add template arguments
	k := key{code: f.Code, kernel: strings.TrimSpace(kernel)}
	switch f.Space {
	case "shared":
		if k.variable = f.Variable; !strings.HasPrefix(k.variable, "smux_shared") { // a union of several arrays
			k.variable = strings.TrimPrefix(k.variable, "smux_") // copies of one
		}
	case "host":
		k.variable = f.Space // not what a null pointer does on the same line
	}
	k.sides = []side{{lines: linesOf(f.Frames, p)}}
	if isRace(f) {
		k.sides = []side{accessOf(f.Frames, f.Manner, p)}
		if f.Other != nil {
			k.sides = append(k.sides, accessOf(f.Other.Frames, f.Other.Manner, p))
		}
	}
	if f.Code == CodeStackOverflow || f.Code == CodeBarrierDivergence && len(f.Waiters) == 0 {
		k.sides = nil // where it happens depends on the sizes of frames, so on the build, or on which barrier threads miss first
	}
	if len(f.Waiters) > 0 && f.Code != reportSpin { // one thread spins, wherever the others are
		k.sides = nil
		for _, w := range f.Waiters {
			if len(w.Frames) > 0 { // otherwise it has not begun, or has ended
				k.sides = append(k.sides, side{lines: linesOf(w.Frames, p)})
			}
		}
		slices.SortFunc(k.sides, func(a, b side) int { return a.lines.compare(b.lines) })
		k.sides = slices.Compact(k.sides)
	}
	return k
}

func accessOf(frames []locate.Frame, m execute.Manner, p *places) side {
	s := side{lines: linesOf(frames, p), kind: accessKind(m)}
	if len(frames) > 0 {
		s.column = frames[0].Column
	}
	return s
}

func accessKind(m execute.Manner) string {
	kind := "read"
	if m.Write {
		kind = "write"
	}
	if m.Atomic {
		kind = "atomic " + kind
	}
	if m.Volatile {
		kind = "volatile " + kind
	}
	return kind
}

func isRace(f *execute.Finding) bool {
	return f.Code == CodeRace || f.Code == CodeVolatileRace || f.Code == CodeStreamRace
}

// linesOf returns the lines of the innermost frame.
func linesOf(frames []locate.Frame, p *places) lineRange {
	if len(frames) == 0 {
		return lineRange{}
	}
	return p.lines(frames[0].File, frames[0].Line)
}

// matches reports whether a finding of a rewrite is one that the original has, too. The two accesses of a race may
// come in either order; of the places at which threads wait each must be one at which they wait in the original.
func (k key) matches(original key) bool {
	if k.code != original.code || k.kernel != original.kernel || k.variable != original.variable {
		return false
	}
	if len(k.sides) == 2 && len(original.sides) == 2 {
		a, b, o := k.sides[0], k.sides[1], original.sides
		return a.matches(o[0]) && b.matches(o[1]) || a.matches(o[1]) && b.matches(o[0])
	}
	return !slices.ContainsFunc(k.sides, func(s side) bool { return !slices.ContainsFunc(original.sides, s.matches) })
}

// equal reports whether two findings of one program are the same one.
func (k key) equal(o key) bool {
	return k.code == o.code && k.kernel == o.kernel && k.variable == o.variable &&
		(slices.Equal(k.sides, o.sides) ||
			len(k.sides) == 2 && len(o.sides) == 2 && k.sides[0] == o.sides[1] && k.sides[1] == o.sides[0])
}

// isSameValue reports a race in which both threads write the same value: no order of the two changes anything.
func isSameValue(f *execute.Finding) bool {
	return isRace(f) && strings.Contains(f.Text, "same value")
}
