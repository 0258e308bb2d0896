package harness

import "strings"

// didYouMean returns a line of help with the name nearest to word, or with all
// names where they are few and none is near.
func didYouMean(word string, names []string) string {
	best, cost := "", max(2, len(word)/3)+1
	for _, name := range names {
		if c := editDistance(strings.ToLower(word), strings.ToLower(name)); c < cost {
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

// editDistance counts the bytes to insert, delete or replace between a and b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
