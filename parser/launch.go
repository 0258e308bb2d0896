package parser

// openLaunch is a <<< that waits for its >>>.
type openLaunch struct {
	first, last int // tokens of "<<<"
	depth       int // bracket depth around it
}

// launches masks k<<<g, b>>>(a) as k.f(g, b)  (a). Any other text, such as
// k  (g, b), would turn some launches silently into declarations.
func (o *overlay) launches() {
	var open []openLaunch
	depth := 0
	for i := 0; i < len(o.toks); i++ {
		switch o.punct(i) {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
			for len(open) > 0 && open[len(open)-1].depth > depth {
				open = open[:len(open)-1]
			}
		case ';':
			for len(open) > 0 && open[len(open)-1].depth >= depth {
				open = open[:len(open)-1]
			}
		case '<':
			if last := o.triple(i, '<'); last > 0 && !o.is(i-1, "operator") {
				open = append(open, openLaunch{i, last, depth})
				i = last
			}
		case '>':
			if len(open) == 0 || open[len(open)-1].depth != depth {
				break
			}
			first := i
			last := o.triple(first, '>')
			// In >>>> the first closes a template argument list.
			for last > 0 && o.punct(last+1) == '>' && o.toks[last].end == o.toks[last+1].start {
				first++
				last++
			}
			if last > 0 {
				o.maskLaunch(open[len(open)-1], first, last)
				open = open[:len(open)-1]
				i = last
			}
		}
	}
}

// triple returns the last of three equal bytes from token i on, 0 if there are
// no three. Blanks may stand before the last one only: "<< <".
func (o *overlay) triple(i int, c byte) int {
	if o.punct(i+1) != c || o.punct(i+2) != c || o.toks[i].end != o.toks[i+1].start {
		return 0
	}
	for _, b := range o.src[o.toks[i+1].end:o.toks[i+2].start] {
		if b != ' ' && b != '\t' {
			return 0
		}
	}
	return i + 2
}

func (o *overlay) maskLaunch(l openLaunch, first, last int) {
	start, argStart := int(o.toks[l.first].start), int(o.toks[l.last].end)
	argEnd, end := int(o.toks[first].start), int(o.toks[last].end)
	blank(o.out[start:argStart])
	copy(o.out[argStart-3:], ".f(")
	blank(o.out[argEnd:end])
	o.out[argEnd] = ')'
	o.marks = append(o.marks, Mark{
		Kind: MarkLaunch, Name: "<<<>>>", Start: start, End: end, ArgStart: argStart, ArgEnd: argEnd,
	})
}
