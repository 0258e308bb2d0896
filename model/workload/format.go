package workload

import (
	"math"
	"strconv"
	"strings"
)

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
