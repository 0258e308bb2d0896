package translate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/parser"
)

// A launch k<T><<<g, b>>>(x, y) becomes
//
//	[&](auto ...smux_v) { ::smux_cpu::launch(::smux_cpu::config(g, b), "k<T>",
//	    [&](auto &...smux_a) { k<T>(::smux_cpu::passed(smux_a)...), ::smux_cpu::left<decltype(smux_v)...>(); }, smux_v...); }(x, y)
//
// on its line. Configuration and arguments stay where they are. The outer lambda takes the arguments by value, as the
// device does: they are evaluated once, a constant needs no address, and an empty __VA_ARGS__ or an argument list
// from a macro is not a special case. Each thread calls the inner lambda.
//
// A literal that is more than its value (0 and NULL as null pointers, string
// literals for a char *, braced lists) stays in the inner lambda:
//
//	… [&](auto &smux_1, auto &) { k(smux_1, 0), … } … (x, 0)

// launchMarks are the tokens of one <<<…>>>.
type launchMarks struct {
	open, opened   int // first and last token of "<<<"
	close, closing int // first and last token of ">>>"
}

// launches translates the launches of a stretch.
func (t *text) launches(s *stretch) {
	for _, m := range findLaunches(s) {
		t.launch(s, m)
	}
}

// findLaunches matches each <<< with its >>>: of equal depth in brackets, with no ';' between.
func findLaunches(s *stretch) (out []launchMarks) {
	type opened struct{ first, last, depth int }
	var open []opened
	depth := 0
	for i := 0; i < len(s.toks); i++ {
		switch s.punct(i) {
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
			if s.triple(i) && !s.is(i-1, "operator") {
				open = append(open, opened{i, i + 2, depth})
				i += 2
			}
		case '>':
			if len(open) == 0 || open[len(open)-1].depth != depth || !s.triple(i) {
				continue
			}
			// In >>>> the first closes a template argument list.
			for s.triple(i+1) && s.joined(i+2) {
				i++
			}
			o := open[len(open)-1]
			open = open[:len(open)-1]
			out = append(out, launchMarks{o.first, o.last, i, i + 2})
			i += 2
		}
	}
	return out
}

// triple reports whether tokens i to i+2 are <<< or >>>. Blanks may stand before the last one only.
func (s *stretch) triple(i int) bool {
	c := s.punct(i)
	if c == 0 || s.punct(i+1) != c || s.punct(i+2) != c || !s.joined(i) {
		return false
	}
	between := s.src[s.toks[i+1].End:s.toks[i+2].Start]
	return strings.Trim(string(between), " \t") == ""
}

// passed names the function that makes a thread's parameter of a launch's value.
const passed = "::smux_cpu::passed"

func (t *text) launch(s *stretch, m launchMarks) {
	view := t.launchView(s, m)
	callee := s.calleeStart(m.open - 1)
	if view != nil {
		if i := s.tokenAt(int(view.Callee.Start)); i >= 0 && i < m.open {
			callee = i
		}
	}
	if callee < 0 || !t.free(s.toks[callee].Start, s.toks[m.opened].End) {
		return // no launch, or one inside the callee of another
	}
	values, parameters, arguments := "auto ...smux_v", "auto &...smux_a", passed+"(smux_a)..."
	if lists := t.argumentRanges(s, m, view); len(lists) > 0 {
		if p, a, ok := t.literalArguments(s, lists); ok {
			parameters, arguments = p, a
		}
	}
	if last := s.nameEnd(callee); last >= 0 && t.referring[s.text(s.lastName(callee, last))] {
		values, arguments = "auto &&...smux_v", strings.ReplaceAll(arguments, passed, "")
	}
	name := s.line(callee, m.open-1)
	capture, call := "&", name
	if s.isValue(callee, m.open-1) || callee == m.open-1 && s.macro == nil && isVariable(t.file, t.functionAt(s.toks[callee].Start), name) {
		capture, call = "&, smux_k = ::smux_cpu::called("+name+")", "smux_k"
	}
	// nvcc evaluates the configuration before the arguments.
	t.cover(s, s.toks[callee].Start, s.toks[m.opened].End, "[&, smux_c = ::smux_cpu::config(")
	t.replace(s.toks[m.close].Start, s.toks[m.closing].End, fmt.Sprintf(")](%s) { ::smux_cpu::launch(smux_c, %s, [%s](%s) { %s(%s), ::smux_cpu::left<decltype(smux_v)...>(); }, smux_v...); }",
		values, s.literal(callee, m.open-1), capture, parameters, call, arguments))
}

