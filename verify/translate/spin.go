package translate

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// shortLoop is the largest number of tokens of a loop that counts as one that waits.
const shortLoop = 48

// beforeCondition begins the condition of a loop that may wait.
const beforeCondition = "::smux_cpu_spin(), ::smux_cpu::spun("

// spinLoops lets other threads run in device loops that may wait for one of them: while (!ready) {}. Threads of the
// CPU change only where they ask for it, and such a loop, unlike one over atomics, does not. A loop that waits is
// short and counts nothing; others of that kind merely run a little slower.
func (t *text) spinLoops(s *stretch) {
	if s.macro != nil {
		return // its functions are not known
	}
	for i := range s.toks {
		if s.is(i, "for") && s.punct(i+1) == '(' {
			t.spinFor(s, i)
			continue
		}
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
		if start < i && s.punct(start+1) == '{' { // of a do loop, whose body comes first
			t.insert(s.toks[start+1].End, " ::smux_cpu_spin();")
		}
		t.insert(s.toks[i+1].End, beforeCondition)
		t.insert(s.toks[last].Start, ")")
	}
}

// spinFor is spinLoops for a for loop: for (;;) { if (ready) break; }
func (t *text) spinFor(s *stretch, i int) {
	last := s.closing(i + 1)
	if last < 0 {
		return
	}
	var semicolons []int
	for k := i + 2; k < last; k++ {
		switch s.punct(k) {
		case '(', '[', '{':
			if k = s.closing(k); k < 0 {
				return
			}
		case ';':
			semicolons = append(semicolons, k)
		}
	}
	if len(semicolons) != 2 {
		return // over a range
	}
	from, to := semicolons[0], semicolons[1]
	_, end := s.loop(i, last)
	if end-i > shortLoop || s.counts(i, end) || from+2 < to && s.isIdent(from+1) && s.isIdent(from+2) || !t.runsOnDeviceOnly(s.toks[i].Start) {
		return
	}
	if from+1 == to {
		t.insert(s.toks[from].End, " ::smux_cpu_spin(), true")
		return
	}
	t.insert(s.toks[from].End, " "+beforeCondition)
	t.insert(s.toks[to].Start, ")")
}

// loop returns the first and last token of the loop whose condition begins after token while and ends at token last.
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

// counts reports whether something is changed among tokens, by an increment or a compound assignment, and looked at:
// a loop that merely counts how long it waits does not.
func (s *stretch) counts(start, end int) bool {
	for i := start; i < end; i++ {
		width := s.changes(i)
		if width == 0 {
			continue
		}
		name := i - 1
		if !s.isIdent(name) { // ++n
			name = i + width
		}
		if !s.isIdent(name) || s.mentioned(s.text(name), start, end) > 1 {
			return true
		}
		i += width - 1
	}
	return false
}

// changes returns how many tokens an increment or a compound assignment has that begins at
// a token, 0 where there is none.
func (s *stretch) changes(i int) int {
	c, next := s.punct(i), s.punct(i+1)
	switch {
	case c == 0 || !s.joined(i):
	case (c == '+' || c == '-') && next == c || strings.IndexByte("+-*/%&|^", c) >= 0 && next == '=':
		return 2
	case (c == '<' || c == '>') && next == c && s.joined(i+1) && s.punct(i+2) == '=':
		return 3
	}
	return 0
}

// mentioned returns how often a name stands among tokens.
func (s *stretch) mentioned(name string, start, end int) (n int) {
	for i := start; i < end; i++ {
		if s.is(i, name) {
			n++
		}
	}
	return n
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
