package workload

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// SyntaxError is a list of segments that cannot be read, with the byte at which it goes wrong.
type SyntaxError struct {
	Spec   string
	Offset int // from 0, at most len(Spec)
	Text   string
}

// Error returns the message with the column, counted from 1.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("column %d: %s", e.Offset+1, e.Text)
}

// Limits of what Parse takes: far beyond any kernel, and small enough that sums over nested loops stay numbers.
const (
	maxNumber = 1e9
	maxDepth  = 32 // loops and regions inside each other
)

// Parse reads a list of segments, the short notation for what one warp of a thread block does:
//
//	C1200 M256x2 R(C400 S64 B) x8(R(^M512 C90+S12))
//
// Blanks separate steps. A step is
//
//	C120       120 warp instructions
//	F80        of them, additions and multiplications of single precision
//	I20        … of integers
//	D5         … of double precision
//	Q2         … special functions and conversions
//	S64        64 shared-memory wavefronts
//	M256x2     global loads that move 256 bytes, in two batches that are waited
//	           for one after the other; M256 is one batch
//	A128       of the bytes that M moves, those that the block has loaded before
//	P1         batches of M that are copied ahead: waited for are those of the time before
//	W64        global stores that move 64 bytes
//	C90+S12    one piece of work that does both
//	B          a barrier of the thread block
//	R(…)       a region: the shared arrays are live inside, and only there
//	x8(…)      the steps inside, eight times
//
// "^" before a piece of work in a region means that a rewrite moves it in front of the region; "@41" after a step's
// first letters, before any parenthesis, labels it. Regions do not nest. The error is a *SyntaxError.
func Parse(spec string) ([]Step, error) {
	p := &specParser{spec: spec}
	steps := p.steps(0, false)
	if p.err == nil && p.at < len(spec) {
		p.fail(p.at, `")" closes nothing`)
	}
	if p.err == nil && len(steps) == 0 {
		p.fail(0, "there is no segment")
	}
	if p.err != nil {
		return nil, p.err
	}
	return steps, nil
}

// specParser reads a list of segments from left to right; the first error ends it.
type specParser struct {
	spec string
	at   int
	err  *SyntaxError
}

func (p *specParser) fail(at int, format string, args ...any) {
	if p.err == nil {
		p.err = &SyntaxError{Spec: p.spec, Offset: at, Text: fmt.Sprintf(format, args...)}
	}
}

// peek returns the next byte, 0 at the end.
func (p *specParser) peek() byte {
	if p.at < len(p.spec) {
		return p.spec[p.at]
	}
	return 0
}

func (p *specParser) blanks() {
	for p.at < len(p.spec) && strings.IndexByte(" \t\r\n", p.spec[p.at]) >= 0 {
		p.at++
	}
}

// steps reads steps up to a closing parenthesis or the end.
func (p *specParser) steps(depth int, region bool) []Step {
	var out []Step
	for p.err == nil {
		p.blanks()
		if c := p.peek(); c == 0 && p.at == len(p.spec) || c == ')' {
			break
		}
		start := p.at
		out = append(out, p.step(depth, region))
		if c := p.peek(); p.err == nil && p.at < len(p.spec) && c != ')' && strings.IndexByte(" \t\r\n", c) < 0 {
			p.fail(p.at, "a blank must stand after %q", p.spec[start:p.at])
		}
	}
	return out
}

// step reads one step; its first letter selects it.
func (p *specParser) step(depth int, region bool) Step {
	start := p.at
	switch p.peek() {
	case 'B':
		p.at++
		return Step{Kind: KindBarrier, Label: p.label()}
	case 'R':
		p.at++
		if region {
			p.fail(start, "a region cannot stand inside a region")
		}
		s := Step{Kind: KindRegion, Label: p.label()}
		s.Body = p.body(start, depth, true)
		return s
	case 'x':
		p.at++
		s := Step{Kind: KindLoop, Times: p.number("how often")}
		s.Label = p.label()
		s.Body = p.body(start, depth, region)
		return s
	case '^':
		p.at++
		if !region {
			p.fail(start, `"^" marks work inside a region`)
		}
		s := p.work()
		s.Early = true
		return s
	}
	return p.work()
}

// body reads the steps of a loop or region in their parentheses.
func (p *specParser) body(start, depth int, region bool) []Step {
	if p.err != nil {
		return nil
	}
	if p.peek() != '(' {
		p.fail(p.at, `"(" must stand after %q`, p.spec[start:p.at])
		return nil
	}
	if depth == maxDepth {
		p.fail(p.at, "more than %d loops and regions inside each other", maxDepth)
		return nil
	}
	open := p.at
	p.at++
	out := p.steps(depth+1, region)
	if p.err != nil {
		return nil
	}
	if p.peek() != ')' {
		p.fail(open, `"(" is never closed`)
		return nil
	}
	p.at++
	return out
}

