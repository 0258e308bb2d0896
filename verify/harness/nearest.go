package harness

import (
	"strings"

	"github.com/smux-cuda/smux/diag"
)

// didYouMean returns a line of help with the name nearest to word, or with all
// names where they are few and none is near.
func didYouMean(word string, names []string) string {
	best, cost := "", max(2, len(word)/3)+1
	for _, name := range names {
		if c := diag.EditDistance(strings.ToLower(word), strings.ToLower(name)); c < cost {
			best, cost = name, c
		}
	}
	switch {
	case best != "":
		return "did you mean \"" + best + "\"?"
	case len(names) > 0 && len(names) <= 12:
		return "there are: " + strings.Join(names, ", ")
	}
	return ""
}
