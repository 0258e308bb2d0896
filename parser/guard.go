package parser

// guardIndex returns the index of the #ifndef that guards the whole file against being read twice, -1 if there is
// none. All code of such a file stands inside; where there is nothing but the definition, it is a default value.
func guardIndex(directives []directive, toks []token) int {
	first := 0
	for first < len(directives) && (directives[first].op == opOther || directives[first].op == opPragmaOnce) {
		first++
	}
	if !definesItsName(directives[first:]) {
		return -1
	}
	depth := 0
	for i := first; i < len(directives); i++ {
		switch directives[i].op {
		case opIf, opIfdef, opIfndef:
			depth++
		case opElse, opElif, opElifdef, opElifndef:
			if depth == 1 {
				return -1
			}
		case opEndif:
			if depth--; depth == 0 {
				for _, d := range directives[i+1:] {
					if d.op != opOther {
						return -1
					}
				}
				if i == first+2 && len(toks) == 0 || !encloses(directives[first].start, directives[i].end, toks) {
					return -1
				}
				return first
			}
		}
	}
	return -1
}

// encloses reports whether all tokens lie within the range.
func encloses(start, end int, toks []token) bool {
	return len(toks) == 0 || int(toks[0].start) >= start && int(toks[len(toks)-1].end) <= end
}

// definesItsName reports whether the directives begin with #ifndef X and
// #define X.
func definesItsName(directives []directive) bool {
	if len(directives) < 2 || directives[1].op != opDefine {
		return false
	}
	name := ""
	switch d := directives[0]; d.op {
	case opIfndef:
		name = d.name
	case opIf:
		if n, sense := definedTest(d.text); !sense {
			name = n
		}
	}
	return name != "" && name == directives[1].name
}

// isEmptyGuard recognises #ifndef X, #define X without a body, wherever it stands.
func isEmptyGuard(directives []directive) bool {
	if !definesItsName(directives) {
		return false
	}
	m := defineMacro(directives[1], "")
	return m != nil && m.Body == "" && !m.FunctionLike
}
