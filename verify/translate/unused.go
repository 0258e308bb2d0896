package translate

import "strings"

// commuting are the functions whose order makes no difference as long as nobody looks at what they return.
var commuting = []string{"atomicAdd", "atomicSub", "atomicMin", "atomicMax", "atomicAnd", "atomicOr", "atomicXor"}

// unusedResults tells the runtime of atomic functions that are called as statements: atomicAdd(&sum, x); With a call among
// the arguments, which might be another atomic function, nothing is reported.
func (t *text) unusedResults(s *stretch) {
	for _, d := range t.file.Definitions() {
		if isCommuting(d.Name) {
			return // a macro, which need not be an expression
		}
	}
	for i := range s.toks {
		if !isCommuting(s.text(i)) || s.punct(i+1) != '(' || !s.beginsStatement(i) {
			continue
		}
		last := s.closing(i + 1)
		if last < 0 || s.punct(last+1) != ';' || !t.runsOnDeviceOnly(s.toks[i].Start) && s.macro == nil {
			continue
		}
		calls := false
		for k := i + 2; k < last; k++ {
			calls = calls || s.isIdent(k) && (s.punct(k+1) == '(' || s.punct(k+1) == '<')
		}
		if !calls {
			t.insert(s.toks[i].Start, "::smux_cpu_result_unused(), ")
		}
	}
}

func isCommuting(name string) bool {
	for _, known := range commuting {
		if base, ok := strings.CutPrefix(name, known); ok && (base == "" || base == "_block" || base == "_system") {
			return true
		}
	}
	return false
}

// beginsStatement reports whether a statement certainly begins at a token.
func (s *stretch) beginsStatement(i int) bool {
	switch s.punct(i - 1) {
	case ';', '{', '}':
		return true
	case ')':
		open := s.opening(i - 1)
		return s.is(open-1, "if") || s.is(open-1, "for") || s.is(open-1, "while")
	}
	return s.is(i-1, "else")
}
