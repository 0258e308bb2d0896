package diag

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest returns up to three of the names that a person who wrote word may have meant, the most likely first.
func Nearest(word string, names []string) []string {
	type candidate struct {
		name string
		cost int
	}
	var close []candidate
	lower := strings.ToLower(word)
	for _, name := range names {
		n := strings.ToLower(name)
		cost := EditDistance(lower, n)
		part := len(lower) > 2 && (strings.Contains(n, lower) || strings.Contains(lower, n))
		if cost <= max(2, len(word)/3) || part {
			close = append(close, candidate{name, cost})
		}
	}
	slices.SortStableFunc(close, func(a, b candidate) int { return a.cost - b.cost })
	var out []string
	for _, c := range close[:min(3, len(close))] {
		if !slices.Contains(out, c.name) {
			out = append(out, c.name)
		}
	}
	return out
}

// DidYouMean is a line of help that names the nearest names, or lists them all after the words of all where none is
// near and they are few; "" where that helps nobody.
func DidYouMean(word string, names []string, all string) string {
	if near := Nearest(word, names); len(near) > 0 {
		return "did you mean " + OrList(near) + "?"
	}
	if len(names) > 0 && len(names) <= 12 {
		return fmt.Sprintf("%s: %s", all, strings.Join(names, ", "))
	}
	return ""
}

// OrList joins quoted names as "a", "b" or "c".
func OrList(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// AndList is "a", "a and b" or "a, b and c".
func AndList(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
