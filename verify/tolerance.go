package verify

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
)

// Tolerance describes how far outputs may be apart. The zero Tolerance asks for equal bits.
type Tolerance struct {
	// Abs and Rel are how far floating-point values may be.
	Abs float64 `json:"abs"`
	Rel float64 `json:"rel"` // of the original's value
	// Except is a regular expression: lines of standard output that it matches in both
	// runs are not compared. "" compares all.
	Except string `json:"except,omitempty"`
}

// Excepts reports whether a line is one that is not compared.
func (t Tolerance) Excepts(line []byte) bool {
	if t.Except == "" {
		return false
	}
	found, err := regexp.Match(t.Except, bytes.TrimRight(line, "\r\n"))
	return found && err == nil
}

// IsZero reports whether values must be equal to the bit.
func (t Tolerance) IsZero() bool { return t.Abs == 0 && t.Rel == 0 }

// equal compares a value with the original's. NaN equals NaN, and an infinity itself.
func (t Tolerance) equal(got, want float64) bool {
	switch {
	case math.IsNaN(got) || math.IsNaN(want):
		return math.IsNaN(got) && math.IsNaN(want)
	case got == want:
		return true
	case math.IsInf(got, 0) || math.IsInf(want, 0):
		return false
	}
	return math.Abs(got-want) <= t.Abs+t.Rel*math.Abs(want)
}

// decimal is a number with a fraction or an exponent in printed text. Whole
// numbers are counts and indices: a tolerance does not apply to them.
var decimal = regexp.MustCompile(`[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?:[eE]))(?:[eE]?[-+]?[0-9]+)?|[-+]?(?:nan|inf)\b`)

// EqualLines compares two lines of printed text: the words must be equal, the numbers nearly so.
func (t Tolerance) EqualLines(got, want []byte) bool {
	if bytes.Equal(got, want) {
		return true
	}
	if t.Excepts(got) && t.Excepts(want) {
		return true
	}
	if t.IsZero() {
		return false
	}
	g, w := decimal.FindAllIndex(got, -1), decimal.FindAllIndex(want, -1)
	if len(g) != len(w) {
		return false
	}
	atG, atW := 0, 0
	for i := range g {
		if !bytes.Equal(got[atG:g[i][0]], want[atW:w[i][0]]) {
			return false
		}
		x, errX := strconv.ParseFloat(string(got[g[i][0]:g[i][1]]), 64)
		y, errY := strconv.ParseFloat(string(want[w[i][0]:w[i][1]]), 64)
		if errX != nil || errY != nil || !t.equal(x, y) {
			return false
		}
		atG, atW = g[i][1], w[i][1]
	}
	return bytes.Equal(got[atG:], want[atW:])
}
