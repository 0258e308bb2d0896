package translate

import (
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// argumentRanges returns the tokens [start, end) of each argument of a launch;
// nil where the arguments are not in view.
func (t *text) argumentRanges(s *stretch, m launchMarks, view *parser.Launch) (out []span) {
	open := m.closing + 1
	end := -1
	if s.punct(open) == '(' {
		end = s.closing(open)
	}
	if end < 0 {
		return nil
	}
	if view == nil {
		return s.splitArguments(open+1, end)
	}
	for c := view.Args.FirstNamed(); c != nil; c = c.NextNamed() {
		first := s.tokenAt(int(c.Start))
		if first < 0 {
			return s.splitArguments(open+1, end)
		}
		last := first
		for last < end && s.toks[last].Start < int(c.End) {
			last++
		}
		out = append(out, span{first, last})
	}
	return out
}

// splitArguments splits tokens [start, end) at commas outside of brackets and template arguments.
func (s *stretch) splitArguments(start, end int) (out []span) {
	first := start
	for i := start; i < end; i++ {
		switch s.punct(i) {
		case '(', '[', '{':
			if e := s.closing(i); e > 0 && e < end {
				i = e
			}
		case '<':
			// A name, and after the '>' what can't follow a comparison.
			if e := s.closingAngle(i); e > 0 && e < end && s.isIdent(i-1) && strings.IndexByte("({:,)", s.punct(e+1)) >= 0 && s.punct(e+1) != 0 {
				i = e
			}
		case ',':
			out = append(out, span{first, i})
			first = i + 1
		}
	}
	if first < end {
		out = append(out, span{first, end})
	}
	return out
}

// literalArguments returns the parameters and the call's arguments of a lambda
// that keeps literals to itself; ok is false where there are none to keep.
func (t *text) literalArguments(s *stretch, lists []span) (parameters, arguments string, ok bool) {
	var params, args []string
	for i, l := range lists {
		if l.start >= l.end {
			return "", "", false
		}
		pack := s.isPack(l)
		if pack && i < len(lists)-1 {
			return "", "", false // only the last parameter can be a pack
		}
		name := "smux_" + strconv.Itoa(i+1)
		switch {
		case pack:
			params = append(params, "auto &..."+name)
			args = append(args, passed+"("+name+")...")
		case s.staysLiteral(l) && t.free(s.toks[l.start].Start, s.toks[l.end-1].End):
			ok = true
			params = append(params, "auto &")
			args = append(args, s.line(l.start, l.end-1))
		default:
			params = append(params, "auto &"+name)
			args = append(args, passed+"("+name+")")
		}
	}
	if !ok {
		return "", "", false
	}
	for _, l := range lists {
		if s.punct(l.start) == '{' && s.staysLiteral(l) {
			// No parameter can be deduced from a list. 0 stands in for it.
			t.cover(s, s.toks[l.start].Start, s.toks[l.end-1].End, "0")
		}
	}
	return strings.Join(params, ", "), strings.Join(args, ", "), true
}

// isPack reports whether an argument stands for any number of them.
func (s *stretch) isPack(l span) bool {
	if s.punct(l.end-1) == '.' && s.punct(l.end-2) == '.' {
		return true
	}
	for i := l.start; i < l.end; i++ {
		if s.is(i, "__VA_ARGS__") || s.macro != nil && s.macro.Variadic && s.is(i, s.macro.Params[len(s.macro.Params)-1]) {
			return true
		}
	}
	// A macro's parameter may even be nothing.
	return false
}

// staysLiteral reports whether an argument is a literal that a variable of its type can't replace.
func (s *stretch) staysLiteral(l span) bool {
	if s.punct(l.start) == '{' {
		return s.closing(l.start) == l.end-1
	}
	switch tok := s.toks[l.start]; tok.Kind {
	case parser.TokenLiteral:
		return s.src[tok.End-1] == '"' && allLiterals(s, l)
	case parser.TokenNumber:
		return l.end == l.start+1 && isZero(s.text(l.start))
	}
	return l.end == l.start+1 && (s.is(l.start, "NULL") || s.is(l.start, "nullptr"))
}

func allLiterals(s *stretch, l span) bool {
	for i := l.start; i < l.end; i++ {
		if s.toks[i].Kind != parser.TokenLiteral {
			return false
		}
	}
	return true
}

// isZero reports whether an integer literal is 0, and so a null pointer.
func isZero(text string) bool {
	digits := strings.TrimRight(text, "uUlL")
	n, err := strconv.ParseUint(strings.ReplaceAll(digits, "'", ""), 0, 64)
	return err == nil && n == 0
}
