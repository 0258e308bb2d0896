package page

import "strings"

// pair is a line of the text before and the one of the text after that stands beside
// it, by their indices; -1 for none.
type pair struct{ a, b int }

// mostPairs bounds the table of pairs; larger changes are paired from the top.
const mostPairs = 40_000

// pairs puts the lines of two texts beside each other, in order: those that are most
// alike together, and between these from the top.
func pairs(a, b []string) []pair {
	var out []pair
	i, j := 0, 0
	upTo := func(toA, toB int) {
		for i < toA || j < toB {
			p := pair{-1, -1}
			if i < toA {
				p.a, i = i, i+1
			}
			if j < toB {
				p.b, j = j, j+1
			}
			out = append(out, p)
		}
	}
	for _, p := range alike(a, b) {
		upTo(p.a, p.b)
		out, i, j = append(out, p), p.a+1, p.b+1
	}
	upTo(len(a), len(b))
	return out
}

// alike returns the pairs of lines in order whose likenesses have the largest sum.
func alike(a, b []string) []pair {
	if len(a) == 0 || len(b) == 0 || len(a)*len(b) > mostPairs {
		return nil
	}
	like := make([][]float64, len(a))
	best := make([][]float64, len(a)+1) // of the lines from i and j on
	best[len(a)] = make([]float64, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		like[i], best[i] = make([]float64, len(b)), make([]float64, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			like[i][j] = likeness(a[i], b[j])
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if like[i][j] > 0 {
				best[i][j] = max(best[i][j], best[i+1][j+1]+like[i][j])
			}
		}
	}
	var out []pair
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch best[i][j] {
		case best[i+1][j]:
			i++
		case best[i][j+1]:
			j++
		default:
			out = append(out, pair{i, j})
			i, j = i+1, j+1
		}
	}
	return out
}

// likeness returns how much of two lines is the same at their ends, of the longer one; 0 for
// lines that have less than half of the shorter one in common.
func likeness(a, b string) float64 {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	short, long := min(len(a), len(b)), max(len(a), len(b))
	if short < 3 { // a brace is like any other
		return 0
	}
	prefix, suffix := 0, 0
	for prefix < short && a[prefix] == b[prefix] {
		prefix++
	}
	for suffix < short-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	if 2*(prefix+suffix) < short {
		return 0
	}
	return float64(prefix+suffix) / float64(long)
}
