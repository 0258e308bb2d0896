package affine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/ir"
)

// AxisKind is what a term of a form varies with.
type AxisKind uint8

// The kinds of axes.
const (
	AxisThread  AxisKind = iota // threadIdx, component Dim
	AxisBlock                   // blockIdx, component Dim
	AxisCounter                 // the iteration number of Loop, from 0
	AxisLane                    // another function of threadIdx alone, such as threadIdx.x / 16: Lanes
	AxisData                    // anything else: loaded, or not affine
)

// Axis is something that a term of a form is proportional to. Axes are
// interned: two terms vary alike if they have the same pointer.
type Axis struct {
	Kind  AxisKind
	Dim   int    // 0, 1, 2 for x, y, z
	Name  string // for reports
	Loop  *Loop  // AxisCounter
	Lanes []int64
	// Of AxisData: how uniform it is, the loops in which it changes, what it is
	// at most if it can't be negative (-1 if not known), and the array that it
	// was loaded from, if it was.
	Level analysis.Uniformity
	Loops []*Loop
	Max   int64
	From  *ir.Var

	// What a quotient or a remainder is of: of / by, of % by.
	tok    string
	of, by *Form

	id int
}

// level returns the uniformity of the axis.
func (x *Axis) level() analysis.Uniformity {
	switch x.Kind {
	case AxisThread, AxisLane:
		return analysis.ThreadVarying
	case AxisBlock:
		return analysis.BlockUniform
	case AxisCounter:
		return analysis.GridUniform // at the same iteration
	}
	return x.Level
}

// Symbol is an unknown that is the same for the whole grid.
type Symbol struct {
	Name string
	id   int
}

// Term is Coef times the product of Symbols times Axis (one, where it is nil).
type Term struct {
	Coef    int64
	Symbols []*Symbol // ordered; nil for a plain number
	Axis    *Axis
}

// Form is a sum of terms, no two of them with the same symbols and axis. The
// zero value is the number 0.
type Form struct {
	Terms []Term
	// Clamped marks the form of the inner threads, where threads at a boundary
	// use another.
	Clamped bool
}

// Number returns the form of an integer.
func Number(n int64) Form {
	if n == 0 {
		return Form{}
	}
	return Form{Terms: []Term{{Coef: n}}}
}

// Constant returns the number that the form is, if it is one.
func (f Form) Constant() (int64, bool) {
	switch {
	case len(f.Terms) == 0:
		return 0, true
	case len(f.Terms) == 1 && f.Terms[0].Axis == nil && len(f.Terms[0].Symbols) == 0:
		return f.Terms[0].Coef, true
	}
	return 0, false
}

// Uniform reports whether the form is made of numbers and symbols alone.
func (f Form) Uniform() bool {
	for _, t := range f.Terms {
		if t.Axis != nil {
			return false
		}
	}
	return true
}

// Level is how uniform the form's value is among threads at the same iteration
// of all loops.
func (f Form) Level() analysis.Uniformity {
	l := analysis.GridUniform
	for _, t := range f.Terms {
		if t.Axis != nil {
			l = max(l, t.Axis.level())
		}
	}
	return l
}

// DependsOn reports whether the form changes from one iteration of a loop to
// the next.
func (f Form) DependsOn(l *Loop) bool {
	for _, t := range f.Terms {
		if t.Axis != nil && (t.Axis.Loop == l || slices.Contains(t.Axis.Loops, l)) {
			return true
		}
	}
	return false
}

// Has reports whether the form has a term on an axis that keep accepts.
func (f Form) Has(keep func(*Axis) bool) bool {
	return slices.ContainsFunc(f.Terms, func(t Term) bool { return t.Axis != nil && keep(t.Axis) })
}

// compare orders terms by axis, then symbols.
func (t Term) compare(o Term) int {
	a, b := -1, -1
	if t.Axis != nil {
		a = t.Axis.id
	}
	if o.Axis != nil {
		b = o.Axis.id
	}
	if a != b {
		return a - b
	}
	return slices.CompareFunc(t.Symbols, o.Symbols, func(x, y *Symbol) int { return x.id - y.id })
}

// Add returns f + g.
func (f Form) Add(g Form) Form { return f.addScaled(g, 1) }

// Sub returns f - g.
func (f Form) Sub(g Form) Form { return f.addScaled(g, -1) }

// addScaled merges two sorted sums.
func (f Form) addScaled(g Form, by int64) Form {
	out := Form{Clamped: f.Clamped || g.Clamped, Terms: make([]Term, 0, len(f.Terms)+len(g.Terms))}
	i, j := 0, 0
	for i < len(f.Terms) || j < len(g.Terms) {
		c := 0
		switch {
		case i == len(f.Terms):
			c = 1
		case j == len(g.Terms):
			c = -1
		default:
			c = f.Terms[i].compare(g.Terms[j])
		}
		var t Term
		if c <= 0 {
			t = f.Terms[i]
			i++
		}
		if c >= 0 {
			u := g.Terms[j]
			j++
			u.Coef *= by
			if c == 0 {
				u.Coef += t.Coef
			}
			t = u
		}
		if t.Coef != 0 {
			out.Terms = append(out.Terms, t)
		}
	}
	return out
}

// Scale returns n f.
func (f Form) Scale(n int64) Form {
	if n == 1 {
		return f
	}
	return Form{Clamped: f.Clamped}.addScaled(f, n)
}

// Equal reports whether two forms are the same sum.
func (f Form) Equal(g Form) bool { return len(f.Terms) == len(g.Terms) && len(f.Sub(g).Terms) == 0 }

// Divide returns f / n where every coefficient is a multiple of n.
func (f Form) Divide(n int64) (Form, bool) {
	out := Form{Clamped: f.Clamped, Terms: make([]Term, len(f.Terms))}
	for i, t := range f.Terms {
		if n == 0 || t.Coef%n != 0 {
			return Form{}, false
		}
		out.Terms[i] = Term{t.Coef / n, t.Symbols, t.Axis}
	}
	return out, true
}

// String writes the form as C would: 4*n*threadIdx.y + 4*k.
func (f Form) String() string {
	if len(f.Terms) == 0 {
		return "0"
	}
	var b strings.Builder
	// Numbers last, as people write them.
	for pass := range 2 {
		for _, t := range f.Terms {
			if plain := t.Axis == nil && len(t.Symbols) == 0; plain != (pass == 1) {
				continue
			}
			sign := " + "
			c := t.Coef
			if c < 0 {
				sign, c = " - ", -c
			}
			switch {
			case b.Len() > 0:
				b.WriteString(sign)
			case sign == " - ":
				b.WriteByte('-')
			}
			b.WriteString(t.text(c))
		}
	}
	return b.String()
}

// text is a term with its coefficient replaced by c.
func (t Term) text(c int64) string {
	var parts []string
	if c != 1 || t.Axis == nil && len(t.Symbols) == 0 {
		parts = append(parts, strconv.FormatInt(c, 10))
	}
	for _, s := range t.Symbols {
		parts = append(parts, grouped(s.Name))
	}
	if t.Axis != nil {
		parts = append(parts, grouped(t.Axis.Name))
	}
	return strings.Join(parts, "*")
}

// grouped puts parentheses around text that is a sum or a quotient.
func grouped(s string) string {
	if strings.ContainsAny(s, " ") && !strings.HasPrefix(s, "(") && !strings.HasSuffix(s, "]") {
		return fmt.Sprintf("(%s)", s)
	}
	return s
}
