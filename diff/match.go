package diff

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

const (
	// maxDistinct is the number of distinct lines that go-diff can number: it maps each
	// to a Unicode code point and panics where these run out (1,112,060).
	maxDistinct = 1_000_000
	// patientLines is the number of lines up to which the shortest edit script is searched for without a time limit.
	patientLines = 100_000
	// hurry is the time limit beyond patientLines; where it runs out the diff is still right, just not the shortest.
	hurry = 5 * time.Second
)

// Change says that lines [ALo, AHi) of one text became lines [BLo, BHi) of
// another, counted from 0. One of the two may be empty.
type Change struct{ ALo, AHi, BLo, BHi int }

// splitLines cuts text after each newline. Only the last line can lack one.
func splitLines(text []byte) []string { return slices.Collect(strings.Lines(string(text))) }

// Changes returns what turns a into b, line by line: sorted, disjoint, and separated by at least one equal line. Each
// line ends in a newline. They are compared as they are; a caller that does not care about indentation trims them
// first.
func Changes(a, b []string) []Change {
	keepA, keepB, distinct := common(a, b)
	if distinct > maxDistinct {
		return trim(a, b)
	}
	var (
		cs   []Change
		i, j int // the next line of a and b that is not accounted for
	)
	match := func(x, y int) {
		if x > i || y > j {
			cs = append(cs, Change{i, x, j, y})
		}
		i, j = x+1, y+1
	}
	for _, p := range align(a, b, keepA, keepB) {
		match(p[0], p[1])
	}
	match(len(a), len(b))
	return slideDown(a, b, cs)
}

// common lists the lines of a that also occur in b and the other way round, and counts how many distinct ones there
// are. A line on one side alone can match nothing, so leaving it out changes no answer and makes the search for two
// unrelated files short.
func common(a, b []string) (keepA, keepB []int, distinct int) {
	const inA, inB = 1, 2
	sides := make(map[string]uint8, len(a))
	for _, line := range a {
		sides[line] = inA
	}
	for _, line := range b {
		sides[line] |= inB
	}
	for i, line := range a {
		if sides[line] == inA|inB {
			keepA = append(keepA, i)
		}
	}
	for j, line := range b {
		if sides[line] == inA|inB {
			keepB = append(keepB, j)
		}
	}
	for _, s := range sides {
		if s == inA|inB {
			distinct++
		}
	}
	return keepA, keepB, distinct
}

// align returns the pairs of equal lines of a longest common subsequence, as indices into a and b.
func align(a, b []string, keepA, keepB []int) [][2]int {
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0
	if len(keepA)+len(keepB) > patientLines {
		dmp.DiffTimeout = hurry
	}
	ra, rb, _ := dmp.DiffLinesToRunes(pick(a, keepA), pick(b, keepB))
	var (
		pairs [][2]int
		i, j  int
	)
	for _, d := range dmp.DiffMainRunes(ra, rb, false) {
		// One rune is one line; which rune stands for which line is go-diff's
		// business, only their number matters here.
		n := utf8.RuneCountInString(d.Text)
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			i += n
		case diffmatchpatch.DiffInsert:
			j += n
		case diffmatchpatch.DiffEqual:
			for ; n > 0; n-- {
				pairs = append(pairs, [2]int{keepA[i], keepB[j]})
				i++
				j++
			}
		}
	}
	return pairs
}

// pick joins the lines with the given indices.
func pick(lines []string, indices []int) string {
	var sb strings.Builder
	for _, i := range indices {
		sb.WriteString(lines[i])
	}
	return sb.String()
}

// trim returns the edit script of last resort: everything between the common start and the common end is replaced.
func trim(a, b []string) []Change {
	lo := 0
	for lo < len(a) && lo < len(b) && a[lo] == b[lo] {
		lo++
	}
	hi := 0
	for hi < len(a)-lo && hi < len(b)-lo && a[len(a)-1-hi] == b[len(b)-1-hi] {
		hi++
	}
	if lo+hi == len(a) && lo+hi == len(b) {
		return nil
	}
	return []Change{{lo, len(a) - hi, lo, len(b) - hi}}
}

// slideDown moves each pure insertion or deletion as far down as it goes without changing its meaning, as git does:
// an inserted function then shows its own closing brace and not that of its predecessor. Changes that come to touch
// are joined.
func slideDown(a, b []string, cs []Change) []Change {
	var out []Change
	for k, c := range cs {
		limit := len(a)
		if k+1 < len(cs) {
			limit = cs[k+1].ALo
		}
		// The equal lines after the change are a[c.AHi:limit] in a and as many from b[c.BHi] on in b.
		for c.AHi < limit && ((c.ALo == c.AHi && b[c.BLo] == b[c.BHi]) ||
			(c.BLo == c.BHi && a[c.ALo] == a[c.AHi])) {
			c.ALo++
			c.AHi++
			c.BLo++
			c.BHi++
		}
		if n := len(out); n > 0 && out[n-1].AHi == c.ALo && out[n-1].BHi == c.BLo {
			out[n-1].AHi, out[n-1].BHi = c.AHi, c.BHi
			continue
		}
		out = append(out, c)
	}
	return out
}
