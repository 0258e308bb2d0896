package parser

// qualifiers blanks CUDA qualifiers and attribute-like user macros, and drops
// their tokens, so that later passes see what the grammar sees.
func (o *overlay) qualifiers() {
	live := o.toks
	kept := 0 // live[:kept] stay; shared with toks until the first one goes
	copied := false
	for i := 0; i < len(o.toks); i++ {
		last := -1
		if o.toks[i].kind == tokIdent {
			last = o.qualifier(i)
		}
		if last < 0 {
			if copied {
				live = append(live, o.toks[i])
			}
			kept++
			continue
		}
		if !copied {
			live = append(make([]token, 0, len(o.toks)), o.toks[:kept]...)
			copied = true
		}
		i = last
	}
	o.toks = live
}

// qualifier masks the qualifier at token i and returns its last token, -1 if token i stays.
func (o *overlay) qualifier(i int) int {
	w := o.word(i)
	if isKeywordCandidate(w) {
		if k, ok := keywords[string(w)]; ok {
			return o.maskQualifier(i, Mark{Kind: MarkQualifier, Name: string(w), Quals: k.quals}, k.args == withArgs)
		}
	}
	if o.attrs == nil {
		return -1
	}
	a := o.attrs.of(string(w))
	switch {
	case a.use == useAttribute:
		if a.function && o.punct(i+1) != '(' {
			return -1
		}
		return o.maskQualifier(i, Mark{Kind: MarkMacro, Name: string(w), Quals: a.quals}, a.function)
	case a.use == useTyped:
		m := Mark{Kind: MarkMacro, Name: string(w), Quals: a.quals, Start: int(o.toks[i].start), End: int(o.toks[i].end)}
		o.marks = append(o.marks, m)
	}
	return -1
}

func (o *overlay) maskQualifier(i int, m Mark, args bool) int {
	last := i
	if args && o.punct(i+1) == '(' {
		if last = o.closing(i + 1); last < 0 {
			return -1
		}
		m.ArgStart, m.ArgEnd = int(o.toks[i+1].end), int(o.toks[last].start)
	}
	m.Start, m.End = int(o.toks[i].start), int(o.toks[last].end)
	o.blankTokens(i, last)
	o.marks = append(o.marks, m)
	return last
}
