package parser

import "sort"

// hideQualifierGroups returns marks that hide the directives of each #if group
// that is decided and holds nothing but qualifiers, as in
//
//	#ifdef __CUDACC__
//	__host__ __device__
//	#endif
//	inline float twice(float x)
//
// since the grammar knows no group in front of the rest of a declaration.
func (p *parsing) hideQualifierGroups() (hidden []Mark) {
	for _, g := range groups(p.directives) {
		if g.decided(p.directives, p.file.Macros) && p.onlyQualifiers(g) {
			hidden = append(hidden, g.hide(p.directives, p.file.Macros)...)
		}
	}
	return mergeMarks(hidden)
}

// decided reports whether it is certain which branch of a group is compiled.
func (g group) decided(directives []directive, macros *Macros) bool {
	for _, part := range g.parts[:len(g.parts)-1] {
		v := macros.verdicts[directives[part].start]
		if directives[part].op == opElse || v.known && v.value {
			return true
		}
		if !v.known {
			return false
		}
	}
	return true
}

// onlyQualifiers reports whether the branches of a group are qualifiers, at least
// one, with their arguments, and nothing else.
func (p *parsing) onlyQualifiers(g group) bool {
	first, last := p.directives[g.parts[0]], p.directives[g.parts[len(g.parts)-1]]
	toks := p.scan.toks
	i := sort.Search(len(toks), func(i int) bool { return int(toks[i].start) >= first.end })
	found, depth := false, 0 // of parentheses, as after __launch_bounds__
	for ; i < len(toks) && int(toks[i].start) < last.start; i++ {
		word := string(p.scan.src[toks[i].start:toks[i].end])
		switch {
		case word == "(" && (found || depth > 0):
			depth++
			continue
		case word == ")" && depth > 0:
			depth--
			continue
		case depth > 0:
			continue
		}
		_, qualifier := keywords[word]
		if toks[i].kind != tokIdent || !qualifier && p.attrs.of(word).use != useAttribute && word != "inline" && word != "static" {
			return false
		}
		found = true
	}
	return found && depth == 0
}