// work reads atoms that are joined by "+".
func (p *specParser) work() Step {
	s := Step{Kind: KindWork}
	seen := ""
	start := p.at
	for p.err == nil {
		c := p.peek()
		if c == 0 || strings.IndexByte(letters, c) < 0 {
			p.fail(p.at, "a segment begins with C, F, I, D, Q, S, M, A, P, W, B, R or x, got %s", p.found())
			break
		}
		if strings.IndexByte(seen, c) >= 0 {
			p.fail(p.at, "%c stands twice in one piece of work", c)
		}
		seen += string(c)
		p.at++
		*s.Work.part(c) = p.number("how many")
		if c == 'M' {
			s.Work.Waits = 1
			if p.peek() == 'x' {
				p.at++
				s.Work.Waits = p.number("how many batches")
			}
		}
		if p.peek() != '+' {
			break
		}
		p.at++
	}
	if s.Work.Again > s.Work.Loads {
		p.fail(start, "A is a part of M: %s of %s bytes", number(s.Work.Again), number(s.Work.Loads))
	}
	if s.Work.Ahead > s.Work.Waits {
		p.fail(start, "P is a part of the batches of M: %s of %s", number(s.Work.Ahead), number(s.Work.Waits))
	}
	for _, c := range []byte("FIDQ") {
		if n := *s.Work.part(c); n > s.Work.Issue {
			p.fail(start, "%c is a part of C: %s of %s instructions", c, number(n), number(s.Work.Issue))
		}
	}
	s.Label = p.label()
	return s
}

// number reads a number that is not negative.
func (p *specParser) number(what string) float64 {
	start := p.at
	for p.at < len(p.spec) && (p.spec[p.at] >= '0' && p.spec[p.at] <= '9' || p.spec[p.at] == '.') {
		p.at++
	}
	if start == p.at {
		p.fail(start, "a number must say %s, got %s", what, p.found())
		return 0
	}
	n, err := strconv.ParseFloat(p.spec[start:p.at], 64)
	if err != nil || n > maxNumber {
		p.fail(start, "%s is not a number up to %s", p.spec[start:p.at], number(maxNumber))
		return 0
	}
	return n
}

// label reads "@41", or nothing.
func (p *specParser) label() string {
	if p.err != nil || p.peek() != '@' {
		return ""
	}
	p.at++
	start := p.at
	for p.at < len(p.spec) && labelByte(p.spec[p.at]) {
		p.at++
	}
	if start == p.at {
		p.fail(start, `a label must stand after "@", got %s`, p.found())
	}
	return p.spec[start:p.at]
}

// found returns the next thing for messages.
func (p *specParser) found() string {
	if p.at >= len(p.spec) {
		return "the end"
	}
	for _, r := range p.spec[p.at:] {
		return strconv.Quote(string(r))
	}
	return ""
}

func labelByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.:/", c) >= 0
}

// Format writes steps as Parse reads them: Parse(Format(steps)) gives the same
// steps, except that labels which Parse could not read are left out.
func Format(steps []Step) string {
	var b strings.Builder
	formatSteps(&b, steps)
	return b.String()
}

// Rounded returns the steps with their numbers rounded to so many digits after
// the point, which is enough for people to read.
func Rounded(steps []Step, digits int) []Step {
	scale := math.Pow10(digits)
	round := func(x float64) float64 { return math.Round(x*scale) / scale }
	out := make([]Step, len(steps))
	for i, s := range steps {
		for _, n := range s.Work.fields() {
			*n = round(*n)
		}
		s.Times = round(s.Times)
		s.Body = Rounded(s.Body, digits)
		out[i] = s
	}
	return out
}

func formatSteps(b *strings.Builder, steps []Step) {
	for i, s := range steps {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch s.Kind {
		case KindWork:
			if s.Early {
				b.WriteByte('^')
			}
			b.WriteString(s.Work.String())
			b.WriteString(formatLabel(s.Label))
		case KindBarrier:
			b.WriteString("B" + formatLabel(s.Label))
		case KindLoop:
			b.WriteString("x" + number(s.Times) + formatLabel(s.Label))
		case KindRegion:
			b.WriteString("R" + formatLabel(s.Label))
		}
		if s.Kind == KindLoop || s.Kind == KindRegion {
			b.WriteByte('(')
			formatSteps(b, s.Body)
			b.WriteByte(')')
		}
	}
}

// String writes a piece of work as Parse reads it: C90+S12+M256x2.
func (w Work) String() string {
	var parts []string
	for i := range len(letters) {
		n := *w.part(letters[i])
		switch text := letters[i:i+1] + number(n); {
		case letters[i] == 'M' && w.Waits != 1 && (n != 0 || w.Waits != 0):
			parts = append(parts, text+"x"+number(w.Waits))
		case n != 0 || letters[i] == 'M' && w.Waits != 0:
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return "C0"
	}
	return strings.Join(parts, "+")
}

func formatLabel(label string) string {
	if label == "" {
		return ""
	}
	for i := range len(label) {
		if !labelByte(label[i]) {
			return ""
		}
	}
	return "@" + label
}

// number writes a number without an exponent, exactly.
func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
