package parser

// inlineAsm masks asm("…" : outputs : inputs : clobbers) as a call with all of them as arguments: the grammar takes
// only plain names as outputs. The name's 'a' goes, so that the grammar does not know it. It returns the last token,
// or -1 where this is not such a statement.
func (w *walker) inlineAsm(i int) int {
	open := i + 1
	for w.is(open, "volatile") || w.is(open, "goto") || w.is(open, "inline") {
		open++
	}
	if w.punct(open) != '(' {
		return -1
	}
	last := w.closing(open)
	if last < 0 {
		return -1
	}
	for at := w.toks[i].start; ; at++ {
		if w.out[at] == 'a' {
			w.out[at] = '_'
			break
		}
	}
	blank(w.out[w.toks[i].end:w.toks[open].start])
	w.asmOperands(open+1, last)
	w.fix("asm", i, last)
	w.statement = false
	return last
}

// asmOperands turns the colons among tokens [first, last) into commas, where
// something follows, and blanks [symbolic] names.
func (w *walker) asmOperands(first, last int) {
	colon, depth := -1, 0
	for j := first; j < last; j++ {
		c := w.punct(j)
		if depth == 0 && c == ':' {
			w.blankTokens(j, j)
			if colon < 0 {
				colon = j
			}
			continue
		}
		if colon >= 0 && j > first {
			w.out[w.toks[colon].start] = ','
			colon = -1
		}
		switch {
		case depth == 0 && c == '[':
			end := w.closing(j)
			if end < 0 || end >= last {
				return
			}
			w.blankTokens(j, end)
			j = end
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
	}
}
