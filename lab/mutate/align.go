package mutate

import (
	"bytes"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diff"
	"github.com/smux-cuda/smux/parser"
)

// Alignment says where the pieces of an original text are in the text that was emitted for it.
type Alignment struct {
	before, after []word
	to            []int // for each token of the original, that of the emitted text, -1 for none
}

// word is a token with its text.
type word struct {
	parser.Token
	text string
}

func words(text string) (out []word) {
	src := []byte(text)
	for _, t := range parser.TokensBetween(src, 0, len(src)) {
		out = append(out, word{t, text[t.Start:t.End]})
	}
	return out
}

// Align aligns two texts by their longest common sequence of names, numbers and literals:
// punctuation is found beside these. What the emitted text has of the runtime is nothing of the original.
func Align(before, after []byte) *Alignment {
	a := &Alignment{before: words(string(before)), after: words(string(after))}
	names := func(of []word, start, end int) (lines []string, at []int) {
		for i, w := range of {
			if w.Kind != parser.TokenPunct && !(start <= w.Start && w.Start < end) {
				lines, at = append(lines, asOperand(of, i)+"\n"), append(at, i)
			}
		}
		return lines, at
	}
	x, original := names(a.before, 0, 0)
	y, target := names(a.after, bytes.Index(after, []byte("#ifndef SMUX_")), bytes.LastIndex(after, []byte("#endif  // SMUX_")))
	a.to = make([]int, len(a.before))
	for i := range a.to {
		a.to[i] = -1
	}
	i, j := 0, 0
	for _, c := range append(diff.Changes(x, y), diff.Change{ALo: len(x), AHi: len(x), BLo: len(y), BHi: len(y)}) {
		for ; i < c.ALo; i, j = i+1, j+1 {
			a.to[original[i]] = target[j]
		}
		i, j = c.AHi, c.BHi
	}
	return a
}

// asOperand returns the text of a word, for a number with the operator before it, or the template: the 4 of "k<4>" and
// that of "x / 4" are not the same.
func asOperand(of []word, i int) string {
	text := of[i].text
	if i == 0 || text[0] < '0' || text[0] > '9' {
		return text
	}
	switch before := of[i-1].text; {
	case before == "<" && i > 1:
		return of[i-2].text + before + text
	case strings.Contains("+-*/%", before):
		return before + text
	}
	return text
}

// rangeWithin is rangeOf, found by a wider range where the emitted text holds its tokens once.
func (a *Alignment) rangeWithin(start, end int, within [2]int) (int, int, bool) {
	var wanted []string
	first, last := -1, 0 // of the range, among the wanted
	for _, w := range a.before {
		if w.Start < within[0] || w.End > within[1] {
			continue
		}
		if w.Start >= start && w.End <= end {
			if first < 0 {
				first = len(wanted)
			}
			last = len(wanted)
		}
		wanted = append(wanted, w.text)
	}
	var found []int
	for i := range len(a.after) - len(wanted) + 1 {
		if first >= 0 && slices.EqualFunc(a.after[i:i+len(wanted)], wanted, func(w word, text string) bool { return w.text == text }) {
			found = append(found, i)
		}
	}
	if len(found) != 1 {
		return a.rangeOf(start, end)
	}
	return a.after[found[0]+first].Start, a.after[found[0]+last].End, true
}

// rangeOf returns where the bytes start to end of the original are in the emitted text. These hold the
// same tokens there.
func (a *Alignment) rangeOf(start, end int) (int, int, bool) {
	first, last := -1, -1
	for i, w := range a.before {
		if w.Start >= start && w.End <= end {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return 0, 0, false
	}
	offset, known := 0, false
	for i := first; i <= last; i++ {
		if a.to[i] >= 0 && (!known || a.to[i] == i+offset) {
			offset, known = a.to[i]-i, true
		} else if a.before[i].Kind != parser.TokenPunct {
			return 0, 0, false
		}
	}
	if !known || first+offset < 0 || last+offset >= len(a.after) {
		return 0, 0, false
	}
	for i := first; i <= last; i++ {
		if a.after[i+offset].text != a.before[i].text {
			return 0, 0, false
		}
	}
	return a.after[first+offset].Start, a.after[last+offset].End, true
}
