package diff

// Change says that lines [ALo, AHi) of one text became lines [BLo, BHi) of
// another, counted from 0. One of the two may be empty.
type Change struct{ ALo, AHi, BLo, BHi int }

// Changes returns what turns a into b, line by line: sorted, disjoint, and
// separated by at least one equal line. Each line ends in a newline. They are
// compared as they are; a caller that does not care about indentation trims
// them first.
func Changes(a, b []string) []Change {
	var out []Change
	for _, c := range changes(a, b) {
		out = append(out, Change{c.aLo, c.aHi, c.bLo, c.bHi})
	}
	return out
}