// launchView returns the parser's view of the launch, nil where it did not parse as one.
func (t *text) launchView(s *stretch, m launchMarks) *parser.Launch {
	if s.macro != nil {
		return nil
	}
	return lists.Find(t.file.Launches, func(l *parser.Launch) bool { return l.Open == s.toks[m.open].Start && l.Error == nil && l.Call == "" })
}

// tokenAt returns the token that begins at an offset, or -1.
func (s *stretch) tokenAt(offset int) int {
	low, high := 0, len(s.toks)
	for low < high {
		if mid := (low + high) / 2; s.toks[mid].Start < offset {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return pick(low < len(s.toks) && s.toks[low].Start == offset, low)
}

// calleeStart returns the first token of the expression that ends at token i and is called: a name with scopes and
// template arguments, a member, an element, or something in parentheses.
func (s *stretch) calleeStart(i int) int {
	for {
		start := s.primaryStart(i)
		if start < 0 {
			return -1
		}
		switch {
		case s.punct(start-1) == '.' || s.paste(start-2):
			i = start - 2
			if s.paste(start - 2) {
				i = start - 3
			}
		case s.arrow(start - 1):
			i = start - 3
		case s.scope(start - 2):
			if !s.isIdent(start-3) && s.punct(start-3) != '>' || keywordBefore[s.text(start-3)] {
				return start - 2 // ::k
			}
			i = start - 3
		case s.is(start-1, "template"):
			i = start - 1
		default:
			return start
		}
	}
}

// primaryStart returns where one link of such a chain begins.
func (s *stretch) primaryStart(i int) int {
	switch c := s.punct(i); {
	case c == '>' && !s.arrow(i):
		if i = s.openingAngle(i); i < 0 || !s.isIdent(i-1) {
			return -1
		}
		return i - 1
	case c == ')' || c == ']':
		open := s.opening(i)
		if open < 0 {
			return -1
		}
		before := s.punct(open - 1)
		if s.isIdent(open-1) && !keywordBefore[s.text(open-1)] || before == ')' || before == ']' || before == '>' && s.openingAngle(open-1) >= 0 {
			return s.primaryStart(open - 1)
		}
		return pick(c == ')', open)
	case s.isIdent(i) && s.is(i-1, "template"):
		return i - 1
	case s.isIdent(i):
		return i
	}
	return -1
}

// keywordBefore are words after which an expression begins.
var keywordBefore = map[string]bool{"return": true, "else": true, "do": true, "if": true, "while": true, "for": true, "switch": true, "case": true, "and": true, "or": true, "not": true}

// isValue reports whether the callee is an expression to evaluate once, rather than the name of a function.
func (s *stretch) isValue(first, last int) bool {
	for i := first; i <= last; i++ {
		switch c := s.punct(i); {
		case c == '<':
			if e := s.closingAngle(i); e > 0 {
				i = e
			}
		case c == '[' || c == '.' || c == '>' && s.arrow(i):
			return true
		case c == '(':
			// F(x) may be a macro that makes a name.
			return i > first && s.text(i-1) != strings.ToUpper(s.text(i-1)) || i == first && s.punct(i+1) == '*'
		}
	}
	return false
}

// isVariable reports whether a name is certainly a parameter of a function, or of its template, or a pointer that it declares.
func isVariable(f *parser.File, fn *parser.Function, name string) bool {
	return fn != nil && (slices.ContainsFunc(fn.Params, func(p parser.Param) bool { return p.Name == name }) ||
		slices.ContainsFunc(fn.Template, func(p parser.TemplateParam) bool { return p.Name == name && !p.IsType }) ||
		regexp.MustCompile(`(?:\bauto|\()\s*\*?\s*`+regexp.QuoteMeta(name)+`\s*(?:=|\)\s*\()`).MatchString(f.Text(fn.Body)))
}
