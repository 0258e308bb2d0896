package translate

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// shortLoop is how many tokens a loop may have to count as one that waits.
const shortLoop = 48

// spinLoops lets other threads run in device loops that may wait for one of
// them: while (!ready) {}. Threads of the CPU change only where they ask for
// it, and such a loop, unlike one over atomics, does not. A loop that waits is
// short and counts nothing; others of that kind merely run a little slower.
func (t *text) spinLoops(s *stretch) {
	if s.macro != nil {
		return // its functions are not known
	}
	for i := range s.toks {
		if !s.is(i, "while") || s.punct(i+1) != '(' {
			continue
		}
		last := s.closing(i + 1)
		if last < 0 || s.isIdent(i+2) && s.isIdent(i+3) { // while (int v = …)
			continue
		}
		start, end := s.loop(i, last)
		if end-start > shortLoop || s.counts(start, end) || !t.runsOnDeviceOnly(s.toks[i].Start) {
			continue
		}
		t.insert(s.toks[i+1].End, "::smux_cpu_fence(), (")
		t.insert(s.toks[last].Start, ")")
	}
}

// loop returns the first and last token of the loop whose condition begins
// behind token while and ends at token last.
func (s *stretch) loop(while, last int) (start, end int) {
	if s.punct(last+1) != ';' {
		if s.punct(last+1) == '{' {
			return while, max(last, s.closing(last+1))
		}
		end = last + 1
		for end < len(s.toks) && s.punct(end) != ';' {
			end++
		}
		return while, end
	}
	start = while
	switch {
	case s.punct(while-1) == '}':
		if open := s.opening(while - 1); s.is(open-1, "do") {
			start = open - 1
		}
	case s.punct(while-1) == ';':
		for k := while - 2; k > while-shortLoop && s.punct(k) != ';' && s.punct(k) != '}' && s.punct(k) != '{'; k-- {
			if s.is(k, "do") {
				return k, last + 1
			}
		}
	}
	return start, last + 1
}

// counts reports whether there is an increment or a compound assignment among
// tokens.
func (s *stretch) counts(start, end int) bool {
	for i := start; i < end; i++ {
		c, next := s.punct(i), s.punct(i+1)
		if c == 0 || !s.joined(i) {
			continue
		}
		if (c == '+' || c == '-') && next == c || strings.IndexByte("+-*/%&|^", c) >= 0 && next == '=' {
			return true
		}
		if (c == '<' || c == '>') && next == c && s.joined(i+1) && s.punct(i+2) == '=' {
			return true
		}
	}
	return false
}

// runsOnDeviceOnly reports whether an offset lies in a kernel or device function
// that the host does not call, at compile time neither.
func (t *text) runsOnDeviceOnly(offset int) bool {
	f := t.functionAt(offset)
	if f == nil || f.Quals&(parser.QualGlobal|parser.QualDevice) == 0 || f.Quals&parser.QualHost != 0 {
		return false
	}
	return !strings.Contains(string(t.file.Src[f.Start:f.Body.Start]), "constexpr")
}
