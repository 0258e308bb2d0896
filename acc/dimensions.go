package acc

import (
	"regexp"
	"strings"
)

// RoseACC numbers the dimensions of gangs and workers: gang[1] worker[1] on one loop,
// gang[0] worker[0] on the next, and num_gangs[0](n/8) on the construct. Loops of a nest
// have dimensions of their own here without that.
var (
	sizeOfDimension = regexp.MustCompile(`\b(num_gangs|num_workers)\[\d\]\([^()]*\)`)
	dimension       = regexp.MustCompile(`\b(gang|worker)\[\d\]`)
)

// withoutDimensions blanks the numbers of dimensions, and the sizes of single ones, which
// are smux's choice. The text keeps its length.
func withoutDimensions(text string) string {
	if !strings.ContainsAny(text, "[") {
		return text
	}
	text = sizeOfDimension.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
	return dimension.ReplaceAllStringFunc(text, func(s string) string { return s[:len(s)-3] + "   " })
}
